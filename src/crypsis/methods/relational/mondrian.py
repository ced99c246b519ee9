"""Mondrian: k-anonymous tables by splitting them at medians, again and again, while every part keeps k records.

Guarantees k-anonymity, on request with l-diversity and t-closeness. Costs a few passes over the records for each
halving: a million records take seconds.

LeFevre, DeWitt, Ramakrishnan. IEEE ICDE 2006.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from crypsis.data.relational import PublishedTable
from crypsis.executors.executor import Executor
from crypsis.kernels.class_cells import class_cells
from crypsis.kernels.mondrian import mondrian_parts
from crypsis.methods.relational.diversity import Diversity
from crypsis.methods.relational.mondrian_blocks import mondrian_blocks, problem_of
from crypsis.methods.relational.publishing import published_classes
from crypsis.methods.relational.quasi_identifiers import QuasiIdentifiers
from crypsis.methods.relational.relational_method import RelationalMethod, classes_in_order
from crypsis.methods.scaling import BlockSize, RecodedBlocks, Scaling
from crypsis.parameters import OneOf
from crypsis.run_context import RunContext
from crypsis.shards.table import EncodedTable


@dataclass(frozen=True, kw_only=True)
class Mondrian(RelationalMethod):
    """Split the table at the median of its widest column until no part can be split without falling below k.

    Numbers are split at the lower median, categories at the children of their lowest common node, categories without
    a hierarchy at every value or, with `categories="halves"`, into two sets of labels that are as even as can be.
    Each record is published with the tightest cells of its part.
    Time grows with n * d * log(n / k) for n records and d quasi-identifiers.
    Differs from the paper: the widest column is the one with the largest weighted loss, and missing values form a part
    of their own in the first split on their column.

    >>> import crypsis, polars
    >>> people = polars.DataFrame({"age": [20, 22, 38, 41], "ill": ["flu", "cold", "flu", "cold"]})
    >>> table = crypsis.Table.from_frame(people, {"age": "quasi", "ill": "sensitive"})
    >>> release = crypsis.anonymize(table, crypsis.Mondrian(k=2))
    >>> release.data.to_frame()["age"].to_list()
    ['[20:22]', '[20:22]', '[38:41]', '[38:41]']
    >>> release.verify().holds
    True

    LeFevre, DeWitt, Ramakrishnan. Mondrian multidimensional k-anonymity. IEEE ICDE 2006: strict partitioning.
    """

    choose_when = "First, for any table. It is fast, loses little and needs no hierarchy."
    costs = "Values become ranges or sets; equal values may become different ones. A million records take seconds."
    stages = ("prepare", "split", "publish")
    scaling = Scaling.EXACT

    categories: Annotated[
        str,
        OneOf(values="at every value", halves="in two halves"),
        "How a category without a hierarchy is split: at every value, or in two halves in the order of the labels, "
        "which splits more often and loses less.",
    ] = "values"

    def generalized(self, quasi: QuasiIdentifiers, diversity: Diversity, context: RunContext) -> PublishedTable:
        diversity.refuse_hopeless(self.k)
        with context.stage("split"):
            by_person = diversity.by_person
            rows, bounds = mondrian_parts(
                np.ascontiguousarray(quasi.codes[by_person]),
                quasi.attributes,
                self.k,
                np.ascontiguousarray(diversity.codes[by_person]),
                diversity.constraints,
                diversity.people(by_person, np.ones(len(by_person), np.int64)),
                quasi.n_values,
                self.categories == "halves",
            )
            class_of = np.empty(len(rows), np.int64)
            class_of[by_person[rows]] = np.repeat(np.arange(len(bounds) - 1), np.diff(bounds))
            class_of = classes_in_order(class_of)
        with context.stage("publish"):
            cells = class_cells(quasi.codes, class_of, len(bounds) - 1, quasi.bit_start)
            context.private["classes"] = len(bounds) - 1
            return published_classes(quasi, cells, class_of)

    def anonymize_parts(
        self, data: EncodedTable, executor: Executor, context: RunContext, block: BlockSize
    ) -> RecodedBlocks:
        problem = problem_of(self, data, executor, context, in_halves=self.categories == "halves")
        return mondrian_blocks(data, problem, block, executor, context)
