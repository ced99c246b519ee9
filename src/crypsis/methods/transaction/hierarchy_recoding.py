"""What Apriori, LRA and VPA share: items as leaves of a hierarchy, cuts through it, and what is published under a cut.

A cut is an array over the nodes of the tree: what each is published as, -2 if it is deleted, -1 above the cut.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Annotated, Any, NamedTuple

import numpy as np

from crypsis.arrays import Bools, Int32s, Int64s, offsets_of, take_records
from crypsis.data.privacy_policy import check_combinations, check_combinations_of
from crypsis.data.symbols import Symbols
from crypsis.data.transaction import PublishedTransactions, Transactions
from crypsis.data.vocabulary import Vocabulary
from crypsis.errors import Infeasible, NotApplicable, TooFewRecords, TooLarge
from crypsis.guarantees.itemset_km_anonymity import ItemsetShared, KnownItems
from crypsis.hierarchy import FANOUT_FIVE, ItemHierarchy, ItemTree
from crypsis.kernels.apriori_cut import DELETED, STUCK, raise_cut
from crypsis.kernels.itemsets import NO_ITEMS, NO_OFFSETS
from crypsis.methods.record_accounting import record_accounting
from crypsis.methods.scaling import RecodedRecords
from crypsis.methods.transaction.cut_rounds import CutRounds
from crypsis.methods.transaction.itemset_method import ItemsetMethod
from crypsis.methods.transaction.people import arrange_by_person, count_people, persons_to_count
from crypsis.methods.transaction.shard_recoding import Spread, recode_shards
from crypsis.parameters import Between

MOST_BITS = 1 << 36  # nodes times records: 8 GB of bits


@dataclass(frozen=True, kw_only=True)
class HierarchyMethod(ItemsetMethod):
    """A method that publishes items as nodes of a hierarchy."""

    needs = ("hierarchy",)

    k: ItemsetShared = 5
    m: KnownItems = 2
    hierarchy: Annotated[ItemHierarchy, "What items have in common: a tree whose leaves are the items."] = FANOUT_FIVE  # type: ignore[assignment]
    attach_to_root: Annotated[bool, "Put items that the hierarchy lacks right below its root."] = False
    max_suppressed_items: Annotated[
        float, Between(0, 1), "Share of all occurrences that may be deleted where items would become everything."
    ] = 0.0

    @property
    def complete(self) -> bool:
        return self.max_suppressed_items == 0

    def tree_records(self, data: Transactions, spread: Spread | None = None) -> TreeRecords:
        """The data over the tree, counted in shards where there are some; refuses data that no cut can protect."""
        records = TreeRecords.of(data, self.hierarchy, self.attach_to_root)
        if spread is not None:
            shards, supports = spread.encoded.whole_people, spread.encoded.supports
            rounds = CutRounds.of(shards, records.tree, supports, records.sensitive_codes, spread.executor)
            lengths = rounds.lengths()
            check_enough(rounds.people(), self.k, data, by_person=spread.encoded.person is not None)
            for size in range(3, self.m + 1):
                check_combinations_of(np.arange(len(lengths)), lengths, size)
            return replace(records, rounds=rounds)
        check_enough(count_people(persons_to_count(data), records.filled), self.k, data)
        for size in range(3, self.m + 1):
            check_combinations(np.diff(records.offsets), size)
        if len(records.tree) * len(records.filled) > MOST_BITS:
            raise TooLarge(
                f"{len(records.tree):,} nodes and {len(records.filled):,} records are too many for "
                f"{type(self).__name__}; use Disassociation, or LRA with smaller parts."
            )
        return records

    def allowed_deletions(self, occurrences: int) -> int:
        """How many occurrences may be deleted: the share as it was written, not as a float rounds it."""
        return int(Fraction(str(self.max_suppressed_items)) * occurrences)


class Part(NamedTuple):
    """Some records over a tree, and whose they are."""

    offsets: Int64s
    items: Int32s
    person: Int64s


class Raised(NamedTuple):
    """Outcome of Apriori anonymization: the cut, and its steps as nodes with whether they were deleted."""

    cut: Int32s
    steps: list[tuple[list[int], bool]]


@dataclass(frozen=True, eq=False)
class TreeRecords:
    """The non-empty records over a tree: leaves ascending, sensitive items apart.

    `filled` tells which input records have an item that is not sensitive; only these are here.
    """

    data: Transactions
    tree: ItemTree
    filled: Bools
    offsets: Int64s
    items: Int32s
    sensitive_offsets: Int64s
    sensitive_items: Int32s
    sensitive_codes: Int32s  # code of each sensitive item that occurs
    person: Int64s  # whose each record is; empty where each is a person
    declared: frozenset[str] = frozenset()  # leaves that the publisher gave; none of a tree made from the data
    rounds: CutRounds | None = None  # what counts them where they are in shards

    @classmethod
    def of(cls, data: Transactions, hierarchy: ItemHierarchy, attach_to_root: bool) -> TreeRecords:
        secret = np.zeros(len(data.vocabulary), np.bool_) if data.sensitive is None else data.sensitive
        labels = data.vocabulary.labels
        left_out = tuple(labels[code] for code in np.flatnonzero(secret).tolist())
        tree = ItemTree.of(hierarchy, data.vocabulary, left_out=left_out, attach_to_root=attach_to_root)
        rows = np.repeat(np.arange(len(data)), data.lengths)
        hidden = secret[data.items]
        lengths = np.bincount(rows[~hidden], minlength=len(data))
        filled = lengths > 0
        nodes = tree.node_of_item[data.items[~hidden]].astype(np.int64)
        order = np.argsort(rows[~hidden] * len(tree) + nodes, kind="stable")
        codes = np.flatnonzero(secret & (data.supports > 0))
        number = np.zeros(len(secret), np.int32)
        number[codes] = np.arange(len(codes))
        kept = hidden & filled[rows]
        persons = persons_to_count(data)
        return cls(
            data,
            tree,
            filled,
            offsets_of(lengths[filled]),
            nodes[order].astype(np.int32),
            offsets_of(np.bincount(rows[kept], minlength=len(data))[filled]),
            number[data.items[kept]],
            codes.astype(np.int32),
            persons[filled] if len(persons) else persons,
            frozenset() if hierarchy.origin else frozenset(hierarchy.leaves),
        )

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def without_records(self) -> TreeRecords:
        """The tree alone, for parts of the records that are given."""
        nothing = np.zeros(0, np.int64)
        return replace(
            self,
            data=self.data.take(nothing),
            filled=np.zeros(0, np.bool_),
            offsets=np.zeros(1, np.int64),
            items=np.zeros(0, np.int32),
            sensitive_offsets=np.zeros(1, np.int64),
            sensitive_items=np.zeros(0, np.int32),
            person=nothing,
        )

    @property
    def identity(self) -> Int32s:
        """The cut that publishes every item as itself."""
        cut = np.full(len(self.tree), -1, np.int32)
        cut[self.tree.leaf_nodes] = self.tree.leaf_nodes
        return cut

    def take(self, rows: Int64s) -> Part:
        """Some of the records."""
        offsets, positions = take_records(self.offsets, rows)
        return Part(offsets, self.items[positions], self.person[rows] if len(self.person) else self.person)

    def raised(
        self,
        k: int,
        m: int,
        *,
        l: int = 1,  # noqa: E741
        part: Part | None = None,
        start: Int32s | None = None,
        allowed: Bools | None = None,
        most_deleted: int = 0,
        method: str = "",
    ) -> Raised:
        """Apriori anonymization of all records, or of a part of them. With `allowed` nodes given, bad sets that these
        cannot mend are left."""
        n_sensitive = len(self.sensitive_codes) if l > 1 and part is None else 0
        begun = self.identity if start is None else start
        if self.rounds is not None:
            satisfied, cut, steps = self.rounds.raise_cut(begun, k, m, l=l, allowed=allowed, most_deleted=most_deleted)
        else:
            records = part or Part(self.offsets, self.items, self.person)
            satisfied, cut, steps = self._raised_here(records, begun, k, m, l, n_sensitive, allowed, most_deleted)
        if not satisfied:
            nodes = ", ".join(self.tree.names[node] for node in steps[-1][0])
            raise Infeasible(
                f"{method}: ({nodes}) violates the guarantee and cannot be generalized any further. "
                + ("Lower l, or k." if n_sensitive else "Allow fewer suppressed items, or lower k.")
            )
        return Raised(cut, steps)

    def _raised_here(
        self,
        part: Part,
        start: Int32s,
        k: int,
        m: int,
        l: int,  # noqa: E741
        n_sensitive: int,
        allowed: Bools | None,
        most_deleted: int,
    ) -> tuple[bool, Int32s, list[tuple[list[int], bool]]]:
        """The kernel on records in memory."""
        offsets, items, person = arrange_by_person(*part)
        secret_offsets, secrets, _ = (
            arrange_by_person(self.sensitive_offsets, self.sensitive_items, self.person)
            if n_sensitive
            else (NO_OFFSETS, NO_ITEMS, person)
        )
        status, cut, steps, done = raise_cut(
            offsets,
            items,
            self.tree.parent,
            self.tree.last,
            self.tree.leaf_count,
            start,
            np.ones(len(self.tree), np.bool_) if allowed is None else allowed,
            allowed is not None,
            k,
            m,
            l if n_sensitive else 1,
            secret_offsets,
            secrets,
            n_sensitive,
            most_deleted,
            person,
        )
        named = [
            (row[1 : row[0] + 1], kind == DELETED) for row, kind in zip(steps.tolist(), done.tolist(), strict=True)
        ]
        return status != STUCK, cut, named

    @property
    def occurrences_of_leaf(self) -> Int64s:
        """By node: in how many records it is; nothing above leaves."""
        if self.rounds is not None:
            return self.rounds.occurrences_of_leaf
        return np.bincount(self.items, minlength=len(self.tree)).astype(np.int64)

    def release_shards(self) -> None:
        """Nothing more is counted."""
        if self.rounds is not None:
            self.rounds.close()

    def recoded(
        self, cut: Int32s, spread: Spread | None
    ) -> tuple[PublishedTransactions | RecodedRecords, dict[str, int]]:
        """All records under one cut, or their shards; and how the records of the input are found again."""
        self.release_shards()
        published = self.published([cut], np.zeros(len(self), np.int64))
        if spread is None:
            return published, accounting(self.data, published)
        return recode_shards(published, self._symbol_of_item(cut), spread)

    def _symbol_of_item(self, cut: Int32s) -> Int32s:
        """The symbol of each item under a cut, as `published` numbers them; -1 for items that are left out."""
        nodes = self.tree.node_of_item
        image = np.where(nodes >= 0, cut[nodes], -1)
        image[self.data.supports == 0] = -1
        used = np.unique(image[image >= 0])
        symbol = np.where(image >= 0, np.searchsorted(used, image), -1).astype(np.int32)
        symbol[self.sensitive_codes] = len(used) + np.arange(len(self.sensitive_codes))
        return symbol

    def named_steps(self, raised: Raised) -> list[list[Any]]:
        """Steps as the private report lists them: `["generalize", ["a", "#1.0"]]`."""
        names = self.tree.names
        return [
            ["suppress" if deleted else "generalize", [names[node] for node in nodes]]
            for nodes, deleted in raised.steps
        ]

    def published(self, cuts: list[Int32s], part_of_record: Int64s) -> PublishedTransactions:
        """Every record under the cut of its part; sensitive items as they are, records without items in their place.

        A node of a hierarchy that the publisher gave has its name and all its leaves. One that was made from the data
        is called after the items below it, without those that were deleted wherever they occurred.
        """
        data, tree = self.data, self.tree
        rows = np.repeat(np.arange(len(self)), np.diff(self.offsets))
        nodes = np.empty(len(self.items), np.int64)
        for part, cut in enumerate(cuts):
            inside = part_of_record[rows] == part if len(cuts) > 1 else slice(None)
            nodes[inside] = cut[self.items[inside]]
        input_row = np.flatnonzero(self.filled)[rows]
        stays = nodes >= 0
        # Leaves ascend in each record, so their images do: equal ones are neighbours.
        keys = input_row[stays] * len(tree) + nodes[stays]
        new = np.ones(len(keys), np.bool_)
        new[1:] = keys[1:] != keys[:-1]
        keys = keys[new]
        used = np.flatnonzero(np.bincount(keys % len(tree), minlength=len(tree)))
        secret = np.zeros(len(data.vocabulary), np.bool_) if data.sensitive is None else data.sensitive
        hidden = secret[data.items]
        secrets = np.unique(data.items[hidden])
        all_rows = np.concatenate([keys // len(tree), np.repeat(np.arange(len(data)), data.lengths)[hidden]])
        number = np.zeros(len(tree), np.int64)
        number[used] = np.arange(len(used))
        codes = np.concatenate([number[keys % len(tree)], len(used) + np.searchsorted(secrets, data.items[hidden])])
        if len(secrets):
            codes = codes[np.lexsort((codes, all_rows))]
        offsets = offsets_of(np.bincount(all_rows, minlength=len(data)))
        shown = self.symbols_of(used, np.unique(self.items[~stays]), np.unique(self.items[stays]), secrets)
        return replace(shown, offsets=offsets, codes=codes.astype(np.int32), person=data.person)

    def symbols_of(self, used: Int64s, deleted: Int32s, shown: Int32s, secrets: Int32s) -> PublishedTransactions:
        """One record with the symbol of each node that is used, then with each sensitive item that occurs.

        `deleted` are leaves that were taken out of some record, `shown` those that stay in some record.
        """
        tree, vocabulary = self.tree, self.data.vocabulary
        lost = {tree.names[leaf] for leaf in np.setdiff1d(deleted, shown).tolist()} - self.declared
        labels = [tuple(label for label in tree.leaf_labels(int(node)) if label not in lost) for node in used]
        labels += [(vocabulary.labels[code],) for code in secrets.tolist()]
        called = [tree.names[node] if self.declared else "" for node in used.tolist()]
        symbols, names = symbols_named(labels, called + [one for (one,) in labels[len(used) :]])
        return PublishedTransactions(
            np.array([0, len(labels)], np.int64),
            np.arange(len(labels), dtype=np.int32),
            symbols,
            suppressed=tuple(sorted(tree.names[node] for node in deleted.tolist())),
            sensitive=tuple(sorted(vocabulary.labels[code] for code in secrets.tolist())),
            names=names if self.declared else None,
            domain=tree.n_leaves,
        )


def raise_part(part: Part, records: TreeRecords, method: HierarchyMethod) -> Raised:
    """Apriori anonymization of one part of the records."""
    most = method.allowed_deletions(len(part.items))
    return records.raised(method.k, method.m, part=part, most_deleted=most, method=type(method).__name__)


def symbols_named(labels: list[tuple[str, ...]], names: list[str]) -> tuple[Symbols, tuple[str, ...]]:
    """Symbols with these members in this order."""
    vocabulary = Vocabulary(sorted({label for one in labels for label in one}))
    code_of = {label: code for code, label in enumerate(vocabulary.labels)}
    members = [sorted(code_of[label] for label in one) for one in labels]
    symbols = Symbols(
        vocabulary,
        offsets_of(np.fromiter(map(len, members), np.int64, len(members))),
        np.array([code for member in members for code in member], np.int32),
    )
    return symbols, tuple(names)


def check_enough(filled: int, k: int, data: Transactions, *, by_person: bool = False) -> None:
    """Nothing to publish, or fewer records (or people who have one) than must look alike: no release exists."""
    if not len(data) or not len(data.items):
        raise TooFewRecords("There is no non-empty record, so there is nothing to publish.", have=0, required=k)
    if 0 < filled < k:
        counted = "people have a non-empty record" if by_person or data.person_repeats else "non-empty records"
        raise TooFewRecords(
            f"No {k}^m-anonymous release exists: {filled} {counted}, {k} are required. Add records or lower k.",
            have=filled,
            required=k,
        )


def refuse_sensitive(data: Transactions, method: str) -> None:
    """For methods without a form for sensitive items."""
    if data.sensitive is not None and data.sensitive.any():
        raise NotApplicable(
            f"{method} does not treat sensitive items apart; use Apriori with l, or Disassociation, or leave them "
            "unmarked to protect them like all others."
        )


def accounting(data: Transactions, published: PublishedTransactions) -> dict[str, int]:
    """How the records of the input are found again."""
    empty = int(np.count_nonzero(published.lengths == 0))
    return record_accounting(len(data), empty) | {"repeated_items_collapsed": data.collapsed}
