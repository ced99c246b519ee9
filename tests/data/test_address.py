"""Parts in a store: the bytes of the same parts on disk, nothing left behind, and no secret of an address is told."""

from __future__ import annotations

import gzip
import pickle
import stat
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import fsspec
import polars as pl
import pytest

import crypsis
from crypsis.data.address import Address
from crypsis.errors import (
    BadParameter,
    BadRow,
    CrypsisError,
    MissingExtra,
    MissingFile,
    PartChanged,
    PartsDiffer,
    UnreadableFile,
)
from crypsis.executors.dask import Dask
from crypsis.executors.serial import Serial

SECRET = "hunter2canary"


@pytest.fixture(autouse=True)
def _empty_store() -> Iterator[None]:
    yield
    store = fsspec.filesystem("memory")
    store.store.clear()
    store.pseudo_dirs[:] = [""]


def write_tables(folder: Path, suffix: str) -> None:
    folder.mkdir()
    for number in range(3):
        ages = [20 + (7 * row + number) % 50 for row in range(60)]
        frame = pl.DataFrame({"age": ages, "ill": ["flu", "cold", "none"] * 20})
        file = folder / f"{number}{suffix}"
        if suffix == ".parquet":
            frame.write_parquet(file)
        else:
            text = frame.write_csv() if ".csv" in suffix else frame.write_ndjson()
            file.write_bytes(gzip.compress(text.encode()) if suffix.endswith(".gz") else text.encode())


def store_copy(folder: Path) -> str:
    """The same files in a store of this process."""
    fsspec.filesystem("memory").put(str(folder), "/parts", recursive=True)
    return "memory://parts"


def published(release: crypsis.Release, folder: Path) -> dict[str, bytes]:
    release.write(folder)
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*.parquet")}


@pytest.mark.parametrize("suffix", [".parquet", ".csv", ".jsonl", ".csv.gz", ".jsonl.gz"])
def test_tables_in_a_store_are_released_as_on_disk(suffix: str, tmp_path: Path) -> None:
    parts = tmp_path / "parts"
    write_tables(parts, suffix)
    address = store_copy(parts)
    method, roles = crypsis.Mondrian(k=5), {"quasi": ["age"], "sensitive": ["ill"]}
    places = [f"{parts}/*{suffix}", f"{address}/*{suffix}", address, f"file://{parts}/*{suffix}"]
    releases = []
    for number, place in enumerate(places):
        with crypsis.anonymize(crypsis.scan_table(place, **roles, each_row_is_a_person=True), method) as release:
            assert release.verify().holds
            releases.append(published(release, tmp_path / f"release-{number}"))
    assert releases[0]
    assert all(release == releases[0] for release in releases)


def test_a_large_file_in_a_store_is_read_by_ranges_of_rows(tmp_path: Path) -> None:
    parts = tmp_path / "parts"
    parts.mkdir()
    frame = pl.DataFrame({"age": range(50_000)})
    frame.write_parquet(parts / "a.parquet")
    scanned = crypsis.scan_table(f"{store_copy(parts)}/*.parquet", quasi=["age"])
    pieces = list(scanned.parts(1 << 20, tmp_path))
    assert len(pieces) > 1
    assert pl.concat([piece.read() for piece in pieces]).equals(frame)
    assert [file.name for file in tmp_path.iterdir()] == ["parts"]  # what was fetched is gone


def test_the_other_scans_take_addresses(tmp_path: Path) -> None:
    parts = tmp_path / "parts"
    parts.mkdir()
    (parts / "a.jsonl").write_text('["milk","beer"]\n["milk","wine"]\n')
    (parts / "b.jsonl").write_text('["milk","beer"]\n["beer","wine"]\n')
    (parts / "a.csv").write_text("age,codes\n31,flu burn\n34,flu\n")
    (parts / "b.csv").write_text("age,codes\n29,cold\n35,flu cold\n")
    rows = "".join(f"{person},{place},{step}\n" for person in range(6) for step, place in enumerate("ab"))
    (parts / "walks.long").write_text("trajectory_id,location,position\n" + rows)
    rows = "".join(f"{person},home,{hour}\n" for hour in (7, 9) for person in range(900))
    (parts / "log.events").write_text("id,location,t\n" + rows)
    address = store_copy(parts)

    written = []
    for number, place in enumerate((parts, address)):
        baskets = crypsis.scan_transactions(f"{place}/*.jsonl")
        release = crypsis.anonymize(baskets, crypsis.Disassociation(k=2, refine="none"))
        release.write(tmp_path / str(number))
        (file,) = (tmp_path / str(number)).glob("disassociated*")
        written.append(file.read_bytes())
    assert written[0] == written[1]

    mixed = [crypsis.scan_mixed(f"{place}/*.csv", items={"codes": " "}, quasi="age") for place in (parts, address)]
    with Serial(scratch=tmp_path) as executor:
        first, second = ([data.read_part(part) for part in data.parts(executor.memory)] for data in mixed)
    for (left, sets), (right, other_sets) in zip(first, second, strict=True):
        assert left.equals(right)
        assert sets.to_lists() == other_sets.to_lists()

    for scan, name in ((crypsis.scan_trajectories, "walks.long"), (crypsis.scan_events, "log.events")):
        here, there = (scan(f"{place}/{name}", format="csv") for place in (parts, address))
        (one,), (other,) = here.parts(1 << 30), there.parts(1 << 30, tmp_path)
        assert pickle.dumps(here.read_part(one)) == pickle.dumps(there.read_part(other))


