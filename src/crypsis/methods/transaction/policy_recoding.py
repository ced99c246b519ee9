"""What COAT and PCTA share: a privacy policy, a utility policy, and generalized items that are sets of items."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np
import polars as pl

from crypsis.arrays import Int32s, Int64s, offsets_of
from crypsis.data.privacy_policy import PrivacyPolicy, check_combinations
from crypsis.data.symbols import Symbols
from crypsis.data.transaction import PublishedTransactions, Transactions
from crypsis.data.vocabulary import Vocabulary
from crypsis.errors import NotScalable, PoliciesConflict, TooLarge
from crypsis.executors.executor import Executor
from crypsis.guarantees import Guarantee, PolicyAnonymity
from crypsis.hierarchy import UtilityPolicy
from crypsis.kernels.itemsets import EACH_RECORD, NO_ITEMS, NO_OFFSETS, itemsets
from crypsis.kernels.policy_merging import NO_PARTNER, merge_for_policy
from crypsis.methods.scaling import BlockSize, RecodedRecords, Scaling
from crypsis.methods.transaction.hierarchy_recoding import accounting, check_enough, refuse_sensitive
from crypsis.methods.transaction.itemset_method import ItemsetMethod
from crypsis.methods.transaction.people import arrange_by_person, count_people, persons_to_count, unit_of
from crypsis.methods.transaction.policy_rounds import PolicyRounds
from crypsis.methods.transaction.shard_recoding import Spread, recode_shards
from crypsis.parameters import AtLeast, Between, OneOf
from crypsis.run_context import RunContext
from crypsis.shards.records import EncodedTransactions

OBJECTIVES = {"item": "the loss of the item", "dataset": "the loss of all records"}

MOST_ITEMS = 20_000
EVERY = np.iinfo(np.int64).max


class Merged(NamedTuple):
    """Outcome for one set of records: the first item of each item's generalized item (-1: suppressed), and the steps,
    rows g, h with h = -1 where g was suppressed."""

    satisfied: bool
    label: Int32s
    steps: Int32s


def merged_items(
    offsets: Int64s,
    items: Int32s,
    n_items: int,
    constraints: tuple[Int64s, Int32s],
    k: int,
    *,
    utility: Int32s | None = None,
    every_item: bool = True,
    whole_dataset: bool = False,
    candidate_cap: int = 64,
    most_suppressed: int = 0,
    person: Int64s = EACH_RECORD,
) -> Merged:
    """PCTA (`every_item`) or COAT on flat arrays: items are numbered in label order and all of them occur."""
    offsets, items, person = arrange_by_person(offsets, items, person)
    status, label, steps = merge_for_policy(
        offsets,
        items,
        n_items,
        *constraints,
        np.zeros(n_items, np.int32) if utility is None else utility,
        every_item,
        whole_dataset,
        candidate_cap,
        utility is not None,
        most_suppressed,
        k,
        person,
    )
    return Merged(status != NO_PARTNER, label, steps)


def occurring_sets(offsets: Int64s, items: Int32s, n_items: int, m: int) -> tuple[Int64s, Int32s]:
    """All sets of up to m items that occur, by size and then in the order of their items."""
    found = []
    for size in range(1, m + 1):
        if size > 2:
            check_combinations(np.diff(offsets), size)
        found.append(itemsets(offsets, items, n_items, size, EVERY, NO_OFFSETS, NO_ITEMS, 0, 1, EACH_RECORD)[0])
    sizes = np.repeat(np.arange(1, m + 1), [len(sets) for sets in found])
    return offsets_of(sizes), np.concatenate([sets.ravel() for sets in found])


@dataclass(frozen=True, kw_only=True)
class PolicyMethod(ItemsetMethod):
    """A method that merges items until a privacy policy is satisfied."""

    stages = ("read policies", "merge", "publish")
    publishes_shards = True
    on_parts = '`objective="dataset"` is refused'
    every_item: ClassVar[bool]

    k: Annotated[int, AtLeast(1), "Records that must share each protected set of items."] = 5
    m: Annotated[int, Between(1, 8), "Without a privacy policy: all sets of up to m items are protected."] = 2
    privacy: Annotated[PrivacyPolicy | None, "The itemsets that must not identify anybody, in place of m."] = None
    max_suppressed: Annotated[float, Between(0, 1), "Share of the items that may be left out."] = 0.0
    objective: Annotated[
        str, OneOf(**OBJECTIVES), "What a merge must keep small: the loss of the item, or of all records."
    ] = "item"
    candidate_cap: Annotated[
        int,
        AtLeast(1),
        "With the objective 'dataset': how many partners of each item are tried if more items are left.",
    ] = 64

    @property
    def complete(self) -> bool:
        return self.max_suppressed == 0

    def guarantee_of(self, data: Transactions, published: PublishedTransactions) -> Guarantee:
        resolved = self.resolve(data)
        if resolved.privacy is None:
            return super().guarantee_of(data, published)
        return PolicyAnonymity(k=self.k, policy=resolved.privacy, unit=unit_of(data))

    @abstractmethod
    def _utility(self) -> UtilityPolicy | None:
        """The utility policy where there is one."""

    @property
    def scaling_here(self) -> Scaling:
        return Scaling.EXACT if self.objective == "item" else Scaling.NONE

    def anonymize_parts(
        self, data: EncodedTransactions, executor: Executor, context: RunContext, block: BlockSize
    ) -> PublishedTransactions | RecodedRecords:
        if self.objective != "item":
            raise NotScalable(
                f"{type(self).__name__} cannot be run on parts with objective='dataset': it adds up fractions over all "
                "records in their order. Use objective='item', or read the data into memory.",
                method=self.name(),
            )
        return super().anonymize_parts(data, executor, context, block)

    def recode(
        self, data: Transactions, context: RunContext, spread: Spread | None = None
    ) -> PublishedTransactions | RecodedRecords:
        """Merge items until the policy is satisfied."""
        name = type(self).__name__
        refuse_sensitive(data, name)
        resolved = self.resolve(data)
        with context.stage("read policies"):
            person = persons_to_count(data)
            filled = count_people(person, data.lengths > 0) if spread is None else spread.encoded.individuals
            by_person = spread is not None and spread.encoded.person is not None
            check_enough(filled, self.k if self.privacy is None else 1, data, by_person=by_person)
            codes, number, vocabulary = _items_by_label(data)
            if len(codes) > MOST_ITEMS:
                raise TooLarge(
                    f"{name} compares every two of {len(codes):,} items; at most {MOST_ITEMS:,} are possible. "
                    "Use Apriori, or Disassociation."
                )
            rounds = None
            if spread is not None:
                shards = spread.encoded.whole_people
                rounds = PolicyRounds.of(shards, number, len(codes), spread.executor, by_person=by_person)
            offsets, items = _relabelled(data, number)
            if resolved.privacy is not None:
                constraint_offsets, constraint_items, unknown = resolved.privacy.closed(vocabulary, data)
                constraints = (constraint_offsets, constraint_items)
            elif rounds is not None and spread is not None:
                constraints, unknown = rounds.occurring_sets(self.m, spread.encoded.lengths), 0
            else:
                constraints, unknown = occurring_sets(offsets, items, len(codes), self.m), 0
            if unknown:
                context.warn(f"{unknown} itemsets of the privacy policy name an item that does not occur")
            policy = resolved._utility()
        with context.stage("merge"):
            utility = None if policy is None else policy.sets_of(vocabulary)
            most_suppressed = int(Fraction(str(self.max_suppressed)) * len(codes))
            if rounds is not None:
                merged = Merged(
                    *rounds.merge(
                        constraints,
                        self.k,
                        utility=utility,
                        every_item=self.every_item,
                        most_suppressed=most_suppressed,
                    )
                )
                rounds.close()
            else:
                merged = merged_items(
                    offsets,
                    items,
                    len(codes),
                    constraints,
                    self.k,
                    utility=utility,
                    every_item=self.every_item,
                    most_suppressed=most_suppressed,
                    person=person,
                    whole_dataset=self.objective == "dataset",
                    candidate_cap=self.candidate_cap,
                )
        trace = _trace(merged.steps, vocabulary.labels)
        if not merged.satisfied:
            *done, (_, stuck) = trace
            context.private["steps"] = done
            raise PoliciesConflict(
                f"{name}: after {len(done)} steps {_printed(stuck)} is still too rare and may not be merged with any "
                f"other item, nor left out within max_suppressed={self.max_suppressed:g}. Widen the utility policy, "
                "allow more suppressed items, or lower k.",
                steps=done,
                stuck=stuck,
            )
        with context.stage("publish"):
            symbols, symbol_of_item = _published(data, number, merged.label, vocabulary)
            published: PublishedTransactions | RecodedRecords = symbols
            if spread is None:
                found_again = accounting(data, symbols)
            else:
                published, found_again = recode_shards(symbols, symbol_of_item, spread)
            context.private.update(
                steps=trace,
                partition=[list(labels) for labels in symbols.symbols.label_lists],
                itemsets_with_unknown_items=unknown,
                accounting=found_again,
            )
        return published


def _items_by_label(data: Transactions) -> tuple[Int64s, Int32s, Vocabulary]:
    """Codes of the items that occur in the order of their labels, the number of each code in it, and their labels."""
    occurring = np.flatnonzero(data.supports)
    codes = occurring[np.argsort(data.vocabulary.label_rank[occurring], kind="stable")]
    number = np.full(len(data.vocabulary), -1, np.int32)
    number[codes] = np.arange(len(codes), dtype=np.int32)
    return codes, number, Vocabulary(data.vocabulary.decode(codes.astype(np.int32)))


def _relabelled(data: Transactions, number: Int32s) -> tuple[Int64s, Int32s]:
    rows = np.repeat(np.arange(len(data)), data.lengths)
    keys = np.sort(rows * max(len(number), 1) + number[data.items])
    return data.offsets, (keys % max(len(number), 1)).astype(np.int32)


def _published(
    data: Transactions, number: Int32s, label: Int32s, vocabulary: Vocabulary
) -> tuple[PublishedTransactions, Int32s]:
    """The records in generalized items, and the one of each code; -1 for items that are left out or do not occur."""
    symbols, symbol_of_number = Symbols.of_partition(vocabulary, np.where(label < 0, -1, label).astype(np.int32))
    symbol_of_item = np.append(symbol_of_number, np.int32(-1))[number]
    codes = symbol_of_item[data.items].astype(np.int64)
    rows = np.repeat(np.arange(len(data)), data.lengths)
    stays = codes >= 0
    width = max(len(symbols), 1)
    keys = pl.Series(rows[stays] * width + codes[stays]).unique().sort().to_numpy()
    published = PublishedTransactions(
        offsets_of(np.bincount(keys // width, minlength=len(data))),
        (keys % width).astype(np.int32),
        symbols,
        suppressed=tuple(vocabulary.labels[item] for item in np.flatnonzero(label < 0).tolist()),
        domain=len(vocabulary),
        person=data.person,
    )
    return published, symbol_of_item


def _trace(steps: Int32s, labels: tuple[str, ...]) -> list[list[Any]]:
    """Steps in labels: `["generalize", ["a"], ["b"]]` or `["suppress", ["a"]]`."""
    inside: dict[int, list[int]] = {item: [item] for item in range(len(labels))}
    named: list[list[Any]] = []
    for one, other in steps.tolist():
        if other < 0:
            named.append(["suppress", [labels[item] for item in inside[one]]])
            continue
        named.append(["generalize", *([labels[item] for item in inside[which]] for which in (one, other))])
        inside[min(one, other)] = sorted(chain(inside[one], inside[other]))
    return named


def _printed(labels: list[str]) -> str:
    return f"({', '.join(labels[:5])}{', …' if len(labels) > 5 else ''})"
