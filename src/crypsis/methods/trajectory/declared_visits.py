"""Parameters of private methods for trajectories: what is public about visits, and how trees grow."""

from __future__ import annotations

from typing import Annotated

from crypsis.data.domains import LocationDomain, TimeDomain
from crypsis.data.synthetic import ORDERS
from crypsis.parameters import Between, OneOf

DeclaredLocations = Annotated[LocationDomain | None, "The locations that there are, whoever was there."]
DeclaredTimes = Annotated[TimeDomain | None, "The times that there are; visits at other times are left out."]
TreeHeight = Annotated[int, Between(1, 64), "Levels of the tree: a person counts with the first so many visits."]
VisitOrder = Annotated[
    str, OneOf(**ORDERS), "Which visits may follow: by time and place, at the same time or later, or strictly later."
]
