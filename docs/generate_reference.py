"""Write docs/reference/*.md and the list of methods from the code, so that nothing is described twice.

python docs/generate_reference.py
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from crypsis.cli.app import parser
from crypsis.errors import CrypsisError
from crypsis.guarantees import GUARANTEES
from crypsis.methods import METHODS
from crypsis.methods.listing import write_listing
from crypsis.metrics import METRICS
from crypsis.parameters import Parameter, parameters_of

FOLDER = Path(__file__).parent / "reference"
HELP_WIDTH = 78
GENERATED = "<!-- Written by docs/generate_reference.py; change the code, not this page. -->\n\n"


def pages() -> dict[str, str]:
    """Every page of the reference by its file name."""
    return {
        "commands.md": _commands(),
        "methods.md": _methods(),
        "guarantees.md": _guarantees(),
        "metrics.md": _metrics(),
        "errors.md": _errors(),
        "parts.md": _parts(),
    }


def _commands() -> str:
    text = "# Commands\n\nAs `--help` prints them.\n"
    for path, help_text in _helps(parser(), "crypsis"):
        shown = "\n".join(line.rstrip() for line in help_text.strip().splitlines())
        text += f"\n## {path}\n\n```text\n{shown}\n```\n"
    return text


def _helps(command: Any, name: str, parent: Any = None) -> Iterator[tuple[str, str]]:
    """The help of a command and of all commands below it, in the order in which they are listed."""
    context = command.make_context(name, [], parent=parent, resilient_parsing=True, terminal_width=HELP_WIDTH)
    yield context.command_path, context.get_help()
    for below in command.list_commands(context) if hasattr(command, "list_commands") else ():
        yield from _helps(command.get_command(context, below), below, context)


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


def _parts() -> str:
    """Which method works on data in parts, and how."""
    rows = []
    for method in METHODS.values():
        mode, release = method.describe_on_parts()
        rows.append(f"| {method.__name__} | {method.accepts.__name__} | {mode} | {release} |")
    return (
        "# Methods on parts\n\n"
        "*exact*: the release that a single machine with enough memory would write. *blocks*: the union of releases of "
        "blocks, which depend on the data and on `block_rows` alone. *none*: refused. How to run them: "
        "[Data larger than memory](../guides/parts.md).\n\n"
        "| method | takes | on parts | the release of many records |\n|---|---|---|---|\n" + "\n".join(rows) + "\n"
    )


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
    text += "| code | exception | exit code | what is wrong |\n|---|---|---|---|\n"
    for error in _all_errors(CrypsisError)[1:]:
        text += (
            f"| `{error.code}` | `{error.__name__}` | {error.exit_code} | {(error.__doc__ or '').splitlines()[0]} |\n"
        )
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
    write_listing()
    for name, text in pages().items():
        (FOLDER / name).write_text(GENERATED + text, encoding="utf-8")
