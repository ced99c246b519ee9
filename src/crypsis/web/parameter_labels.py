"""The label of a field, from the help of its parameter."""

from __future__ import annotations

import re

from crypsis.parameters import Parameter

CONDITION = re.compile(r"(For|With|Without) ")


def label_of(parameter: Parameter) -> tuple[str, str]:
    """The help of a parameter as a label and what is left of it; a condition alone (`For cluster:`) is no label."""
    parts = re.split(r"(?<=[^.])(: |; |\. )", parameter.help.removesuffix("."))
    taken = 3 if len(parts) > 1 and (len(parts[0].split()) < 3 or CONDITION.match(parts[0])) else 1
    label, rest = "".join(parts[:taken]), "".join(parts[taken + 1 :])
    return label[:1].upper() + label[1:], f"{rest[:1].upper()}{rest[1:]}." if rest else ""
