"""Types come from declarations first, then from what is said, and only then from a guess; labels stay as written."""

from __future__ import annotations

import json
import random
from pathlib import Path

import polars as pl
import pytest

import crypsis
from crypsis import AttributeDomains, CategoryDomain, DiffGen, DiffMulti, Incognito, NumericDomain, Table
from crypsis.data.declarations import type_of_labels
from crypsis.errors import BadParameter, BadRow, OptionWithoutEffect, PersonUndecided, UnreadableFile
from crypsis.evaluate.dataset import Dataset
from crypsis.hierarchy import Hierarchies, Hierarchy

DOMAINS = AttributeDomains(
    {"age": NumericDomain(18, 90), "ill": CategoryDomain(("0", "1")), "pays": CategoryDomain(("0", "1"))}
)
ROLES = {"age": "quasi", "ill": "quasi", "pays": "label"}


def people(path: Path, *more: bytes) -> Path:
    """Two thousand people, and lines of bytes after them."""
    chance = random.Random(4)
    rows = [f"{chance.randint(18, 80)},{chance.randint(0, 1)},{chance.randint(0, 1)}\n" for _ in range(2000)]
    path.write_bytes(b"age,ill,pays\n" + "".join(rows).encode() + b"\n".join(more))
    return path


@pytest.mark.parametrize("method", [DiffMulti(domains=DOMAINS), DiffGen(domains=DOMAINS)], ids=lambda one: one.name())
@pytest.mark.parametrize("line", [b"40,1,0.5", b"forty,1,1", b"40,1", b'40,"1,1', b"40,\xff,1", b"40,1,1,1", b'"'])
def test_one_record_does_not_change_how_the_others_are_read(tmp_path, method, line):
    table = crypsis.read_table(people(tmp_path / "p.csv", line), ROLES, for_method=method)
    release = crypsis.anonymize(table, method)
    assert 1800 < release.data.records < 2200
    assert release.guarantee.reading == "by-record"


def test_the_same_holds_for_an_experiment(tmp_path):
    people(tmp_path / "p.csv", b"40,1,0.5")
    (tmp_path / "d.json").write_text(
        json.dumps({"age": {"low": 18, "high": 90}, "ill": ["0", "1"], "pays": ["0", "1"]})
    )
    content = {
        "name": "private",
        "dataset": {
            "path": "p.csv",
            "kind": "table",
            "columns": {name: {"role": role} for name, role in ROLES.items()},
        },
        "run": [{"label": "dm", "method": "diff-multi", "params": {"domains": "d.json"}}],
    }
    experiment = crypsis.evaluate.Experiment.parse(content, folder=tmp_path)
    (cell,) = experiment.cells()
    data = experiment.data_for(cell)
    assert data.by_record is not None
    assert data.column("pays").domain.to_list() == ["0", "0.5", "1"]
    assert data.column("age").type == "float"


def test_data_that_were_handed_over_say_that_reading_is_not_covered(tmp_path):
    frame = pl.DataFrame({"age": [20, 30], "ill": ["0", "1"], "pays": ["0", "1"]})
    guarantee = crypsis.anonymize(Table.from_frame(frame, ROLES), DiffMulti(domains=DOMAINS)).guarantee
    assert guarantee.reading == "not-covered"
    assert "Reading the data is not covered" in " ".join(guarantee.to_dict()["assumptions"])
    strict = crypsis.read_table(people(tmp_path / "p.csv"), ROLES)
    assert DiffMulti(domains=DOMAINS).guarantee_of(strict, None).reading == "not-covered"


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (["1", "2"], "int"),
        (["01", "02"], "category"),
        (["1", "02"], "category"),
        (["1", "0.5"], "category"),
        (["1.50", "2.0"], "category"),
        (["1.5", "2.5"], "float"),
        (["+1", "2"], "category"),
        (["2020-01-01", "2020-01-02"], "date"),
        (["a"], "category"),
        ([], "category"),
    ],
)
def test_a_type_keeps_every_declared_label_as_it_is_written(labels, expected):
    assert type_of_labels(labels) == expected


