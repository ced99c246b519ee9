"""Published records as a verifier reads them: distinct symbols by label, ascending in each record; and as items.

Where symbols overlap, an item has several images and counting symbols says little. Records are then read as the items
that may be in them: a record fits an item if some symbol of it holds the item.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from crypsis.arrays import Bools, Int32s, Int64s, offsets_of
from crypsis.data.transaction import PublishedTransactions, Transactions
from crypsis.errors import NotApplicable, OriginalRequired, TooLarge
from crypsis.verifiers.record_pairing import SetColumn, unpaired_rows

MOST_OCCURRENCES = 1 << 31


@dataclass(frozen=True, eq=False)
class Sets:
    """Record r is codes[offsets[r]:offsets[r + 1]], ascending and distinct; `names` are the labels behind each code.

    `person` tells whose each record is where people are counted; None where records are.
    """

    offsets: Int64s
    codes: Int32s
    names: tuple[tuple[str, ...], ...]
    person: Int64s | None = None

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def longest(self) -> int:
        return int(np.diff(self.offsets).max(initial=0))

    def without(self, hidden: Bools) -> Sets:
        """The records without the codes marked hidden; codes stay."""
        stays = ~hidden[self.codes]
        rows = np.repeat(np.arange(len(self)), np.diff(self.offsets))
        offsets = offsets_of(np.bincount(rows[stays], minlength=len(self)))
        return Sets(offsets, self.codes[stays], self.names, self.person)

    def how_many(self, rows: Int64s) -> int:
        """How many records these are, or how many people's."""
        return len(rows) if self.person is None else len(np.unique(self.person[rows]))

    @property
    def counted(self) -> str:
        """What is counted, in words."""
        return "records" if self.person is None else "people"


def canonical_sets(published: PublishedTransactions) -> Sets:
    """Equal sets of labels are one symbol, however they were numbered; repeated ones in a record count once."""
    lists = published.symbols.label_lists
    names = sorted(set(lists))
    rank_of = {name: rank for rank, name in enumerate(names)}
    rank = np.array([rank_of[name] for name in lists], np.int64)
    rows = np.repeat(np.arange(len(published)), published.lengths)
    return _sets(rows, rank[published.codes], len(published), tuple(names))


def counted_sets(published: PublishedTransactions, unit: str, original: Transactions | None) -> Sets:
    """The published records with whose they are, where people are to be counted; after `untruthful` found nothing.

    People are counted where the promise says so, and also where the original tells that somebody has several records:
    a promise about records would otherwise say less than it seems to.
    """
    sets = canonical_sets(published)
    if original is None:
        if unit != "person":
            return sets
        if published.person is None:
            raise OriginalRequired(
                "Published records do not say whose they are, so people can only be counted with the original data; "
                "give it with the person of each record (original=DATA, person='COLUMN')."
            )
        return replace(sets, person=published.person)
    if unit == "person" and original.person is None:
        raise NotApplicable(
            "People are to be counted; give the original with the person of each record (person='COLUMN')."
        )
    if not original.person_repeats:
        return sets
    published = _with_unseen(sets, published, original)
    if are_disjoint(sets.names):  # the original recoded, in its own order: as a bag these are the published records
        recoded = _recoded(sets, published, original)
        if not isinstance(recoded, str):
            return replace(recoded, person=original.person)
    in_place = _first_lie(sets, published, original) is None
    if published.person is None and (_same_rows_are_sorted(sets) or not in_place):
        raise OriginalRequired(
            "Items have several images, so sorted records do not tell which of the original each recodes; give the "
            "private report too (private_report='FILE')."
        )
    return replace(sets, person=original.person)


def are_disjoint(names: Iterable[tuple[str, ...]]) -> bool:
    """No label lies in two symbols."""
    labels = [label for name in names for label in name]
    return len(labels) == len(set(labels))


def as_items(sets: Sets) -> Sets:
    """Each record as the items that may be in it; items that no symbol tells apart are one, called by the first."""
    names, starts, members = items_of_symbols(sets.names)
    rows, items = rows_as_items(sets.offsets, sets.codes, starts, members)
    return replace(_sets(rows, items, len(sets), tuple((name,) for name in names)), person=sets.person)


