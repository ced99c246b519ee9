"""(k,k^m)-anonymity and (k,l^m)-diversity: counting by classes agrees with the definition, and notices a leak."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crypsis.data.mixed import Mixed, PublishedMixed
from crypsis.data.relational import PublishedTable, Table
from crypsis.data.transaction import PublishedTransactions, Transactions
from crypsis.errors import InputError, NotApplicable, TooLarge
from crypsis.guarantees import GUARANTEES, KKmAnonymity, KLmDiversity, guarantee_from_dict, guarantee_named
from crypsis.verifiers import verify
from crypsis.verifiers.mixed_by_definition import is_klm_diverse, kkm_violations
from crypsis.verifiers.mixed_recoding import recoding_problem
from tests.generalized import Generalized, generalized

ROWS = st.lists(
    st.tuples(st.sampled_from("PQ"), st.sets(st.sampled_from("abcd")), st.sets(st.sampled_from("YZ"))), max_size=10
)


def published(classes: list[str], items: list[list[str]], sensitive: tuple[str, ...] = ()) -> PublishedMixed:
    table = PublishedTable.from_texts(pl.DataFrame({"class": classes}, schema={"class": pl.String}), {"class": "quasi"})
    return PublishedMixed(table, PublishedTransactions.from_lists(items), "items", sensitive)


@given(ROWS, st.integers(1, 4), st.integers(0, 4))
def test_classes_are_counted_as_the_definition_says(rows, k: int, m: int) -> None:
    classes, items = [row[0] for row in rows], [sorted(row[1]) for row in rows]
    verdict = verify(published(classes, items), KKmAnonymity(k=k, m=m))
    violations = kkm_violations(classes, items, k, m)
    assert verdict.holds == (not violations)
    if violations:
        smallest = min(len(one.items) for one in violations)
        first = [one for one in violations if len(one.items) == smallest]
        assert (verdict.witness.size, verdict.witness.violations) == (smallest, len(first))
        assert verdict.witness.support == min(one.group for one in first)
        named = (dict(verdict.witness.cells)["class"], tuple(names[0] for names in verdict.witness.symbols))
        assert named in {(classes[one.record], one.items) for one in first if one.group == verdict.witness.support}
    lowest = [
        sum(classes[other] == of_class and set(known) <= set(items[other]) for other in range(len(rows)))
        for of_class, held in zip(classes, items, strict=True)
        for size in range(m + 1)
        for known in combinations(held, size)
    ]
    assert verdict.achieved == min(lowest, default=None)


@given(ROWS, st.integers(1, 3), st.integers(1, 3), st.integers(0, 3))
def test_secrets_are_counted_as_the_definition_says(rows, k: int, l: int, m: int) -> None:  # noqa: E741
    classes, items = [row[0] for row in rows], [sorted(row[1]) for row in rows]
    secrets = [sorted(row[2]) for row in rows]
    together = [[*held, *hidden] for held, hidden in zip(items, secrets, strict=True)]
    verdict = verify(published(classes, together, ("Y", "Z")), KLmDiversity(k=k, l=l, m=m))
    assert verdict.holds == is_klm_diverse(classes, items, secrets, k, l, m)
    if not verdict.holds and verdict.witness.kind == "l":
        assert verdict.witness.count * l > verdict.witness.support
        assert f"at most one in {l} may" in verdict.problem


def test_generalized_items_are_counted_as_they_are_shown() -> None:
    rows = [[["a", "b"], "c"], [["a", "b"]], [["a", "b"], "c"], []]
    assert verify(published(["P"] * 4, rows), KKmAnonymity(k=2, m=2)).holds
    broken = verify(published(["P"] * 4, rows), KKmAnonymity(k=3, m=2))
    assert str(broken.witness) == "(class P) with (c)"
    assert "belongs to 2 records, 3 are required" in broken.problem
    assert broken.to_dict()["witness"]["quasi_identifiers"] == {"class": "P"}


def test_symbols_that_overlap_in_a_class_need_their_scopes() -> None:
    rows = [[["a", "b"]], [["a", "b"]], [["b", "c"]], [["b", "c"]]]
    told = published(["P"] * 4, rows)
    verdict = verify(told, KKmAnonymity(k=2, m=1))
    assert not verdict.holds
    assert "{a, b} and {b, c} share 'b'" in verdict.problem
    assert verify(replace(told, scopes=np.array([0, 0, 1, 1], np.int32)), KKmAnonymity(k=2, m=1)).holds
    assert not verify(replace(told, scopes=np.array([0, 1, 1, 1], np.int32)), KKmAnonymity(k=2, m=1)).holds
    other_classes = published(["P", "P", "Q", "Q"], rows)
    assert verify(other_classes, KKmAnonymity(k=2, m=1)).holds
    with pytest.raises(InputError, match="one scope per record"):
        replace(told, scopes=np.array([0], np.int32))


def test_suppressed_records_form_no_class_and_show_nothing() -> None:
    assert verify(published(["P", "P", "~"], [["a"], ["a"], []]), KKmAnonymity(k=2, m=1)).holds
    leaking = verify(published(["P", "P", "~"], [["a"], ["a"], ["b"]]), KKmAnonymity(k=2, m=1))
    assert not leaking.holds
    assert "suppressed_value: row 2" in leaking.problem
    assert verify(published(["~", "~"], [[], []]), KKmAnonymity(k=2, m=1)).achieved is None


def test_sensitive_items_stay_themselves_and_are_those_of_the_original() -> None:
    hidden = verify(published(["P"] * 2, [[["a", "Z"]]] * 2, ("Z",)), KLmDiversity(k=2, l=2, m=1))
    assert "sensitive item 'Z' is generalized to {Z, a}" in hidden.problem
    table = Table.from_frame(pl.DataFrame({"class": ["P", "P"]}), {"class": "quasi"})
    original = Mixed(table, Transactions.from_lists([["a", "Z"], ["a"]], ["Z"]), "items", ("items",))
    rows = [["a", "Z"], ["a"]]
    assert verify(published(["P"] * 2, rows, ("Z",)), KLmDiversity(k=2, l=2, m=1), original).holds
    silent = verify(published(["P"] * 2, rows), KLmDiversity(k=1, l=2, m=1), original)
    assert "item 'Z' is not published as sensitive" in silent.problem
    wrong = verify(published(["P"] * 2, rows, ("Z", "a")), KLmDiversity(k=1, l=1, m=1), original)
    assert "item 'a' is published as sensitive and is not" in wrong.problem


@given(generalized(max_rows=6), st.randoms(use_true_random=False))
def test_an_honest_recoding_is_one_in_any_order(data: Generalized, random) -> None:
    order = list(range(len(data.values)))
    random.shuffle(order)
    assert recoding_problem(data.published, data.original) is None
    assert recoding_problem(data.published.take(np.array(order)), data.original) is None


@given(generalized(max_rows=6), st.data())
def test_one_changed_record_is_noticed(data: Generalized, drawn: st.DataObject) -> None:
    row = drawn.draw(st.integers(0, len(data.values) - 1))
    if ("suppressed",) in data.cells[row].values():
        return
    kind = drawn.draw(st.sampled_from(["cell", "lost item", "false item"]))
    if kind == "cell":
        cells = [dict(one) for one in data.cells]
        cells[row]["age"] = ("value", 100)  # nobody is that old
        tampered = replace(data, cells=cells)
    else:
        shown = [list(symbols) for symbols in data.shown]
        if kind == "lost item" and not shown[row]:
            return
        shown[row] = shown[row][1:] if kind == "lost item" else [*shown[row], ("never held",)]
        tampered = replace(data, shown=shown)
    if kind == "lost item":
        # Another record may be what is shown now; in place it is not.
        assert recoding_problem(tampered.published, replace(data, items=[sorted("abcde")] * len(data.items)).original)
        return
    assert "untruthful" in recoding_problem(tampered.published, data.original)


def test_columns_and_numbers_of_records_are_compared() -> None:
    table = Table.from_frame(pl.DataFrame({"class": ["P", "P"], "age": [1, 2]}), {"class": "quasi", "age": "quasi"})
    original = Mixed(table, Transactions.from_lists([["a"], ["a"]]), "items", ("items",))
    assert "the columns are class" in recoding_problem(published(["P", "P"], [["a"], ["a"]]), original)
    short = Mixed(Table.of(table.columns[:1]), original.transactions, "items", ("items",))
    assert "1 rows are published, the original has 2" in recoding_problem(published(["P"], [["a"]]), short)
    verdict = verify(published(["P", "P"], [["a"], ["b"]]), KKmAnonymity(k=1, m=1), short)
    assert not verdict.holds


def test_the_definition_is_only_for_few_records_and_needs_quasi_identifiers() -> None:
    with pytest.raises(TooLarge):
        kkm_violations(["P"] * 201, [[]] * 201, 2, 1)
    table = PublishedTable.from_texts(pl.DataFrame({"a": ["x"]}), {"a": "other"})
    with pytest.raises(NotApplicable, match="quasi-identifier"):
        verify(PublishedMixed(table, PublishedTransactions.from_lists([[]]), "items"), KKmAnonymity(k=1, m=1))


def test_the_guarantees_are_listed_described_and_read_back() -> None:
    for promised in (KKmAnonymity(k=3, m=1), KLmDiversity(k=3, l=4, m=1)):
        assert GUARANTEES[promised.model] is type(promised)
        assert guarantee_from_dict(promised.to_dict()) == promised
        assert str(promised.k) in promised.scope
        assert not promised.trivial
    assert guarantee_named("kkm-anonymity") is KKmAnonymity
    assert guarantee_named("klm-diversity") is KLmDiversity
    assert KKmAnonymity(k=1, m=2).trivial
    assert KLmDiversity(k=1, l=1, m=2).trivial
