"""Check-ins in Ravensford, an invented town by the sea: sixty places and twelve ways to spend a day.

People follow the stops of their way of life and leave some out. Now and then they go next door instead, to
a place that few others visit, and it is these visits that would give them away.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from crypsis.arrays import Int32s, Int64s, offsets_of
from crypsis.data.trajectory import Locations, Trajectories
from crypsis.samples.numbering import numbered

# Quarter by quarter, corner by corner: name, metres east and north of the market square.
# The first place of a corner is where most people go; the others are next door.
_TOWN: dict[str, list[list[tuple[str, int, int]]]] = {
    "Old Town": [
        [("Market Square", 0, 0)],
        [("Clocktower Café", 130, 120), ("Candle Lane Books", 165, 95), ("Silver Street Deli", 175, 150)],
        [("City Library", -190, 110), ("Museum of the Sea", -230, 75)],
        [("Guildhall", 190, -110), ("Old Cinema", 235, -70), ("Toy Museum", 150, -150)],
        [("Baker's Row", -120, -170), ("St Brannoc's Church", -165, -140), ("Apothecary", -75, -200)],
    ],
    "Harbour": [
        [("Fish Market", 980, -520), ("Smokehouse", 1020, -480), ("Chandlery", 930, -495)],
        [("Harbour Café", 1130, -640), ("Anchor Inn", 1085, -680), ("Net Loft Studios", 1170, -685)],
        [("Ferry Pier", 1330, -560)],
        [("Sailing Club", 1360, -800), ("Boatyard", 1310, -850), ("Lighthouse", 1450, -845)],
    ],
    "Station": [
        [("Central Station", -780, -420)],
        [("Station Bakery", -650, -330), ("Taproom Nine", -610, -290), ("Hotel Meridian", -690, -285)],
        [("Bus Terminal", -900, -310), ("Bicycle Garage", -940, -270), ("Parcel Depot", -960, -350)],
        [("Post Office", -660, -540), ("Night Pharmacy", -620, -580)],
    ],
    "University": [
        [("Main Campus", -560, 820)],
        [("University Library", -420, 900), ("Lecture Theatre", -455, 945), ("Copy Corner", -375, 870)],
        [("Student Canteen", -640, 690), ("Café Quark", -600, 650)],
        [("Science Park", -760, 940), ("Observatory", -830, 1010), ("Botanic Garden", -720, 1000)],
        [("Sports Hall", -400, 680), ("Climbing Gym", -360, 640)],
    ],
    "Riverside": [
        [("River Park", 560, 480), ("Weir Bridge", 520, 430), ("Rowing Club", 505, 520)],
        [("Riverside Mall", 740, 560), ("Garden Centre", 800, 590)],
        [("Primary School", 640, 720), ("Playground", 600, 760), ("Allotments", 690, 775)],
        [("Swimming Baths", 880, 420), ("Mill Theatre", 840, 370)],
    ],
    "Hillside": [
        [("General Hospital", 120, -1080)],
        [("Family Clinic", -20, -980), ("Physiotherapy", -65, -950)],
        [("Hillside Supermarket", 260, -960), ("Community Centre", 310, -930), ("Tennis Courts", 300, -1010)],
        [("Viewpoint", 290, -1230), ("Cemetery Gardens", 230, -1260)],
    ],
}

# How many of a hundred people live so, and the stops of their day in order.
_WAYS_OF_LIFE: list[tuple[int, str]] = [
    (17, "Main Campus → Student Canteen → University Library → Sports Hall → Clocktower Café"),
    (16, "Central Station → Station Bakery → Guildhall → Clocktower Café → Market Square → Central Station"),
    (10, "Primary School → Riverside Mall → River Park → Primary School → Swimming Baths"),
    (9, "Market Square → Baker's Row → City Library → Clocktower Café → Market Square"),
    (8, "Bus Terminal → Riverside Mall → Market Square → Clocktower Café → Bus Terminal"),
    (7, "Bus Terminal → General Hospital → Hillside Supermarket → Bus Terminal"),
    (7, "Central Station → Market Square → City Library → Harbour Café → Ferry Pier → Sailing Club"),
    (7, "Fish Market → Harbour Café → Market Square → Baker's Row → Fish Market"),
    (6, "Bus Terminal → Science Park → Student Canteen → Main Campus → Science Park"),
    (5, "Hillside Supermarket → Family Clinic → General Hospital → Viewpoint"),
    (4, "Post Office → Guildhall → Market Square → Post Office → Central Station"),
    (4, "River Park → Swimming Baths → Riverside Mall → Clocktower Café"),
]
_KEEPS_A_STOP = 0.62
_GOES_NEXT_DOOR = 0.16


def places() -> Locations:
    """The map: the sixty places with their coordinates in metres."""
    return Locations.of({name: (x, y) for name, x, y in _all_places()})


def checkins(people: int = 2_000, seed: int = 1) -> Trajectories:
    """One day of each person: the places they checked in at, in order."""
    offsets, codes = _visits(people, np.random.Generator(np.random.PCG64(seed)))
    return Trajectories(offsets, codes, places(), ids=numbered("person", people))


def checkins_frame(people: int = 2_000, seed: int = 1) -> pl.DataFrame:
    """The same as a long table, one row per visit: trajectory_id, position, location."""
    return checkins(people, seed).to_frame()


def _visits(people: int, random: np.random.Generator) -> tuple[Int64s, Int32s]:
    shares, stops, corner_start, corner_size = _plan_of_the_town()
    way = np.searchsorted(np.cumsum(shares) / shares.sum(), random.random(people), side="right")
    kept = (random.random((people, stops.shape[1])) < _KEEPS_A_STOP) & (stops[way] >= 0)
    seen_nowhere = ~kept.any(axis=1)
    kept[seen_nowhere, 0] = True

    corner = stops[way][kept]
    door = random.integers(1, np.maximum(corner_size[corner], 2))
    next_door = (random.random(len(corner)) < _GOES_NEXT_DOOR) & (corner_size[corner] > 1)
    codes = corner_start[corner] + np.where(next_door, door, 0)
    return offsets_of(kept.sum(axis=1)), codes.astype(np.int32)


def _plan_of_the_town() -> tuple[Int64s, Int64s, Int64s, Int64s]:
    """Share and stops of each way of life (corners, -1 where none), first place and size of each corner."""
    corners = [corner for quarter in _TOWN.values() for corner in quarter]
    number = {corner[0][0]: index for index, corner in enumerate(corners)}
    days = [[number[name] for name in day.split(" → ")] for _, day in _WAYS_OF_LIFE]
    stops = np.full((len(days), max(map(len, days))), -1)
    for way, day in enumerate(days):
        stops[way, : len(day)] = day
    sizes = np.array([len(corner) for corner in corners])
    return np.array([share for share, _ in _WAYS_OF_LIFE]), stops, offsets_of(sizes)[:-1], sizes


def _all_places() -> list[tuple[str, int, int]]:
    return [place for quarter in _TOWN.values() for corner in quarter for place in corner]
