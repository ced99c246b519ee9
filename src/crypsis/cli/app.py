"""The table of commands."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import typer

from crypsis.cli.anonymize import Anonymize
from crypsis.cli.attack import attack
from crypsis.cli.certificate import Certificate
from crypsis.cli.choosing import ChoosingCommand
from crypsis.cli.compare import Compare
from crypsis.cli.data import data_app
from crypsis.cli.demo import demo
from crypsis.cli.export import Export
from crypsis.cli.hierarchy import hierarchy_app
from crypsis.cli.keys import keys_app, sign
from crypsis.cli.ledger import ledger_app
from crypsis.cli.measure import Measure
from crypsis.cli.methods import methods
from crypsis.cli.plot import Plot
from crypsis.cli.policy import policy_app
from crypsis.cli.queries import queries_app
from crypsis.cli.query import query_app
from crypsis.cli.reading import ReadingCommand, ShapingCommand
from crypsis.cli.reconstruct import reconstruct
from crypsis.cli.report import report
from crypsis.cli.run import Run
from crypsis.cli.sample import sample
from crypsis.cli.serve import serve
from crypsis.cli.settings import EVERY_COMMAND
from crypsis.cli.show import show_results
from crypsis.cli.stream import stream_app
from crypsis.cli.stream_events import Convert, Generate
from crypsis.cli.verify import Verify
from crypsis.cli.warehouse import warehouse_app
from crypsis.cli.warmup import warmup
from crypsis.version import VERSION

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
_READING: dict[Any, type[ReadingCommand]] = {
    **dict.fromkeys((Anonymize, Verify, attack, Run), ChoosingCommand),
    **dict.fromkeys((Plot, Compare), ReadingCommand),
    Measure: ShapingCommand,
}
command: Callable[..., object]
for command in (
    demo,
    sample,
    methods,
    Anonymize,
    Verify,
    sign,
    Certificate,
    Measure,
    attack,
    reconstruct,
    Export,
    report,
    Plot,
    warmup,
    serve,
    Run,
    Compare,
):
    app.command(cls=_READING.get(command), epilog=EVERY_COMMAND)(command)
for command in (Generate, Convert):
    stream_app.command(epilog=EVERY_COMMAND)(command)
app.command("show", epilog=EVERY_COMMAND)(show_results)
app.add_typer(data_app, name="data")
app.add_typer(hierarchy_app, name="hierarchy")
app.add_typer(policy_app, name="policy")
app.add_typer(queries_app, name="queries")
app.add_typer(query_app, name="query")
app.add_typer(ledger_app, name="ledger")
app.add_typer(keys_app, name="keys")
app.add_typer(stream_app, name="stream")
app.add_typer(warehouse_app, name="warehouse")


def _show_version(asked: bool) -> None:
    if asked:
        print(VERSION)
        raise typer.Exit


@app.callback()
def crypsis(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit."),
    ] = False,
) -> None:
    """Publish data about people without publishing the people: anonymize, prove, measure, release."""
