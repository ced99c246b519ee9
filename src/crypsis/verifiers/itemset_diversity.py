"""Recount l^m-diversity of published sets: every set of up to m items that are not sensitive, with every secret."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from crypsis.arrays import Bools, Int64s
from crypsis.data.transaction import PublishedTransactions, Transactions
from crypsis.guarantees import ItemsetDiversity, Verdict, Witness
from crypsis.verifiers.itemset_km_anonymity import verdict_on_sets
from crypsis.verifiers.itemset_supports import codes_of, itemset_supports
from crypsis.verifiers.published_sets import Sets, are_disjoint, as_items, counted_sets, untruthful


def verify_itemset_diversity(
    published: PublishedTransactions, promised: ItemsetDiversity, original: Transactions | None = None
) -> Verdict:
    """First that k records share what may be known, then that at most one in l of them shares a secret.

    What is sensitive is what the release declares; the original must declare the same.
    """
    compared = ""
    if original is not None:
        problem, compared = untruthful(published, original)
        problem = problem or undeclared(published.sensitive, original)
        if problem is not None:
            return Verdict(promised, False, None, promised.k, "compared with the original", problem=problem)
    sets = counted_sets(published, promised.unit, original)
    generalized = generalized_secret(sets.names, published.sensitive, promised)
    if generalized is not None:
        return generalized
    secret = secret_symbols(sets.names, published.sensitive)
    usual = sets.without(secret)
    verdict = verdict_on_sets(usual, promised, promised.k, promised.m, compared)
    if not verdict.holds:
        return verdict
    counted = usual if are_disjoint(usual.names) else as_items(usual)
    worst = _worst_share(sets, counted, secret, promised)
    if worst is None:
        return verdict
    return broken_share(verdict, *worst)


def generalized_secret(
    names: Sequence[tuple[str, ...]], sensitive: Sequence[str], promised: ItemsetDiversity
) -> Verdict | None:
    """The verdict where a sensitive item is not published as it is, or where there is none to bound."""
    declared = set(sensitive)
    if promised.l > 1 and names and not declared:
        problem = f"No item is declared sensitive, so l={promised.l} bounds nothing."
        return Verdict(promised, False, None, promised.k, "every published item was looked at", problem=problem)
    for name in names:
        if len(name) > 1 and declared.intersection(name):
            problem = f"Sensitive item {min(declared.intersection(name))!r} is generalized; it must stay as it is."
            return Verdict(promised, False, None, promised.k, "every published item was looked at", problem=problem)
    return None


def secret_symbols(names: Sequence[tuple[str, ...]], sensitive: Sequence[str]) -> Bools:
    """Which symbols are sensitive."""
    declared = set(sensitive)
    return np.array([len(name) == 1 and name[0] in declared for name in names], np.bool_)


def broken_share(verdict: Verdict, witness: Witness, problem: str) -> Verdict:
    """The verdict where somebody can be too sure of a secret."""
    figures = dict(verdict.figures) | {"problem_code": "lm"}
    return replace(verdict, holds=False, witness=witness, problem=problem, figures=figures)


def undeclared(sensitive: Sequence[str], original: Transactions) -> str | None:
    """What stands against the sensitive items that a release declares."""
    if original.sensitive is None:
        return None
    secret = {original.vocabulary.labels[code] for code in np.flatnonzero(original.sensitive & (original.supports > 0))}
    missing = sorted(secret.difference(sensitive))
    return f"Item {missing[0]!r} is sensitive and is not declared so." if missing else None


def _worst_share(sets: Sets, usual: Sets, secret: Bools, promised: ItemsetDiversity) -> tuple[Witness, str] | None:
    """The first set, by size, that makes a secret more likely than one in l."""
    rows = np.repeat(np.arange(len(sets)), np.diff(sets.offsets))
    people = sets.person is not None
    not_empty = sets.how_many(np.flatnonzero(np.diff(sets.offsets)))
    secrets = np.flatnonzero(secret).tolist()
    holders = {code: np.unique(rows[sets.codes == code]) for code in secrets}
    for code in secrets:
        held = sets.how_many(holders[code])
        if held * promised.l > not_empty:
            return share_in_words((), sets.names[code][0], held, not_empty, promised, people)
    n_codes = len(usual.names)
    for size in range(1, min(promised.m, usual.longest) + 1):
        keys, supports = itemset_supports(usual.offsets, usual.codes, n_codes, size, usual.person)
        for code in secrets:
            inside = _taken(usual, holders[code])
            found, together = itemset_supports(inside.offsets, inside.codes, n_codes, size, inside.person)
            alone = supports[np.searchsorted(keys, found)]
            sure = np.flatnonzero(together * promised.l > alone)
            if len(sure):
                names = tuple(usual.names[one] for one in codes_of(int(found[sure[0]]), n_codes, size))
                both, whole = int(together[sure[0]]), int(alone[sure[0]])
                return share_in_words(names, sets.names[code][0], both, whole, promised, people)
    return None


def _taken(sets: Sets, rows: Int64s) -> Sets:
    inside = np.zeros(len(sets), np.bool_)
    inside[rows] = True
    lengths = np.diff(sets.offsets)
    offsets = np.zeros(len(rows) + 1, np.int64)
    np.cumsum(lengths[rows], out=offsets[1:])
    person = None if sets.person is None else sets.person[rows]
    return Sets(offsets, sets.codes[np.repeat(inside, lengths)], sets.names, person)


def share_in_words(
    names: tuple[tuple[str, ...], ...], secret: str, both: int, alone: int, promised: ItemsetDiversity, people: bool
) -> tuple[Witness, str]:
    """A set that is known, and the secret that too many of those who fit it share."""
    witness = Witness((*names, (secret,)), both, 1)
    if not people:
        known = f"of the records with {Witness(names, alone, 1)}" if names else "of all records"
        return witness, f"{both} of {alone} {known} hold {secret!r}, more than one in {promised.l}."
    known = f"people with a record with {Witness(names, alone, 1)}" if names else "people"
    return witness, f"{both} of {alone} {known} have one that holds {secret!r}, more than one in {promised.l}."
