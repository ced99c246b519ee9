"""Disassociated data that a command was given: a release folder, or the published file itself."""

from __future__ import annotations

from pathlib import Path

from crypsis.data.disassociated import DisassociatedTransactions
from crypsis.errors import NotApplicable


def disassociated_input(path: Path) -> DisassociatedTransactions:
    """The published data; any other kind of release is refused."""
    from crypsis._api import read_release
    from crypsis.data.formats.disassociated import read_disassociated

    if not path.is_dir():
        return read_disassociated(path)
    data = read_release(path).data
    if not isinstance(data, DisassociatedTransactions):
        raise NotApplicable(f"{path.name} holds {type(data).__name__}; this command reads disassociated releases.")
    return data
