"""Planted values of every kind of data: no process of a cluster writes them down, and none stays on disk."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import crypsis
from benchmarks.executors.processes import Processes
from crypsis.errors import CrypsisError
from crypsis.executors import near
from crypsis.executors.dask import Dask
from crypsis.parts_attack import attack_release_parts, attacks_on_parts, kind_of_parts, risk_of_release_parts
from crypsis.parts_measure import measure_release_parts
from crypsis.parts_release import verify_release_parts

SECRET = "zq-secret-417"  # in cells, names of columns, labels, paths and errors
PRIVATE = "zq-private-417"  # names of people, and what is left out: it must not be in a release either


@dataclass(frozen=True)
class Planted:
    """Parts of one kind of data. `break_` writes something into the last part that cannot be read."""

    methods: tuple[crypsis.Method, ...]
    write: Callable[[Path], None]
    scan: Callable[[Path], Any]
    break_: Callable[[Path], None]


def _parquet(frames: Callable[[int], pl.DataFrame]) -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        for part in range(3):
            frames(part).write_parquet(folder / f"{SECRET} {part}.parquet")

    return write


def _people(part: int) -> pl.DataFrame:
    rows = range(40 * part, 40 * part + 40)
    return pl.DataFrame(
        {
            "age": [20 + (7 * row) % 30 for row in rows],
            f"{SECRET} town": [f"{SECRET} {row % 3}" for row in rows],
            f"{PRIVATE} name": [f"{PRIVATE} {row}" for row in rows],
        }
    )


def _people_with_codes(part: int) -> pl.DataFrame:
    codes = [[f"{SECRET} {row % 3}", f"{SECRET} {3 + row % 2}"] for row in range(40)]
    return _people(part).with_columns(pl.Series("codes", codes))


def _fixes(part: int) -> pl.DataFrame:
    rides = [(ride, step) for ride in range(30 * part, 30 * part + 30) for step in range(4)]
    return pl.DataFrame(
        {
            "trip_id": [f"{PRIVATE} {ride}" for ride, _ in rides],
            "x": [500 * step + ride % 7 for ride, step in rides],
            "y": [ride % 5 for ride, _ in rides],
            "t": [60 * step for _, step in rides],
        }
    )


def _write_lists(folder: Path) -> None:
    for part in range(3):
        lists = [[f"{SECRET} {row % 3}", f"{SECRET} {3 + row % 2}"] for row in range(40)]
        (folder / f"{SECRET} {part}.jsonl").write_text("\n".join(map(json.dumps, lists)))


def _write_walks(folder: Path) -> None:
    _write_lists(folder)
    places = [f"{SECRET} {place},{place},{place % 2}" for place in range(5)]
    (folder.parent / "places.csv").write_text("\n".join(["location,x,y", *places]) + "\n")


def _write_events(folder: Path) -> None:
    for part in range(3):
        lines = [f"{PRIVATE} {row},{SECRET} {row % 2},{part}" for row in range(200)]
        (folder / f"{SECRET} {part}.csv").write_text("\n".join(["id,location,t", *lines]) + "\n")


def _of_table(folder: Path) -> Any:
    return crypsis.scan_table(
        folder, quasi=["age", f"{SECRET} town"], identifier=[f"{PRIVATE} name"], each_row_is_a_person=True
    )


def _of_private_table(folder: Path) -> Any:
    roles = {"age": "quasi", f"{SECRET} town": "label", f"{PRIVATE} name": "identifier"}
    return crypsis.scan_table(folder, roles, each_row_is_a_person=True)


def _texts_for_numbers(folder: Path) -> None:
    last = max(folder.iterdir())
    frame = pl.read_parquet(last)
    texts = [pl.col(name).cast(pl.String) + SECRET for name in ("age", "x") if name in frame.columns]
    frame.with_columns(texts).write_parquet(last)


def _not_json(folder: Path) -> None:
    max(folder.iterdir()).write_text(f'["{SECRET}", \n')


def _too_many_cells(folder: Path) -> None:
    max(folder.iterdir()).write_text(f"id,location,t\n{SECRET},{SECRET},3,{SECRET},{SECRET}\n")


DOMAINS = crypsis.AttributeDomains(
    {"age": crypsis.NumericDomain(0, 100), f"{SECRET} town": crypsis.CategoryDomain((f"{SECRET} 0", f"{SECRET} 1"))}
)
PLACES = {
    "location_domain": crypsis.LocationDomain([f"{SECRET} 0", f"{SECRET} 1"]),
    "time_domain": crypsis.TimeDomain(0, 3),
}
KINDS = {
    "table": Planted(
        (crypsis.Mondrian(k=4), crypsis.TopDown(k=4, max_suppressed=0.1), crypsis.Cluster(k=4)),
        _parquet(_people),
        _of_table,
        _texts_for_numbers,
    ),
    "mixed": Planted(
        (crypsis.RumBound(k=4, m=2),),
        _parquet(_people_with_codes),
        lambda folder: crypsis.scan_mixed(
            folder,
            items={"codes": None},
            quasi=["age", f"{SECRET} town"],
            identifier=[f"{PRIVATE} name"],
            each_row_is_a_person=True,
        ),
        _texts_for_numbers,
    ),
    "sets": Planted(
        (
            crypsis.Disassociation(k=3, refine="none"),
            crypsis.Apriori(k=3, m=2),
            crypsis.DiffPart(epsilon=2, item_domain=crypsis.ItemDomain([f"{SECRET} {item}" for item in range(5)])),
        ),
        _write_lists,
        lambda folder: crypsis.scan_transactions(folder),
        _not_json,
    ),
    "trajectories": Planted(
        (crypsis.SeqAnon(k=3, m=2), crypsis.KAMCut(k=3), crypsis.KAMRec(k=3)),
        _write_walks,
        lambda folder: crypsis.scan_trajectories(folder, locations=folder.parent / "places.csv"),
        _not_json,
    ),
    "tracks": Planted(
        (crypsis.PPSG(radius=200, k=4),),
        _parquet(_fixes),
        lambda folder: crypsis.scan_tracks(folder, each_row_is_a_person=True),
        _texts_for_numbers,
    ),
    "events": Planted(
        (crypsis.SafePath(epsilon=2, height=2, scheme="flat", **PLACES), crypsis.NGrams(epsilon=2, **PLACES)),
        _write_events,
        lambda folder: crypsis.scan_events(folder),
        _too_many_cells,
    ),
    "private table": Planted(
        (crypsis.DiffMulti(epsilon=1, specializations=5, domains=DOMAINS),),
        _parquet(_people),
        _of_private_table,
        _texts_for_numbers,
    ),
}


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Processes]:
    processes = Processes(tmp_path_factory.mktemp("cluster"), 2)
    yield processes
    processes.close()


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
def test_no_process_writes_a_planted_value_and_none_stays(
    kind: str, cluster: Processes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """A release of every method, verified, measured and attacked on a cluster; then a part that cannot be read."""
    monkeypatch.setattr(near, "MEMORY_PER_FILE_BYTE", 1 << 40)  # residents are in workers, however small
    planted = KINDS[kind]
    parts, scratch = tmp_path / SECRET / PRIVATE, tmp_path / f"{SECRET} scratch"
    parts.mkdir(parents=True)
    scratch.mkdir()
    planted.write(parts)
    keys: set[str] = set()
    with Dask(cluster.address, workers=2, memory="1GiB", scratch=scratch) as executor:
        for number, method in enumerate(planted.methods):
            release = crypsis.anonymize(planted.scan(parts), method, executor=executor, block_rows=50)
            assert release.verify().holds
            folder = release.write(tmp_path / f"out-{number}", format="parts" if _has_parts(release) else None)
            if _has_parts(release):
                assert verify_release_parts(folder, executor).holds
                _look_at(folder, planted.scan(parts), executor)
            written = b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
            assert PRIVATE.encode() not in written
            assert str(parts).encode() not in written
            assert str(scratch).encode() not in written
            keys |= set(executor._client.run_on_scheduler(tasks_of_scheduler))
        planted.break_(parts)
        for method in planted.methods:  # private ones leave out what they cannot read
            with nullcontext() if method.by_record else pytest.raises(CrypsisError):
                crypsis.anonymize(planted.scan(parts), method, executor=executor)
        keys |= set(executor._client.run_on_scheduler(tasks_of_scheduler))
        logs = str(executor._client.get_worker_logs()) + str(executor._client.get_scheduler_logs())
    assert keys
    heard = capfd.readouterr()
    for told in (cluster.words, heard.out, heard.err, logs, *keys):
        assert SECRET not in told
        assert PRIVATE not in told
    assert not list(scratch.iterdir())
    engine = [path for path in (cluster.folder / "engine").rglob("*") if path.is_file()]
    assert not [path for path in engine if b"417" in path.read_bytes()]


def tasks_of_scheduler(dask_scheduler: Any) -> list[str]:
    """The names of all tasks that a scheduler remembers, and of their groups and kinds."""
    return [*map(str, dask_scheduler.tasks), *dask_scheduler.task_groups, *dask_scheduler.task_prefixes]


def _has_parts(release: Any) -> bool:
    return "parts" in release.kind.files


def _look_at(folder: Path, original: Any, executor: Any) -> None:
    """Measure a release and attack it, as far as it can be done on parts."""
    kind = kind_of_parts(folder)
    if kind in ("table", "mixed", "transactions"):
        measure_release_parts(folder, original, executor)
    for attack in (
        attacks_on_parts(folder).values() if kind != "trajectories" or original.stands_for is not crypsis.Tracks else ()
    ):
        attack_release_parts(folder, original, attack(), executor)
    if kind == "table":
        risk_of_release_parts(folder, executor)
