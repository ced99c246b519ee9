"""T: the items of one cluster of records generalized until k of its records share every set of up to m of them.

PCTA with the loss of all records as its objective works on arrays directly; the other transaction methods run on the
cluster as a dataset of its own. Sensitive items are never generalized.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from crypsis.arrays import Float64s, Int32s, Int64s, offsets_of, take_records
from crypsis.data.transaction import Transactions
from crypsis.data.vocabulary import Vocabulary
from crypsis.errors import Infeasible, TooLarge
from crypsis.kernels.item_losses import record_losses
from crypsis.kernels.itemsets import EACH_RECORD, NO_ITEMS, itemsets
from crypsis.methods.method import Method
from crypsis.methods.mixed.item_loss import ZERO, ItemLoss
from crypsis.methods.transaction.people import arrange_by_person, count_people, holders, persons_to_count
from crypsis.methods.transaction.policy_recoding import MOST_ITEMS, merged_items, occurring_sets
from crypsis.run_context import RunContext


class Recoded(NamedTuple):
    """The records of a cluster as symbols, each a sorted tuple of labels; `scopes` numbers recodings inside of it."""

    offsets: Int64s
    codes: Int32s
    symbols: list[tuple[str, ...]]
    scopes: Int64s

    def losses(self, loss: ItemLoss) -> Float64s:
        """Utility loss of each record."""
        sizes = np.fromiter(map(len, self.symbols), np.int64, len(self.symbols))
        return record_losses(self.offsets, self.codes, sizes, loss.weights(self.symbols))


@dataclass(frozen=True, eq=False)
class ItemRecoder:
    """All transactions, items that are not sensitive numbered in the order of their labels, sensitive ones apart.

    `method` is None for PCTA with the objective "dataset".
    """

    data: Transactions
    offsets: Int64s
    items: Int32s
    labels: tuple[str, ...]
    secret_offsets: Int64s
    secrets: Int32s
    secret_labels: tuple[str, ...]
    k: int
    m: int
    l: int  # noqa: E741
    method: Method | None
    loss: ItemLoss = ZERO
    person: Int64s = field(default_factory=lambda: EACH_RECORD)  # whose each record is; empty where each is a person

    @classmethod
    def of(
        cls,
        data: Transactions,
        k: int,
        m: int,
        l: int,  # noqa: E741
        method: Method | None,
        loss: ItemLoss = ZERO,
    ) -> ItemRecoder:
        hidden = np.zeros(len(data.vocabulary), np.bool_) if data.sensitive is None else data.sensitive
        ranked = np.argsort(data.vocabulary.label_rank, kind="stable")
        parts = []
        for chosen in (~hidden, hidden):
            codes = ranked[chosen[ranked]]
            number = np.full(len(hidden), -1, np.int64)
            number[codes] = np.arange(len(codes))
            rows = np.repeat(np.arange(len(data)), data.lengths)
            kept = chosen[data.items]
            width = max(len(codes), 1)
            keys = np.sort(rows[kept] * width + number[data.items[kept]])
            labels = tuple(data.vocabulary.labels[code] for code in codes.tolist())
            offsets = offsets_of(np.bincount(keys // width, minlength=len(data)))
            parts.append((offsets, (keys % width).astype(np.int32), labels))
        (offsets, items, labels), (secret_offsets, secrets, secret_labels) = parts
        person = persons_to_count(data)
        return cls(data, offsets, items, labels, secret_offsets, secrets, secret_labels, k, m, l, method, loss, person)

    @property
    def lengths(self) -> Int64s:
        """Number of items of each record, sensitive ones not counted."""
        return np.diff(self.offsets)

    @property
    def needs_only_records(self) -> bool:
        """A cluster can be generalized if and only if none or at least k of its records, or people, have items."""
        name = "pcta" if self.method is None else self.method.name()
        free = getattr(self.method, "utility", None) is None
        return name in ("pcta", "apriori", "lra", "vpa") and free and (self.l == 1 or not self.secret_labels)

    def enough(self, rows: Int64s) -> bool:
        """None of the records have items, or at least k, or those of k people, do."""
        filled = count_people(self._whose(rows), self.lengths[rows] > 0)
        return filled == 0 or filled >= self.k

    def _whose(self, rows: Int64s) -> Int64s:
        return self.person[rows] if len(self.person) else self.person

    def recoded(self, rows: Int64s) -> Recoded | None:
        """The records of a cluster; None where no generalization of its items is enough."""
        if not self.enough(rows):
            return None
        if not self.lengths[rows].any():
            made = Recoded(np.zeros(len(rows) + 1, np.int64), NO_ITEMS, [], np.zeros(len(rows), np.int64))
        else:
            found = self._by_pcta(rows) if self.method is None else self._by_method(rows, self.method)
            if found is None:
                return None
            made = found
        return made if self._is_diverse(made, rows) else None

    def _by_pcta(self, rows: Int64s) -> Recoded | None:
        offsets, positions = take_records(self.offsets, rows)
        present, local = np.unique(self.items[positions], return_inverse=True)
        if len(present) > MOST_ITEMS:
            raise TooLarge(
                f"PCTA compares every two of the {len(present):,} items of a cluster; at most {MOST_ITEMS:,} are "
                "possible. Use transaction='apriori', or a smaller delta."
            )
        items = local.astype(np.int32)
        m = min(self.m, int(np.diff(offsets).max()))
        constraints = occurring_sets(offsets, items, len(present), m)
        label = merged_items(
            offsets, items, len(present), constraints, self.k, whole_dataset=True, person=self._whose(rows)
        ).label
        return self._shown(offsets, items, label, present)

    def _shown(self, offsets: Int64s, items: Int32s, label: Int32s, present: Int32s) -> Recoded:
        distinct, symbol_of_item = np.unique(label, return_inverse=True)
        members: list[list[str]] = [[] for _ in distinct]
        for item, symbol in zip(present.tolist(), symbol_of_item.tolist(), strict=True):
            members[symbol].append(self.labels[item])
        rows = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
        keys = np.sort(rows * len(distinct) + symbol_of_item[items])
        keys = keys[np.append(True, keys[1:] != keys[:-1])]
        return Recoded(
            offsets_of(np.bincount(keys // len(distinct), minlength=len(offsets) - 1)),
            (keys % len(distinct)).astype(np.int32),
            [tuple(member) for member in members],
            np.zeros(len(offsets) - 1, np.int64),
        )

    def _by_method(self, rows: Int64s, method: Method) -> Recoded | None:
        context = RunContext()
        try:
            published = method.anonymize(self._cluster(rows, method), context)
        except Infeasible:
            return None
        secret = set(self.secret_labels)
        known = np.array([labels[0] not in secret for labels in published.symbols.label_lists], np.bool_)
        number = np.cumsum(known) - 1
        kept = known[published.codes]
        record = np.repeat(np.arange(len(rows)), published.lengths)[kept]
        # A hierarchy may list sensitive items as leaves; a node never stands for them, because they stay themselves.
        symbols = [
            tuple(label for label in labels if label not in secret)
            for labels, shown in zip(published.symbols.label_lists, known.tolist(), strict=True)
            if shown
        ]
        scopes = np.zeros(len(rows), np.int64)
        for scope, part in enumerate(context.private.get("parts", ())):
            scopes[part] = scope
        return Recoded(
            offsets_of(np.bincount(record, minlength=len(rows))),
            number[published.codes[kept]].astype(np.int32),
            symbols,
            scopes,
        )

    def _cluster(self, rows: Int64s, method: Method) -> Transactions:
        """The records as a dataset; with their sensitive items where the method bounds these."""
        if getattr(method, "l", 1) > 1:
            return self.data.take(rows)
        offsets, positions = take_records(self.offsets, rows)
        present, local = np.unique(self.items[positions], return_inverse=True)
        vocabulary = Vocabulary([self.labels[item] for item in present.tolist()])
        person = self.person[rows] if len(self.person) else None
        return Transactions(offsets, local.astype(np.int32), vocabulary, person=person)

    def _is_diverse(self, made: Recoded, rows: Int64s) -> bool:
        """Return whether at most one in l records with any set of up to m symbols holds the same sensitive item."""
        if self.l == 1 or not self.secret_labels:
            return True
        for scope in np.unique(made.scopes).tolist():
            inside = np.flatnonzero(made.scopes == scope)
            offsets, positions = take_records(made.offsets, inside)
            secret_offsets, secret_positions = take_records(self.secret_offsets, rows[inside])
            secrets, codes = self.secrets[secret_positions], made.codes[positions]
            person = self._whose(rows[inside])
            everybody = count_people(person, np.ones(len(inside), np.bool_))
            held = holders(secret_offsets, secrets, len(self.secret_labels), person)
            if int(held.max(initial=0)) * self.l > everybody:
                return False
            offsets, codes, whose = arrange_by_person(offsets, codes, person)
            secret_offsets, secrets, _ = arrange_by_person(secret_offsets, secrets, person)
            for size in range(1, min(self.m, int(np.diff(offsets).max(initial=0))) + 1):
                found, _ = itemsets(
                    offsets,
                    codes,
                    len(made.symbols),
                    size,
                    0,
                    secret_offsets,
                    secrets,
                    len(self.secret_labels),
                    self.l,
                    whose,
                )
                if len(found):
                    return False
        return True
