"""What the user has set about threads of linear algebra is kept."""

from __future__ import annotations

import os

import pytest

from crypsis.cli.idle_threads import let_idle_threads_sleep


@pytest.mark.parametrize(("given", "kept"), [(None, "4"), ("20", "20")])
def test_idle_threads_sleep_unless_told_otherwise(
    monkeypatch: pytest.MonkeyPatch, given: str | None, kept: str
) -> None:
    monkeypatch.delenv("OPENBLAS_THREAD_TIMEOUT", raising=False)
    if given is not None:
        monkeypatch.setenv("OPENBLAS_THREAD_TIMEOUT", given)
    let_idle_threads_sleep()
    assert os.environ["OPENBLAS_THREAD_TIMEOUT"] == kept
    monkeypatch.setenv("OPENBLAS_THREAD_TIMEOUT", kept)  # so that it is taken back
