"""DiffMulti: a table as generalized records with noisy counts, under differential privacy.

Guarantees epsilon-differential privacy for each person, who has one record unless told otherwise. Costs a few passes
over the records per level of specialization.

Al-Hussaeni. Anonymizing trajectory streams and publishing trajectories under differential privacy. PhD thesis,
Concordia University, 2017, chapter 6.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated

import numpy as np

from crypsis.arrays import Int64s
from crypsis.data.category_trees import CategoryTree
from crypsis.data.counted_regions import CountedRegions, RegionAttribute
from crypsis.data.relational import Table
from crypsis.methods.contributions import bounded
from crypsis.methods.relational.declared_columns import DeclaredColumns, encode_records
from crypsis.methods.relational.noisy_regions import Grown, grow
from crypsis.methods.relational.region_method import RegionMethod
from crypsis.methods.relational.region_records import MEMORY_PER_FILE_BYTE, RecordsHere, RecordsInShards, RegionRecords
from crypsis.methods.relational.region_schema import RegionSchema
from crypsis.methods.relational.region_scores import Score
from crypsis.methods.relational.specialization_budgets import budget_of_call, check_digits, operations
from crypsis.noise import MeteredNoise, Noise
from crypsis.parameters import AtLeast, Between, OneOf
from crypsis.run_context import RunContext
from crypsis.shards.private import PrivateParts, head_of

SCORES = {
    "max": "the classes of its records",
    "discernibility": "groups of equal size",
    "ncp": "narrow values",
    "ncp_gain": "what becomes narrower",
}
ACCOUNTINGS = {"tight": "by the most calls there can be", "printed": "as the paper prints it"}
TOP_UPS = {"path": "all that their way has left", "longest": "what the longest way has left", "none": "nothing"}

USUAL_DEPTH = 12


@dataclass(frozen=True, kw_only=True)
class DiffMulti(RegionMethod):
    """Divide the declared domain into regions, each by the attribute that suits it, and publish their noisy counts.

    A region is specialized by the attribute that a private selection prefers: a number at a split point that was drawn
    from all possible ones, a category into the children of its node. What is left of the specializations is shared out
    by noisy counts. Half of epsilon goes into these choices; every region's counts get what its way has left over. Time
    grows with the records times the levels. Differs from the thesis: noise is discrete and exact, no step looks at a
    true count, split points are never computed from values, and the sensitivity of no score depends on the size of the
    data. Each difference is explained in the documentation.

    >>> import crypsis, polars
    >>> people = polars.DataFrame({"age": [20, 30, 40, 50] * 500, "pays": ["no", "yes", "yes", "no"] * 500})
    >>> table = crypsis.Table.from_frame(people, {"age": "quasi", "pays": "label"})
    >>> release = crypsis.anonymize(table, crypsis.DiffMulti(
    ...     epsilon=1, specializations=3, score="max", domains=crypsis.AttributeDomains(
    ...         {"age": crypsis.NumericDomain(18, 66), "pays": crypsis.CategoryDomain(("no", "yes"))})))
    >>> 1900 < release.data.records < 2100
    True
    >>> release.verify().holds
    True

    Al-Hussaeni. Anonymizing trajectory streams and publishing trajectories under differential privacy.
    PhD thesis, Concordia University, 2017: chapter 6, DiffMulti.
    """

    choose_when = "When nobody can say what an adversary may know, and counts or a classifier are wanted."
    costs = "There are no records any more, only noisy counts of regions; few people drown in the noise."
    example_options = "--domains public-in-data"

    specializations: Annotated[int, Between(0, 1 << 24), "Largest number of specializations."] = 100
    score: Annotated[
        str, OneOf(**SCORES), "What a specialization is chosen for: its classes, equal sizes, or narrow values."
    ] = "ncp_gain"
    max_depth: Annotated[
        int | None, AtLeast(0), "Most specializations of one record; up to 12 as the domains allow, unless told."
    ] = None
    numeric_cap: Annotated[int, Between(1, 30), "Most specializations of one numeric attribute on a way."] = 7
    accounting: Annotated[
        str, OneOf(**ACCOUNTINGS), "Calls that epsilon is divided by: the most there can be, or as printed."
    ] = "tight"
    top_up: Annotated[
        str,
        OneOf(**TOP_UPS),
        "What counts get beside half of epsilon: all that their way has left, "
        "what the longest way has left, or nothing.",
    ] = "path"

    def generalized(
        self,
        data: Table | PrivateParts,
        context: RunContext,
        noise: Noise,
        trace: Callable[..., None] | None = None,
    ) -> CountedRegions:
        """The same with any provider; what one without the system's entropy draws cannot be published."""
        columns = DeclaredColumns.of("DiffMulti", head_of(data), self.domains, self.trees)
        attributes, label = columns.attributes, columns.label
        schema = RegionSchema.of(attributes)
        score = Score.of(self.score, schema.attributes.width)
        depth = self._depth(attributes)
        calls = operations(schema.numeric_attributes, depth, self.numeric_cap, self.accounting)
        budget = budget_of_call(self.epsilon, calls) if calls else Fraction(0)
        records = self.records_per_person
        check_digits(self.epsilon / records, budget / records, calls, score, schema)
        with context.stage("read records"):
            counted = self._records(data, columns, schema)
        metered = self.charged(noise, records=records)
        with context.stage("specialize"):
            grown = grow(
                counted, schema, score,
                specializations=self.specializations, depth=depth, cap=self.numeric_cap,
                budget=budget, noise=metered, trace=trace,
            )  # fmt: skip
        with context.stage("count"):
            counts = self._noisy_counts(grown, budget, metered)
            told, ledger = self.accounted(metered)
            told |= {"budget_of_each_choice": str(budget), "top_up": self.top_up, "depth": depth, "score": self.score}
            told |= {"records_per_person": records}
        context.private["ledger"] = ledger
        context.private["specializations"] = grown.specializations
        context.private["records_in_the_domain"] = counted.n_records
        self.note_reading(data, context)
        return CountedRegions(
            attributes,
            tuple(label.domain.labels),
            grown.low,
            grown.high,
            np.where(schema.attributes.numeric, -1, grown.node - schema.root).astype(np.int32),
            counts,
            class_name=label.name,
            declared=columns.declared,
            clamp=self.clamp,
            budget=told,
            ledger=ledger,
            unpublishable=metered.unpublishable,
        )

    def _records(self, data: Table | PrivateParts, columns: DeclaredColumns, schema: RegionSchema) -> RegionRecords:
        """The records in the declared domains."""
        n_classes = len(columns.label.domain)
        if isinstance(data, PrivateParts):
            shards = data.encode(encode_records, columns, self.clamp)
            data.check_fits(shards, MEMORY_PER_FILE_BYTE)
            return RecordsInShards(shards, n_classes, schema.attributes, data.executor)
        rows, classes = columns.encoded(bounded(data, self.records_per_person), clamp=self.clamp)
        return RecordsHere(rows, classes, n_classes, schema.attributes)

    def _depth(self, attributes: tuple[RegionAttribute, ...]) -> int:
        """No way is longer than all specializations, nor than all attributes allow."""
        heights = sum(
            attribute.domain.height if isinstance(attribute.domain, CategoryTree) else self.numeric_cap
            for attribute in attributes
        )
        usual = min(heights, USUAL_DEPTH) if self.max_depth is None else self.max_depth
        return min(self.specializations, usual)

    def _noisy_counts(self, grown: Grown, budget: Fraction, noise: MeteredNoise) -> Int64s:
        """Every leaf's class counts with what is left of epsilon on its way; negative ones become 0."""
        counts = grown.counts
        noisy = np.empty_like(counts)
        longest = int(grown.calls.max())
        for calls in np.unique(grown.calls).tolist():
            met = {"path": calls, "longest": longest}.get(self.top_up)
            left = self.epsilon / 2 if met is None and longest else self.epsilon - (met or 0) * budget
            leaves = np.flatnonzero(grown.calls == calls)
            branches, sizes = np.unique(grown.branch[leaves], return_counts=True)
            shares = [
                (grown.scopes[branch], size * counts.shape[1])
                for branch, size in zip(branches.tolist(), sizes.tolist(), strict=True)
            ]
            drawn = noise.shared_counts(counts[leaves].ravel(), left, shares=shares, node="records of each class")
            noisy[leaves] = drawn.reshape(len(leaves), -1)
        return np.maximum(noisy, 0)
