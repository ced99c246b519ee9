"""Which methods can be run on data, and what stands against the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from crypsis.errors import CrypsisError, PersonNotSupported, PersonUndecided
from crypsis.evaluate.dataset import can_show, view_of
from crypsis.methods import METHODS
from crypsis.parameters import parameters_of

NO_COORDINATES = "its locations have no coordinates; give a location table (locations)"
NO_SENSITIVE = "no location is sensitive; name some (sensitive)"


def why_not(method: str, data: Any) -> str | None:
    """Why a method cannot be run on these data, in words; None where it can."""
    kind = METHODS[method]
    if not can_show(type(data), kind.accepts):
        return f"it needs {kind.accepts.description}; this dataset contains {data.description}"
    locations = getattr(data, "locations", None)
    if locations is not None and "coordinates" in kind.needs and not getattr(locations, "has_coordinates", True):
        return NO_COORDINATES
    marked = getattr(locations, "sensitive", None)
    if "sensitive locations" in kind.needs and (marked is None or not marked.any()):
        return NO_SENSITIVE
    try:
        kind.check_people(data)
    except PersonUndecided:
        return None  # a question about the data, not about the method
    except PersonNotSupported as error:
        return error.message
    return None


def domain_parameters(method: str) -> list[str]:
    """The parameters that declare what is public, whoever is in the data; none for a method that needs none."""
    kind = METHODS[method]
    if "declared domains" not in kind.needs:
        return []
    return [
        parameter.name
        for parameter in parameters_of(kind)
        if parameter.name == "domains" or parameter.name.endswith("_domain")
    ]


def declares_domains(method: str, params: Mapping[str, Any]) -> bool:
    """Whether a run says something about each kind of domain that a method cannot do without."""
    needed = domain_parameters(method)
    return not needed or any(name in params for name in needed)


def applicable_methods(data: Any, columns: Sequence[str] = ()) -> list[str]:
    """Every method that can be run on these data, in the order of the registry."""
    reasons = []
    for name, method in METHODS.items():
        if why_not(name, data) is not None:
            continue
        if columns:
            try:
                view_of(data, method.accepts, columns)
            except CrypsisError:
                continue
        reasons.append(name)
    return reasons
