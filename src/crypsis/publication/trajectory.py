"""Published trajectories in a release: rows of symbols, and the coordinates of the locations they name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import polars as pl

from crypsis.arrays import Int32s, Int64s
from crypsis.data.cell_blocks import CellBlocks
from crypsis.data.formats.published import read_published_trajectories, write_published_trajectories
from crypsis.data.formats.tabular import read_published_table
from crypsis.data.grid import Grid
from crypsis.data.reading import read_locations
from crypsis.data.timed_places import TimedPlaces, is_described
from crypsis.data.track import Tracks
from crypsis.data.trajectory import Locations, PublishedTrajectories, Trajectories
from crypsis.data.vocabulary import Vocabulary
from crypsis.data.written_places import WrittenPlaces
from crypsis.errors import BadRelease, CrypsisError, NotApplicable
from crypsis.executors.executor import Executor
from crypsis.guarantees import Guarantee
from crypsis.guarantees.known_time import OrderOrTime
from crypsis.guarantees.verdict import Verdict
from crypsis.hierarchy import Taxonomy
from crypsis.kernels.row_order import sorted_rows
from crypsis.metrics.published_symbols import published_symbols
from crypsis.metrics.temporal_loss import temporal_loss
from crypsis.parameters import SideInput
from crypsis.publication.attached_times import with_attached_times
from crypsis.publication.cells_geojson import AREAS, POINTS, cell_files, has_degrees, read_cell_files
from crypsis.publication.kind import (
    SUPPRESSED_LABELS,
    PublishedKind,
    declared_labels,
    is_list_of_labels,
    shown_labels,
    suppressed_labels,
)
from crypsis.publication.record_parts import write_parts
from crypsis.publication.table_parts import PARTS, data_paths
from crypsis.run_context import RunContext
from crypsis.verifiers import verify
from crypsis.verifiers.counted_rows import count_rows
from crypsis.verifiers.klm_anonymity import sensitive_codes
from crypsis.verifiers.recoding import recoded_original
from crypsis.verifiers.row_matching import row_out_of_place
from crypsis.verifiers.rows_of_owners import row_of_nobody
from crypsis.verifiers.trajectory_parts import shown_symbols, verify_trajectory_parts

LOCATIONS = "locations.csv"
TIMED_PLACES = "timed_places.csv"
TAXONOMY = "taxonomy.csv"
DROPPED = "dropped"


class TrajectoryKind(PublishedKind):
    """Trajectories of generalized locations."""

    name = "trajectories"
    files: ClassVar[dict[str, str]] = {
        "jsonl": "trajectories.jsonl",
        "parquet": "trajectories.parquet",
        PARTS: "trajectories",
    }
    files_beside = frozenset([LOCATIONS, POINTS, AREAS, TIMED_PLACES, TAXONOMY])
    report_place = "release_report.TRAJECTORY_REPORT"

    def side_file(self, original: Trajectories | Tracks, published: PublishedTrajectories) -> Locations | None:
        """Coordinates of the locations that some published symbol names, and of no other: those that the method made
        for publication, else those of the location table."""
        if published.places is not None:
            return published.places
        if isinstance(original, Tracks) or not original.locations.has_coordinates:
            return None
        symbols = published.symbols
        occurs = np.zeros(len(symbols), np.bool_)
        occurs[published.codes] = True
        named = symbols.vocabulary.decode(np.unique(symbols.members[np.repeat(occurs, symbols.sizes)]))
        shown = original.locations.to_frame().select("location", "x", "y")
        listed = Locations.from_frame(shown.filter(pl.col("location").is_in(named.to_list())).sort("location"))
        return replace(listed, crs=original.locations.crs, grid=original.locations.grid)

    def with_times(
        self,
        published: PublishedTrajectories,
        original: Trajectories | Tracks,
        guarantee_of: Callable[[Any, Any], Any],
        context: RunContext,
    ) -> tuple[PublishedTrajectories, Trajectories | Tracks]:
        """Where times are attached to the result: in the narrowest steps for which the guarantee holds with times."""
        if isinstance(original, Tracks) or original.attached is None:
            return published, original

        def check(candidate: PublishedTrajectories, bound: Trajectories) -> Verdict:
            done = self.completed(candidate, bound)
            return verify(done, self.promised(guarantee_of(bound, done), done), bound)

        return with_attached_times(published, original, check, context)

    def completed(self, published: PublishedTrajectories, original: Trajectories | Tracks) -> PublishedTrajectories:
        """With the places and times of the locations that are published, where locations have times."""
        if isinstance(original, Tracks):
            return published
        times = original.locations.times
        if times is None:
            return replace(published, drops_times=original.drops_times)
        lists = published.symbols.label_lists
        shown = {label for code in np.unique(published.codes).tolist() for label in lists[code]}
        return replace(published, timed=times.select(shown))

    def with_public_inputs(
        self, published: PublishedTrajectories, given: Mapping[str, SideInput]
    ) -> PublishedTrajectories:
        """With the taxonomy of places where one was given: it is public, and its nodes name regions to ask for. What
        was made from the data is not published."""
        tree = given.get("taxonomy")
        if not isinstance(tree, Taxonomy) or tree.origin:
            return published
        return replace(published, place_tree=tuple(tree.to_pairs()))

    def promised(self, guarantee: Any, published: PublishedTrajectories) -> Any:
        """Where times are published, the adversary knows them, too."""
        if published.timed is None:
            return guarantee
        if not isinstance(guarantee, OrderOrTime):
            raise NotApplicable(f"{guarantee.model} is not proven for locations with times; drop the times.")
        return replace(guarantee, knows="time")

    def sorted_rows(self, published: PublishedTrajectories) -> Int64s:
        return sorted_rows(published.offsets, published.symbols.rank[published.codes])

    def write(
        self, folder: Path, published: PublishedTrajectories, side_file: Locations | None, rows: Int64s, format: str
    ) -> None:
        file = folder / self.files[format]
        if format == PARTS:
            write_parts(self, published.take(rows), file)
        else:
            write_published_trajectories(published.take(rows), file, format=format)
        self.write_side_files(folder, published, side_file)

    def write_side_files(self, folder: Path, published: PublishedTrajectories, side_file: Locations | None) -> None:
        """Coordinates and times of what is published."""
        if side_file is not None:
            side_file.to_frame().write_csv(folder / LOCATIONS)
            for name, content in cell_files(published, published.places).items():
                (folder / name).write_text(content, encoding="utf-8")
        if published.timed is not None:
            published.timed.to_frame().write_csv(folder / TIMED_PLACES)
        if published.place_tree:
            Taxonomy(published.place_tree).write(folder / TAXONOMY)

    def read_file(self, path: Path) -> PublishedTrajectories:
        return read_published_trajectories(path)

    def verify_parts(
        self, files: Sequence[str], described: Mapping[str, Any], guarantee: Guarantee, executor: Executor
    ) -> tuple[int, Verdict]:
        if isinstance(described.get("times"), dict) or getattr(guarantee, "knows", "order") == "time":
            raise NotApplicable("Times are not compared on parts; verify the release without an executor.")
        counted = count_rows(files, read_published_trajectories, executor)
        shown = shown_symbols(counted, declared_labels(described, counted.names, described["file"]))
        return counted.n_records, verify_trajectory_parts(counted, guarantee, shown)

    def problem_of_shard(self, published: PublishedTrajectories, original: Trajectories) -> str | None:
        if published.input_rows is not None:
            return _untrue_row(published, original, published.input_rows)
        recoded = recoded_original(published, original)
        return recoded if isinstance(recoded, str) else None

    def problem_of_rows(self, published: PublishedTrajectories, original: Trajectories) -> str | None:
        if len(published) != len(original):
            return f"{len(published)} rows are published for {len(original)} original trajectories"
        row = row_out_of_place(published, original, sensitive_codes(published, original))
        return None if row is None else f"row {row} of a block is not the trajectory that it was made of, recoded"

    def ranked_rows(self, published: PublishedTrajectories) -> tuple[Int64s, Int32s]:
        return published.offsets, published.symbols.rank[published.codes]

    def write_part(self, published: PublishedTrajectories, file: Path) -> None:
        write_published_trajectories(published, file, format="parquet")

    def read(self, folder: Path, manifest: Mapping[str, Any]) -> tuple[PublishedTrajectories, Locations | None]:
        described = manifest["data"]
        published = self.read_file(folder / described["file"])
        published = replace(
            published,
            suppressed=None,
            sensitive=declared_labels(described, published.symbols.label_lists, described["file"]),
            lacks_sensitive=described.get("lacks_sensitive", False),
            drops_times=described.get("times") == DROPPED,
        )
        if isinstance(described.get("times"), dict):
            frame = read_published_table(folder / TIMED_PLACES)[0]
            published = replace(published, timed=TimedPlaces.from_frame(frame, described["times"], str(folder)))
        if described.get("taxonomy"):
            published = replace(published, place_tree=_place_tree(folder))
        locations = self.read_beside(folder, manifest)
        if locations is None or described.get("places") != "cells":
            return published, locations
        missing = published.symbols.vocabulary.series.filter(
            locations.vocabulary.encode(published.symbols.vocabulary.series) < 0
        )
        if len(missing):
            raise BadRelease(f"{LOCATIONS} has no place for the published cell {missing[0]!r}.", where=str(folder))
        decimals = described.get("decimals")
        written = (
            read_cell_files(folder, locations.labels, decimals)
            if {POINTS, AREAS} <= set(manifest["files"])
            else WrittenPlaces(decimals)
        )
        locations = replace(locations, written=written)
        return replace(published, places=locations), locations

    def read_beside(self, folder: Path, manifest: Mapping[str, Any]) -> Locations | None:
        described = manifest["data"]
        if described.get("taxonomy"):
            _place_tree(folder)
        if LOCATIONS not in manifest["files"]:
            return None
        locations = replace(read_locations(folder / LOCATIONS), crs=described.get("crs"))
        grid = None if described.get("places") == "cells" else described.get("grid")
        return locations if grid is None else replace(locations, grid=Grid.from_dict(grid))

    def with_private_facts(self, published: PublishedTrajectories, facts: Mapping[str, Any]) -> PublishedTrajectories:
        """With what the publisher knows: what was cut and suppressed, which input each row was made of, and of tracks
        the generators of the cells, from which the cells of the original tracks are recomputed."""
        longest = facts.get("longest")
        if longest is not None and (isinstance(longest, bool) or not isinstance(longest, int) or longest < 0):
            raise BadRelease("The private report does not tell how rows were cut.")
        rows = _input_rows(facts, len(published))
        published = replace(published, suppressed=suppressed_labels(facts), longest=longest, input_rows=rows)
        if published.places is None:
            return published
        cells = facts.get("cells")
        try:
            labels, points = list(cells), np.array(list(cells.values()), np.float64).reshape(len(cells), 2)  # type: ignore
            generators = Locations(Vocabulary(labels), points[:, 0], points[:, 1])
        except CrypsisError:
            raise
        except (TypeError, ValueError, AttributeError) as error:
            raise BadRelease("The private report does not list the cells of this release with their points.") from error
        return replace(published, generators=generators, cell_blocks=CellBlocks.from_facts(facts, len(labels)))

    def private_facts(self, published: PublishedTrajectories) -> dict[str, Any]:
        """What was cut and suppressed, and in which blocks tracks were generalized."""
        blocks = {} if published.cell_blocks is None else published.cell_blocks.to_facts()
        return {SUPPRESSED_LABELS: list(published.suppressed or ()), "longest": published.longest, **blocks}

    def describe(self, published: PublishedTrajectories) -> dict[str, Any]:
        places = published.places
        cells: dict[str, Any] = {} if places is None else {"places": "cells", "crs": places.crs}
        if places is not None and places.written is not None and places.written.decimals is not None:
            cells["decimals"] = places.written.decimals
        return {
            **cells,
            "rows": len(published),
            "visits": published.visits,
            "symbols": len(np.unique(published.codes)),
            "sensitive": shown_labels(published.sensitive, published),
            "lacks_sensitive": published.lacks_sensitive,
            **_described_times(published),
            **({"taxonomy": True} if published.place_tree else {}),
        }

    def describe_side_file(self, side_file: Locations | None) -> dict[str, Any]:
        """The projection of the coordinates, and the grid of the cells: with them everybody can draw the places."""
        if side_file is None or (side_file.crs is None and side_file.grid is None):
            return {}
        return {"crs": side_file.crs, **({} if side_file.grid is None else {"grid": side_file.grid.to_dict()})}

    def notes(self, published: PublishedTrajectories) -> list[str]:
        notes = []
        if published.timed is not None:
            zone = "; times are in UTC, and so are taken those without a zone" if published.timed.clock else ""
            notes.append(f"times of visits are published {published.timed.words}{zone}")
        if published.drops_times:
            notes.append("the times of the visits were dropped: the release tells their order only (times='drop')")
        if published.longest is not None:
            notes.append(
                f"trajectories were cut to their first {published.longest} visits, as on_infeasible='truncate' asks"
            )
        if published.suppressed:
            notes.append(
                f"all visits to {len(published.suppressed):,} locations were left out; the private report says which"
            )
        return notes

    def figures(self, published: PublishedTrajectories) -> dict[str, Any]:
        return published_symbols(published) | temporal_loss(published)

    def resources(self, described: Mapping[str, Any], side_file: Locations | None) -> list[dict[str, Any]]:
        # Symbols inside rows are JSON Lines or Parquet, not a flat table, so the data are described as a file.
        format = "parquet" if described["format"] == PARTS else described["format"]
        mediatype = "application/jsonl" if format == "jsonl" else "application/vnd.apache.parquet"
        rows = {
            "name": "trajectories",
            "type": "file",
            "path": data_paths(described),
            "format": format,
            "mediatype": mediatype,
            "description": "One trajectory per row: a list of symbols, each a label or a sorted list of labels "
            "read as 'exactly one of these'.",
        }
        fields = [
            {"name": "location", "type": "string"},
            {"name": "x", "type": "number"},
            {"name": "y", "type": "number"},
        ]
        places = {
            "name": "locations",
            "type": "table",
            "path": LOCATIONS,
            "format": "csv",
            "mediatype": "text/csv",
            "encoding": "utf-8",
            "schema": {"fields": fields, "primaryKey": ["location"]},
        }
        beside = [_timed_resource(described["times"])] if isinstance(described.get("times"), dict) else []
        beside += [_TREE] if described.get("taxonomy") else []
        if side_file is None:
            return [rows, *beside]
        mapped = described.get("places") == "cells" and has_degrees(side_file)
        return [rows, places, *beside, *(_geojson(name, what) for name, what in _MAPS.items() if mapped)]

    def is_sound(self, described: Mapping[str, Any]) -> bool:
        return (
            super().is_sound(described)
            and is_list_of_labels(described.get("sensitive"))
            and isinstance(described.get("lacks_sensitive", False), bool)
            and (described.get("crs") is None or isinstance(described["crs"], str))
            and _is_small_number(described.get("decimals"))
            and _is_grid(described.get("grid"))
            and (described.get("times") in (None, DROPPED) or is_described(described["times"]))
            and isinstance(described.get("taxonomy", False), bool)
        )


def _untrue_row(published: PublishedTrajectories, original: Trajectories, input_rows: Int64s) -> str | None:
    """A published row that is no part of the trajectory that it was made of."""
    symbols = published.symbols
    location = original.locations.vocabulary.encode(symbols.vocabulary.series)[symbols.members[symbols.offsets[:-1]]]
    codes = location[published.codes] if len(location) else published.codes
    everyone = np.arange(len(original), dtype=np.int32)
    owners = input_rows.astype(np.int32)
    row = row_of_nobody(published.offsets, codes, owners, input_rows, original.offsets, original.codes, everyone)
    return None if row is None else f"row {row} of a shard is no part of the trajectory that it was made of"


def _place_tree(folder: Path) -> tuple[Any, ...]:
    """What locations mean, as the release tells it."""
    return tuple(Taxonomy.from_file(folder / TAXONOMY).to_pairs())


def _described_times(published: PublishedTrajectories) -> dict[str, Any]:
    if published.timed is not None:
        return {"times": published.timed.describe()}
    return {"times": DROPPED} if published.drops_times else {}


def _timed_resource(told: Mapping[str, Any]) -> dict[str, Any]:
    names = ["enter_from", "enter_until", *(["exit_from", "exit_until"] if told["exits"] else [])]
    kind = "datetime" if told["clock"] and told["cycle"] == "none" else "integer"
    times: list[dict[str, Any]] = [{"name": name, "type": kind} for name in names]
    if kind == "datetime":
        times = [{**field, "format": "%Y-%m-%dT%H:%M:%S"} for field in times]
    return {
        "name": "timed-places",
        "type": "table",
        "path": TIMED_PLACES,
        "format": "csv",
        "mediatype": "text/csv",
        "encoding": "utf-8",
        "description": "The place of each location, and from when until when visits to it begin and end.",
        "schema": {
            "fields": [{"name": "location", "type": "string"}, {"name": "place", "type": "string"}, *times],
            "primaryKey": ["location"],
        },
    }


def _input_rows(facts: Mapping[str, Any], n_rows: int) -> Int64s | None:
    """The input row of each published row; a report that tells of none says nothing."""
    place = facts.get("published_row_of_input_row")
    if place is None:
        return None
    told = [] if not isinstance(place, list) else [(at, row) for row, at in enumerate(place) if at is not None]
    if not isinstance(place, list) or sorted(at for at, _ in told if type(at) is int) != list(range(n_rows)):
        raise BadRelease("The private report does not tell which input became which row of this release.")
    return np.array([row for _, row in sorted(told)], np.int64)


def _is_small_number(value: object) -> bool:
    return value is None or (isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 15)


def _is_grid(value: Any) -> bool:
    if value is None:
        return True
    try:
        return Grid.from_dict(value).size > 0
    except ValueError:
        return False


_TREE = {
    "name": "taxonomy",
    "type": "table",
    "path": TAXONOMY,
    "format": "csv",
    "mediatype": "text/csv",
    "encoding": "utf-8",
    "description": "The taxonomy of places as the publisher was given it: each node and the node above it.",
    "schema": {
        "fields": [{"name": "child", "type": "string"}, {"name": "parent", "type": "string"}],
        "primaryKey": ["child"],
    },
}
_MAPS = {
    POINTS: "The point of each cell in degrees, with the number of rows that visit it.",
    AREAS: "What is nearest to the point of each cell, in degrees.",
}


def _geojson(name: str, description: str) -> dict[str, Any]:
    return {
        "name": name.removesuffix(".geojson").replace("_", "-"),
        "type": "file",
        "path": name,
        "format": "geojson",
        "mediatype": "application/geo+json",
        "description": description,
    }
