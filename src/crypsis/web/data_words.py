"""Kinds of data, types and columns in plain words, as people choose them on pages."""

from __future__ import annotations

KIND_WORDS = {
    "table": "Table",
    "mixed": "Table with sets",
    "transactions": "Baskets, sets of items",
    "trajectories": "Visits to places",
    "tracks": "GPS tracks",
    "events": "Stream of visits",
}
TYPE_WORDS = {
    "int": "whole number",
    "float": "number",
    "category": "text",
    "date": "date",
    "timestamp": "date and time",
    "items": "set of items",
}
NAMED_COLUMNS = {  # by kind: the options of a dataset that name a column, as the page Data asks for them
    "transactions": ("id", "item", "person"),
    "trajectories": ("id", "position", "location", "owner"),
    "visits to squares": ("user", "time", "lat", "lon"),  # of trajectories, where the map is divided by a grid
    "tracks": ("id", "x", "y", "t", "lat", "lon", "owner"),
    "events": ("id", "location", "t"),
}
COLUMN_WORDS = {  # by the option of a dataset that names the column
    "id": "Whose record it is (id)",
    "owner": "Person, where one has several (owner)",
    "item": "Item",
    "person": "Person, where one has several records (person)",
    "location": "Place (location)",
    "position": "Order or time of the visits (position)",
    "t": "Time (t)",
    "x": "Position to the east (x)",
    "y": "Position to the north (y)",
    "lat": "Latitude (lat)",
    "lon": "Longitude (lon)",
    "user": "Whose visit it is (user)",
    "time": "Time of the visit (time)",
}
