"""Whose records of sets are: read by every road, asked where it is not said, never lost on the way."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import crypsis
from crypsis.data.mixed import Mixed
from crypsis.data.reading import read_transactions
from crypsis.data.transaction import Transactions
from crypsis.errors import BadParameter, BadRow, OptionWithoutEffect, PersonNotSupported, PersonUndecided
from crypsis.evaluate.dataset import Dataset, view_of
from crypsis.methods import METHODS

BASKETS = "basket,item,customer,store_id\n1,a,p,7\n1,b,p,7\n2,a,q,7\n3,c,p,8\n3,b,p,8\n4,a,r,8\n"


@pytest.fixture
def baskets(tmp_path: Path) -> Path:
    path = tmp_path / "baskets.csv"
    path.write_text(BASKETS)
    return path


def section(path: Path, **more: Any) -> Dataset:
    return Dataset({"path": str(path), "kind": "transactions", "id": "basket", **more}, path.parent)


def test_both_roads_read_the_same_persons(baskets: Path) -> None:
    by_python = read_transactions(baskets, id="basket", person="customer")
    assert by_python.person is not None
    assert by_python.person.tolist() == [0, 1, 0, 2]
    assert section(baskets, person="customer").load() == by_python
    assert by_python.people == 3


def test_a_column_of_customers_with_several_baskets_is_asked_about(baskets: Path) -> None:
    undecided = read_transactions(baskets, id="basket")
    assert undecided.person_like is not None
    assert (undecided.person_like.column, undecided.person_like.values, undecided.person_like.rows) == (
        "customer",
        3,
        4,
    )
    for name in ("apriori", "lra", "vpa", "coat", "pcta", "disassociation"):
        with pytest.raises(PersonUndecided, match="customer") as refused:
            METHODS[name].check_people(undecided)
        assert "each_row_is_a_person" in str(refused.value)
    assert section(baskets).load().person_like == undecided.person_like
    confirmed = read_transactions(baskets, id="basket", each_row_is_a_person=True)
    assert confirmed.person is None
    assert confirmed.person_like is None


def test_a_customer_with_one_basket_each_is_no_question(tmp_path: Path) -> None:
    path = tmp_path / "single.csv"
    path.write_text("basket,item,customer\n1,a,p\n1,b,p\n2,a,q\n")
    assert read_transactions(path, id="basket").person_like is None


def test_methods_that_count_records_refuse_and_name_remedies(baskets: Path) -> None:
    data = read_transactions(baskets, id="basket", person="customer")
    with pytest.raises(PersonNotSupported, match=r"Apriori, LRA, VPA, COAT, PCTA.*unite") as refused:
        crypsis.anonymize(data, crypsis.Disassociation(k=2, m=1))
    assert refused.value.code == "person-not-supported"
    united = read_transactions(baskets, id="basket", person="customer", unite="person")
    assert united.to_lists() == [["a", "b", "c"], ["a"], ["a"]]
    assert united == section(baskets, person="customer", unite="person").load()
    assert crypsis.anonymize(united, crypsis.Disassociation(k=2, m=1)).verify().holds


def test_diff_part_bounds_what_a_person_contributes_and_refuses_nothing(baskets: Path, tmp_path: Path) -> None:
    path = tmp_path / "single.csv"
    path.write_text("basket,item,customer\n1,a,p\n2,a,q\n")
    for file in (path, baskets):
        METHODS["diff-part"].check_people(read_transactions(file, id="basket", person="customer"))
    METHODS["disassociation"].check_people(read_transactions(path, id="basket", person="customer"))  # one record each


def test_what_cannot_be_meant_is_refused(baskets: Path, tmp_path: Path) -> None:
    with pytest.raises(BadParameter, match="at once"):
        read_transactions(baskets, id="basket", person="basket")
    with pytest.raises(BadParameter, match="give one of"):
        read_transactions(baskets, id="basket", person="customer", each_row_is_a_person=True)
    with pytest.raises(OptionWithoutEffect, match="unite"):
        read_transactions(baskets, id="basket", unite="person")
    with pytest.raises(BadParameter, match="unite must be"):
        read_transactions(baskets, id="basket", person="customer", unite="store")
    with pytest.raises(BadRow, match="two persons for one id"):
        read_transactions(baskets, id="store_id", person="customer")
    for name, text in {"sets.fimi": "a b\nc\n", "sets.jsonl": '["a","b"]\n["c"]\n'}.items():
        file = tmp_path / name
        file.write_text(text)
        for option in ({"person": "customer"}, {"id": "basket"}, {"item": "thing"}):
            with pytest.raises(OptionWithoutEffect):
                read_transactions(file, **option)
            with pytest.raises(OptionWithoutEffect):
                Dataset({"path": str(file), "kind": "transactions", **option}, tmp_path).load()


def test_sets_in_a_column_keep_their_persons(tmp_path: Path) -> None:
    path = tmp_path / "visits.csv"
    path.write_text("patient_id,codes,age\n1,a b,30\n1,c,31\n2,a,40\n")
    columns = {"codes": {"type": "items", "item_separator": " "}}
    asked = Dataset({"path": str(path), "kind": "transactions", "columns": columns}, tmp_path).load()
    assert asked.person_like is not None
    assert asked.person_like.column == "patient_id"
    told = {"path": str(path), "kind": "transactions", "columns": columns, "person": "patient_id"}
    read = Dataset(told, tmp_path).load()
    assert read.person is not None
    assert read.person.tolist() == [0, 0, 1]
    assert read.to_lists() == [["a", "b"], ["c"], ["a"]]


def test_views_and_parts_keep_persons() -> None:
    frame = pl.DataFrame({"who": ["p", "p", "q"], "age": [1, 2, 3], "one": ["a", "b", "a"], "two": ["x", "x", "y"]})
    mixed = Mixed.from_frame(frame, {"age": "quasi"}, {"one": " ", "two": " "}, person="who")
    assert mixed.person is not None
    for view in (mixed.transactions, *mixed.split().values(), view_of(mixed, Transactions)):
        assert view.person is not None
        assert view.person.tolist() == [0, 0, 1]
    assert mixed.take(np.array([0, 2])).transactions.person_repeats is False
    asked = Mixed.from_frame(
        frame.rename({"who": "user"}), {"age": "quasi", "user": "identifier"}, {"one": " ", "two": " "}
    )
    assert asked.transactions.person_like is not None


def test_persons_are_in_no_file_of_a_release(baskets: Path, tmp_path: Path) -> None:
    data = read_transactions(baskets, id="basket", person="customer")
    folder = crypsis.anonymize(data, crypsis.PCTA(k=2, m=1)).write(
        tmp_path / "release", private_report=tmp_path / "p.json"
    )
    written = b"".join(path.read_bytes() for path in folder.iterdir())
    assert b"customer" not in written
