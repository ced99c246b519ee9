"""A press of Tab, in each shell itself: what the printed script offers."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from crypsis.cli.completion import SHELLS
from tests.cli.conftest import Run

PRESS_TAB = {  # runs the printed script, then asks for the words that follow; each prints one offer a line
    "bash": 'eval "$(crypsis completion bash)"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); '
    '_crypsis_completion crypsis; printf "%s\\n" "${COMPREPLY[@]}"',
    "zsh": 'compdef() {}; _arguments() { print -r -- "$1" }; _files() { print files }; '
    'eval "$(crypsis completion zsh)"; words=("$@"); CURRENT=$#; _crypsis_completion',
    "fish": "crypsis completion fish | source; complete --do-complete (string join -- ' ' $argv)",
}


def press_tab(shell: str, folder: Path, *typed: str) -> str:
    """What a shell offers behind the words that were typed; the last may be a part of one."""
    path = shutil.which(shell)
    assert path is not None
    program = folder / "crypsis"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m crypsis "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    bare = {"bash": ("--norc",), "zsh": ("-f",), "fish": ("--no-config",)}[shell]
    behind = () if shell == "fish" else (shell,)  # the name of the script
    done = subprocess.run(
        [path, *bare, "-c", PRESS_TAB[shell], *behind, "crypsis", *typed],
        env={**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}", "HOME": str(folder)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert "Traceback" not in done.stderr
    return done.stdout


@pytest.mark.long
@pytest.mark.parametrize(
    "shell", [shell for shell in SHELLS if shutil.which(shell)]
)  # .ci/system-packages names others
def test_a_shell_offers_commands_methods_and_their_parameters(shell: str, tmp_path: Path) -> None:
    commands = press_tab(shell, tmp_path, "anon")
    assert "anonymize" in commands
    assert "measure" not in commands
    methods = press_tab(shell, tmp_path, "anonymize", "data.csv", "--method", "mon")
    assert "mondrian" in methods
    assert "seq-anon" not in methods
    assert "--diversity" in press_tab(shell, tmp_path, "anonymize", "--method", "mondrian", "--div")


def offered(run: Run, monkeypatch: pytest.MonkeyPatch, typed: str) -> list[str]:
    monkeypatch.setenv("_CRYPSIS_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", typed)
    monkeypatch.setenv("COMP_CWORD", str(len(typed.split(" ")) - 1))
    done = run()
    assert (done.code, done.err) == (0, "")
    return done.out.split()


def test_a_command_of_a_group_is_offered_and_no_other(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    assert offered(run, monkeypatch, "crypsis data insp") == ["inspect"]
    assert {"query", "queries"} <= set(offered(run, monkeypatch, "crypsis quer"))


def test_choices_of_parameters_are_offered(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    assert offered(run, monkeypatch, "crypsis anonymize --method mondrian --categories h") == ["halves"]
    assert "linkage" in offered(run, monkeypatch, "crypsis attack release --attack l")
    assert "k-anonymity" in offered(run, monkeypatch, "crypsis verify release --model k-")


def test_what_was_typed_wrongly_is_passed_over_in_silence(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    assert offered(run, monkeypatch, "crypsis anonymize --method modnrian -") == []


def test_a_shell_that_is_not_known_is_refused(run: Run) -> None:
    done = run("completion", "zhs")
    assert done.code == 2
    assert "Did you mean 'zsh'?" in done.err
