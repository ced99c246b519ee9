"""DiffGen: a table as generalized records with noisy counts, all records generalized alike, under differential privacy.

Guarantees epsilon-differential privacy for each person, who has one record unless told otherwise. Costs one sort of
each column, and a few lookups per specialization.

Mohammed, Chen, Fung, Yu. Differentially private data release for data mining. KDD 2011.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated

import numpy as np

from crypsis.data.counted_regions import CountedRegions
from crypsis.data.relational import Table
from crypsis.methods.contributions import bounded
from crypsis.methods.relational.cut_records import CutRecords, CutRecordsHere, CutRecordsInShards
from crypsis.methods.relational.declared_columns import DeclaredColumns, encode_records
from crypsis.methods.relational.global_cut import grow_cut
from crypsis.methods.relational.region_method import RegionMethod
from crypsis.methods.relational.region_schema import RegionSchema
from crypsis.methods.relational.region_scores import Score
from crypsis.methods.relational.specialization_budgets import budget_of_call, check_digits, global_operations
from crypsis.noise import Noise
from crypsis.parameters import Between, OneOf
from crypsis.run_context import RunContext
from crypsis.shards.private import PrivateParts, head_of

SCORES = {"max": "the classes of its records", "ncp_gain": "what becomes narrower"}


@dataclass(frozen=True, kw_only=True)
class DiffGen(RegionMethod):
    """Generalize all records alike, by values that private selections chose, and publish noisy counts of every region.

    One cut through the taxonomies holds for the whole table. In each round a private selection specializes one value of
    the cut; numbers are divided at a split point drawn from all possible ones. Half of epsilon goes into these choices.
    Then all combinations of values are counted, with what is left. Time grows with one sort of each column. Differs
    from the paper: noise is discrete and exact, scores are those of DiffMulti that compare values held by different
    numbers of records, and a value is no candidate where specializing it would make more regions than `most_regions`.

    >>> import crypsis, polars
    >>> people = polars.DataFrame({"age": [20, 30, 40, 50] * 500, "pays": ["no", "yes", "yes", "no"] * 500})
    >>> table = crypsis.Table.from_frame(people, {"age": "quasi", "pays": "label"})
    >>> release = crypsis.anonymize(table, crypsis.DiffGen(
    ...     epsilon=1, specializations=3, score="max", domains=crypsis.AttributeDomains(
    ...         {"age": crypsis.NumericDomain(18, 66), "pays": crypsis.CategoryDomain(("no", "yes"))})))
    >>> 1900 < release.data.records < 2100
    True
    >>> release.verify().holds
    True

    Mohammed, Chen, Fung, Yu. Differentially private data release for data mining. KDD 2011, 493-501: DiffGen.
    """

    choose_when = "When every column must have the same values in all regions, and a handful of splits is enough."
    costs = "Noisy counts of all regions, most of them empty; the number of regions multiplies with each split."
    example_options = "--domains public-in-data --specializations 5"

    specializations: Annotated[int, Between(0, 1 << 16), "Rounds, one specialized value each."] = 10
    score: Annotated[str, OneOf(**SCORES), "What a value is chosen for: its classes, or narrow values."] = "ncp_gain"
    most_regions: Annotated[int, Between(1, 1 << 22), "Most regions, which are all counted, the empty ones too."] = 4096

    def generalized(self, data: Table | PrivateParts, context: RunContext, noise: Noise) -> CountedRegions:
        """The same with any provider; what one without the system's entropy draws cannot be published."""
        columns = DeclaredColumns.of("DiffGen", head_of(data), self.domains, self.trees)
        schema = RegionSchema.of(columns.attributes)
        score = Score.of(self.score, schema.attributes.width)
        calls = global_operations(schema.numeric_attributes, self.specializations)
        budget = budget_of_call(self.epsilon, calls) if calls else Fraction(0)
        records = self.records_per_person
        check_digits(self.epsilon / records, budget / records, calls, score, schema)
        n_classes = len(columns.label.domain)
        with context.stage("read records"):
            counted = self._records(data, columns)
        metered = self.charged(noise, records=records)
        with context.stage("specialize"):
            cut = grow_cut(
                counted.columns(), n_classes, columns.attributes, score,
                rounds=self.specializations, most_regions=self.most_regions, budget=budget, noise=metered,
            )  # fmt: skip
        with context.stage("count"):
            counts = counted.class_counts(cut)
            left = self.epsilon - metered.root.total()
            noisy = metered.shared_counts(
                counts, left, shares=[(metered.root, len(counts))], node="records of each class"
            )
            low, high, node = cut.bounds()
            told, ledger = self.accounted(metered)
            told |= {"budget_of_each_choice": str(budget), "budget_of_counts": str(left), "score": self.score}
            told |= {"records_per_person": records}
        context.private["ledger"] = ledger
        context.private["specializations"] = cut.specializations
        context.private["records_in_the_domain"] = counted.n_records
        self.note_reading(data, context)
        return CountedRegions(
            columns.attributes,
            tuple(columns.label.domain.labels),
            low,
            high,
            node,
            np.maximum(noisy, 0).reshape(-1, n_classes),
            class_name=columns.label.name,
            declared=columns.declared,
            clamp=self.clamp,
            budget=told,
            ledger=ledger,
            unpublishable=metered.unpublishable,
        )

    def _records(self, data: Table | PrivateParts, columns: DeclaredColumns) -> CutRecords:
        """The records in the declared domains."""
        n_classes = len(columns.label.domain)
        if isinstance(data, PrivateParts):
            shards = data.encode(encode_records, columns, self.clamp)
            return CutRecordsInShards(shards, n_classes, data.executor)
        return CutRecordsHere(*columns.encoded(bounded(data, self.records_per_person), clamp=self.clamp), n_classes)
