"""Sequences of visits and their grams, as tests draw them."""

from __future__ import annotations

import numpy as np

from crypsis.methods.trajectory.gram_records import GramsHere, Sequences
from crypsis.methods.trajectory.noisy_grams import GramSpace, GramTree, grow_grams
from tests.reference import n_grams as slow


def sequences(people, n_tokens, longest, rising=False) -> Sequences:
    kept = [person[:longest] for person in people]
    lengths = [len(person) for person in kept]
    return Sequences(
        np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        np.array([token for person in kept for token in person], np.int32),
        n_tokens,
        longest,
        rising,
    )


def as_grams(tree: GramTree) -> dict[tuple, int]:
    names = {-1: slow.START, tree.n_tokens: slow.END}
    grams = [(), (slow.START,)]
    for parent, token in zip(tree.parent.tolist()[2:], tree.token.tolist()[2:], strict=True):
        grams.append((*grams[parent], names.get(token, token)))
    return dict(list(zip(grams, tree.noisy.tolist(), strict=True))[2:])


def grow_tree(data: Sequences, grams, epsilon, threshold, noise) -> GramTree:
    """The noisy tree of sequences in this process."""
    space = GramSpace(data.n_tokens, data.longest, data.rising)
    return grow_grams(GramsHere(data), space, grams, epsilon, threshold, noise)
