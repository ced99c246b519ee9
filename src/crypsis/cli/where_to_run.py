"""Options that say where work on parts of the data runs, for every command that works on parts."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from crypsis.errors import OptionWithoutEffect

if TYPE_CHECKING:
    from crypsis.executors.executor import Executor

_GROUP = "Work on parts"
ExecutorOption = Annotated[
    str | None,
    typer.Option(
        "--executor",
        help="Work on parts, not on all data at once: 'serial' (this process), 'dask' (a cluster on this machine), or "
        "the address of a scheduler (tls://host:8786).",
        rich_help_panel=_GROUP,
    ),
]
Workers = Annotated[
    int | None, typer.Option("--workers", help="With --executor dask: number of processes.", rich_help_panel=_GROUP)
]
Memory = Annotated[
    str | None, typer.Option("--memory", help="With --executor: memory per worker, e.g. 4GiB.", rich_help_panel=_GROUP)
]
ScratchOption = Annotated[
    Path | None,
    typer.Option(
        "--scratch",
        help="With --executor: folder for temporary files, which every worker can see.",
        rich_help_panel=_GROUP,
    ),
]
BlockRows = Annotated[
    int | None,
    typer.Option(
        "--block-rows", help="With --executor: records worked on at once (1,000,000).", rich_help_panel=_GROUP
    ),
]
TlsCa = Annotated[
    Path | None, typer.Option("--tls-ca", help="With tls://: certificate of the authority.", rich_help_panel=_GROUP)
]
TlsCert = Annotated[
    Path | None, typer.Option("--tls-cert", help="With tls://: your certificate.", rich_help_panel=_GROUP)
]
TlsKey = Annotated[
    Path | None, typer.Option("--tls-key", help="With tls://: your private key.", rich_help_panel=_GROUP)
]
Insecure = Annotated[
    bool,
    typer.Option(
        "--insecure", help="Allow tcp:// to another host: whoever connects there can run code.", rich_help_panel=_GROUP
    ),
]


@dataclass(frozen=True)
class WhereToRun:
    """What was typed about where to run."""

    executor: str | None = None
    workers: int | None = None
    memory: str | None = None
    scratch: Path | None = None
    block_rows: int | None = None
    tls_ca: Path | None = None
    tls_cert: Path | None = None
    tls_key: Path | None = None
    insecure: bool = False

    @classmethod
    def of(cls, command: Any) -> WhereToRun:
        """What was typed for the options of a command; those that it lacks were not."""
        typed: dict[str, Any] = {option.name: getattr(command, option.name, option.default) for option in fields(cls)}
        return cls(**typed)

    def refuse_without_parts(self) -> None:
        """Where data are read into memory these options say nothing."""
        given = [name for name, value in vars(self).items() if value not in (None, False)]
        if given:
            raise OptionWithoutEffect(
                f"--{given[0].replace('_', '-')} is for data in parts; name the executor (--executor serial).",
                parameter=given[0],
            )

    def start(self) -> Executor:
        """The executor; whoever starts it closes it."""
        from crypsis.executors.choice import chosen_executor
        from crypsis.executors.executor import DEFAULT_MEMORY

        security = {name: getattr(self, name) for name in ("tls_ca", "tls_cert", "tls_key", "insecure")}
        memory = self.memory or DEFAULT_MEMORY
        return chosen_executor(
            self.executor or "serial", workers=self.workers, memory=memory, scratch=self.scratch, **security
        )
