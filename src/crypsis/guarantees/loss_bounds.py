"""Bounds on what a release of mixed data lost, as part of its promise: NCP of the table, UL of the items."""

from __future__ import annotations


def bounds_in_words(ncp: float | None, ul: float | None) -> str:
    """A sentence for each bound, with a blank in front; nothing where there is none."""
    told = ""
    if ncp is not None:
        told += f" The table lost at most {ncp:g} of its precision (NCP)."
    if ul is not None:
        told += f" The items lost at most {ul:g} of theirs (UL)."
    return told
