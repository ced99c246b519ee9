"""Recount k-anonymity, l-diversity and t-closeness of a published table in parts, in bounded memory.

Every part is read once. The texts of the quasi-identifiers, with the sensitive texts where a promise asks for them and
how often they occur, are exchanged by hash, so that a class is counted whole by one task. The verdict is the one on the
whole table, witness and figures included. Where a person has several rows, the publisher says whose each row is, and
people are counted. Written from the definitions, with no code of the methods; whoever runs the
tasks only has to `map` and `exchange`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from crypsis.arrays import Float64s, Int32s, Int64s, mixed_bits
from crypsis.data.cells import CellKind, Cells
from crypsis.data.formats.columns import refuse_other_columns
from crypsis.data.formats.tabular import read_published_table
from crypsis.data.vocabulary import distinct_texts
from crypsis.data.workers import Workers
from crypsis.encrypted_files import load
from crypsis.errors import NoQuasiIdentifiers, NotApplicable, OriginalRequired
from crypsis.guarantees import AllOf, Guarantee, KAnonymity, LDiversity, TCloseness, Verdict, Witness
from crypsis.verifiers import k_anonymity, l_diversity, t_closeness
from crypsis.verifiers.counted_people import EACH_RECORD, refuse_uncounted
from crypsis.verifiers.joint_verdict import first_required, joint_verdict
from crypsis.verifiers.sensitive_counts import SensitiveCounts
from crypsis.verifiers.table_classes import joined_codes

SUPPRESSED = "~"
BYTES_PER_ROW = 512
_HASH_SEED = 1  # only spread rows over tasks
_PERSON, _RECORDS = "\0person", "\0records"  # of a row its person, and how many rows that has


@dataclass(frozen=True)
class PublishedColumns:
    """The columns as a manifest describes them: role and type by name, and the names of nodes. `beside` are those of
    the same files that hold no cells, such as sets."""

    roles: Mapping[str, str]
    types: Mapping[str, Any]
    nodes: Mapping[str, Sequence[str]] = field(default_factory=dict)
    beside: tuple[str, ...] = ()

    def named(self, role: str) -> list[str]:
        return [name for name, own in self.roles.items() if own == role]


@dataclass(frozen=True, eq=False)
class RowsOfPeople:
    """Whose the rows are, as the publisher knows: for each part a file with the person of every row, and by sensitive
    column what the records with each value are of those of their persons, in the order of the values."""

    persons: Sequence[str]
    shares: Mapping[str, Float64s]

    def sizes(self) -> Int64s:
        """How many rows each person has."""
        sizes = np.zeros(0, np.int64)
        for file in self.persons:
            own = np.bincount(load(file), minlength=len(sizes)).astype(np.int64)
            own[: len(sizes)] += sizes
            sizes = own
        return sizes


@dataclass(frozen=True, eq=False)
class CountedParts:
    """What was counted: sizes of classes as a histogram, and what each promise needs. `people` is the histogram of
    people in classes, where whose the rows are is known; then these make a class the smallest."""

    n_records: int
    n_suppressed: int
    problem: str | None
    sizes: Mapping[int, int]  # size: how many classes have it
    smallest: tuple[int, tuple[str, ...]] | None
    levels: Mapping[tuple[int, str], Mapping[str, Any]]
    cell_counts: Mapping[str, pl.DataFrame]  # by column: text and n
    checksum: tuple[int, int] | None = None
    people: Mapping[int, int] | None = None

    @cached_property
    def n_classes(self) -> int:
        return sum(self.sizes.values())

    @property
    def figures(self) -> dict[str, int | float]:
        """Counts for the verdict."""
        if not self.sizes:
            return {"classes": 0, "suppressed": self.n_suppressed}
        return {
            "classes": self.n_classes,
            "smallest_class": min(self.sizes),
            "mean_class": sum(size * count for size, count in self.sizes.items()) / self.n_classes,
            "largest_class": max(self.sizes),
            "suppressed": self.n_suppressed,
        }


def count_parts(
    files: Sequence[str],
    columns: PublishedColumns,
    promised: Guarantee,
    workers: Workers,
    whole: Mapping[str, tuple[pl.Series, Int64s]] | None = None,
    seeds: Sequence[int] | None = None,
    owned: RowsOfPeople | None = None,
) -> CountedParts:
    """Count classes and sensitive values. `whole` are the values of the original, which t-closeness compares with;
    `owned` tells whose the rows are, where people are counted."""
    promises = promised.parts if isinstance(promised, AllOf) else (promised,)
    by = columns.named("quasi")
    if any(isinstance(promise, (LDiversity, TCloseness)) for promise in promises):
        by = [*by, *columns.named("sensitive")]
    if owned is not None:
        by = [*by, _PERSON]
    persons = [None] * len(files) if owned is None else list(owned.persons)
    sizes_of_people = None if owned is None else owned.sizes()
    numbered = [(index, file, whose) for index, (file, whose) in enumerate(zip(files, persons, strict=True))]
    pieces = workers.exchange(note_part, numbered, len(files), columns, by, seeds)
    noted = [load(note) for note, _ in pieces]
    starts = np.concatenate([[0], np.cumsum([one["rows"] for one in noted])]).tolist()
    n_records = starts[-1]
    cell_counts = {name: _added([one["cells"][name] for one in noted], [name]) for name in columns.roles}
    wrong = sorted(
        (slot, start + one["partly"][slot])
        for one, start in zip(noted, starts[:-1], strict=True)
        for slot in one["partly"]
    )
    problem = None
    if wrong:
        name = list(columns.roles)[wrong[0][0]]
        problem = (
            f"suppressed_value: row {wrong[0][1]} is suppressed but holds a value in column '{name}'; a suppressed "
            "record holds nothing but ~"
        )
    secrets = _secret_values(columns, cell_counts, whole)
    targets = max(1, -(-n_records * BYTES_PER_ROW // workers.memory))
    grouped = [group for _, group in pieces]
    classes = [grouped]
    if targets > 1:
        classes = workers.exchange(cut_by_class, grouped, targets, columns.named("quasi"), targets)
    shares = {} if owned is None else owned.shares
    counted = workers.map(count_classes, classes, columns, by, promises, secrets, sizes_of_people, shares)
    sizes = _added_up([count["sizes"] for count in counted])
    people = None if owned is None else _added_up([count["people"] for count in counted])
    smallest = min((count["smallest"] for count in counted if count["smallest"] is not None), default=None)
    levels: dict[tuple[int, str], dict[str, Any]] = {}
    for one in counted:
        for key, found in one["levels"].items():
            known = levels.setdefault(key, {"extreme": [], "fails": 0, "worst": []})
            known["extreme"] += found["extreme"]
            known["fails"] += found["fails"]
            known["worst"] += found["worst"]
    checksum = None
    if seeds is not None:
        sums = [sum(one["checksum"][half] for one in noted) % (1 << 64) for half in range(2)]
        checksum = (sums[0], sums[1])
    suppressed = sum(one["suppressed"] for one in noted)
    return CountedParts(n_records, suppressed, problem, sizes, smallest, levels, cell_counts, checksum, people)


def _added_up(histograms: Sequence[Mapping[int, int]]) -> dict[int, int]:
    total: dict[int, int] = {}
    for histogram in histograms:
        for size, count in histogram.items():
            total[size] = total.get(size, 0) + count
    return total


def verify_parts(
    counted: CountedParts, columns: PublishedColumns, promised: Guarantee, original: bool = False
) -> Verdict:
    """The verdict on what was counted; with `original`, t-closeness was compared with it."""
    if not isinstance(promised, AllOf):
        if counted.problem is not None:
            return _broken(counted, promised, promised)
        return _verdict(counted, columns, promised, 0, original)
    if counted.problem is not None:
        return _broken(counted, promised, promised.parts[0])
    verdicts = [_verdict(counted, columns, part, index, original) for index, part in enumerate(promised.parts)]
    return joint_verdict(promised, verdicts, counted.figures)


def _broken(counted: CountedParts, promised: Guarantee, first: Guarantee) -> Verdict:
    return Verdict(promised, False, None, first_required(first), k_anonymity.COUNTED, problem=f"{counted.problem}.")


def _verdict(
    counted: CountedParts, columns: PublishedColumns, promised: Guarantee, place: int, original: bool
) -> Verdict:
    if not columns.named("quasi"):
        raise NoQuasiIdentifiers(
            f"{promised.model} is a guarantee about the columns that others may know, and the table has none of them; "
            "name the quasi-identifiers."
        )
    if isinstance(promised, KAnonymity):
        return _k_verdict(counted, promised)
    if not isinstance(promised, (LDiversity, TCloseness)):
        raise NotApplicable(f"{promised.model} cannot be checked on a table in parts.")
    if not columns.named("sensitive"):
        raise NotApplicable(f"{promised.model} looks at sensitive columns, and the table has none; name them.")
    if isinstance(promised, LDiversity):
        return _l_verdict(counted, columns, promised, place)
    if promised.unit == "person" and counted.people is None and counted.sizes:
        refuse_uncounted(None)
    if counted.n_suppressed and not original:
        raise OriginalRequired(
            "t-closeness compares with the whole original column, and the values of suppressed records are not "
            "published; give the original (original=DATA)."
        )
    return _t_verdict(counted, columns, promised, place)


def _k_verdict(counted: CountedParts, promised: KAnonymity) -> Verdict:
    by_person, figures = promised.unit == "person", counted.figures
    words = k_anonymity.COUNTED_PEOPLE if by_person else f"{k_anonymity.COUNTED}{EACH_RECORD}"
    if counted.smallest is None:
        return Verdict(promised, True, None, promised.k, words, figures=figures)
    size, texts = counted.smallest
    if size >= promised.k:
        if by_person and counted.people is None:
            refuse_uncounted(size)
        return Verdict(promised, True, size, promised.k, words, figures=figures)
    individuals = counted.sizes if counted.people is None else counted.people
    too_small = sum(count for own, count in individuals.items() if own < promised.k)
    witness = Witness(tuple((text,) for text in texts), size, too_small)
    one, many = ("record", "records") if counted.people is None else ("person", "people")
    problem = f"{witness} belongs to {size} {one if size == 1 else many}, {promised.k} are required."
    return Verdict(promised, False, size, promised.k, words, witness, problem, figures)


def _l_verdict(counted: CountedParts, columns: PublishedColumns, promised: LDiversity, place: int) -> Verdict:
    by_person, figures = promised.unit == "person", counted.figures
    words = l_diversity.COUNTED if by_person else f"{l_diversity.COUNTED}{EACH_RECORD}"
    if by_person and counted.people is None and promised.form != "distinct" and counted.sizes:
        refuse_uncounted(None)
    lowest: float | None = None
    for name in columns.named("sensitive"):
        levels = counted.levels.get((place, name), {"extreme": [], "fails": 0, "worst": []})
        if levels["fails"]:
            level, texts, size = min(levels["worst"])
            witness = Witness(tuple((text,) for text in texts), size, levels["fails"])
            told = l_diversity.level_in_words(promised, level)
            problem = f"class {witness} has {told} in column '{name}'."
            achieved = l_diversity.plain_level(level)
            return Verdict(promised, False, achieved, promised.l, words, witness, problem, figures)
        lowest = min((*levels["extreme"], *([] if lowest is None else [lowest])), default=None)
    achieved_level = None if lowest is None else l_diversity.plain_level(lowest)
    return Verdict(promised, True, achieved_level, promised.l, words, figures=figures)


def _t_verdict(counted: CountedParts, columns: PublishedColumns, promised: TCloseness, place: int) -> Verdict:
    words = f"{t_closeness.COUNTED}{EACH_RECORD}" if promised.unit == "record" else t_closeness.COUNTED_PEOPLE
    figures = counted.figures
    farthest = 0.0
    for name in columns.named("sensitive"):
        levels = counted.levels.get((place, name), {"extreme": [], "fails": 0, "worst": []})
        farthest = max(farthest, *levels["extreme"], 0.0)
        if levels["fails"]:
            nearness, texts, size = min(levels["worst"])
            witness = Witness(tuple((text,) for text in texts), size, levels["fails"])
            problem = (
                f"class {witness} is {-nearness:.6g} away from the whole column '{name}', {promised.t:g} is allowed."
            )
            return Verdict(promised, False, -nearness, promised.t, words, witness, problem, figures)
    return Verdict(promised, True, farthest, promised.t, words, figures=figures)


def note_part(
    numbered: tuple[int, str, str | None], columns: PublishedColumns, by: Sequence[str], seeds: Sequence[int] | None
) -> Iterator[tuple[int, Any]]:
    """What is counted of a part by itself; then its rows that are not suppressed, grouped by the columns `by` and by
    their persons, where these are told."""
    number, file, persons = numbered
    frame = _read(file, columns)
    coded = {name: distinct_texts(frame[name]) for name in columns.roles}
    marks = [_marked(*own, SUPPRESSED) for own in coded.values()]
    suppressed = np.logical_or.reduce(marks) if marks else np.zeros(len(frame), np.bool_)
    partly = {index: int(np.argmax(suppressed & ~own)) for index, own in enumerate(marks) if (suppressed & ~own).any()}
    note: dict[str, Any] = {
        "rows": len(frame),
        "suppressed": int(np.count_nonzero(suppressed)),
        "partly": partly,
        "cells": {name: _cell_counts(name, *own) for name, own in coded.items()},
    }
    if seeds is not None:
        note["checksum"] = rows_checksum(list(coded.values()), len(frame), seeds)
    yield number, note
    kept = np.flatnonzero(~suppressed)
    shown = [name for name in by if name != _PERSON]
    grouped_by = [coded[name][1][kept].astype(np.int64) for name in shown]
    whose = None if persons is None else np.asarray(load(persons))[kept]
    keys = joined_codes(grouped_by if whose is None else [*grouped_by, whose], len(kept))
    first, sizes = _counted_runs(keys)
    texts = {name: coded[name][0].gather(coded[name][1][kept[first]]) for name in shown}
    if whose is not None:
        texts[_PERSON] = pl.Series(whose[first])
    yield number, pl.DataFrame({**texts, "n": sizes})


def _marked(distinct: pl.Series, codes: Int32s, text: str) -> Any:
    """Which cells hold a text."""
    return (distinct == text).to_numpy()[codes] if len(distinct) else np.zeros(len(codes), np.bool_)


def _cell_counts(name: str, distinct: pl.Series, codes: Int32s) -> pl.DataFrame:
    counts = np.bincount(codes, minlength=len(distinct)).astype(np.int64)
    return pl.DataFrame({name: distinct, "n": counts}).filter(pl.col("n") > 0)


def _counted_runs(keys: Int64s) -> tuple[Int64s, Int64s]:
    """The first row of each key, and how many have it; equal keys that stand together are added up first."""
    if not len(keys):
        return keys, keys
    starts = np.flatnonzero(np.append(True, keys[1:] != keys[:-1]))
    lengths = np.diff(np.append(starts, len(keys)))
    _, first, inverse = np.unique(keys[starts], return_index=True, return_inverse=True)
    sizes = np.zeros(len(first), np.int64)
    np.add.at(sizes, inverse.reshape(-1), lengths)
    return starts[first], sizes


def rows_checksum(columns: Sequence[tuple[pl.Series, Any]], rows: int, seeds: Sequence[int]) -> tuple[int, int]:
    """Two keyed sums of row hashes: equal for equal rows in any order. Columns are texts, and the text of each row."""
    first, second = (int(_row_hashes(columns, rows, seed).sum(dtype=np.uint64)) for seed in seeds)
    return first, second


def _row_hashes(columns: Sequence[tuple[pl.Series, Any]], rows: int, seed: int) -> Any:
    """A keyed hash of each row: of the hashes of its cells, each keyed by its column as well."""
    total = np.full(rows, seed, np.uint64)
    for index, (texts, codes) in enumerate(columns):
        if len(texts):
            total += mixed_bits(texts.hash(seed).to_numpy() ^ np.uint64(index))[codes]
    return mixed_bits(total)


def cut_by_class(file: str, quasi: Sequence[str], targets: int) -> Iterator[tuple[int, pl.DataFrame]]:
    """The groups of a part by the task that counts their class."""
    groups = load(file)
    if not len(groups) or not quasi:
        return
    target = (groups.select(quasi).hash_rows(_HASH_SEED) % targets).cast(pl.Int64)
    for part in groups.with_columns(target.alias("\0target")).partition_by("\0target"):
        yield int(part["\0target"][0]), part.drop("\0target")


def count_classes(
    files: Sequence[str],
    columns: PublishedColumns,
    by: Sequence[str],
    promises: Sequence[Guarantee],
    secrets: Mapping[str, tuple[pl.DataFrame, Int64s]],
    sizes_of_people: Int64s | None = None,
    shares: Mapping[str, Float64s] | None = None,
) -> dict[str, Any]:
    """The classes of one task: how many have each size, the smallest, and what the promises ask of each. Where it is
    told how many rows each person has, people are counted."""
    quasi, sensitive = columns.named("quasi"), columns.named("sensitive")
    told: dict[str, Any] = {"sizes": {}, "people": {}, "smallest": None, "levels": {}}
    rows = pl.concat([load(file) for file in files]) if files else pl.DataFrame()
    if not len(rows) or not quasi:
        return told
    individuals = pl.col("n").sum() if sizes_of_people is None else pl.col(_PERSON).n_unique()
    classes = rows.group_by(quasi).agg(
        pl.col("n").sum().alias("\0size"), individuals.cast(pl.Int64).alias("\0individuals")
    )
    told["sizes"] = _histogram(classes["\0size"])
    if sizes_of_people is not None:
        told["people"] = _histogram(classes["\0individuals"])
    smallest = classes.filter(pl.col("\0individuals") == pl.col("\0individuals").min()).sort(quasi)
    told["smallest"] = (int(smallest["\0individuals"][0]), _texts(smallest, quasi, 0))
    classes = classes.drop("\0individuals")
    wanted = [
        (index, promise) for index, promise in enumerate(promises) if isinstance(promise, (LDiversity, TCloseness))
    ]
    if not wanted:
        return told
    rows = _added([rows], by)
    classes = classes.sort(quasi).with_columns(pl.int_range(pl.len(), dtype=pl.Int64).alias("\0class"))
    sizes = classes["\0size"].to_numpy()
    numbered = rows.join(classes.drop("\0size"), on=quasi, how="left", nulls_equal=True)
    if sizes_of_people is not None:
        numbered = numbered.with_columns(pl.Series(_RECORDS, sizes_of_people[numbered[_PERSON].to_numpy()]))
    for name in sensitive:
        values, table = secrets[name]
        if sizes_of_people is None:
            counts = _sensitive_counts(numbered, name, values, table, len(classes))
        else:
            own = (shares or {}).get(name)
            counts = _sensitive_people(numbered, name, values, table, len(classes), own)
        for slot, promised in wanted:
            if isinstance(promised, LDiversity):
                fails, levels = l_diversity.judge_classes(counts, promised)
                valued = counts.totals > 0
                fails = fails & valued
                extreme = [float(levels[valued].min())] if valued.any() else []
                first = int(np.flatnonzero(fails)[np.argmin(levels[fails])]) if fails.any() else -1
                worst = float(levels[first]) if first >= 0 else 0.0
            else:
                levels, fails = t_closeness.judge_classes(counts, promised)
                extreme = [float(levels.max(initial=0.0))]
                first = int(np.argmax(np.where(fails, levels, -1.0))) if fails.any() else -1
                worst = -float(levels[first]) if first >= 0 else 0.0
            case = [(worst, _texts(classes, quasi, first), int(sizes[first]))] if first >= 0 else []
            told["levels"][slot, name] = {
                "extreme": extreme,
                "fails": int(np.count_nonzero(fails)),
                "worst": case,
            }
    return told


def _sensitive_counts(
    rows: pl.DataFrame, name: str, values: pl.DataFrame, table: Int64s, n_classes: int
) -> SensitiveCounts:
    """By class the known values, ascending, and how often each occurs."""
    known = (
        rows.select("\0class", pl.col(name).alias("\0text"), "n")
        .join(values, on="\0text", how="inner")
        .group_by("\0class", "\0value")
        .agg(pl.col("n").sum())
        .sort("\0class", "\0value")
    )
    owner = known["\0class"].to_numpy()
    start = np.searchsorted(owner, np.arange(n_classes + 1)).astype(np.int64)
    return SensitiveCounts(start, known["\0value"].to_numpy().astype(np.int64), known["n"].to_numpy(), table)


def _sensitive_people(
    rows: pl.DataFrame, name: str, values: pl.DataFrame, table: Int64s, n_classes: int, shares: Float64s | None
) -> SensitiveCounts:
    """By class the known values, how many people have each, and what their rows with it are of all of theirs: rows of
    people with equally many are counted before shares are added up."""
    known = (
        rows.select("\0class", pl.col(name).alias("\0text"), _PERSON, _RECORDS, "n")
        .join(values, on="\0text", how="inner")
        .group_by("\0class", "\0value", _RECORDS)
        .agg(pl.col("n").sum(), pl.col(_PERSON).n_unique().cast(pl.Int64).alias("\0people"))
        .sort("\0class", "\0value", _RECORDS)
        .with_columns((pl.col("n") / pl.col(_RECORDS)).alias("\0share"))
        .group_by("\0class", "\0value", maintain_order=True)
        .agg(pl.col("\0people").sum(), pl.col("\0share").sum())
    )
    owner = known["\0class"].to_numpy()
    start = np.searchsorted(owner, np.arange(n_classes + 1)).astype(np.int64)
    return SensitiveCounts(
        start,
        known["\0value"].to_numpy().astype(np.int64),
        known["\0people"].to_numpy().astype(np.int64),
        table,
        known["\0share"].to_numpy().astype(np.float64),
        shares,
    )


def _histogram(sizes: pl.Series) -> dict[int, int]:
    """How many classes have each size."""
    return dict(zip(*(part.tolist() for part in np.unique(sizes.to_numpy(), return_counts=True)), strict=True))


def _secret_values(
    columns: PublishedColumns,
    cell_counts: Mapping[str, pl.DataFrame],
    whole: Mapping[str, tuple[pl.Series, Int64s]] | None,
) -> dict[str, tuple[pl.DataFrame, Int64s]]:
    """By sensitive column: the number of each text that is a value, by size, and how often each value occurs in all."""
    secrets = {}
    for name in columns.named("sensitive"):
        texts = cell_counts[name][name].to_list()
        cells, cell_of_text = Cells.parse(columns.types[name], texts, columns.nodes.get(name))
        is_value = cells.kinds == CellKind.VALUE
        domain = cells.values.unique().sort() if whole is None else whole[name][0]
        place_of = {value: index for index, value in enumerate(domain.to_list())}
        by_size = np.array([place_of.get(value, -1) for value in cells.values.to_list()], np.int64)
        position = np.full(len(cells), -1, np.int64)
        position[is_value] = by_size[cells.members[cells.offsets[:-1][is_value]]]
        number = position[cell_of_text] if len(texts) else np.zeros(0, np.int64)
        counts = cell_counts[name]["n"].to_numpy()
        shown = number >= 0
        table = np.bincount(number[shown], weights=counts[shown], minlength=len(domain)).astype(np.int64)
        frame = pl.DataFrame({"\0text": cell_counts[name][name], "\0value": number}).filter(pl.col("\0value") >= 0)
        secrets[name] = (frame, table if whole is None else np.asarray(whole[name][1], np.int64))
    return secrets


def _read(file: str, columns: PublishedColumns) -> pl.DataFrame:
    frame, source = read_published_table(file)
    refuse_other_columns(frame.columns, [*columns.roles, *columns.beside], source)
    return frame.select(pl.col(name).cast(pl.String).fill_null("") for name in columns.roles)


def _added(frames: Sequence[pl.DataFrame], names: Sequence[str]) -> pl.DataFrame:
    """Counts of equal rows added up."""
    return pl.concat(frames).group_by(list(names)).agg(pl.col("n").sum()).sort(list(names))


def _texts(classes: pl.DataFrame, quasi: Sequence[str], row: int) -> tuple[str, ...]:
    return tuple(str(classes[name][row]) for name in quasi)
