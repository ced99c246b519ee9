"""Recheck utility constraints on published trajectories: what was merged, and how much was suppressed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from crypsis.data.constraints import UtilityConstraints
from crypsis.data.trajectory import PublishedTrajectories, Trajectories
from crypsis.errors import NotApplicable
from crypsis.guarantees import ConstrainedKmAnonymity, Verdict, Witness
from crypsis.verifiers.km_anonymity import verify_km_anonymity


def verify_constrained_km_anonymity(
    published: PublishedTrajectories, promised: ConstrainedKmAnonymity, original: Trajectories | None = None
) -> Verdict:
    """k^m-anonymity first; then every generalized symbol inside one constraint, and at most delta percent suppressed.

    Which locations were suppressed the publisher knows; where that is not told, it is what was visited in the original
    and lies in no published symbol. Constraints that were made from the data are made again from the original; without
    it only k^m-anonymity is counted.
    """
    constraints = promised.constraints
    if not isinstance(constraints, UtilityConstraints):
        raise NotApplicable(
            f"The constraints are a recipe ({constraints}); give the constraints that were made from it, which the "
            "release's own guarantee holds."
        )
    counted = verify_km_anonymity(published, promised, original)
    return verdict_with_constraints(counted, published, promised, original)


def verdict_with_constraints(
    counted: Verdict,
    published: PublishedTrajectories,
    promised: ConstrainedKmAnonymity,
    original: Trajectories | None = None,
    rows_with: Mapping[tuple[str, ...], int] | None = None,
) -> Verdict:
    """The verdict on k^m-anonymity, and on what was merged and suppressed.

    Where `rows_with` tells how many rows hold each symbol, `published` need only show every symbol once."""
    made = promised.constraints.on(original)
    if not counted.holds:
        return counted
    symbols = _published_symbols(published)
    named = {label for symbol in symbols for label in symbol}
    how = counted.counted
    if made is not None:
        how += f"; {len(symbols)} symbols were compared with the {len(made)} constraints"
        broken = [symbol for symbol in symbols if len(symbol) > 1 and not _inside_one(symbol, made, published)]
        if broken:
            symbol = broken[0]
            rows = _rows_with(published, symbol) if rows_with is None else rows_with[symbol]
            witness = Witness((symbol,), rows, len(broken))
            problem = f"{_named(symbol)} lies in no single constraint."
            return replace(counted, holds=False, counted=how, witness=witness, problem=problem)
    if original is None and published.suppressed is None:
        return replace(counted, counted=how)
    occurring = named | set(published.suppressed or ())
    if original is not None:
        labels = original.locations.labels
        occurring = {labels[code] for code in np.flatnonzero(original.occurring).tolist()}
    hidden = occurring - named if published.suppressed is None else set(published.suppressed)
    percent = 100 * len(hidden) / max(len(occurring), 1)
    figures = {**counted.figures, "suppressed_locations": len(hidden), "suppressed_percent": percent}
    lie: str | None = None
    if hidden & named:
        lie = f"location {min(hidden & named)!r} is declared suppressed but lies in a published symbol."
    elif hidden - occurring:
        lie = f"location {min(hidden - occurring)!r} is declared suppressed but was never visited."
    elif percent > promised.delta + 1e-9:
        lie = (
            f"{len(hidden)} of {len(occurring)} locations ({percent:.4g} %) are suppressed, "
            f"{promised.delta:g} % are allowed."
        )
    if lie is not None:
        return replace(counted, holds=False, counted=how, problem=lie, figures=figures)
    return replace(counted, counted=how, figures=figures)


def _published_symbols(published: PublishedTrajectories) -> list[tuple[str, ...]]:
    """Distinct symbols that some row holds, in canonical order."""
    names = published.symbols.label_lists
    return sorted({names[symbol] for symbol in np.unique(published.codes).tolist()})


def _inside_one(symbol: tuple[str, ...], constraints: UtilityConstraints, published: PublishedTrajectories) -> bool:
    groups = {constraints.group_of(label) for label in symbol}
    if groups == {None} and published.timed is not None:  # constraints on places, whatever the time
        groups = {constraints.group_of(published.timed.place_of(label)) for label in symbol}
    return len(groups) == 1 and None not in groups


def _rows_with(published: PublishedTrajectories, symbol: tuple[str, ...]) -> int:
    names = published.symbols.label_lists
    wanted = np.array([name == symbol for name in names], np.bool_)
    rows = np.repeat(np.arange(len(published)), published.lengths)
    return len(np.unique(rows[wanted[published.codes]]))


def _named(symbol: tuple[str, ...]) -> str:
    return "{" + ", ".join(symbol[:6]) + (", …" if len(symbol) > 6 else "") + "}"