def test_a_private_method_reads_parts_in_a_store(tmp_path: Path) -> None:
    parts = tmp_path / "parts"
    write_tables(parts, ".jsonl")
    domains = {"age": crypsis.NumericDomain(0, 100), "ill": crypsis.CategoryDomain(("cold", "flu", "none"))}
    scanned = crypsis.scan_table(f"{store_copy(parts)}/*.jsonl", quasi=["age"], label=["ill"])
    method = crypsis.DiffMulti(epsilon=1, specializations=4, domains=crypsis.AttributeDomains(domains))
    assert crypsis.anonymize(scanned, method).verify().holds


def test_what_is_fetched_is_for_its_owner_alone_and_goes_also_after_an_error(tmp_path: Path) -> None:
    fsspec.filesystem("memory").pipe("/parts/a.csv", b"age\n1\n")
    (address,) = Address("memory://parts/a.csv").files()
    with address.fetched(tmp_path) as path:
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(BadRow) as caught, address.fetched(tmp_path) as path:
        raise BadRow(f"{path} has a wrong line.", where=f"{path}, line 3", file=str(path))
    shown = "memory://parts/a.csv"
    assert (caught.value.sentence, caught.value.where) == (f"{shown} has a wrong line.", f"{shown}, line 3")
    assert caught.value.details == {"file": shown}
    assert list(tmp_path.iterdir()) == []


def test_a_part_that_changes_in_its_store_is_refused(tmp_path: Path) -> None:
    store = fsspec.filesystem("memory")
    store.pipe("/parts/a.csv", b"age\n1\n2\n")
    scanned = crypsis.scan_table("memory://parts/*.csv", quasi=["age"])
    (part,) = scanned.parts(1 << 30, tmp_path)
    store.pipe("/parts/a.csv", b"age\n3\n4\n")  # of the same size
    with pytest.raises(PartChanged, match="memory://parts/a.csv"):
        part.read()
    with pytest.raises(PartChanged):
        crypsis.anonymize(scanned, crypsis.Mondrian(k=2))
    store.rm("/parts/a.csv")
    with pytest.raises(MissingFile, match="memory://parts/a.csv"):
        part.read()


def test_parts_with_other_columns_are_named_by_their_address() -> None:
    store = fsspec.filesystem("memory")
    store.pipe("/parts/a.csv", b"age\n1\n")
    store.pipe("/parts/b.csv", b"old\n1\n")
    with pytest.raises(PartsDiffer) as caught:
        crypsis.scan_table("memory://parts/*.csv", quasi=["age"])
    assert caught.value.where == "memory://parts/b.csv"


def test_damaged_parts_are_named_by_their_address() -> None:
    fsspec.filesystem("memory").pipe("/parts/a.parquet", b"PAR1" + bytes(20) + b"PAR1")
    with pytest.raises(UnreadableFile, match="memory://parts/a.parquet") as caught:
        crypsis.scan_table("memory://parts/*.parquet", quasi=["age"])
    assert "fetched-" not in str(caught.value)


def test_addresses_that_lead_nowhere_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    for place in ("memory://none/*.csv", "memory://none/a.csv"):
        with pytest.raises(MissingFile, match=r"memory://none"):
            crypsis.scan_table(place, quasi=["age"])
    for unknown in (f"ftp://me:{SECRET}@host/a.csv", f"simplecache::s3://{SECRET}/a.csv"):
        with pytest.raises(BadParameter, match="s3://") as caught:
            crypsis.scan_table(unknown, quasi=["age"])
        assert SECRET not in str(caught.value)
    monkeypatch.setitem(__import__("sys").modules, "s3fs", None)
    with pytest.raises(MissingExtra, match=r"pip install 'crypsis\[cluster\]' s3fs"):
        crypsis.scan_table("s3://bucket/*.csv", quasi=["age"])
    with pytest.raises(BadParameter, match="in parts only"):
        crypsis.read_table("memory://parts/a.csv", {"age": "quasi"})


