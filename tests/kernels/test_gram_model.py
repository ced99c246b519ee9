"""Kernels of the n-gram model against the slow and obvious way, on small trees."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from crypsis.kernels.gram_model import ROOT, context_links, cumulative_weights, fitted_families
from crypsis.noise import MeteredNoise
from tests.methods.trajectory.gram_sequences import as_grams, grow_tree, sequences
from tests.noise.providers import NoNoise
from tests.reference import n_grams as slow

records = st.lists(st.lists(st.integers(0, 2), min_size=1, max_size=5), min_size=1, max_size=10)


def tree_of(people, grams, threshold):
    noise = MeteredNoise(NoNoise(), Fraction(1))
    tree = grow_tree(sequences(people, 3, 5), grams, Fraction(1), threshold, noise)
    nodes = np.arange(len(tree))
    first, last = np.searchsorted(tree.parent, nodes), np.searchsorted(tree.parent, nodes, side="right")
    first[ROOT] = 2
    last[ROOT] = max(int(last[ROOT]), 2)
    names = [(), (slow.START,), *as_grams(tree)]
    return tree, first, last, names


@given(records, st.integers(1, 4), st.integers(1, 3))
def test_a_link_is_the_longest_shorter_context_that_there_is(people, grams, threshold):
    tree, first, last, names = tree_of(people, grams, threshold)
    is_context = (tree.token < tree.n_tokens) & (tree.depth < tree.grams)
    is_context[ROOT] = True
    link = context_links(first, last, tree.token, tree.parent, is_context)
    contexts = {name for name, one in zip(names, is_context.tolist(), strict=True) if one}
    for node, name in enumerate(names):
        if is_context[node] and node != ROOT:
            shorter = next(name[at:] for at in range(1, len(name) + 1) if name[at:] in contexts or at == len(name))
            assert names[link[node]] == shorter


@given(records, st.integers(1, 4), st.integers(1, 3), st.data())
def test_families_fit_into_their_parents_and_weights_add_up(people, grams, threshold, data):
    tree, first, last, names = tree_of(people, grams, threshold)
    noisy = tree.noisy + np.array([data.draw(st.integers(0, 6)) for _ in names])
    noisy[:2] = 0
    ends = [number for number, name in enumerate(names) if name == (slow.END,)]
    noisy[1] = noisy[ends[0]] if ends else 0
    value = fitted_families(first, last, noisy, len(tree))
    expected = slow.fitted(dict(list(zip(names, noisy.tolist(), strict=True))[2:]))
    for number, name in enumerate(names[1:], 1):
        assert abs(value[number] - expected[name]) < 1e-9
    cumulative = cumulative_weights(first, last, value, len(tree))
    for node in range(len(names)):
        assert np.allclose(cumulative[first[node] : last[node]], np.cumsum(value[first[node] : last[node]]))
