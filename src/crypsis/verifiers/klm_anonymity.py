"""Recount (k,l)^m-anonymity: who shares each subsequence of known symbols, and what these people have in common.

Counting symbols also bounds an adversary who knows original locations, as long as no individual has two symbols that
overlap without being equal. Where one does, only matching original locations against the rows can tell.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from crypsis.arrays import Bools, Int32s, offsets_of
from crypsis.data.trajectory import Locations, PublishedTrajectories, Trajectories
from crypsis.errors import NotApplicable, OriginalRequired
from crypsis.guarantees import KlmAnonymity, Verdict, Witness
from crypsis.verifiers.containment_matching import Known, Matching, match_knowledge
from crypsis.verifiers.overlapping_symbols import overlap_within
from crypsis.verifiers.recoding import recoded_original
from crypsis.verifiers.row_matching import row_out_of_place, rows_left_over
from crypsis.verifiers.sensitive_shares import Rows, Shares, Violation, base_rates, shares_of_size

COUNTED = "every subsequence of the published rows was counted, with every sensitive location"
COMPARED = "each row is its own original recoded"


@dataclass(frozen=True)
class DiversityWitness(Witness):
    """Also says which of the two bounds is broken: too few share it (k), or too many of them hold one place (l)."""

    kind: str = "k"
    sensitive: str | None = None
    count: int | None = None

    def to_dict(self) -> dict[str, Any]:
        told = {} if self.sensitive is None else {"count": self.count, "sensitive": self.sensitive}
        return {"kind": self.kind, **super().to_dict(), **told}


def verify_klm_anonymity(
    published: PublishedTrajectories, promised: KlmAnonymity, original: Trajectories | None = None
) -> Verdict:
    """Count size by size and stop at the first that fails; the witness is its rarest violation.

    With the original, also check that the rows recode it, and match original locations against them.
    """
    how = COUNTED

    def broken(problem: str, **more: Any) -> Verdict:
        return Verdict(promised, False, None, promised.k, how, problem=problem + ".", **more)

    published = replace(published, sensitive=tuple(sorted(set(published.sensitive))))
    problem = sensitive_problem(published, original)
    if problem is not None:
        return broken(problem)
    individuals = published.groups(promised.unit)
    if original is not None:
        if promised.unit == "owner" and original.owners is None:
            raise NotApplicable("Owners are to be counted; give the original with the owner of each trajectory.")
        recoded = _compared(published, original, promised.unit)
        if isinstance(recoded, str):
            return broken(recoded)
        published, individuals, compared = recoded
        how += ", and " + compared
    elif promised.unit == "owner" and published.owners is None:
        raise OriginalRequired(
            "Published rows do not say whose they are, so owners can only be counted with the original data; "
            "give it (original=DATA)."
        )
    names, rows = _in_two_parts(published, individuals)
    longest = int(np.diff(rows.offsets).max(initial=0))
    verdict = verdict_by_size(
        promised,
        names,
        published.sensitive,
        _rates(published, rows),
        longest,
        lambda size: shares_of_size(rows, size, promised.k, promised.l),
        how,
    )
    if not verdict.holds:
        return verdict
    overlap = None
    if overlaps_matter(promised, rows.n_sensitive):
        overlap = overlap_within(published.offsets, _same_for_equals(published), individuals, published.symbols)
    if overlap is not None:
        lists = published.symbols.label_lists
        verdict = verdict_with_overlap(
            verdict, (lists[overlap[0]], lists[overlap[1]]), established=original is not None
        )
    if original is not None:
        matching = _matching(rows, published, original, promised, exhaustive=overlap is not None)
        verdict = verdict_with_matching(verdict, matching, original.locations, published.sensitive)
    return verdict


def verdict_by_size(
    promised: KlmAnonymity,
    names: Sequence[tuple[str, ...]],
    sensitive: Sequence[str],
    rates: dict[str, float],
    longest: int,
    shares_at: Callable[[int], Shares | None],
    how: str,
) -> Verdict:
    """Size by size, up to the first that fails; `rates` tell who has each sensitive location, known nothing."""
    lowest: list[int] = []
    figures: dict[str, Any] = {"min_support_by_size": lowest, "max_confidence": 0.0, "max_count": 0}
    figures["base_rates"] = rates
    for size in range(1, min(promised.m, longest) + 1):
        shares = shares_at(size)
        if shares is None:
            break
        lowest.append(shares.lowest_support)
        figures["max_confidence"] = max(figures["max_confidence"], shares.highest_confidence)
        figures["max_count"] = max(figures["max_count"], shares.highest_count)
        if shares.violation is not None:
            witness = _witness(shares.violation, shares.violations, names, sensitive)
            words = _words(witness, promised)
            return Verdict(promised, False, min(lowest), promised.k, how, witness, words, figures)
    return Verdict(promised, True, min(lowest, default=None), promised.k, how, figures=figures)


def overlaps_matter(promised: KlmAnonymity, n_sensitive: int) -> bool:
    """Counting symbols may say too little of what original locations tell."""
    return promised.l > 1 and n_sensitive > 0 and promised.m > 0


def verdict_with_overlap(
    verdict: Verdict, overlap: tuple[tuple[str, ...], tuple[str, ...]], *, established: bool
) -> Verdict:
    """With two symbols of one individual that share a location; without the original nothing is established then."""
    figures = {**verdict.figures, "overlapping_symbols": [list(names) for names in overlap]}
    if established:
        return replace(verdict, figures=figures)
    problem = (
        f"overlapping-symbols: one individual has the symbols {' and '.join(map(_shown, overlap))}, which share a "
        "location. Counting symbols then does not bound what an adversary with original locations learns; "
        "it is not established. Give the original to have it matched (--original FILE)."
    )
    return replace(verdict, holds=False, problem=problem, figures=figures)


def verdict_with_matching(
    verdict: Verdict, matching: Matching, locations: Locations, sensitive: Sequence[str]
) -> Verdict:
    """With what matching original locations found."""
    promised = verdict.promised
    assert isinstance(promised, KlmAnonymity)
    containment = {
        "exhaustive": matching.exhaustive,
        "min_candidates": matching.fewest_candidates,
        "max_confidence": matching.highest_confidence,
    }
    verdict = replace(verdict, figures={**verdict.figures, "containment": containment})
    match = matching.worst
    if match is None:
        return verdict
    told = None if match.sensitive is None else sensitive[match.sensitive]
    known = tuple((locations.labels[code],) for code in match.knowledge)
    kind, count = ("k", None) if told is None else ("l", match.count)
    witness = DiversityWitness(known, match.candidates, 1, kind, told, count)
    words = f"knowing the original locations {witness}: " + _words(witness, promised)
    return replace(verdict, holds=False, witness=witness, problem=words)


def sensitive_problem(published: PublishedTrajectories, original: Trajectories | None) -> str | None:
    """Sensitive locations must stand alone, and be those of the original."""
    sensitive = set(published.sensitive)
    for names in sorted(published.symbols.label_lists):
        if len(names) > 1 and not sensitive.isdisjoint(names):
            both = min(sensitive & set(names))
            return f"sensitive location {both!r} is merged into {_shown(names)}; sensitive ones are published intact"
    if original is not None and original.locations.sensitive is not None:
        labels = original.locations.labels
        marked = {labels[code] for code in np.flatnonzero(original.locations.sensitive).tolist()}
        shown = {label for names in published.symbols.label_lists for label in names}
        differing = sorted((sensitive ^ marked) & shown & set(labels))
        if differing:
            said, true = ("not ", "") if differing[0] in marked else ("", "not ")
            return f"location {differing[0]!r} is published as {said}sensitive; in the original it is {true}sensitive"
    return None


def _compared(
    published: PublishedTrajectories, original: Trajectories, unit: str
) -> tuple[PublishedTrajectories, Int32s, str] | str:
    """The rows with whom each counts for and how they were compared with the original; or what stands against them."""
    if len(published) != len(original):
        return f"{len(published)} rows are published for {len(original)} original trajectories"
    sensitive = sensitive_codes(published, original)
    if published.longest is None and row_out_of_place(published, original, sensitive) is None:
        return published, original.groups(unit), COMPARED
    if published.symbols.are_disjoint() and not published.lacks_sensitive:
        recoded = recoded_original(published, original)
        if isinstance(recoded, str):
            return recoded
        offsets, codes = recoded
        in_order = replace(published, offsets=offsets, codes=codes, owners=original.owners)
        return in_order, original.groups(unit), "the rows are the original ones recoded"
    left_over = rows_left_over(published, original, sensitive)
    if left_over:
        return f"{left_over} original trajectories have no published row that recodes them, however rows are assigned"
    if unit == "owner":
        raise NotApplicable(
            "The rows are sorted and were recoded in clusters, so they cannot be given back to their owners. Verify "
            "the release in memory, or one that was written with order='input'."
        )
    each = np.arange(len(published), dtype=np.int32)
    return published, each, "each original can be given a row of its own that recodes it"


def sensitive_codes(published: PublishedTrajectories, original: Trajectories) -> Bools:
    """By location of the original: it is sensitive, in the original's own table or in the published data."""
    if original.locations.sensitive is not None:
        return original.locations.sensitive
    is_sensitive = original.locations.vocabulary.series.is_in(list(published.sensitive)).to_numpy()
    return np.asarray(is_sensitive, np.bool_)