@pytest.mark.parametrize(
    "given",
    [
        f"https://me:{SECRET}@host/a.csv",
        f"https://host/a.csv?token={SECRET}",
        f"https://me:pass{SECRET}?word@host/a.csv",
        f"https://me:a/{SECRET}@host/a.csv",
        f"https://me:a@{SECRET}@host/a.csv",
        f"https://host/a.csv?mail=a:{SECRET}@b",
        f"https://host/a.csv#{SECRET}",
        f"s3://{SECRET}@bucket/a.csv",
        f"s3://bucket/a.csv?versionId={SECRET}",
    ],
)
def test_what_an_address_tells_beside_its_name_is_not_shown(given: str) -> None:
    address = Address.of(given)
    assert address is not None
    sent = pickle.loads(pickle.dumps(address))
    assert sent == address
    for shown in (str(sent), repr(sent), f"{[sent]}", sent.name):
        assert SECRET not in shown


def test_an_address_that_was_taken_for_a_path_is_shown_without_secrets(tmp_path: Path) -> None:
    given = f"https://me:{SECRET}@host/a.csv?token={SECRET}"
    for place in (given, Path(given), tmp_path / given):
        with pytest.raises(BadParameter, match="https://host/a.csv is an address") as caught:
            crypsis.read_table(place, {"age": "quasi"})
        assert SECRET not in str(caught.value)
    assert Address.within(tmp_path / "profile:" / "gas:1.csv") is None


class Quiet(SimpleHTTPRequestHandler):
    """Answers only who knows the token."""

    def log_message(self, *arguments: object) -> None: ...

    def do_GET(self) -> None:
        if f"token={SECRET}" not in self.path:
            self.send_error(403)
            return
        super().do_GET()

    def do_HEAD(self) -> None:
        self.do_GET()


def test_a_file_of_the_web_is_read_and_its_token_is_in_no_output(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    parts = tmp_path / "parts"
    write_tables(parts, ".csv")
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(parts)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        site = f"http://127.0.0.1:{server.server_port}"
        addresses = [f"{site}/{number}.csv?token={SECRET}" for number in range(3)]
        scanned = crypsis.scan_table(addresses, quasi=["age"], sensitive=["ill"])
        with (
            Serial(scratch=tmp_path) as executor,
            crypsis.anonymize(scanned, crypsis.Mondrian(k=5), executor=executor) as release,
        ):
            assert release.verify().holds
            release.write(tmp_path / "release", private_report=tmp_path / "private.json")
        assert SECRET not in repr(scanned)
        for wrong in (f"{site}/none.csv?token={SECRET}", f"{site}/0.csv?wrong={SECRET}"):
            with pytest.raises(CrypsisError) as caught:
                crypsis.scan_table(wrong, quasi=["age"])
            assert SECRET not in f"{caught.value} {caught.value.to_dict()} {caught.value.__cause__}"
        with pytest.raises(CrypsisError) as caught:
            crypsis.anonymize(crypsis.scan_table(addresses, quasi=["nobody"]), crypsis.Mondrian(k=5))
        assert SECRET not in str(caught.value)
    finally:
        server.shutdown()
        server.server_close()
    told = capfd.readouterr()
    assert SECRET not in told.out + told.err + caplog.text
    for file in tmp_path.rglob("*"):
        assert file.is_dir() or SECRET.encode() not in file.read_bytes(), file
    assert not list(tmp_path.rglob("fetched-*"))


@pytest.mark.long
def test_workers_fetch_the_parts_themselves(tmp_path: Path) -> None:
    parts, scratch = tmp_path / "parts", tmp_path / "scratch"
    scratch.mkdir()
    write_tables(parts, ".csv.gz")
    roles = {"quasi": ["age"], "sensitive": ["ill"], "each_row_is_a_person": True}
    with crypsis.anonymize(crypsis.scan_table(parts, **roles), crypsis.Mondrian(k=5)) as release:
        assert release.verify().holds
        expected = published(release, tmp_path / "local")
    with Dask(workers=2, memory="1GiB", scratch=scratch) as executor:
        scanned = crypsis.scan_table(f"file://{parts}/*.csv.gz", **roles)
        release = crypsis.anonymize(scanned, crypsis.Mondrian(k=5), executor=executor)
        assert release.verify().holds
        assert published(release, tmp_path / "cluster") == expected
        (parts / "1.csv.gz").write_bytes(gzip.compress(b"age,ill\n1,flu\n"))
        with pytest.raises(PartChanged, match=f"file://{parts}/1.csv.gz"):
            crypsis.anonymize(scanned, crypsis.Mondrian(k=5), executor=executor)
    assert list(scratch.iterdir()) == []
