"""Sound files of every format, and how each is read: the functions, and the arguments of a command."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import sqlite3
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any
from unittest.mock import patch

import polars as pl

import crypsis
from crypsis.cli.data import read_edits
from crypsis.data.attribute_domains import AttributeDomains
from crypsis.data.category_trees import CategoryTrees
from crypsis.data.checkins import read_checkins
from crypsis.data.constraints import UtilityConstraints
from crypsis.data.count_query import read_queries
from crypsis.data.domains import LocationDomain
from crypsis.data.foreign_table import read_foreign_table
from crypsis.data.formats.published import read_published_trajectories
from crypsis.data.formats.published_sets import read_published_sets
from crypsis.data.inspection import inspect_file
from crypsis.data.item_domain import ItemDomain
from crypsis.data.privacy_policy import PrivacyPolicy
from crypsis.data.sensitive_values import SensitiveValues
from crypsis.data.windows import digest_of, read_windows, window_line
from crypsis.evaluate import Experiment
from crypsis.hierarchy.files import read_hierarchy
from crypsis.hierarchy.taxonomy import Taxonomy
from crypsis.hierarchy.utility_policy import UtilityPolicy
from crypsis.ledger.budget import BudgetLedger
from crypsis.publication.disassociated import read_disassociated, write_disassociated
from crypsis.runtime.configuration import StreamConfiguration
from crypsis.runtime.events import CsvLines, events_of_lines
from crypsis.web.unpacking import check_unpacked
from crypsis.web.verification import Verification

Reader = Callable[[Path], Any]
_QUASI = {"age": "quasi", "zip": "quasi"}
TABLE_ROLES = {"id": "identifier", "age": "quasi", "zip": "quasi", "admitted": "quasi", "ill": "sensitive"}


@dataclass(frozen=True)
class Seed:
    """A sound file. `command` follows `crypsis`, with FILE for its path; `upload`: a server takes it as data."""

    name: str
    suffix: str
    content: bytes
    readers: tuple[Reader, ...]
    command: tuple[str, ...] = ()
    upload: bool = False
    binary: bool = False
    pack: Callable[[bytes], bytes] | None = None  # how the damaged content is compressed


_ROWS = [
    (
        f"p{n}",
        str(20 + 7 * n % 60),
        f"0{4100 + n % 5}",
        f"2024-0{1 + n % 9}-1{n % 9}",
        ("flu", "?", "cold, bad", 'a "b"')[n % 4],
    )
    for n in range(12)
]
_CLEAN = [(a, b, c, d, e.replace(",", "").replace('"', "")) for a, b, c, d, e in _ROWS]
_KML = (
    '<kml xmlns="http://www.opengis.net/kml/2.2" xmlns:gx="http://www.google.com/kml/ext/2.2"><Placemark><name>a</name>'
    "<gx:Track><when>2020-01-01T00:00:00Z</when><when>2020-01-01T00:01:00Z</when>"
    "<gx:coord>-73.9 40.7 0</gx:coord><gx:coord>-73.8 40.8 0</gx:coord></gx:Track></Placemark></kml>"
)
_JSON_ARRAY = json.dumps([dict(zip(TABLE_ROLES, row, strict=True)) for row in _CLEAN]).encode()
_VISITS = "trajectory_id,position,location\n" + "".join(f"t{n // 4},{n % 4},{'abcd'[n * 7 % 4]}\n" for n in range(24))
_PLACES = "location,x,y,sensitive\na,0,0,1\nb,10.5,-3,0\nc,1e3,4,no\nd,7,7,\n"
_CHECKINS = "user,time,lat,lon\n" + "".join(
    f"u{n % 3},2020-01-0{1 + n % 9}T0{n % 9}:00:00Z,{40 + n / 100},{-73 - n / 200}\n" for n in range(20)
)
_ITEMS = "id,item\n" + "".join(f"r{n // 3},{['milk', 'bread', 'tea', 'jam'][n * 5 % 4]}\n" for n in range(21))
_EVENTS = "id,location,t,fare\n" + "".join(f"e{n % 4},s{n % 3},{n},{'full' if n % 2 else 'half'}\n" for n in range(20))
_POINTS = "tid,lat,lng,datetime\n" + "".join(
    f"k{n // 6},{52 + n / 1000},{13 + n / 900},{1_600_000_000 + 60 * n}\n" for n in range(18)
)
_TREE = "oslo;north;any\nriga;north;any\nrome;south;any\nbari;south;any\n"
_EDGES = "child;parent\noslo;north\nrome;south\nnorth;any\nsouth;any\n"
_GPX = (
    '<?xml version="1.0"?>\n<gpx version="1.1" xmlns="http://www.topografix.com/GPX/1/1"><trk><name>walk</name><trkseg>'
    + "".join(
        f'<trkpt lat="{52 + n / 1000}" lon="13.{n}"><time>2020-01-01T00:{n:02}:00Z</time></trkpt>\n' for n in range(12)
    )
    + "</trkseg></trk></gpx>\n"
)
_LINE = {
    "type": "FeatureCollection",
    "features": [
        {
            "type": "Feature",
            "id": "a",
            "geometry": {"type": "LineString", "coordinates": [[13.0, 52.0], [13.1, 52.1, 30]]},
            "properties": {"times": ["2020-01-01T00:00:00Z", "2020-01-01T00:05:00Z"], "uid": 7},
        },
        {
            "type": "Feature",
            "geometry": {"type": "Point", "coordinates": [13.2, 52.2]},
            "properties": {"time": "2020-01-02T00:00:00Z", "uid": 7},
        },
    ],
}
_PLT = "Geolife trajectory\nWGS 84\nAltitude is in Feet\nReserved 3\n0,2,255,My Track,0,0,2,8421376\n0\n" + "".join(
    f"39.9{n},116.3{n},0,492,39744.12{n},2008-10-23,{n:02}:00:04\n" for n in range(10)
)
_BRINKHOFF = "".join(f"{n > 0:d}\t{n % 3}\t1\t{n / 2}\t{10 + n}\t{20 - n}\t5.0\t11\t21\n" for n in range(9))
_SPMF = "@CONVERTED_FROM_TEXT\n@ITEM=1=bread\n@ITEM=2=milk\n# a comment\n1 -1 2 -1 -2\n2 -1 1 3 -1 -2\n1 -1 -2\n"
_JSON_ROWS = "".join(
    json.dumps({"id": f"p{n}", "age": n, "zip": "041", "sets": ["a", "b"][: n % 3]}) + "\n" for n in range(9)
)
_ARRAYS = '["home","office"]\n[]\n["home","gym","home"]\n["caf\\u00e9"]\n'
_PUBLISHED = '["home",["office","gym"]]\n[]\n[["office","gym"],"home"]\n'
_DISASSOCIATED = {
    "k": 2,
    "m": 2,
    "empty_records": 1,
    "version": 1,
    "nodes": [
        {
            "type": "joint",
            "size": 7,
            "shared_chunks": [[{"items": ["a"], "count": 3}]],
            "children": [
                {
                    "type": "leaf",
                    "size": 4,
                    "record_chunks": [[{"items": ["b", "c"], "count": 2}]],
                    "term_chunk": ["x"],
                },
                {"type": "leaf", "size": 3, "record_chunks": [[{"items": ["d"], "count": 3}]], "term_chunk": []},
            ],
        },
        {"type": "leaf", "size": 2, "record_chunks": [], "term_chunk": ["y", "z"]},
    ],
}
_EXPERIMENT = """
name = "a sweep"
seed = 3
[dataset]
path = "people.csv"
[dataset.columns]
age = {type = "int", role = "quasi"}
city = {role = "quasi"}
[hierarchy.city]
auto = "flat"
[metrics]
names = ["ncp"]
[[run]]
method = "mondrian"
params = {k = 2}
grid = {k = [2, 3, 5]}
"""
_STREAM = """
[privacy]
L = 2
K = 3
C = "60%"
N = 4
sensitive_values = ["concession"]
[source]
kind = "ndjson"
path = "events.ndjson"
[sink]
kind = "ndjson"
path = "windows.ndjson"
[run]
state = "state"
verify = "sample:10%"
"""
_DOMAINS = {"age": {"low": 0, "high": 100}, "sex": ["f", "m"], "pay": {"low": 0.5, "high": 10.25, "bins": 4}}
_TREES = {"city": {"any": {"north": ["oslo", "riga"], "south": ["rome"]}}}
_QUERIES = 'age in [20:40] and sex in {f} and items all {a, "b c"}\n{"rel": {"age": ["range", 1, 5]}, "items": ["a"]}\n'
_EDITS = {
    "edits": [{"edit": "delete_row", "row": 1}, {"edit": "rename", "column": "a", "to": "b"}],
    "undone": [{"edit": "set", "column": "a", "value": 4, "row": 2}],
}
_WINDOW_EVENTS = "".join(json.dumps({"id": f"p{n % 4}", "loc": f"l{n % 3}", "t": n // 4}) + "\n" for n in range(20))


_WINDOWS = b"".join(
    window_line({**content, "digest": digest_of(content)})
    for content in (
        {
            "seq": number,
            "x": number,
            "y": number + 3,
            "n_records": 2,
            "records": [
                {"p": f"q{number}", "doublets": [["a", 1], ["b", 2]], "sa": {"fare": ["half"]}},
                {"p": f"r{number}", "doublets": [], "sa": {}},
            ],
        }
        for number in range(4)
    )
)


def _frame() -> pl.DataFrame:
    return pl.DataFrame(
        {
            "id": [f"p{n}" for n in range(40)],
            "age": pl.Series(range(40), dtype=pl.Int64),
            "zip": [f"04{n % 7}" if n % 11 else None for n in range(40)],
            "x": [n / 3 for n in range(40)],
            "when": pl.Series(range(40), dtype=pl.Datetime("us")),
            "flag": [n % 2 == 0 for n in range(40)],
            "sets": [["a", "b", "c"][: n % 4] for n in range(40)],
            "day": pl.Series(range(40), dtype=pl.Date),
            "kind": pl.Series(["u", "v"] * 20, dtype=pl.Categorical),
        }
    )


def _parquet(frame: pl.DataFrame, **options: Any) -> bytes:
    content = io.BytesIO()
    frame.write_parquet(content, **options)
    return content.getvalue()


def _written(write: Callable[[pl.DataFrame, io.BytesIO], Any]) -> bytes:
    content = io.BytesIO()
    write(pl.DataFrame(_CLEAN, schema=list(TABLE_ROLES), orient="row"), content)
    return content.getvalue()


def _database() -> bytes:
    database = sqlite3.connect(":memory:")
    database.execute(f"create table people ({', '.join(TABLE_ROLES)})")
    database.executemany(f"insert into people values ({','.join('?' * len(TABLE_ROLES))})", _CLEAN)
    database.commit()
    return database.serialize()


def _survey(writer: str) -> bytes:
    import tempfile

    import pyreadstat

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "survey"
        getattr(pyreadstat, writer)(pl.DataFrame(_CLEAN, schema=list(TABLE_ROLES), orient="row"), str(path))
        return path.read_bytes()


def _gzip(content: bytes) -> bytes:
    return gzip.compress(content, mtime=0)


def _zstandard(content: bytes) -> bytes:
    import pyarrow

    packed: bytes = pyarrow.Codec("zstd").compress(content, asbytes=True)
    return packed


_HEADS: dict[str, bytes] = {}  # of the sound ledger, which stands beside every damaged one


def _read_ledger(path: Path) -> Any:
    ledger = BudgetLedger(path)
    ledger.head.write_bytes(_HEADS["ledger"])
    return ledger.state()


def _read_resealed(path: Path) -> Any:
    """Windows whose digests fit again, so that the damage is looked at."""
    lines = []
    for line in path.read_bytes().split(b"\n"):
        try:
            content = json.loads(line)
            lines.append(window_line({**content, "digest": digest_of(content)}))
        except (ValueError, TypeError, AttributeError, RecursionError):
            lines.append(line)
    return read_windows(lines)


def _read_json_events(path: Path) -> Any:
    return events_of_lines(path.read_bytes().splitlines(keepends=True))


def _read_csv_events(path: Path) -> Any:
    first, *rest = path.read_bytes().splitlines(keepends=True) or [b""]
    return CsvLines(first, "x")(rest)


def _table_of(path: Path) -> Any:
    return crypsis.read_table(path, TABLE_ROLES, {"zip": "category"})


def _foreign(path: Path) -> Any:
    return read_foreign_table(path, quasi=["age", "zip"], sensitive=["ill"])


def _mixed(path: Path) -> Any:
    roles = {"id": "identifier", "age": "quasi", "zip": "quasi"}
    others = dict.fromkeys(("x", "when", "flag", "day", "kind"), "other")
    rows = ".jsonl" in path.suffixes
    return crypsis.read_mixed(path, roles if rows else roles | others, {"sets": None})


def _experiment(path: Path) -> Any:
    experiment = Experiment.read(path)
    return experiment.check(read=False), experiment.to_toml()


class _Uploads:
    """As much of a workspace as verifying an upload needs."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def upload(self, number: str) -> Path:
        return self.folder / number

    def unfinished(self) -> Path:
        return self.folder / "unpacked"


