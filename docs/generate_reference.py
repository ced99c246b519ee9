"""Write docs/reference/*.md from the code, so that no parameter, option, metric or error is described twice.

python docs/generate_reference.py
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from crypsis.errors import CrypsisError
from crypsis.guarantees import GUARANTEES
from crypsis.methods import METHODS
from crypsis.metrics import METRICS
from crypsis.parameters import Parameter, parameters_of

FOLDER = Path(__file__).parent / "reference"
COMMANDS = (
    "demo",
    "sample",
    "methods",
    "data inspect",
    "data risk",
    "anonymize",
    "verify",
    "measure",
    "attack",
    "report",
    "ledger show",
    "ledger charge",
    "ledger limit",
    "stream run",
    "warmup",
)
# Where the package is taken from the path, the commands must be those of the same tree.
_THIS_TREE = {name: os.environ[name] for name in ("PYTHONPATH",) if name in os.environ}
GENERATED = "<!-- Written by docs/generate_reference.py; change the code, not this page. -->\n\n"


def pages() -> dict[str, str]:
    """Every page of the reference by its file name."""
    return {
        "commands.md": _commands(),
        "methods.md": _methods(),
        "guarantees.md": _guarantees(),
        "metrics.md": _metrics(),
        "errors.md": _errors(),
    }


def _commands() -> str:
    text = "# Commands\n\nAs `--help` prints them.\n"
    for name in ("", *COMMANDS):
        words = ["crypsis", *name.split()]
        shown = subprocess.run(
            [sys.executable, "-m", *words, "--help"],
            capture_output=True,
            text=True,
            check=True,
            env={"COLUMNS": "100", "PATH": "", "PYTHONIOENCODING": "utf-8", **_THIS_TREE},
        ).stdout
        shown = "\n".join(line.rstrip() for line in shown.strip().splitlines())
        text += f"\n## {' '.join(words)}\n\n```text\n{shown.replace('python -m crypsis', 'crypsis')}\n```\n"
    return text


def _methods() -> str:
    text = "# Methods\n"
    for name, method in METHODS.items():
        described = method.describe()
        text += (
            f"\n## {method.__name__}\n\n`{name}` on the command line · takes {described['accepts']} · promises "
            f"{described['guarantee']}\n\n{described['summary']}\n\n- Protects from: {described['protects_from']}\n"
            f"- Choose it: {described['choose_when']}\n- It costs: {described['costs']}\n\n"
            f"{_parameter_table(parameters_of(method))}"
        )
    return text


def _guarantees() -> str:
    text = "# Guarantees\n"
    for model, guarantee in GUARANTEES.items():
        text += f"\n## {model}\n\n{(guarantee.__doc__ or '').strip().splitlines()[0]}\n\n{guarantee.protects_from}\n\n"
        text += _parameter_table(parameters_of(guarantee))
        text += "\nAssumed:\n\n" + "".join(f"- {line}\n" for line in guarantee.assumptions)
        text += "\nNot covered:\n\n" + "".join(f"- {line}\n" for line in guarantee.not_covered)
    return text


def _metrics() -> str:
    text = "# Metrics\n\nA `_loss` falls, a `_score` rises; other figures describe and have no direction.\n"
    for name, metric in METRICS.items():
        unasked = "" if metric.default else " Measured when asked for."
        text += f"\n## {name}\n\n{metric.summary()}{unasked}\n\n"
        text += "| figure | label | short name | unit | direction | meaning |\n|---|---|---|---|---|---|\n"
        for figure in metric.figures:
            short = f"`{figure.short_name}`" if figure.short_name else ""
            text += (
                f"| `{figure.name}` | {figure.title} | {short} | {figure.unit} | {figure.better} | {figure.meaning} |\n"
            )
    return text


def _errors() -> str:
    text = "# Errors\n\nEvery exception carries `.code`; the command line prints `code: message (where)`.\n\n"
    text += "| code | exception | exit code |\n|---|---|---|\n"
    for error in _all_errors(CrypsisError)[1:]:
        text += f"| `{error.code}` | `{error.__name__}` | {error.exit_code} |\n"
    return text


def _all_errors(kind: type[CrypsisError]) -> list[type[CrypsisError]]:
    return [kind, *(error for child in kind.__subclasses__() for error in _all_errors(child))]


def _parameter_table(parameters: tuple[Parameter, ...]) -> str:
    text = "| parameter | values | default | meaning |\n|---|---|---|---|\n"
    for parameter in parameters:
        default: Any = "required" if parameter.required else f"`{parameter.default}`"
        labels = [f"`{choice}`: {label}" for choice, label in parameter.choice_labels.items() if label != choice]
        text += f"| `{parameter.name}` | {'; '.join(labels) or parameter.describe()} | {default} | {parameter.help} |\n"
    return text


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, text in pages().items():
        (FOLDER / name).write_text(GENERATED + text, encoding="utf-8")
