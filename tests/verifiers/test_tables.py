"""Verifiers of tables: they count by texts, notice every broken record, and agree with the definition."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crypsis.data.cells import Cells, parse_cell
from crypsis.data.relational import PublishedColumn, PublishedTable, Table
from crypsis.errors import NotApplicable, OriginalRequired
from crypsis.guarantees import AllOf, KAnonymity, LDiversity, TCloseness
from crypsis.methods import Cluster, Incognito, Mondrian
from crypsis.run_context import RunContext
from crypsis.verifiers import verify
from crypsis.verifiers.table_levels import table_levels
from crypsis.verifiers.table_recoding import inconsistent
from tests.methods.relational.obvious import small_tables
from tests.reference import tables as reference
from tests.strategies import tables


def published(rows: list[tuple[str, ...]], **roles: str) -> PublishedTable:
    frame = pl.DataFrame({name: [row[place] for row in rows] for place, name in enumerate(roles)})
    types = {name: "int" if name == "age" else "category" for name in roles}
    return PublishedTable.from_frame(frame.cast(pl.String), roles, types)


PEOPLE = [
    ("[20:29]", "flu"), ("[20:29]", "cold"), ("[30:39]", "flu"), ("[30:39]", "flu"), ("[30:39]", "cold"),
]  # fmt: skip


def test_the_smallest_class_decides_k_and_is_named() -> None:
    table = published(PEOPLE, age="quasi", ill="sensitive")
    held = verify(table, KAnonymity(k=2))
    assert (held.holds, held.achieved, held.figures["classes"], held.figures["largest_class"]) == (True, 2, 2, 3)
    broken = verify(table, KAnonymity(k=3))
    assert not broken.holds
    assert broken.witness is not None
    assert (str(broken.witness), broken.witness.support, broken.witness.violations) == ("([20:29])", 2, 1)


def test_suppressed_rows_form_no_class_and_may_hold_nothing() -> None:
    table = published([*PEOPLE, ("~", "~")], age="quasi", ill="sensitive")
    assert verify(table, KAnonymity(k=2)).figures["suppressed"] == 1
    told = published([*PEOPLE, ("~", "flu")], age="quasi", ill="sensitive")
    assert "suppressed_value" in str(verify(told, KAnonymity(k=2)).problem)
    partly = published([*PEOPLE, ("[20:29]", "~")], age="quasi", ill="sensitive")
    assert "suppressed_value" in str(verify(partly, KAnonymity(k=1)).problem)


def test_rows_of_any_are_a_lawful_class_and_missing_equals_missing() -> None:
    table = published([("*", "a"), ("*", "b"), ("?", "a"), ("?", "b")], age="quasi", ill="sensitive")
    assert verify(table, KAnonymity(k=2)).achieved == 2


def test_two_cells_with_one_text_are_one_class() -> None:
    cells = Cells.of("int", [parse_cell("[1:2]", "int"), parse_cell("3", "int")])
    twice = Cells(
        "int",
        np.array([1, 1, 0], np.int8),
        np.array([0, 2, 4, 5]),
        np.array([0, 1, 0, 1, 2], np.int32),
        cells.values,
        cells.nodes,
    )
    column = PublishedColumn("age", "quasi", np.array([0, 1, 2, 2], np.int32), twice)
    assert verify(PublishedTable((column,)), KAnonymity(k=2)).holds


@given(small=small_tables(max_rows=12), bound=st.integers(1, 3), t=st.sampled_from([0.0, 0.2, 0.25, 0.5, 1.0]))
def test_diversity_is_what_the_definition_says(small: Any, bound: int, t: float) -> None:
    table = Mondrian(k=2).anonymize(small.table(), RunContext()) if len(small.rows) > 1 else None
    if table is None:
        return
    groups: dict[Any, list[int]] = {}
    for record, codes in enumerate(table.quasi_codes().tolist()):
        groups.setdefault(tuple(codes), []).append(record)
    for kind, value, promise in (
        ("distinct", bound, LDiversity(l=bound)),
        ("entropy", bound, LDiversity(l=bound, form="entropy")),
        ("recursive", (1.5, bound), LDiversity(l=bound, form="recursive", c=1.5)),
        ("equal", t, TCloseness(t=t)),
        ("ordered", t, TCloseness(t=t, distance="ordered")),
    ):
        bad = small.bad(1, kind, value)
        assert verify(table, promise).holds == (not any(map(bad, groups.values()))), kind
    levels = table_levels(table)
    assert levels.k == min(map(len, groups.values()))
    for column in levels.sensitive:
        if column.distinct_l is not None:
            assert verify(table, LDiversity(l=column.distinct_l)).holds
            assert not verify(table, LDiversity(l=column.distinct_l + 1)).holds
            assert column.equal_t is not None
            assert verify(table, TCloseness(t=min(column.equal_t + 1e-9, 1))).holds


def test_diversity_without_a_sensitive_column_is_refused() -> None:
    table = published([("1",), ("1",)], age="quasi")
    for promise in (LDiversity(l=2), TCloseness(t=0.5)):
        with pytest.raises(NotApplicable, match="has none"):
            verify(table, promise)


def test_closeness_of_a_table_with_suppressed_records_needs_the_original() -> None:
    table = published([*PEOPLE, ("~", "~")], age="quasi", ill="sensitive")
    with pytest.raises(OriginalRequired):
        verify(table, TCloseness(t=0.5))


def test_several_promises_hold_only_together() -> None:
    table = published(PEOPLE, age="quasi", ill="sensitive")
    both = AllOf.of(KAnonymity(k=2), LDiversity(l=2))
    assert verify(table, both).holds
    broken = verify(table, AllOf.of(KAnonymity(k=2), LDiversity(l=3), TCloseness(t=1)))
    assert not broken.holds
    assert str(broken.problem).startswith("l-diversity: class ")
    assert [part["holds"] for part in broken.figures["promises"]] == [True, False, True]


def ages(values: list[int | None], ills: list[str]) -> Table:
    frame = pl.DataFrame({"age": pl.Series(values, dtype=pl.Int64), "ill": ills})
    return Table.from_frame(frame, {"age": "quasi", "ill": "sensitive"})


ORIGINAL = ages([20, 29, 30, 34, 39], ["flu", "cold", "flu", "flu", "cold"])


def test_an_honest_table_is_recognized_in_any_order() -> None:
    table = published(PEOPLE, age="quasi", ill="sensitive")
    assert verify(table, KAnonymity(k=2), ORIGINAL).holds
    assert verify(table.take(np.array([4, 1, 3, 0, 2])), KAnonymity(k=2), ORIGINAL).holds


@pytest.mark.parametrize(
    "rows",
    [
        [("[20:28]", "flu"), ("[20:28]", "cold"), *PEOPLE[2:]],  # 29 is in no range
        [("[20:29]", "cold"), *PEOPLE[1:]],  # another disease
        [*PEOPLE[:4], ("[30:39]", "flu")],
        [("?", "flu"), ("?", "cold"), *PEOPLE[2:]],  # nothing was missing
        PEOPLE[:4],  # a record too few
    ],
)
def test_an_untruthful_table_is_noticed(rows: list[tuple[str, ...]]) -> None:
    verdict = verify(published(rows, age="quasi", ill="sensitive"), KAnonymity(k=1), ORIGINAL)
    assert not verdict.holds
    assert "untruthful" in str(verdict.problem)


def test_only_missing_and_any_contain_a_missing_value() -> None:
    original = ages([20, None], ["flu", "flu"])
    for text, honest in (("*", True), ("[20:29]", False), ("~", True)):
        rows = [(text, "~" if text == "~" else "flu")] * 2
        assert verify(published(rows, age="quasi", ill="sensitive"), KAnonymity(k=1), original).holds == honest


@pytest.mark.long
@pytest.mark.parametrize("method", [Cluster(k=2), Mondrian(k=2), Incognito(k=2, max_suppressed=0.3)])
@given(data=st.data())
def test_breaking_one_record_of_a_release_is_noticed(method: Any, data: st.DataObject) -> None:
    original = data.draw(tables().filter(lambda table: len(table) >= 2))
    released = method.anonymize(original, RunContext())
    record = data.draw(st.integers(0, len(released) - 1))
    name = data.draw(st.sampled_from(released.quasi))
    column = released.column(name)
    alien = parse_cell("1999-01-01" if column.type == "date" else "777", column.type)
    cells = Cells.of(column.type, [*(column.cells[place] for place in range(len(column.cells))), alien])
    codes = column.codes.copy()
    codes[record] = len(cells) - 1
    tampered = PublishedTable(
        tuple(replace(one, codes=codes, cells=cells) if one.name == name else one for one in released.columns)
    )
    assert not verify(tampered, KAnonymity(k=2)).holds or bool(released.suppressed[record])
    assert not verify(tampered, KAnonymity(k=2), original).holds


@given(small=small_tables(only_trees=True))
def test_full_domain_recodings_treat_equal_values_alike(small: Any) -> None:
    if len(small.rows) >= 2:
        table = small.table()
        assert inconsistent(Incognito(k=2, hierarchy=small.hierarchies).anonymize(table, RunContext()), table) is None


def test_a_value_that_became_two_cells_is_told() -> None:
    original = ages([20, 20, 30, 30], ["a", "b", "a", "b"])
    rows = [("20", "a"), ("[20:30]", "b"), ("[20:30]", "a"), ("30", "b")]
    told = inconsistent(published(rows, age="quasi", ill="sensitive"), original)
    assert told == "inconsistent: value 20 of column 'age' became 20, [20:30]"


def test_the_obvious_diversity_knows_the_textbook_case() -> None:
    assert reference.is_diverse("entropy", 2, [1, 1], [1, 1])
    assert not reference.is_diverse("entropy", 2, [2, 1], [2, 1])
