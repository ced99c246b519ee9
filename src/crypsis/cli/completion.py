"""`crypsis completion`: what a shell offers at a press of Tab. The script that it prints asks the program itself."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import Annotated

import typer

from crypsis.errors import BadParameter, CrypsisError, did_you_mean

VARIABLE = "_CRYPSIS_COMPLETE"  # set by the shell that asks
SHELLS = ("bash", "zsh", "fish")
_TYPED = ("COMP_WORDS", "_TYPER_COMPLETE_ARGS")  # where the shell puts what was typed so far


def offer(choices: Iterable[str]) -> Callable[[], list[str]]:
    """What offers these choices as values of an option."""
    return lambda: list(choices)


def offer_methods() -> list[tuple[str, str]]:
    """Methods with what they do."""
    from crypsis.methods.listing import listing

    return [(name, line[-1]) for name, line in listing().items()]


def offer_attacks() -> list[str]:
    """List the names of attacks."""

    from crypsis.attacks import ATTACKS

    return list(ATTACKS)


def offer_guarantees() -> list[str]:
    """List the names of guarantees."""

    from crypsis.guarantees import GUARANTEES

    return list(GUARANTEES)


def offer_metrics() -> list[str]:
    """List the names of metrics."""

    from crypsis.metrics import METRICS

    return list(METRICS)


def completion(
    shell: Annotated[str, typer.Argument(help="bash, zsh or fish.", autocompletion=offer(SHELLS))],
) -> None:
    """Print the script that lets a shell complete commands, options, methods and choices.

    bash: add `eval "$(crypsis completion bash)"` to ~/.bashrc. zsh: the same with zsh in ~/.zshrc, after compinit.
    fish: `crypsis completion fish > ~/.config/fish/completions/crypsis.fish`.
    """
    from typer._completion_shared import get_completion_script

    if shell not in SHELLS:
        raise BadParameter(f"Shells are {', '.join(SHELLS)}, got {shell!r}.{did_you_mean(shell, SHELLS)}")
    print(get_completion_script(prog_name="crypsis", complete_var=VARIABLE, shell=shell))


def asked_by_shell() -> bool:
    """Whether a shell wants to know how to go on, and nothing is to be done."""
    return bool(os.environ.get(VARIABLE))


def answer_shell() -> int:
    """Print what could be typed next; nothing where what was typed is wrong, so that it stays readable."""
    from typer._completion_classes import completion_init
    from typer.completion import shell_complete

    from crypsis.cli.app import parser

    completion_init()
    try:
        return int(shell_complete(parser(_command_typed()), {}, "crypsis", VARIABLE, os.environ[VARIABLE]))
    except CrypsisError:
        return 0


def _command_typed() -> str | None:
    """The command that was typed in full, to load it alone."""
    typed = next((os.environ[name] for name in _TYPED if name in os.environ), "")
    words = typed.split()
    return words[1] if len(words) > 2 or (len(words) == 2 and typed[-1:].isspace()) else None
