"""A bounded share of the tampering campaign (`python -m tests.tampering`): always the same folders."""

from __future__ import annotations

from pathlib import Path

import pytest

from crypsis.methods import METHODS
from tests.tampering import attack_folders, write_bases


@pytest.mark.long
def test_whatever_is_done_to_a_folder_it_ends_in_a_verdict_or_in_our_errors(tmp_path: Path) -> None:
    bases = write_bases(tmp_path, list(METHODS.values()), examples=1)
    assert len({base.folder.name.rsplit("-", 2)[0] for base in bases}) == len(METHODS)
    outcome = attack_folders(bases, folders=400, seconds=45, seed=14)
    assert outcome.folders >= 50, outcome
    assert not outcome.failures, str(outcome)
