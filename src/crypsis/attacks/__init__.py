"""Adversaries, one file each. They look at published data only, with no code of the methods.

`ATTACKS` lists them by command-line name. An attack is run with the original, because the publisher wants to know the
worst that anybody with pieces of it could do; what comes out is aggregates, and risks of individuals stay in memory.
"""

from __future__ import annotations

from typing import Any

from crypsis.attacks.attack import Attack, AttackResult, RiskAtSize
from crypsis.attacks.containment import ContainmentAttack
from crypsis.attacks.cover import CoverAttack, CoverResult
from crypsis.attacks.home_work import HomeWorkAttack
from crypsis.attacks.itemset import ItemsetAttack
from crypsis.attacks.linkage import LinkageAttack
from crypsis.attacks.location import LocationAttack
from crypsis.attacks.location_frequency import LocationFrequencyAttack
from crypsis.attacks.location_sequence import LocationSequenceAttack
from crypsis.attacks.privacy_audit import PrivacyAudit, audit_privacy
from crypsis.attacks.reidentification_attack import ReidentificationAttack
from crypsis.attacks.table_risk import TableRisk, table_risk
from crypsis.attacks.timed_visits import TimedVisitsAttack
from crypsis.attacks.unique_location import UniqueLocationAttack
from crypsis.errors import BadParameter, NotApplicable, did_you_mean

ATTACKS: dict[str, type[Attack]] = {
    attack.name: attack
    for attack in (
        ContainmentAttack,
        LocationSequenceAttack,
        LocationAttack,
        UniqueLocationAttack,
        LocationFrequencyAttack,
        HomeWorkAttack,
        ReidentificationAttack,
        TimedVisitsAttack,
        LinkageAttack,
        ItemsetAttack,
        CoverAttack,
    )
}

__all__ = [
    "ATTACKS",
    "Attack",
    "AttackResult",
    "ContainmentAttack",
    "CoverAttack",
    "CoverResult",
    "HomeWorkAttack",
    "ItemsetAttack",
    "LinkageAttack",
    "LocationAttack",
    "LocationFrequencyAttack",
    "LocationSequenceAttack",
    "PrivacyAudit",
    "ReidentificationAttack",
    "RiskAtSize",
    "TableRisk",
    "TimedVisitsAttack",
    "UniqueLocationAttack",
    "attack",
    "attack_named",
    "audit_privacy",
    "fitting_attacks",
    "table_risk",
]


def attack_named(name: str) -> type[Attack]:
    """The attack with this command-line name."""
    if name not in ATTACKS:
        raise BadParameter(
            f"There is no attack {name!r}; known are {', '.join(ATTACKS)}.{did_you_mean(name, ATTACKS)}",
            parameter="attack",
        )
    return ATTACKS[name]


def attack(published: Any, original: Any, adversary: Attack) -> Any:
    """Let an adversary who may know pieces of the original look for everybody in the published data."""
    return adversary.run(published, original)


def fitting_attacks(published: Any, original: Any) -> dict[str, type[Attack]]:
    """The adversaries that know pieces of such an original and look at data that are published so, by name."""
    fitting = {}
    for name, kind in ATTACKS.items():
        try:
            kind().check_applicable(published, original)
        except NotApplicable:
            continue
        fitting[name] = kind
    return fitting
