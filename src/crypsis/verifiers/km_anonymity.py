"""Recount k^m-anonymity of published trajectories: every subsequence of up to m symbols, without pruning."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from crypsis.arrays import Int32s
from crypsis.data.trajectory import PublishedTrajectories, Trajectories
from crypsis.errors import NotApplicable, OriginalRequired
from crypsis.guarantees import KmAnonymity, Verdict, Witness
from crypsis.verifiers.recoding import recoded_original
from crypsis.verifiers.subsequence_supports import Rarest, rarest_subsequence

COUNTED = "every subsequence of the published rows was counted"
COMPARED = ", and the rows are the original ones recoded"


def verify_km_anonymity(
    published: PublishedTrajectories, promised: KmAnonymity, original: Trajectories | None = None
) -> Verdict:
    """Count size by size and stop at the first that fails; the witness is its rarest subsequence.

    With the original, first check that the published rows are a global recoding of it. An adversary who knows
    original locations then has the same candidates as one who knows symbols, so counting symbols is enough.
    """
    offsets, codes, how = published.offsets, published.codes, COUNTED
    individuals = published.groups(promised.unit)
    if original is not None:
        if promised.unit == "owner" and original.owners is None:
            raise NotApplicable("Owners are to be counted; give the original with the owner of each trajectory.")
        recoded = recoded_original(published, original)
        if isinstance(recoded, str):
            return Verdict(promised, False, None, promised.k, "compared with the original", problem=recoded + ".")
        offsets, codes = recoded
        individuals = original.groups(promised.unit)
        how += COMPARED
    elif promised.unit == "owner" and published.owners is None:
        raise OriginalRequired(
            "Published rows do not say whose they are, so owners can only be counted with the original data; "
            "give it (original=DATA)."
        )
    names, rank = _canonical_symbols(published)
    codes = rank[codes]

    def rarest_of_size(size: int) -> Rarest | None:
        return rarest_subsequence(offsets, codes, individuals, len(names), size, promised.k)

    return verdict_by_size(promised, names, int(np.diff(offsets).max(initial=0)), rarest_of_size, how)


def verdict_by_size(
    promised: KmAnonymity,
    names: list[tuple[str, ...]],
    longest: int,
    rarest_of_size: Callable[[int], Rarest | None],
    how: str,
) -> Verdict:
    """Size by size, up to the first that fails."""
    lowest: list[int] = []
    for size in range(1, min(promised.m, longest) + 1):
        rarest = rarest_of_size(size)
        if rarest is None:
            break
        lowest.append(rarest.support)
        if rarest.support < promised.k:
            witness = Witness(tuple(names[symbol] for symbol in rarest.symbols), rarest.support, rarest.violations)
            return Verdict(
                promised,
                False,
                min(lowest),
                promised.k,
                how,
                witness,
                f"{witness} occurs in {_counted(rarest.support, promised.unit)}, {promised.k} are required.",
                {"min_support_by_size": lowest},
            )
    return Verdict(promised, True, min(lowest, default=None), promised.k, how, figures={"min_support_by_size": lowest})


def _canonical_symbols(published: PublishedTrajectories) -> tuple[list[tuple[str, ...]], Int32s]:
    """Distinct symbols by their sorted label lists, and the rank of each symbol number: equal sets are one symbol."""
    names = sorted(set(published.symbols.label_lists))
    rank_of = {name: rank for rank, name in enumerate(names)}
    return names, np.array([rank_of[name] for name in published.symbols.label_lists], np.int32)


def _counted(support: int, unit: str) -> str:
    one, many = ("trajectory", "trajectories") if unit == "trajectory" else ("owner", "owners")
    return f"{support} {one if support == 1 else many}"
