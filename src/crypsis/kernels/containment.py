"""How many published records contain a query. Record r is codes[offsets[r]:offsets[r + 1]], codes of symbols.

A query is a sequence of members, query q being queries[query_offsets[q]:query_offsets[q + 1]]. The symbols
that hold member v are holders[holder_offsets[v]:holder_offsets[v + 1]]; the records that hold symbol s are
records[record_offsets[s]:record_offsets[s + 1]]. A query is looked for only where its rarest member may be.
"""

from __future__ import annotations

import numpy as np

from crypsis.arrays import Float64s, Int32s, Int64s
from crypsis.compilation import njit


@njit
def records_of_symbols(offsets: Int64s, codes: Int32s, n_symbols: int) -> tuple[Int64s, Int64s]:
    """The records that hold each symbol, ascending and each once."""
    counts = np.zeros(n_symbols + 1, np.int64)
    last_seen = np.full(n_symbols, -1, np.int64)
    for record in range(len(offsets) - 1):
        for position in range(offsets[record], offsets[record + 1]):
            symbol = codes[position]
            if last_seen[symbol] != record:
                last_seen[symbol] = record
                counts[symbol + 1] += 1
    record_offsets = np.cumsum(counts)
    records = np.empty(record_offsets[n_symbols], np.int64)
    fill = record_offsets[:n_symbols].copy()
    last_seen[:] = -1
    for record in range(len(offsets) - 1):
        for position in range(offsets[record], offsets[record + 1]):
            symbol = codes[position]
            if last_seen[symbol] != record:
                last_seen[symbol] = record
                records[fill[symbol]] = record
                fill[symbol] += 1
    return record_offsets, records


@njit
def containing_records(
    offsets: Int64s,
    codes: Int32s,
    symbol_sizes: Int64s,
    record_offsets: Int64s,
    records: Int64s,
    holder_offsets: Int64s,
    holders: Int64s,
    query_offsets: Int64s,
    queries: Int32s,
) -> tuple[Float64s, Int64s]:
    """Expected and largest possible number of records that contain each query, which has at least one member.

    Expected: each element is, independently and uniformly, one of the members of its symbol. State j of a
    record is "the first j members have been met": meeting the next one as early as possible is never a
    mistake, so the probabilities of the states are carried along the record. Largest possible: every element
    is what suits best.
    """
    n_queries = len(query_offsets) - 1
    expected = np.zeros(n_queries, np.float64)
    possible = np.zeros(n_queries, np.int64)
    longest = 0
    for query in range(n_queries):
        longest = max(longest, query_offsets[query + 1] - query_offsets[query])
    suits = np.zeros((len(symbol_sizes), longest), np.bool_)  # symbol s holds the j-th member of the query
    share = np.zeros(longest + 1, np.float64)
    searched_for = np.full(len(offsets) - 1, -1, np.int64)  # the last query that each record was searched for

    for query in range(n_queries):
        first = query_offsets[query]
        length = query_offsets[query + 1] - first
        rarest = queries[first]
        fewest = -1
        for step in range(length):
            member = queries[first + step]
            candidates = 0
            for index in range(holder_offsets[member], holder_offsets[member + 1]):
                symbol = holders[index]
                suits[symbol, step] = True
                candidates += record_offsets[symbol + 1] - record_offsets[symbol]
            if fewest < 0 or candidates < fewest:
                fewest = candidates
                rarest = member

        for index in range(holder_offsets[rarest], holder_offsets[rarest + 1]):
            symbol = holders[index]
            for entry in range(record_offsets[symbol], record_offsets[symbol + 1]):
                record = records[entry]
                if searched_for[record] == query:
                    continue
                searched_for[record] = query
                share[:] = 0.0
                share[0] = 1.0
                reached = 0
                for position in range(offsets[record], offsets[record + 1]):
                    element = codes[position]
                    for step in range(min(reached, length - 1), -1, -1):
                        if suits[element, step]:
                            if step == reached:
                                reached += 1
                            met = share[step] / symbol_sizes[element]
                            share[step + 1] += met
                            share[step] -= met
                if reached == length:
                    possible[query] += 1
                    expected[query] += share[length]

        for step in range(length):
            member = queries[first + step]
            for index in range(holder_offsets[member], holder_offsets[member + 1]):
                suits[holders[index], step] = False
    return expected, possible
