"""Tables in parts are understood as one table: types, domains and codes are those of the table in memory."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import crypsis
from crypsis.data.declarations import Declarations
from crypsis.data.formats import csv
from crypsis.errors import (
    BadRow,
    MissingFile,
    PartChanged,
    PartsDiffer,
    PersonUndecided,
    TooLarge,
    UndeclaredRole,
)
from crypsis.executors.serial import Serial
from crypsis.guarantees import KAnonymity
from crypsis.shards.table import encode_table

ROLES = {"age": "quasi", "day": "quasi", "ill": "sensitive"}


def write_parts(folder: Path, parts: list[dict[str, list[str]]]) -> str:
    for number, columns in enumerate(parts):
        pl.DataFrame(columns).write_csv(folder / f"p{number}.csv")
    return str(folder / "p*.csv")


@pytest.mark.parametrize(
    "parts",
    [
        [
            {"age": ["31", "7"], "day": ["2024-01-02", "2024-01-03"], "ill": ["flu", "?"]},
            {"age": ["12.5", "?"], "day": ["2024-02-02", ""], "ill": ["cold", "flu"]},
        ],
        [
            {"age": ["31", "007"], "day": ["x", "2024-01-03"], "ill": ["1", "2"]},
            {"age": ["NA", "3"], "day": ["2024-02-02", "y"], "ill": ["2", "3"]},
        ],
        [{"age": ["1"], "day": ["a"], "ill": ["u"]}, {"age": ["2,5"], "day": ["b"], "ill": ["v"]}],
    ],
)
def test_columns_of_parts_are_those_of_the_table_in_memory(tmp_path: Path, parts: list[dict[str, list[str]]]) -> None:
    pattern = write_parts(tmp_path, parts)
    whole = crypsis.read_table(pattern, ROLES)
    with Serial() as executor:
        encoded = encode_table(crypsis.scan_table(pattern, ROLES), Declarations(), executor)
        codes = np.concatenate([shard.codes() for shard in encoded.shards])
        assert encoded.with_codes(codes) == whole
        assert [column.missing for column in encoded.columns] == [column.missing for column in whole.columns]
        assert [column.guessed for column in encoded.columns] == [column.guessed for column in whole.columns]


def test_a_large_parquet_file_is_read_by_ranges_of_rows(tmp_path: Path) -> None:
    frame = pl.DataFrame({"age": np.arange(50_000) % 97, "ill": ["flu", None] * 25_000})
    frame.write_parquet(tmp_path / "one.parquet", row_group_size=7_000)
    scanned = crypsis.scan_table(tmp_path / "one.parquet", quasi="age", sensitive="ill")
    parts = list(scanned.parts(8 << 18))
    assert len(parts) > 3
    assert pl.concat([part.read() for part in parts]).equals(frame)


def test_roles_are_given_by_their_names_or_as_a_mapping(tmp_path: Path) -> None:
    pl.DataFrame({"age": [1], "ill": ["flu"], "more": [2]}).write_parquet(tmp_path / "a.parquet")
    one = crypsis.scan_table(tmp_path / "a.parquet", {"age": "quasi"}, sensitive=["ill"], rest="other")
    assert one.roles()[0] == {"age": "quasi", "ill": "sensitive", "more": "other"}
    with pytest.raises(UndeclaredRole, match="more"), Serial() as executor:
        encode_table(crypsis.scan_table(tmp_path / "a.parquet", quasi="age", other="ill"), Declarations(), executor)


def test_parts_with_other_columns_are_named(tmp_path: Path) -> None:
    pattern = write_parts(tmp_path, [{"age": ["1"], "ill": ["u"]}, {"age": ["1"], "sick": ["u"]}])
    with pytest.raises(PartsDiffer) as error:
        crypsis.scan_table(pattern, quasi="age", sensitive="ill")
    assert error.value.where is not None
    assert error.value.where.endswith("p1.csv")
    assert error.value.details["column"] == "ill"


def test_parts_with_other_types_are_named(tmp_path: Path) -> None:
    pl.DataFrame({"age": [1, 2]}).write_parquet(tmp_path / "a.parquet")
    pl.DataFrame({"age": [None, None]}).write_parquet(tmp_path / "b.parquet")
    pl.DataFrame({"age": ["x", "y"]}).write_parquet(tmp_path / "c.parquet")
    with pytest.raises(PartsDiffer, match="age") as error, Serial() as executor:
        encode_table(crypsis.scan_table(tmp_path, quasi="age"), Declarations(), executor)
    assert error.value.where is not None
    assert error.value.where.endswith("c.parquet")


def test_a_cell_of_another_type_is_named_with_its_part(tmp_path: Path) -> None:
    pattern = write_parts(tmp_path, [{"age": ["1"], "ill": ["u"]}, {"age": ["old"], "ill": ["u"]}])
    scanned = crypsis.scan_table(pattern, {"age": "quasi", "ill": "sensitive"}, {"age": "int"})
    with pytest.raises(BadRow, match="old") as error, Serial() as executor:
        encode_table(scanned, Declarations(), executor)
    assert error.value.where is not None
    assert error.value.where.endswith("p1.csv")


def test_a_part_that_changes_is_refused(tmp_path: Path) -> None:
    pattern = write_parts(tmp_path, [{"age": ["1"], "ill": ["u"]}])
    scanned = crypsis.scan_table(pattern, quasi="age", sensitive="ill")
    write_parts(tmp_path, [{"age": ["1", "2"], "ill": ["u", "v"]}])
    with pytest.raises(PartChanged), Serial() as executor:
        encode_table(scanned, Declarations(), executor)


@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_a_part_that_is_gone_is_named(format: str, tmp_path: Path) -> None:
    for name in ("0", "1"):
        frame = pl.DataFrame({"age": [1, 2], "ill": ["u", "v"]})
        getattr(frame, f"write_{format}")(tmp_path / f"{name}.{format}")
    scanned = crypsis.scan_table(tmp_path, quasi="age", sensitive="ill", each_row_is_a_person=True)
    with Serial() as executor:
        parts = list(scanned.parts(executor.memory))
        (tmp_path / f"1.{format}").unlink()
        for read in (lambda: encode_table(scanned, Declarations(), executor), parts[1].read):
            with pytest.raises(PartChanged, match="is gone; restore it") as error:
                read()
            assert str(error.value.where).endswith(f"1.{format}")


def test_a_text_file_that_is_too_large_for_a_worker_is_refused(tmp_path: Path) -> None:
    pattern = write_parts(tmp_path, [{"age": ["1"] * 1000, "ill": ["u"] * 1000}])
    with pytest.raises(TooLarge, match="Divide it"):
        list(crypsis.scan_table(pattern, quasi="age", sensitive="ill").parts(4000))


def test_people_with_several_records_are_asked_for(tmp_path: Path) -> None:
    rows = {"user_id": ["a", "a", "b"], "age": ["1", "2", "3"], "ill": ["u", "v", "u"]}
    pattern = write_parts(tmp_path, [rows])
    roles = {"user_id": "identifier", "age": "quasi", "ill": "sensitive"}
    with pytest.raises(PersonUndecided):
        crypsis.anonymize(crypsis.scan_table(pattern, roles), crypsis.Mondrian(k=1))
    with crypsis.anonymize(crypsis.scan_table(pattern, roles, person="user_id"), crypsis.Mondrian(k=1)) as release:
        assert release.guarantee == KAnonymity(k=1, unit="person")
    release = crypsis.anonymize(
        crypsis.scan_table(pattern, roles, each_row_is_a_person=True), crypsis.Mondrian(k=1), executor="serial"
    )
    assert release.data.names == ("age", "ill")
    release.close()


def test_a_pattern_without_files_says_so(tmp_path: Path) -> None:
    with pytest.raises(MissingFile):
        crypsis.scan_table(str(tmp_path / "*.parquet"), quasi="age")


def test_a_location_table_of_a_file_can_be_sent_to_a_worker(tmp_path: Path) -> None:
    (tmp_path / "places.csv").write_text("location,x,y\na,0,0\nb,1,1\n")
    places = crypsis.read_locations(tmp_path / "places.csv")
    assert pickle.loads(pickle.dumps(places)).labels == places.labels
    source = csv.read_frame(tmp_path / "places.csv")[1]
    sent = pickle.loads(pickle.dumps(source))
    assert (sent, sent.line_of(1)) == (source, source.line_of(1))


@pytest.mark.parametrize("given", ["", "*.csv"])
def test_a_link_to_a_file_that_is_gone_is_no_part_to_be_left_out(given: str, tmp_path: Path) -> None:
    (tmp_path / "0.csv").write_text("age,ill\n31,flu\n")
    (tmp_path / "1.csv").symlink_to(tmp_path / "gone.csv")
    with pytest.raises(MissingFile, match=r"1\.csv is a link to a file that is not there"):
        crypsis.scan_table(tmp_path / given if given else tmp_path, quasi=["age"], sensitive=["ill"])
