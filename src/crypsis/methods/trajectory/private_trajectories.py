"""What private methods for trajectories share: events in, made-up trajectories out, in declared domains."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

from crypsis.data.domains import LocationDomain, TimeDomain
from crypsis.data.stream import Events
from crypsis.data.synthetic import SyntheticTrajectories
from crypsis.methods.private_method import PrivateMethod
from crypsis.methods.trajectory.declared_visits import DeclaredLocations, DeclaredTimes
from crypsis.noise import Noise, provider_named
from crypsis.run_context import RunContext
from crypsis.shards.private import PrivateParts


@dataclass(frozen=True, kw_only=True)
class PrivateTrajectoryMethod(PrivateMethod):
    """A private method that makes trajectories up, over locations and times that the publisher declares."""

    accepts = Events
    publishes = SyntheticTrajectories
    stages = ("read records", "grow", "consistency", "publish")

    location_domain: DeclaredLocations = None
    time_domain: DeclaredTimes = None

    def anonymize(self, data: Events | PrivateParts, context: RunContext) -> SyntheticTrajectories:
        return self.synthesized(data, context, provider_named(self.noise))

    @abstractmethod
    def synthesized(self, data: Events | PrivateParts, context: RunContext, noise: Noise) -> SyntheticTrajectories:
        """The same with any provider; what one without the system's entropy draws cannot be published."""

    def declared_domains(self) -> tuple[LocationDomain, TimeDomain]:
        """Locations and times as declared; refused, before anything is charged, where one is missing."""
        if self.location_domain is None:
            raise self.missing("location_domain", "the locations that there are")
        if self.time_domain is None:
            raise self.missing("time_domain", "the times that there are")
        return self.location_domain, self.time_domain
