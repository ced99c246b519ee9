"""The table of commands. What a command does not need is not imported: each is named by the place of its function."""

from __future__ import annotations

from importlib import import_module
from typing import Annotated, Any

import typer

from crypsis.cli.command import with_named_options
from crypsis.cli.plain_values import take_plain_values
from crypsis.cli.settings import EVERY_COMMAND
from crypsis.version import VERSION

_CHOOSING = "choosing.ChoosingCommand"
_READING = "reading.ReadingCommand"
_COMMANDS: dict[str, tuple[str, str | None]] = {  # its function or class, and how its options are read
    "demo": ("demo.demo", None),
    "sample": ("sample.sample", None),
    "methods": ("methods.methods", None),
    "anonymize": ("anonymize.Anonymize", _CHOOSING),
    "verify": ("verify.Verify", _CHOOSING),
    "sign": ("keys.sign", None),
    "certificate": ("certificate.Certificate", None),
    "measure": ("measure.Measure", _READING),
    "attack": ("attack.AttackCommand", _CHOOSING),
    "reconstruct": ("reconstruct.reconstruct", None),
    "export": ("export.Export", None),
    "report": ("report.report", None),
    "plot": ("plot.Plot", _READING),
    "warmup": ("warmup.warmup", None),
    "serve": ("serve.serve", None),
    "scan": ("scan.Scan", _READING),
    "scheduler": ("cluster.Scheduler", None),
    "worker": ("cluster.Worker", None),
    "run": ("run.Run", _CHOOSING),
    "compare": ("compare.Compare", _READING),
    "show": ("show.show_results", None),
    "completion": ("completion.completion", None),
}
_GROUPS = {
    "data": "data.data_app",
    "hierarchy": "hierarchy.hierarchy_app",
    "policy": "policy.policy_app",
    "queries": "queries.queries_app",
    "query": "query.query_app",
    "ledger": "ledger.ledger_app",
    "keys": "keys.keys_app",
    "stream": "stream.stream_app",
    "warehouse": "warehouse.warehouse_app",
}


def commands(asked: str | None = None) -> typer.Typer:
    """The command or group that is asked for, alone; all of them where none is, or one that does not exist."""
    app = typer.Typer(
        name="crypsis",
        help="Publish data about people without publishing the people: anonymize, prove, measure, release.",
        epilog=EVERY_COMMAND + " Exit codes: 0 done and verified, 1 unexpected failure, 2 bad parameter or input, "
        "3 infeasible, 4 verification failed, 5 too large, 6 and 7 amber and red with --strict, 130 interrupted.",
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["--help", "-h"]},
    )
    app.callback()(crypsis)
    alone = asked in _COMMANDS or asked in _GROUPS
    for name, (place, options) in _COMMANDS.items():
        if not alone or name == asked:
            app.command(name, cls=None if options is None else _at(options), epilog=EVERY_COMMAND)(
                with_named_options(_at(place))
            )
    for name, place in _GROUPS.items():
        if not alone or name == asked:
            app.add_typer(_at(place), name=name)
    return app


def parser(asked: str | None = None) -> Any:
    """The commands as they are parsed."""
    take_plain_values()
    return typer.main.get_command(commands(asked))


def _at(place: str) -> Any:
    module, _, name = place.rpartition(".")
    return getattr(import_module(f"crypsis.cli.{module}"), name)


def _show_version(asked: bool) -> None:
    if asked:
        print(VERSION)
        raise typer.Exit


def crypsis(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit."),
    ] = False,
) -> None:
    """Publish data about people without publishing the people: anonymize, prove, measure, release."""
