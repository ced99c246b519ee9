"""Options that several kinds of data are read with: each is described here, once."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from crypsis.data.formats.tabular import read_table_file
from crypsis.data.sources.data_source import InFilesOnly, Label, NamesColumn, NumberOrText
from crypsis.data.trajectory import Locations
from crypsis.parameters import SideInput

MOVEMENT = "Movement (trajectories, tracks, events)"


@dataclass(frozen=True)
class LocationTable(SideInput):
    """Where locations lie: a table in memory, or the file that holds it, which is read when it is needed."""

    table: Any
    in_words = "a location table"

    @classmethod
    def from_text(cls, text: str) -> LocationTable:
        return cls(text)

    @classmethod
    def of(cls, table: Any | None) -> LocationTable | None:
        return table if table is None or isinstance(table, cls) else cls(table)

    def load(self) -> Locations:
        if not isinstance(self.table, (str, Path)):
            return Locations.of(self.table)
        frame, source = read_table_file(self.table)
        return Locations.from_frame(frame, source)


Columns = Annotated[dict[str, Any] | None, InFilesOnly(), "Type and role of each column by its name."]
Id = Annotated[
    str | None, NamesColumn("Whose record it is"), "Column that names the trajectory, track, transaction or person."
]
Person = Annotated[
    str | None,
    NamesColumn("Person, where one has several records"),
    "Column that names the person, where one has several records; it is never published.",
]
MissingTexts = Annotated[
    tuple[str, ...],
    Label("Texts that mean a missing value"),
    "Texts that mean a missing value, a,b,c (default: ?).",
]
EachRowIsAPerson = Annotated[bool, Label("Each row is another person"), "Confirm that no person has several records."]
Sensitive = Annotated[
    tuple[str, ...],
    Label("Sensitive"),
    "Sensitive locations, items or columns: a file with one label a line, or a,b,c.",
]
PlaceTable = Annotated[
    LocationTable | None, Label("Location table"), "Location table: columns location, x, y, optionally sensitive."
]
Location = Annotated[str | None, NamesColumn("Place"), "Column with the visited location (default: location)."]
Time = Annotated[str | None, NamesColumn("Time"), "Column with the time."]
Exit = Annotated[
    str | None,
    NamesColumn("When the visit ended"),
    "Column with the time at which a visit ended; the one of its beginning where visits are instants.",
]
Latitude = Annotated[str | None, NamesColumn("Latitude"), "Column with the latitude (default: lat)."]
Longitude = Annotated[str | None, NamesColumn("Longitude"), "Column with the longitude (default: lon)."]
Projection = Annotated[
    str | None,
    NumberOrText(),
    Label("Projection"),
    "EPSG code to project degrees to (default: the UTM zone).",
]
Sort = Annotated[bool, Label("Put the rows in order"), "Order the visits by position; otherwise disorder is an error."]
TimeFormat = Annotated[
    str | None,
    Label("Format of times"),
    "How times are written, such as '%d/%m/%Y %H:%M', or s, ms, us for epochs, excel for days of a spreadsheet; of a "
    "table also born=%d/%m/%Y.",
]