def test_a_hierarchy_decides_the_type_before_the_values_do(tmp_path):
    (tmp_path / "p.csv").write_text("zip,age\n" + "01,30\n02,30\n" * 3)
    tree = Hierarchy({"01": "0*", "02": "0*", "0*": "*"})
    method = Incognito(k=2, hierarchy=Hierarchies({"zip": tree}))
    table = crypsis.read_table(tmp_path / "p.csv", {"zip": "quasi", "age": "quasi"}, {"zip": "int"}, for_method=method)
    assert table.column("zip").domain.to_list() == ["01", "02"]
    assert table.column("age").type == "int"
    assert crypsis.anonymize(table, method).verify().holds


def test_a_value_that_a_declared_hierarchy_does_not_know_is_named_and_rewrites_no_other(tmp_path):
    (tmp_path / "p.csv").write_text("ill,age\n" + "0,30\n1,30\n" * 3 + "0.5,30\n")
    (tmp_path / "ill.csv").write_text("0;*\n1;*\n")
    section = {"path": "p.csv", "kind": "table", "columns": {"ill": {"role": "quasi"}, "age": {"role": "quasi"}}}
    method = Incognito(k=2, hierarchy=Hierarchies({"ill": Hierarchy({"0": "*", "1": "*"})}))
    with pytest.raises(BadRow, match=r"'ill' must hold a whole number, got '0\.5'"):
        Dataset(section, tmp_path).load(method.declarations())


def test_whose_a_record_is_is_asked_by_the_header_alone(tmp_path):
    method = DiffMulti(domains=DOMAINS)
    (tmp_path / "p.csv").write_text("customer_id,age,ill,pays\nu,30,0,1\nv,40,1,1\n")  # nobody twice
    roles = {**ROLES, "customer_id": "other"}
    with pytest.raises(PersonUndecided, match="customer_id") as refused:
        crypsis.read_table(tmp_path / "p.csv", roles, for_method=method)
    assert "2" not in str(refused.value)  # no count of the data
    read = crypsis.read_table(tmp_path / "p.csv", ROLES, person="customer_id", for_method=method)
    assert read.by_record.persons_told
    assert method.guarantee_of(read, None).persons == "told-by-ids"
    alone = crypsis.read_table(tmp_path / "p.csv", roles, each_row_is_a_person=True, for_method=method)
    assert method.guarantee_of(alone, None).persons == "each-record"


def test_what_would_have_to_look_at_records_is_refused(tmp_path):
    method = DiffMulti(domains=DOMAINS)
    file = people(tmp_path / "p.csv")
    for option in ({"header": False}, {"unparsable": "missing"}, {"missing_tokens": ("NA",)}):
        with pytest.raises(BadParameter):
            crypsis.read_table(file, ROLES, for_method=method, **option)
    (tmp_path / "s.dat").write_text("a b\n")
    sets = crypsis.DiffPart(item_domain=crypsis.ItemDomain(["a", "b"]))
    for option in ({"sensitive": ["a"]}, {"person": "x"}, {"id": "x"}):
        with pytest.raises(OptionWithoutEffect):
            crypsis.read_transactions(tmp_path / "s.dat", for_method=sets, **option)
    for header in (b"", b"\xff,b\n", b'"age\n', b"a\rb\rc"):
        (tmp_path / "h.csv").write_bytes(header)
        with pytest.raises(UnreadableFile):
            crypsis.read_table(tmp_path / "h.csv", ROLES, for_method=method)


def test_rows_that_contradict_each_other_about_a_person_are_records_of_both(tmp_path):
    (tmp_path / "s.csv").write_text("id,item,who\n1,a,u\n1,b,v\n1,c,u\n,a,u\n2,,u\n2,b,\n")
    method = crypsis.DiffPart(item_domain=crypsis.ItemDomain(["a", "b", "c"]))
    read = crypsis.read_transactions(tmp_path / "s.csv", person="who", for_method=method)
    assert read.to_lists() == [["a", "c"], ["b"]]
    assert read.person.tolist() == [0, 1]
    assert read.by_record.left_out == 3


def test_columns_of_a_parquet_file_are_known_from_its_footer(tmp_path):
    from crypsis.data.formats.parquet import column_names

    frame = pl.DataFrame({"a": [1], "b": [["x"]], "c": [{"u": 1, "v": [{"w": 2}]}], "d": ["y"]})
    frame.write_parquet(tmp_path / "f.parquet")
    assert column_names(tmp_path / "f.parquet") == ["a", "b", "c", "d"]
