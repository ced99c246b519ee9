"""Disassociated data that a command was given: a release folder, or the published file itself."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from crypsis.errors import NotApplicable

if TYPE_CHECKING:
    from crypsis.data.disassociated import DisassociatedTransactions
    from crypsis.guarantees import DisassociationAnonymity


def disassociated_input(path: Path) -> DisassociatedTransactions:
    """The published data; any other kind of release is refused."""
    from crypsis._api import read_release
    from crypsis.data.disassociated import DisassociatedTransactions
    from crypsis.publication.disassociated import DisassociatedKind

    if not path.is_dir():
        return DisassociatedKind().read_file(path)
    data = read_release(path).data
    if not isinstance(data, DisassociatedTransactions):
        raise NotApplicable(f"{path.name} holds {type(data).__name__}; this command reads disassociated releases.")
    return data


def own_promise(data: DisassociatedTransactions) -> DisassociationAnonymity:
    """What disassociated data promise by themselves: they carry k and m."""
    from crypsis.guarantees import DisassociationAnonymity

    return DisassociationAnonymity(k=data.k, m=data.m)


def is_disassociated_file(path: Path) -> bool:
    """Whether a file is the canonical JSON of disassociated data."""
    from crypsis.strict_json import read_json

    if path.suffix != ".json" or not path.is_file():
        return False
    try:
        content = read_json(path)
    except (ValueError, OSError):
        return False
    return isinstance(content, dict) and "nodes" in content
