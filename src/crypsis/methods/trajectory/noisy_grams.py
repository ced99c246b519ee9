"""The noisy n-gram tree of NGrams: all grams of one length at once.

A sequence is a beginning, tokens, and an end. A node is a run of tokens (a gram) that may begin with the beginning; its
children are all tokens that may follow, and the end. One record moves the counts of one length together by no more than
its tokens and its end, so a length is one vector of counts with that sensitivity. Empty children are drawn in bulk.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from crypsis.arrays import Int32s, Int64s, offsets_of
from crypsis.errors import TooLarge
from crypsis.kernels.gram_model import ROOT, START, context_links, cumulative_weights, drawn_sequences, fitted_families
from crypsis.methods.trajectory.gram_records import GramRecords
from crypsis.noise import Entropy, MeteredNoise

MOST_CANDIDATES = 1 << 34
_ROWS_AT_ONCE = 1 << 15


@dataclass(frozen=True)
class GramSpace:
    """What may follow one another: `n_tokens` tokens, at most `longest` in a record; `rising` if they always rise."""

    n_tokens: int
    longest: int
    rising: bool

    @property
    def sensitivity(self) -> int:
        """The most grams of any one length that one record has: one for each token and one for its end."""
        return self.longest + 1


@dataclass(frozen=True, eq=False)
class GramTree:
    """Nodes as `kernels.gram_model` numbers them; `noisy` are noisy counts, the root's and the start's own are 0."""

    parent: Int64s
    token: Int32s
    depth: Int32s
    noisy: Int64s
    n_tokens: int
    grams: int

    def __len__(self) -> int:
        return len(self.parent)


def grow_grams(
    records: GramRecords, space: GramSpace, grams: int, epsilon: Fraction, threshold: int, noise: MeteredNoise
) -> GramTree:
    """Grams of length 1 to `grams`; those that reach the threshold after noise, and do not end, are looked at further.

    The grams that begin a sequence are those below the start. That a sequence begins is public, so it is not counted.
    """
    end = space.n_tokens
    parents, tokens, depths, noisies = [np.array([-1, ROOT])], [np.array([-1, -1])], [np.array([0, 1])], [np.zeros(2)]
    frontier, size = np.array([ROOT]), 2
    for length in range(1, grams + 1):
        last = np.concatenate(tokens)[frontier]
        begin = np.where(last >= 0, last + 1, 0) if space.rising else np.zeros(len(frontier), np.int64)
        sizes = end + 1 - begin - (frontier == START)  # a sequence has a token before it ends
        start = offsets_of(sizes)
        total = int(start[-1])
        if total > MOST_CANDIDATES:
            raise TooLarge(
                f"Grams of length {length}: {len(frontier):,} contexts passed their threshold, and {total:,} counts "
                f"would come next (at most {MOST_CANDIDATES:,}). Raise the threshold or epsilon, or take fewer grams."
            )
        occupied, counts = records.occupied(length, begin, start, total)
        with noise.scope(f"grams of length {length}"):
            noisy, empty, values = noise.vector_counts(
                counts, total - len(occupied), epsilon / grams, space.sensitivity, threshold, node="grams"
            )
        empty = empty + np.searchsorted(occupied - np.arange(len(occupied)), empty, side="right")
        passing = noisy >= threshold
        survivors = np.concatenate([occupied[passing], empty])
        order = np.argsort(survivors, kind="stable")
        survivors, kept = survivors[order], np.concatenate([noisy[passing], values])[order]
        above = np.searchsorted(start, survivors, side="right") - 1
        token = begin[above] + survivors - start[above]
        parents.append(frontier[above])
        tokens.append(token)
        depths.append(np.full(len(survivors), length))
        noisies.append(kept)
        goes_on = np.flatnonzero(token < end)
        records.follow(survivors[goes_on], length)
        frontier = size + goes_on
        size += len(survivors)
        if length == 1:  # from now on also the beginnings
            frontier = np.concatenate([[START], frontier])
        if not len(frontier):
            break
    return GramTree(
        np.concatenate(parents).astype(np.int64),
        np.concatenate(tokens).astype(np.int32),
        np.concatenate(depths).astype(np.int32),
        np.concatenate(noisies).astype(np.int64),
        end,
        grams,
    )


def synthesized_sequences(tree: GramTree, longest: int, rising: bool, entropy: Entropy) -> Int32s:
    """As many sequences as ends were counted, tokens plus 1 and then zeros: post-processing of noisy counts."""
    nodes = np.arange(len(tree))
    first = np.searchsorted(tree.parent, nodes)  # a level's children come in the order of their parents
    last = np.searchsorted(tree.parent, nodes, side="right")
    # The start is a child of the root by depth alone: no token leads to it.
    first[ROOT] = 2
    last[ROOT] = max(int(last[ROOT]), 2)
    ends = np.flatnonzero((tree.parent == ROOT) & (tree.token == tree.n_tokens))
    noisy = tree.noisy.copy()
    noisy[START] = noisy[ends[0]] if len(ends) else 0
    value = fitted_families(first, last, noisy, len(tree))
    is_context = (tree.token < tree.n_tokens) & (tree.depth < tree.grams)
    is_context[ROOT] = True
    link = context_links(first, last, tree.token, tree.parent, is_context)
    cumulative = cumulative_weights(first, last, value, len(tree))
    wanted = int(max(noisy[START], 0))
    sequences = np.zeros((wanted, longest), np.int32)
    words_each = 2 * (tree.grams + 1) * (longest + 1)
    done = 0
    while done < wanted:
        words = entropy.words(words_each * min(wanted - done, _ROWS_AT_ONCE))
        done = drawn_sequences(
            first, last, tree.token, cumulative, value, link, is_context, tree.n_tokens, rising,
            words, np.zeros(1, np.int64), words_each, sequences, done,
        )  # fmt: skip
    return sequences
