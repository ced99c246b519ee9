"""What DiffGen and DiffMulti share: a table in declared domains, published as regions with noisy counts."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

from crypsis.data.counted_regions import CountedRegions
from crypsis.data.relational import Table
from crypsis.methods.private_records import PrivateRecordMethod
from crypsis.methods.relational.declared_columns import ClampNumbers, DeclaredDomains, DeclaredTrees
from crypsis.noise import Noise, provider_named
from crypsis.run_context import RunContext
from crypsis.shards.private import PrivateParts


@dataclass(frozen=True, kw_only=True)
class RegionMethod(PrivateRecordMethod):
    """A private method that divides the domains of a table into regions and counts the records of each."""

    accepts = Table
    publishes = CountedRegions
    stages = ("read records", "specialize", "count")

    domains: DeclaredDomains = None
    trees: DeclaredTrees = None
    clamp: ClampNumbers = True

    def anonymize(self, data: Table | PrivateParts, context: RunContext) -> CountedRegions:
        return self.generalized(data, context, provider_named(self.noise))

    @abstractmethod
    def generalized(self, data: Table | PrivateParts, context: RunContext, noise: Noise) -> CountedRegions:
        """The same with any provider; what one without the system's entropy draws cannot be published."""