def _verify_archive(path: Path) -> Any:
    check_unpacked(path, 1 << 30)
    return Verification(_Uploads(path.parent)).of_upload(path.name)  # type: ignore[arg-type]


def _archive(folder: Path) -> bytes:
    table = crypsis.Table.from_frame(pl.DataFrame({"age": [20, 21, 50, 51], "zip": ["a", "a", "b", "b"]}), _QUASI)
    release = crypsis.anonymize(table, crypsis.Mondrian(k=2)).write(folder / "release")
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(release.iterdir()):
            archive.writestr(zipfile.ZipInfo(file.name, (2026, 1, 1, 0, 0, 0)), file.read_bytes(), zipfile.ZIP_DEFLATED)
    return packed.getvalue()


def made_seeds(folder: Path) -> list[Seed]:
    """All of them; the folder takes what has to be written to be made."""
    from crypsis.data.disassociated_objects import parsed

    table = (
        "anonymize",
        "FILE",
        "--method",
        "mondrian",
        "-k",
        "2",
        "--quasi",
        "age,zip,admitted",
        "--sensitive",
        "ill",
        "--identifier",
        "id",
        "--each-row-is-a-person",
        "--out",
        "OUT",
    )
    inspect = ("data", "inspect", "FILE")
    csv_readers = (_table_of, inspect_file, _foreign)
    ledger = BudgetLedger(folder / "ledger.jsonl")
    with (
        patch("secrets.token_hex", return_value="ab" * 8),
        patch("crypsis.ledger.budget._now", return_value="2026-01-01"),
    ):
        ledger.charge(Fraction(1, 3), "a release")
        ledger.set_limit(Fraction(5))
        ledger.charge(Fraction(1, 2), "another")
    _HEADS["ledger"] = ledger.head.read_bytes()
    forest = parsed({name: value for name, value in _DISASSOCIATED.items() if name != "version"})
    write_disassociated(forest, folder / "forest.parquet", "parquet")
    seeds = [
        Seed("csv", ".csv", _quoted(_ROWS), csv_readers, table, upload=True),
        Seed("csv semicolon", ".csv", _plain(_CLEAN, ";"), csv_readers, table),
        Seed("csv tab", ".tsv", _plain(_CLEAN, "\t"), csv_readers, inspect, upload=True),
        Seed("csv windows", ".csv", b"\xef\xbb\xbf" + _plain(_CLEAN, ",", "\r\n"), csv_readers, inspect),
        Seed("csv lone CR", ".csv", _plain(_CLEAN, ",", "\r"), csv_readers, inspect),
        Seed("visits", ".csv", _VISITS.encode(), (crypsis.read_trajectories, inspect_file), inspect, upload=True),
        Seed(
            "places",
            ".csv",
            _PLACES.encode(),
            (crypsis.read_locations, lambda path: LocationDomain.from_text(str(path))),
        ),
        Seed("check-ins", ".csv", _CHECKINS.encode(), (read_checkins, inspect_file), inspect, upload=True),
        Seed(
            "items", ".csv", _ITEMS.encode(), (crypsis.read_transactions, lambda path: ItemDomain.from_text(str(path)))
        ),
        Seed("events", ".csv", _EVENTS.encode(), (crypsis.read_events, inspect_file), inspect, upload=True),
        Seed("points", ".csv", _POINTS.encode(), (crypsis.read_tracks, inspect_file), inspect, upload=True),
        Seed(
            "fimi",
            ".dat",
            b"1 2 3\n2 4\n\n1 2\n",
            (crypsis.read_transactions, crypsis.read_trajectories, inspect_file),
            inspect,
            upload=True,
        ),
        Seed(
            "spmf",
            ".spmf",
            _SPMF.encode(),
            (crypsis.read_transactions, crypsis.read_trajectories, inspect_file),
            inspect,
            upload=True,
        ),
        Seed("json rows", ".jsonl", _JSON_ROWS.encode(), (_mixed, inspect_file), inspect, upload=True),
        Seed(
            "json arrays",
            ".jsonl",
            _ARRAYS.encode(),
            (crypsis.read_trajectories, crypsis.read_transactions, inspect_file),
            inspect,
            upload=True,
        ),
        Seed("published", ".jsonl", _PUBLISHED.encode(), (read_published_trajectories, inspect_file)),
        Seed("published sets", ".csv", b"record,item\n0,milk\n0,#1\n1,\n2,tea\n", (read_published_sets,)),
        Seed("json array", ".json", _JSON_ARRAY, csv_readers, inspect, upload=True),
        Seed("csv utf-16", ".csv", _plain(_CLEAN, ";").decode().encode("utf-16"), csv_readers, inspect, upload=True),
        Seed("csv cp1252", ".csv", _plain(_CLEAN, ";").replace(b"flu", b"gr\xfcn"), csv_readers, inspect),
        Seed("arrow", ".arrow", _written(pl.DataFrame.write_ipc), csv_readers, inspect, upload=True, binary=True),
        Seed("sqlite", ".sqlite", _database(), csv_readers, inspect, upload=True, binary=True),
        Seed("excel", ".xlsx", _written(pl.DataFrame.write_excel), csv_readers, inspect, upload=True, binary=True),
        Seed("spss", ".sav", _survey("write_sav"), csv_readers, inspect, upload=True, binary=True),
        Seed("stata", ".dta", _survey("write_dta"), csv_readers, inspect, upload=True, binary=True),
        Seed("kml", ".kml", _KML.encode(), (crypsis.read_tracks, inspect_file), inspect, upload=True),
        Seed("gpx", ".gpx", _GPX.encode(), (crypsis.read_tracks, inspect_file), inspect, upload=True),
        Seed(
            "geojson", ".geojson", json.dumps(_LINE).encode(), (crypsis.read_tracks, inspect_file), inspect, upload=True
        ),
        Seed("plt", ".plt", _PLT.encode(), (crypsis.read_tracks, inspect_file), inspect, upload=True),
        Seed("brinkhoff", ".brinkhoff", _BRINKHOFF.encode(), (crypsis.read_tracks, inspect_file), inspect),
        Seed(
            "hierarchy paths",
            ".csv",
            _TREE.encode(),
            (read_hierarchy, Taxonomy.from_file),
            ("hierarchy", "show", "FILE"),
        ),
        Seed(
            "hierarchy edges",
            ".csv",
            _EDGES.encode(),
            (read_hierarchy, Taxonomy.from_file),
            ("hierarchy", "check", "FILE"),
        ),
        Seed(
            "policy",
            ".txt",
            b"milk bread\ntea\njam\n",
            (PrivacyPolicy.from_file, UtilityPolicy.from_file, UtilityConstraints.from_file),
        ),
        Seed(
            "policy json",
            ".json",
            b'[["milk","bread"],["tea"]]\n',
            (PrivacyPolicy.from_file, UtilityPolicy.from_file, UtilityConstraints.from_file),
        ),
        Seed(
            "sensitive values",
            ".json",
            b'{"fare": {"values": ["half"], "C": "60%"}, "ill": {"values": ["flu"]}}',
            (SensitiveValues.from_file,),
        ),
        Seed("domains", ".json", json.dumps(_DOMAINS).encode(), (lambda path: AttributeDomains.from_text(str(path)),)),
        Seed(
            "category trees", ".json", json.dumps(_TREES).encode(), (lambda path: CategoryTrees.from_text(str(path)),)
        ),
        Seed("queries", ".txt", _QUERIES.encode(), (read_queries,)),
        Seed(
            "queries json",
            ".json",
            b'[{"rel": {"age": ["range", 1, 5], "sex": ["in", ["f"]]}}, {"items": ["a"]}]',
            (read_queries,),
        ),
        Seed("edits", ".json", json.dumps(_EDITS).encode(), (read_edits,)),
        Seed("experiment", ".toml", _EXPERIMENT.encode(), (_experiment,), ("run", "FILE", "--dry-run")),
        Seed("stream", ".toml", _STREAM.encode(), (StreamConfiguration.read,)),
        Seed("event lines", ".ndjson", _WINDOW_EVENTS.encode(), (_read_json_events,)),
        Seed("event csv", ".csv", b"id,loc,t,sa\np1,a,1,x\np2,b,2,\n", (_read_csv_events,)),
        Seed(
            "windows", ".ndjson", _WINDOWS, (lambda path: read_windows(path.read_bytes().split(b"\n")), _read_resealed)
        ),
        Seed("ledger", ".jsonl", (folder / "ledger.jsonl").read_bytes(), (_read_ledger,), ("ledger", "show", "FILE")),
        Seed(
            "disassociated",
            ".json",
            json.dumps(_DISASSOCIATED).encode(),
            (read_disassociated,),
            ("export", "FILE", "--out", "OUT.csv"),
        ),
        Seed(
            "disassociated parquet",
            ".parquet",
            (folder / "forest.parquet").read_bytes(),
            (read_disassociated,),
            binary=True,
        ),
        Seed("parquet", ".parquet", _parquet(_frame()), (_mixed, inspect_file), inspect, upload=True, binary=True),
        Seed(
            "parquet snappy",
            ".parquet",
            _parquet(_frame(), compression="snappy"),
            (_mixed, inspect_file),
            inspect,
            binary=True,
        ),
        Seed(
            "parquet plain",
            ".parquet",
            _parquet(_frame(), compression="uncompressed", row_group_size=10),
            (_mixed, inspect_file),
            inspect,
            upload=True,
            binary=True,
        ),
        Seed(
            "parquet visits",
            ".parquet",
            _parquet(pl.read_csv(io.BytesIO(_VISITS.encode()))),
            (crypsis.read_trajectories,),
            inspect,
            binary=True,
        ),
        Seed(
            "published parquet",
            ".parquet",
            _parquet(pl.DataFrame({"items": [["a"], [], ["b", "c"]]})),
            (read_published_sets,),
            binary=True,
        ),
    ]
    rows = _plain(_CLEAN, ",")
    packed = [
        Seed("release zip", ".zip", _archive(folder), (_verify_archive,), binary=True),
        Seed("csv gz", ".csv.gz", rows, csv_readers, inspect, upload=True, pack=_gzip),
        Seed("csv bz2", ".csv.bz2", rows, csv_readers, inspect, pack=bz2.compress),
        Seed("csv xz", ".csv.xz", rows, csv_readers, inspect, pack=lzma.compress),
        Seed("csv zst", ".csv.zst", rows, csv_readers, inspect, pack=_zstandard),
        Seed("jsonl gz", ".jsonl.gz", _ARRAYS.encode(), (crypsis.read_transactions,), inspect, pack=_gzip),
        Seed("parquet gz", ".parquet.gz", _parquet(_frame()), (_mixed,), inspect, binary=True, pack=_gzip),
        Seed("geojson xz", ".geojson.xz", json.dumps(_LINE).encode(), (crypsis.read_tracks,), pack=lzma.compress),
    ]
    return seeds + packed


def _plain(rows: list[tuple[str, ...]], separator: str, end: str = "\n") -> bytes:
    listed = [("id", "age", "zip", "admitted", "ill"), *rows]
    return (end.join(separator.join(row) for row in listed) + end).encode()


def _quoted(rows: list[tuple[str, ...]]) -> bytes:
    return pl.DataFrame(rows, schema=["id", "age", "zip", "admitted", "ill"], orient="row").write_csv().encode()
