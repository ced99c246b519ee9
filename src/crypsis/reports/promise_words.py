"""A sentence that names a promise, `k^m-anonymity (k=5, m=2, unit=owner)`, with its settings as people read them."""

from __future__ import annotations

import re
from functools import cache

from crypsis.guarantees import GUARANTEES
from crypsis.parameters import Parameter, parameters_of
from crypsis.reports.parameter_labels import label_of
from crypsis.translation import _, language, translated
from crypsis.translation.languages import ENGLISH


def promise_in_words(sentence: str) -> str:
    """`unit=owner` becomes `each owner, with all of theirs`; letters such as `k=5` stay."""
    declared = _worded()
    pattern = rf"\b({'|'.join(sorted(declared))})=([\w-]+)"
    return re.sub(pattern, lambda setting: _setting(declared[setting[1]], setting[2]), sentence)


def raised(sentence: str) -> str:
    """The exponents of models as raised letters, where text is all there is."""
    return re.sub(r"(?<=[a-z)])\^m\b", "\N{MODIFIER LETTER SMALL M}", sentence)


def _setting(parameters: list[Parameter], value: str) -> str:
    labels = {choice: label for parameter in parameters for choice, label in parameter.choice_labels.items()}
    words = {"True": _("yes"), "False": _("no")}.get(value) or translated(labels.get(value, value))
    if parameters[0].name == "unit":
        return words
    name = label_of(parameters[0])[0]
    return f"{name[:1].lower() if language() == ENGLISH else name[:1]}{name[1:]}: {words}"


@cache
def _worded() -> dict[str, list[Parameter]]:
    """The parameters of promises that have no letter; one of a name may have other choices in another promise."""
    named: dict[str, list[Parameter]] = {}
    for model in GUARANTEES.values():
        for parameter in parameters_of(model):
            if not parameter.symbol:
                named.setdefault(parameter.name, []).append(parameter)
    return named