def _in_two_parts(published: PublishedTrajectories, individuals: Int32s) -> tuple[list[tuple[str, ...]], Rows]:
    """Distinct symbols by their sorted label lists, and the rows in these ranks, sensitive elements apart."""
    label_lists = published.symbols.label_lists
    names = sorted(set(label_lists))
    rank_of = {name: rank for rank, name in enumerate(names)}
    rank = np.array([rank_of[name] for name in label_lists], np.int32)
    number_of = {label: index for index, label in enumerate(published.sensitive)}
    number = np.array([number_of.get(name[0], -1) if len(name) == 1 else -1 for name in label_lists], np.int32)
    row = np.repeat(np.arange(len(published)), published.lengths)
    hidden = number[published.codes] >= 0 if len(number) else np.zeros(0, np.bool_)
    held = np.unique(row[hidden] * max(len(number_of), 1) + number[published.codes[hidden]])
    holder, which = np.divmod(held, max(len(number_of), 1))
    return names, Rows(
        offsets_of(np.bincount(row[~hidden], minlength=len(published))),
        rank[published.codes[~hidden]] if len(rank) else np.empty(0, np.int32),
        offsets_of(np.bincount(holder, minlength=len(published))),
        which.astype(np.int32),
        individuals,
        max(len(names), 1),
        len(number_of),
    )


