"""The distinct subrecords of chunks and how often each occurs.

Pair p says that the records postings[starts[p]:starts[p + 1]] hold the term pair_term[p]; chunk c is made of the pairs
pairs[chunk_offsets[c]:chunk_offsets[c + 1]], those of equal terms next to each other.
"""

from __future__ import annotations

import numpy as np

from crypsis.arrays import Int32s, Int64s
from crypsis.compilation import njit


@njit
def subrecord_bags(
    pairs: Int64s,
    chunk_offsets: Int64s,
    first: int,
    last: int,
    pair_term: Int32s,
    starts: Int64s,
    postings: Int32s,
    n_records: int,
) -> tuple[Int64s, Int64s, Int64s, Int32s]:
    """Return the entries of each chunk from first to last - 1, then the counts, lengths and terms of all entries.

    Records start under one label; each term parts the records of a label that hold it from those that do not. A label
    remembers the label it was parted from and by which term, so that the way back names the subrecord.
    """
    occurrences = 0
    most = 0
    for chunk in range(first, last):
        inside = 0
        for index in range(chunk_offsets[chunk], chunk_offsets[chunk + 1]):
            inside += starts[pairs[index] + 1] - starts[pairs[index]]
        occurrences += inside
        most = max(most, inside)
    entries_of = np.zeros(last - first, np.int64)
    counts = np.empty(occurrences, np.int64)
    lengths = np.empty(occurrences, np.int64)
    terms = np.empty(occurrences, np.int32)
    n_entries = 0
    n_terms = 0
    label = np.zeros(n_records, np.int32)
    rows = np.zeros(most + 1, np.int64)
    parted_from = np.zeros(most + 1, np.int32)
    parted_by = np.zeros(most + 1, np.int32)
    parted_to = np.zeros(most + 1, np.int32)
    parted_in = np.full(most + 1, -1, np.int64)  # the run of equal terms in which parted_to was set
    run = 0
    for chunk in range(first, last):
        n_labels = 1
        term = -1
        for index in range(chunk_offsets[chunk], chunk_offsets[chunk + 1]):
            pair = pairs[index]
            if pair_term[pair] != term:
                term = pair_term[pair]
                run += 1
            for at in range(starts[pair], starts[pair + 1]):
                record = postings[at]
                before = label[record]
                if parted_in[before] != run:
                    parted_in[before] = run
                    parted_to[before] = n_labels
                    parted_from[n_labels] = before
                    parted_by[n_labels] = term
                    rows[n_labels] = 0
                    n_labels += 1
                rows[before] -= 1
                rows[parted_to[before]] += 1
                label[record] = parted_to[before]
        for index in range(chunk_offsets[chunk], chunk_offsets[chunk + 1]):
            for at in range(starts[pairs[index]], starts[pairs[index] + 1]):
                label[postings[at]] = 0
        for found in range(1, n_labels):
            if rows[found] > 0:
                counts[n_entries] = rows[found]
                begin = n_terms
                back = found
                while back > 0:
                    terms[n_terms] = parted_by[back]
                    n_terms += 1
                    back = parted_from[back]
                lengths[n_entries] = n_terms - begin
                n_entries += 1
                entries_of[chunk - first] += 1
    return entries_of, counts[:n_entries].copy(), lengths[:n_entries].copy(), terms[:n_terms].copy()
