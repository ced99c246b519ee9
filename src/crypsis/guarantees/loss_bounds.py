"""Bounds on what a release of mixed data lost, as part of its promise: NCP of the table, UL of the items."""

from __future__ import annotations

from typing import Annotated

from crypsis.parameters import Between

TableLossBound = Annotated[
    float | None, Between(0, 1), "Largest loss of the table, all quasi-identifiers alike; checked with the original."
]
ItemLossBound = Annotated[float | None, Between(0, 1), "Largest loss of the items that are not sensitive."]


def bounds_in_words(ncp: float | None, ul: float | None) -> str:
    """A sentence for each bound, with a blank in front; nothing where there is none."""
    told = ""
    if ncp is not None:
        told += f" The table lost at most {ncp:g} of its precision."
    if ul is not None:
        told += f" The items lost at most {ul:g} of theirs (UL)."
    return told


def table_loss_in_words(ncp: float | None) -> tuple[str, ...]:
    """What has to be measured against the original where the loss of the table is bounded."""
    return () if ncp is None else ("How much of its precision the table lost.",)