def _rates(published: PublishedTrajectories, rows: Rows) -> dict[str, float]:
    everybody = max(rows.n_individuals, 1)
    held = base_rates(rows)
    return {label: int(count) / everybody for label, count in zip(published.sensitive, held, strict=True)}


def _matching(
    rows: Rows, published: PublishedTrajectories, original: Trajectories, promised: KlmAnonymity, *, exhaustive: bool
) -> Matching:
    may_be_known = ~sensitive_codes(published, original)[original.codes]
    row = np.repeat(np.arange(len(original)), original.lengths)
    code_of_member = original.locations.vocabulary.encode(
        pl.Series(published.symbols.vocabulary.labels, dtype=pl.String)
    )
    numbers = {name: index for index, name in enumerate(published.symbols.label_lists)}
    number_of_rank = np.array([numbers[name] for name in sorted(numbers)], np.int32)
    in_symbols = replace(rows, codes=number_of_rank[rows.codes] if len(rows.codes) else rows.codes)
    known = Known(
        offsets_of(np.bincount(row[may_be_known], minlength=len(original))),
        original.codes[may_be_known],
        len(original.locations),
        code_of_member,
    )
    return match_knowledge(in_symbols, published.symbols, known, promised, exhaustive=exhaustive)


def _same_for_equals(published: PublishedTrajectories) -> Int32s:
    """Codes of the rows with one number for symbols that are equal as sets."""
    numbers = {name: index for index, name in enumerate(published.symbols.label_lists)}
    return np.array([numbers[name] for name in published.symbols.label_lists], np.int32)[published.codes]


def _witness(
    violation: Violation, violations: int, names: Sequence[tuple[str, ...]], sensitive: Sequence[str]
) -> DiversityWitness:
    symbols = tuple(names[symbol] for symbol in violation.symbols)
    if violation.sensitive is None:
        return DiversityWitness(symbols, violation.support, violations)
    told = sensitive[violation.sensitive]
    return DiversityWitness(symbols, violation.support, violations, "l", told, violation.count)


def _words(witness: DiversityWitness, promised: KlmAnonymity) -> str:
    one, many = ("trajectory", "trajectories") if promised.unit == "trajectory" else ("owner", "owners")
    shared = f"{witness} occurs in {witness.support} {one if witness.support == 1 else many}"
    if witness.kind == "k":
        return f"{shared}, {promised.k} are required."
    return f"{shared}, {witness.count} of them with {witness.sensitive!r}; at most one in {promised.l} may."


def _shown(names: tuple[str, ...]) -> str:
    return names[0] if len(names) == 1 else "{" + ", ".join(names) + "}"
