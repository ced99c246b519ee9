"""Recount k^m-anonymity of published sets: every set of up to m items, without pruning."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from crypsis.data.transaction import PublishedTransactions, Transactions
from crypsis.guarantees import Guarantee, ItemsetKmAnonymity, Verdict, Witness
from crypsis.verifiers.itemset_supports import RarestSet, rarest_itemset
from crypsis.verifiers.published_sets import Sets, are_disjoint, as_items, counted_sets, untruthful


def verify_itemset_km_anonymity(
    published: PublishedTransactions, promised: ItemsetKmAnonymity, original: Transactions | None = None
) -> Verdict:
    """Count size by size. Where published symbols overlap, what is counted are original items that records fit.

    With the original, first check that every record recodes it honestly.
    """
    compared = ""
    if original is not None:
        problem, compared = untruthful(published, original)
        if problem is not None:
            figures = {"problem_code": "mismatch" if "mismatch" in problem else "untruthful"}
            return Verdict(
                promised, False, None, promised.k, "compared with the original", problem=problem, figures=figures
            )
    return verdict_on_sets(counted_sets(published, promised.unit, original), promised, promised.k, promised.m, compared)


def verdict_on_sets(sets: Sets, promised: Guarantee, k: int, m: int, compared: str = "") -> Verdict:
    """Whether every set of up to m occurs k times."""
    overlap = not are_disjoint(sets.names)
    if overlap:
        sets = as_items(sets)

    def rarest_of_size(size: int) -> RarestSet | None:
        return rarest_itemset(sets.offsets, sets.codes, len(sets.names), size, k, sets.person)

    how = how_counted(overlap, sets.person is not None, compared)
    return verdict_by_size(
        promised, k, sets.names, min(m, sets.longest), rarest_of_size, how, overlap, sets.person is not None
    )


def how_counted(overlap: bool, people: bool, compared: str) -> str:
    """What was counted, in words."""
    how = "every set of published items was counted"
    if overlap:
        how = "published items overlap, so every set of original items was counted that records fit"
    if people:
        how += ", by the people who have a record with it"
    return f"{how}, {compared}" if compared else how


def verdict_by_size(
    promised: Guarantee,
    k: int,
    names: Sequence[tuple[str, ...]],
    longest: int,
    rarest_of_size: Callable[[int], RarestSet | None],
    how: str,
    overlap: bool,
    people: bool = False,
) -> Verdict:
    """Size by size up to the longest; the witness is the rarest set of the first that fails."""
    lowest: list[int] = []
    violations: list[int] = []
    worst = None
    for size in range(1, longest + 1):
        rarest = rarest_of_size(size)
        if rarest is None:
            break
        lowest.append(rarest.support)
        violations.append(rarest.violations)
        if worst is None and rarest.violations:
            worst = rarest
    figures = {"min_support_by_size": lowest, "violations_by_size": violations, "overlap": overlap}
    if worst is None:
        return Verdict(promised, True, min(lowest, default=None), k, how, figures=figures)
    witness = Witness(tuple(names[code] for code in worst.codes), worst.support, worst.violations)
    problem = f"{witness} fits {how_many_words(worst.support, people)}, {k} are required."
    return Verdict(promised, False, min(lowest), k, how, witness, problem, figures | {"problem_code": "km"})


def how_many_words(support: int, people: bool) -> str:
    """`3 records`, or `records of 1 person`."""
    if not people:
        return f"{support} record{'' if support == 1 else 's'}"
    return f"records of {support} {'person' if support == 1 else 'people'}"
