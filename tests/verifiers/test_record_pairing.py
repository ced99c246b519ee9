"""Pairing sorted rows with original records is exact: it agrees with the slow definition, and does not grow as n²."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_flow

from crypsis.data.mixed import Mixed, PublishedMixed
from crypsis.data.privacy_policy import PrivacyPolicy
from crypsis.data.relational import NodeLeaves, PublishedTable, Table
from crypsis.data.transaction import PublishedTransactions, Transactions
from crypsis.errors import TooLarge
from crypsis.guarantees import ItemsetKmAnonymity, KAnonymity, PolicyAnonymity
from crypsis.methods import Cluster, Mondrian
from crypsis.run_context import RunContext
from crypsis.verifiers import record_pairing, verify
from crypsis.verifiers.contained_values import ContainedValues
from crypsis.verifiers.mixed_recoding import recoding_problem
from crypsis.verifiers.record_pairing import largest_flow, unpaired_rows
from crypsis.verifiers.table_recoding import untruthful
from tests.reference.truthfulness import Cell, can_be_paired, covers_set, covers_value

NODES = {"low": (1, 2), "odd": (1, 3, 5), "most": (1, 2, 3, 4), "all": (0, 1, 2, 3, 4, 5)}


def cell_text(cell: Cell) -> str:
    kind, said = cell
    if kind == "range":
        return f"[{said[0]}:{said[1]}]"
    if kind == "set":
        return "{" + "|".join(map(str, sorted(said))) + "}"
    return {"missing": "?", "any": "*", "suppressed": "~"}.get(kind, str(said))


def random_cell(random: np.random.Generator, value: int | None, honest: bool) -> Cell:
    """A cell of any kind; an honest one covers the value."""
    if not honest:
        value = None if random.random() < 0.1 else int(random.integers(6))
    kind = random.choice(["value", "range", "set", "any", "node"], p=[0.35, 0.25, 0.2, 0.05, 0.15])
    if value is None:
        return ("any", None) if kind == "any" else ("missing", None)
    if kind == "range":
        low, high = value - int(random.integers(3)), value + int(random.integers(3))
        return ("value", value) if low == high else ("range", (low, high))
    if kind == "set":
        said = {value, *random.integers(0, 6, 2).tolist()}
        return ("value", value) if len(said) == 1 else ("set", frozenset(said))
    if kind == "node":
        fitting = [name for name, leaves in NODES.items() if value in leaves]
        return ("node", str(random.choice(fitting)))
    return ("value", value) if kind == "value" else ("any", None)


def covers_row(row: list[Cell], record: list[int | None]) -> bool:
    return all(
        value in NODES[cell[1]] if cell[0] == "node" else covers_value(cell, value)
        for cell, value in zip(row, record, strict=True)
    )


def as_table(records: list[list[int | None]]) -> Table:
    names = [f"c{column}" for column in range(len(records[0]))]
    frame = pl.DataFrame({name: [record[at] for record in records] for at, name in enumerate(names)})
    frame = frame.with_columns(pl.all().cast(pl.Int64))
    return Table.from_frame(frame, dict.fromkeys(names, "quasi"), dict.fromkeys(names, "int"))


def as_published(rows: list[list[Cell]]) -> PublishedTable:
    names = [f"c{column}" for column in range(len(rows[0]))]
    leaves = NodeLeaves({name: tuple(map(str, values)) for name, values in NODES.items()}, 6)
    frame = pl.DataFrame({name: [cell_text(row[at]) for row in rows] for at, name in enumerate(names)})
    return PublishedTable.from_frame(
        frame,
        dict.fromkeys(names, "quasi"),
        dict.fromkeys(names, "int"),
        nodes={name: list(NODES) for name in names},
        hierarchies=dict.fromkeys(names, leaves),
    )


def random_table(random: np.random.Generator) -> tuple[list[list[int | None]], list[list[Cell]]]:
    n_rows, n_columns = int(random.integers(1, 9)), int(random.integers(1, 4))
    most = int(random.integers(1, 6))
    records = [
        [None if random.random() < 0.1 else int(random.integers(most + 1)) for _ in range(n_columns)]
        for _ in range(n_rows)
    ]
    lies = random.random() * 0.2
    rows = [
        [("suppressed", None)] * n_columns
        if random.random() < 0.15
        else [random_cell(random, value, random.random() >= lies) for value in record]
        for record in records
    ]
    return records, [rows[at] for at in random.permutation(n_rows)]


@pytest.mark.long
@pytest.mark.parametrize("seed", range(8))
def test_a_table_is_truthful_exactly_when_the_definition_says_so(seed: int, monkeypatch) -> None:
    random = np.random.Generator(np.random.PCG64(seed))
    if seed % 2:
        monkeypatch.setattr(record_pairing, "BOXES_AT_ONCE", 2)  # groups are cut into pieces
        monkeypatch.setattr(record_pairing, "STEPS_AT_ONCE", 3)
    answers = set()
    for _ in range(120):
        records, rows = random_table(random)
        expected = can_be_paired(rows, records, covers_row)
        found = untruthful(as_published(rows), as_table(records))
        assert (found is None) == expected, (records, rows)
        answers.add(expected)
    assert answers == {True, False}


def random_sets(random: np.random.Generator) -> tuple[list[list[str]], list[list[list[str]]], list[str]]:
    """Records, and rows of symbols that overlap freely; most rows recode a record honestly."""
    labels = list("abcdef")[: int(random.integers(2, 7))]
    pool = [sorted(set(random.choice(labels, int(random.integers(1, 4))).tolist())) for _ in range(6)]
    suppressed = [label for label in labels if random.random() < 0.1]
    records, rows = [], []
    lies = random.random() * 0.3
    for _ in range(int(random.integers(1, 8))):
        record = [label for label in labels if random.random() < 0.4]
        records.append(record)
        row: list[list[str]] = []
        for item in record:
            fitting = [symbol for symbol in pool if item in symbol] or [[item]]
            symbol = fitting[int(random.integers(len(fitting)))]
            if symbol not in row and not (item in suppressed and random.random() < 0.8):
                row.append(symbol)
        if random.random() < lies:
            row = [pool[int(random.integers(len(pool)))]]
        rows.append(row)
    return records, [rows[at] for at in random.permutation(len(rows))], suppressed


@pytest.mark.parametrize("seed", range(6))
def test_overlapping_recodings_of_sets_are_truthful_exactly_when_the_definition_says_so(seed: int) -> None:
    random = np.random.Generator(np.random.PCG64(seed))
    answers = set()
    for _ in range(120):
        records, rows, suppressed = random_sets(random)
        rows = sorted(rows) if random.random() < 0.5 else rows
        expected = can_be_paired(rows, records, lambda row, record: covers_set(row, record, suppressed))  # noqa: B023
        published = PublishedTransactions.from_lists(rows, suppressed=suppressed)
        verdict = verify(published, ItemsetKmAnonymity(k=1, m=1), Transactions.from_lists(records))
        symbols = {tuple(symbol) for row in rows for symbol in row}
        overlap = len({label for symbol in symbols for label in symbol}) < sum(map(len, symbols))
        if overlap:
            assert verdict.holds == expected, (records, rows, suppressed)
            answers.add(expected)
        else:  # a recoding with one image for each item has to be the same everywhere, which is stricter
            assert expected or not verdict.holds
    assert answers == {True, False}


@pytest.mark.parametrize(
    "promised", [ItemsetKmAnonymity(k=2, m=1), PolicyAnonymity(k=1, policy=PrivacyPolicy([["a"]]))]
)
def test_a_sorted_overlapping_lie_about_sets_is_noticed(promised: Any) -> None:
    original = Transactions.from_lists([["a"], ["a"], ["c"], ["c"]])
    lie = PublishedTransactions.from_lists([[["a", "b"]], [["a", "b"]], [["b", "d"]], [["b", "d"]]])
    verdict = verify(lie, promised, original)
    assert not verdict.holds
    assert "untruthful" in str(verdict.problem)
    truth = PublishedTransactions.from_lists([[["a", "b"]], [["a", "b"]], [["b", "c"]], [["b", "c"]]])
    assert verify(truth, promised, original).holds


@pytest.mark.long
@pytest.mark.parametrize("seed", range(4))
def test_mixed_records_are_truthful_exactly_when_the_definition_says_so(seed: int) -> None:
    random = np.random.Generator(np.random.PCG64(seed))
    answers = set()
    for _ in range(80):
        records, rows = random_table(random)
        items, symbols, _ = random_sets(random)
        n_rows = min(len(rows), len(items))
        records, rows, items, symbols = records[:n_rows], rows[:n_rows], items[:n_rows], symbols[:n_rows]
        hidden = [row[0][0] == "suppressed" for row in rows]
        symbols = [[] if gone else shown for gone, shown in zip(hidden, symbols, strict=True)]
        published = PublishedMixed(as_published(rows), PublishedTransactions.from_lists(symbols), "items", ())
        original = Mixed(as_table(records), Transactions.from_lists(items), "items", ("items",))

        def covers(row: int, record: int) -> bool:
            if hidden[row]:  # noqa: B023
                return True
            return covers_row(rows[row], records[record]) and covers_set(symbols[row], items[record])  # noqa: B023

        expected = can_be_paired(range(n_rows), range(n_rows), covers)
        assert (recoding_problem(published, original) is None) == expected
        answers.add(expected)
    assert answers == {True, False}


@pytest.mark.parametrize(
    ("texts", "type", "values"),
    [
        (["[20.7:25.0]"], "float", [20]),  # would hold 20 if its end were cut to a whole number
        (["[20:30]"], "int", ["3"]),  # 3 lies between 20 and 30 only as a text
        (["20.5"], "float", [20]),
    ],
)
def test_values_of_another_type_are_never_rounded_into_a_cell(texts: list[str], type: str, values: list[Any]) -> None:
    published = PublishedTable.from_frame(pl.DataFrame({"x": texts}), {"x": "quasi"}, {"x": type})
    original = Table.from_frame(pl.DataFrame({"x": values}), {"x": "quasi"})
    if isinstance(values[0], str):
        original = Table.from_frame(pl.DataFrame({"x": values}), {"x": "quasi"}, {"x": "category"})
    assert untruthful(published, original) is not None


@pytest.mark.parametrize("seed", range(20))
def test_the_flow_is_the_largest(seed: int) -> None:
    random = np.random.Generator(np.random.PCG64(seed))
    n_left, n_right = random.integers(1, 40, 2).tolist()
    supply, demand = random.integers(0, 5, n_left), random.integers(0, 5, n_right)
    left, right = np.nonzero(random.random((n_left, n_right)) < random.choice([0.03, 0.1, 0.5]))
    source, sink = n_left + n_right, n_left + n_right + 1
    tails = np.concatenate([np.full(n_left, source), left, n_left + np.arange(n_right)])
    heads = np.concatenate([np.arange(n_left), n_left + right, np.full(n_right, sink)])
    room = np.concatenate([supply, np.full(len(left), 1000), demand]).astype(np.int32)
    graph = csr_array((room, (tails, heads)), shape=(sink + 1, sink + 1))
    expected = int(maximum_flow(graph, source, sink).flow_value)
    found = largest_flow(
        left.astype(np.int32), right.astype(np.int32), supply.astype(np.int64), demand.astype(np.int64)
    )
    assert found == expected


def people(n_records: int, seed: int = 1) -> Table:
    random = np.random.Generator(np.random.PCG64(seed))
    frame = pl.DataFrame(
        {
            "age": random.integers(18, 91, n_records),
            "hours": random.integers(1, 99, n_records),
            "income": random.integers(0, 10**6, n_records),
            "region": random.choice(list("abcdefgh"), n_records),
            "ill": random.choice(["flu", "cold", "gout"], n_records),
        }
    )
    roles = {"age": "quasi", "hours": "quasi", "income": "quasi", "region": "quasi", "ill": "sensitive"}
    return Table.from_frame(frame, roles)


class CountedSteps:
    """Counts how many rows, records and pairs are looked at."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.steps = self.pairs = 0
        split, pairs_of = record_pairing._split, record_pairing._Bits.pairs

        def counted_split(apart: Any, span: Any) -> Any:
            self.steps += len(apart.box_group) + len(apart.point_group)
            return split(apart, span)

        def counted_pairs(bits: Any, first: int, last: int, most: int) -> Any:
            width = bits.last_box[first:last] - bits.first_box[first:last]
            self.steps += int(((width // 64 + 1) * (np.diff(bits.offsets)[first:last] + 1)).sum())
            found = pairs_of(bits, first, last, most)
            self.pairs += len(found[0])
            return found

        monkeypatch.setattr(record_pairing, "_split", counted_split)
        monkeypatch.setattr(record_pairing._Bits, "pairs", counted_pairs)


def test_the_work_on_classes_that_do_not_overlap_grows_with_n_and_not_with_its_square(monkeypatch) -> None:
    steps = {}
    for n_records in (2_000, 16_000):
        table = people(n_records)
        published = Mondrian(k=5).anonymize(table, RunContext())
        shuffled = published.take(np.random.Generator(np.random.PCG64(5)).permutation(n_records))
        with monkeypatch.context() as patched:
            counted = CountedSteps(patched)
            assert verify(shuffled, KAnonymity(k=5), table).holds
            steps[n_records] = counted.steps
    assert steps[16_000] < 2 * 8 * steps[2_000], steps


def test_overlapping_classes_are_paired_too() -> None:
    table = people(1_500)
    published = Cluster(k=5).anonymize(table, RunContext())
    shuffled = published.take(np.random.Generator(np.random.PCG64(5)).permutation(1_500))
    assert verify(shuffled, KAnonymity(k=5), table).holds
    other = people(1_500, seed=2)
    assert not verify(shuffled, KAnonymity(k=5), other).holds


def test_too_many_pairs_are_refused_in_words(monkeypatch) -> None:
    monkeypatch.setattr(record_pairing, "MOST_PAIRS", 10)
    records = [[value] for value in range(6)]
    table = as_table(records)
    rows: list[list[Cell]] = [[("range", (0, 5))]] * 3 + [[("range", (0, 4))]] * 3
    columns = [ContainedValues(as_published(rows).columns[0], table.columns[0])]
    with pytest.raises(TooLarge, match="private report"):
        unpaired_rows(columns, None, np.zeros(6, np.bool_))