def items_of_symbols(symbols: Sequence[tuple[str, ...]]) -> tuple[list[str], Int64s, Int64s]:
    """Names of items, of which those that no symbol tells apart are one, and the items behind each symbol."""
    holders: dict[str, list[int]] = {}
    for code, name in enumerate(symbols):
        for label in name:
            holders.setdefault(label, []).append(code)
    first: dict[tuple[int, ...], str] = {}
    for label in sorted(holders):
        first.setdefault(tuple(holders[label]), label)
    names = sorted(first.values())
    number = {label: code for code, label in enumerate(names)}
    inside: list[list[int]] = [[] for _ in symbols]
    for codes, label in first.items():
        for code in codes:
            inside[code].append(number[label])
    starts = offsets_of(np.fromiter(map(len, inside), np.int64, len(inside)))
    return names, starts, np.array([item for items in inside for item in items], np.int64)


def rows_as_items(offsets: Int64s, codes: Int32s, starts: Int64s, members: Int64s) -> tuple[Int64s, Int64s]:
    """Row and item for every item that may be in a record; one may come several times."""
    lengths = np.diff(starts)[codes]
    total = int(lengths.sum())
    if total > MOST_OCCURRENCES:
        raise TooLarge(
            f"The published symbols overlap and stand for {total:,} items in all; that is too much to count. "
            "Publish with one recoding for all records (Apriori, VPA)."
        )
    places = np.arange(total) + np.repeat(starts[:-1][codes] - np.cumsum(lengths) + lengths, lengths)
    rows = np.repeat(np.repeat(np.arange(len(offsets) - 1), np.diff(offsets)), lengths)
    return rows, members[places]


