"""Attacks on published data from the pages and through REST: which adversaries fit, and what they find."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from crypsis.attacks import Attack, attack_named, fitting_attacks
from crypsis.errors import BadParameter, NotApplicable
from crypsis.parameters import parameters_of


def chosen_attack(name: str, params: Mapping[str, Any]) -> Attack:
    """An adversary with its parameters; values may be text, as typed."""
    kind = attack_named(name)
    known = {parameter.name: parameter for parameter in parameters_of(kind)}
    given = {}
    for option, value in params.items():
        if option not in known:
            raise BadParameter(
                f"The attack {name} has no parameter {str(option)[:40]!r}; it has {', '.join(known)}.",
                parameter=str(option)[:40],
            )
        given[option] = known[option].parse(value, name) if isinstance(value, str) else value
    return kind(**given)


@dataclass(frozen=True)
class AttackAnswer:
    """What an adversary finds; `people`: individuals are people, not records that are each taken to be one."""

    result: Any
    people: bool

    def to_dict(self) -> dict[str, Any]:
        """Aggregates only: the risk by what is known, and how many people there are."""
        return {
            **self.result.to_dict(),
            "curve": [point.to_dict() for point in self.result.curve],
            "people": self.people,
            "notes": list(self.notes),
        }

    @property
    def notes(self) -> Sequence[str]:
        """What the figures do not say by themselves."""
        return tuple(getattr(self.result, "notes", ()))


def attacked(name: str, params: Mapping[str, Any], published: Any, original: Any) -> AttackAnswer:
    """What an adversary finds in published data beside their original."""
    adversary = chosen_attack(name, params)
    if name not in fitting_attacks(published, original):
        fitting = ", ".join(fitting_attacks(published, original)) or "none"
        raise NotApplicable(f"The attack {name} does not fit these data; attacks that do: {fitting}.")
    result = adversary.run(published, original)
    people = result.parameters.get("unit") == "owner" or getattr(original, "person", None) is not None
    return AttackAnswer(result, people)
