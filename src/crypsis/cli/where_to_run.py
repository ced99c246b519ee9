"""Options that say where work on parts of the data runs, for every command that works on parts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from crypsis.cli.command import Command
from crypsis.cli.output import note, progress
from crypsis.errors import OptionWithoutEffect
from crypsis.executors.choice import WhereToRun
from crypsis.parameters import parameters_of

if TYPE_CHECKING:
    from crypsis.executors.executor import Executor
    from crypsis.run_context import Listener

__all__ = ["InBlocks", "OnParts", "WhereToRun", "at_work", "refuse_without_parts", "started"]

_HELP = {parameter.name: parameter.help for parameter in parameters_of(WhereToRun)}


def _option(name: str) -> Any:
    return typer.Option(f"--{name.replace('_', '-')}", help=_HELP[name], rich_help_panel="Work on parts")


Memory = Annotated[str | None, _option("memory")]
TlsCa = Annotated[Path | None, _option("tls_ca")]
TlsCert = Annotated[Path | None, _option("tls_cert")]
TlsKey = Annotated[Path | None, _option("tls_key")]
Insecure = Annotated[bool, _option("insecure")]


@dataclass(frozen=True, kw_only=True)
class OnParts(Command):
    """A command that can work on parts of the data."""

    executor: Annotated[str | None, _option("executor")] = None
    workers: Annotated[int | None, _option("workers")] = None
    memory: Memory = None
    scratch: Annotated[Path | None, _option("scratch")] = None
    tls_ca: TlsCa = None
    tls_cert: TlsCert = None
    tls_key: TlsKey = None
    insecure: Insecure = False
    encrypt_scratch: Annotated[bool, _option("encrypt_scratch")] = False
    dashboard: Annotated[bool, _option("dashboard")] = False
    block_rows: Annotated[int | None, typer.Option("--block-rows", hidden=True)] = None

    def __post_init__(self) -> None:
        if self.block_rows is not None and not isinstance(self, InBlocks):
            raise OptionWithoutEffect(
                "--block-rows is how many records are anonymized at once; nothing is anonymized here, so leave it out.",
                parameter="block_rows",
            )
        super().__post_init__()


@dataclass(frozen=True, kw_only=True)
class InBlocks(OnParts):
    """A command that anonymizes the parts in blocks."""

    block_rows: Annotated[int | None, _option("block_rows")] = None


def started(where: WhereToRun) -> Executor:
    """The executor; whoever starts it closes it. Where its pages are served is said."""
    executor = where.start()
    if link := getattr(executor, "dashboard_link", None):
        note(f"dashboard {link}")
    return executor


@contextmanager
def at_work(where: WhereToRun) -> Iterator[tuple[Executor, Listener]]:
    """An executor that is closed afterwards, and the listener that shows how far it is."""
    executor = started(where)
    try:
        with progress() as listener:
            yield executor, listener
    finally:
        executor.close()


def refuse_without_parts(where: WhereToRun) -> None:
    """Where data are read into memory these options say nothing."""
    for name in where.given():
        raise OptionWithoutEffect(
            f"--{name.replace('_', '-')} is for data in parts; name the executor (--executor serial).", parameter=name
        )