def _sets(rows: Int64s, codes: Int64s, n_rows: int, names: tuple[tuple[str, ...], ...]) -> Sets:
    width = max(len(names), 1)
    keys = rows * width + codes
    keys.sort()
    new = np.ones(len(keys), np.bool_)
    new[1:] = keys[1:] != keys[:-1]
    keys = keys[new]
    return Sets(offsets_of(np.bincount(keys // width, minlength=n_rows)), (keys % width).astype(np.int32), names)


def untruthful(published: PublishedTransactions, original: Transactions) -> tuple[str | None, str]:
    """What is wrong with the published records as a recoding of the original, and how it was compared.

    Rows are compared one by one where they stand in the original's order. Sorted rows are compared as a bag where each
    item has one symbol; where it has several, each row must find a record of its own that it recodes.
    Where it is not known which items were suppressed, they are those in no published symbol.
    """
    if len(published) != len(original):
        return f"The release has {len(published)} records, the original {len(original)} (mismatch).", ""
    sets = canonical_sets(published)
    if published.suppressed is None:
        problem, compared = untruthful(_with_unseen(sets, published, original), original)
        hint = " The private report names the items that were suppressed in some records (--private-report FILE)."
        return None if problem is None else problem + hint, compared
    problem = _first_lie(sets, published, original)
    if problem is None:
        return None, "and every record recodes its original"
    if not are_disjoint(sets.names):
        unpaired = unpaired_rows((), _as_set_column(sets, published, original), np.zeros(len(sets), np.bool_))
        if not unpaired:
            return None, "and every original can be given a record of its own that recodes it"
        return f"{problem} In any other order, too, some records recode no original of their own.", ""
    recoded = _recoded(sets, published, original)
    if isinstance(recoded, str):
        return recoded, ""
    if _bag(recoded) == _bag(sets):
        return None, "and the records are the original ones recoded"
    return problem, ""


def _with_unseen(sets: Sets, published: PublishedTransactions, original: Transactions) -> PublishedTransactions:
    """The release with the items in no symbol declared as suppressed, where it is not known which ones were."""
    if published.suppressed is not None:
        return published
    held = _symbol_of_label(sets)
    return replace(published, suppressed=tuple(label for label in original.vocabulary.labels if label not in held))


def _as_set_column(sets: Sets, published: PublishedTransactions, original: Transactions) -> SetColumn:
    """Records and originals over the labels that some symbol holds."""
    labels = sorted({label for name in sets.names for label in name})
    number = {label: code for code, label in enumerate(labels)}
    code_of_item = np.array([number.get(label, -1) for label in original.vocabulary.labels], np.int64)
    left_out = set(published.suppressed or ())
    may_lack = np.array([label in left_out for label in original.vocabulary.labels], np.bool_)
    return SetColumn(
        sets.offsets,
        sets.codes,
        offsets_of(np.array([len(name) for name in sets.names], np.int64)),
        np.array([number[label] for name in sets.names for label in name], np.int32),
        original.offsets,
        code_of_item[original.items],
        may_lack[original.items],
        len(labels),
    )


def _same_rows_are_sorted(sets: Sets) -> bool:
    rows = _rows(sets)
    return all(one <= other for one, other in pairwise(rows))


def _rows(sets: Sets) -> list[tuple[int, ...]]:
    codes, bounds = sets.codes.tolist(), sets.offsets.tolist()
    return [tuple(codes[start:end]) for start, end in pairwise(bounds)]


def _bag(sets: Sets) -> list[tuple[int, ...]]:
    return sorted(_rows(sets))


def _symbol_of_label(sets: Sets) -> dict[str, int]:
    return {label: code for code, name in enumerate(sets.names) for label in name}


def _recoded(sets: Sets, published: PublishedTransactions, original: Transactions) -> Sets | str:
    """The original with every item replaced by the one symbol that holds it; suppressed items left out."""
    symbol_of = _symbol_of_label(sets)
    left_out = set(published.suppressed or ())
    image = np.full(len(original.vocabulary), -1, np.int64)
    for code, label in enumerate(original.vocabulary.labels):
        if original.supports[code] == 0:
            continue
        if label in symbol_of:
            image[code] = symbol_of[label]
        elif label not in left_out:
            return f"Item {label!r} of the original is in no published symbol and is not declared as suppressed."
    codes = image[original.items]
    rows = np.repeat(np.arange(len(original)), original.lengths)
    stays = codes >= 0
    return _sets(rows[stays], codes[stays], len(original), sets.names)


def _first_lie(sets: Sets, published: PublishedTransactions, original: Transactions) -> str | None:
    """The first record where an item is not covered and not suppressed, or a symbol covers nothing."""
    holders: dict[str, list[int]] = {}
    for code, name in enumerate(sets.names):
        for label in name:
            holders.setdefault(label, []).append(code)
    labels = original.vocabulary.labels
    left_out = set(published.suppressed or ())
    width = max(len(sets.names), 1)
    # One pair (item, symbol) for every symbol that holds an item: joined with the original's occurrences.
    pair_offsets = offsets_of(np.array([len(holders.get(label, ())) for label in labels], np.int64))
    pair_symbols = np.array([code for label in labels for code in holders.get(label, ())], np.int64)
    shown_rows = np.repeat(np.arange(len(sets)), np.diff(sets.offsets))
    shown = shown_rows * width + sets.codes
    rows = np.repeat(np.arange(len(original)), original.lengths)
    covered_symbol = np.zeros(len(shown), np.bool_)
    covered_item = np.zeros(len(original.items), np.bool_)
    most = int(np.diff(pair_offsets).max(initial=0))
    for nth in range(most):  # the nth symbol that holds each item; one only where symbols are disjoint
        places = pair_offsets[original.items] + nth
        has = np.flatnonzero(places < pair_offsets[original.items + 1])
        keys = rows[has] * width + pair_symbols[places[has]]
        slots = np.minimum(np.searchsorted(shown, keys), max(len(shown) - 1, 0))
        hit = shown[slots] == keys if len(shown) else np.zeros(len(keys), np.bool_)
        covered_item[has[hit]] = True
        covered_symbol[slots[hit]] = True
    allowed = np.array([label in left_out for label in labels], np.bool_)
    lost = np.flatnonzero(~covered_item & ~allowed[original.items])
    if len(lost):
        row = int(rows[lost[0]])
        return f"Record {row}: item {labels[original.items[lost[0]]]!r} is in none of its symbols (untruthful)."
    invented = np.flatnonzero(~covered_symbol)
    if len(invented):
        shown_labels = ", ".join(sets.names[sets.codes[invented[0]]][:5])
        return f"Record {int(shown_rows[invented[0]])}: symbol ({shown_labels}) covers none of its items (untruthful)."
    return None
