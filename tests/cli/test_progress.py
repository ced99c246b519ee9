"""What is shown of a run while it goes on."""

from __future__ import annotations

import pytest

from crypsis import compilation
from crypsis.cli import output
from crypsis.run_context import Progress


@pytest.mark.parametrize("shown", [output._Plain, output._Terminal])
def test_compiling_is_told_with_the_share_of_the_steps_that_are_done(shown, monkeypatch, capsys):
    monkeypatch.setattr(output, "PATIENCE", -1.0)
    monkeypatch.setattr(output, "PLAIN_EVERY", -1.0)
    monkeypatch.setattr(output, "TERMINAL_EVERY", -1.0)
    monkeypatch.setattr(output, "_Plain", shown)
    with output.progress(("prepare", "split")) as listen:
        listen(Progress("split", None, 0.0))
        compilation._tell_compiling()
        compilation._tell_compiling()
    told = capsys.readouterr().err
    assert "compiling,  20% of the steps done: split" in told
    assert told.count("compiling, first run only") == 1


def test_nothing_is_said_of_compiling_where_nothing_is_compiled(capsys):
    with output.progress(("prepare",)) as listen:
        listen(Progress("prepare", None, 0.0))
    assert capsys.readouterr().err == ""
    compilation._tell_compiling()  # nobody listens any more
    assert capsys.readouterr().err == ""
