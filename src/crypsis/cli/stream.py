"""`crypsis stream run`: run a live stream from its configuration, with a view of what happens."""

from __future__ import annotations

import signal
import sys
import time
from collections import deque
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated, Any

import typer

from crypsis.cli.output import note, note_compilation, show
from crypsis.cli.settings import EVERY_COMMAND, SETTINGS
from crypsis.cli.stream_events import Convert, Generate

if TYPE_CHECKING:
    from rich.console import Console

    from crypsis.runtime import StreamConfiguration
    from crypsis.runtime.observation import Observation

stream_app = typer.Typer(help="Publish windows of a live stream of movements.", no_args_is_help=True)
_SHOWN = 12  # windows in the view
_EVERY = 0.25  # seconds between two pictures


@stream_app.command("run", epilog=EVERY_COMMAND)
def run(
    configuration: Annotated[Path, typer.Argument(help="Configuration, a TOML file.")],
    encrypt_state: Annotated[
        bool,
        typer.Option(
            "--encrypt-state", help="Encrypt checkpoints, spool and late events; needs state_key or CRYPSIS_STATE_KEY."
        ),
    ] = False,
    republish: Annotated[
        bool,
        typer.Option(
            "--republish", help="Publish again the windows that the sink has lost, as recorded in the journal."
        ),
    ] = False,
) -> None:
    """Run a stream to its end, or until it is stopped; started again, it goes on where it was."""
    from crypsis.runtime import StreamConfiguration

    read = StreamConfiguration.read(configuration)
    if encrypt_state:
        read = replace(read, run=replace(read.run, encrypt_state=True))
    summary = run_watched(read, republish=republish)
    show(summary, words_of(summary))


def run_watched(configuration: StreamConfiguration, *, republish: bool = False) -> dict[str, Any]:
    """Run with a view on standard error; Ctrl-C and SIGTERM stop it with its state kept."""
    from crypsis.runtime import StreamRun

    note_compilation()
    view = _view()
    running = StreamRun(configuration, view.update, republish=republish)

    def stop(number: int, frame: FrameType | None) -> None:
        running.stop()

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        return running.execute()
    finally:
        view.close()
        for number, handler in before.items():
            signal.signal(number, handler)


def words_of(summary: dict[str, Any]) -> str:
    """The end of a run in words."""
    events = ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in summary["events"].items())
    state = "the stream has ended" if summary["finished"] else "stopped; the next run goes on from here"
    return f"{summary['windows']:,} windows published: {summary['scope']}; {state}\nevents   {events or 'none'}"


def _view() -> _Silent:
    if SETTINGS.get().quiet:
        return _Silent()
    return LiveView() if sys.stderr.isatty() else _Plain()


class _Silent:
    """Nothing to see."""

    def update(self, observed: Observation) -> None:
        pass

    def close(self) -> None:
        pass


class _Plain(_Silent):
    """A line now and then, for log files."""

    def __init__(self) -> None:
        self.last = time.monotonic()
        self.trouble = ""

    def update(self, observed: Observation) -> None:
        if observed.trouble != self.trouble:  # at once: until it passes, nothing else happens
            note(f"waiting: {observed.trouble}" if observed.trouble else "going on")
            self.trouble = observed.trouble
        if observed.latest is not None and time.monotonic() - self.last > 5:
            self.last = time.monotonic()
            slide = observed.latest.slide
            note(
                f"window {slide.seq} [{slide.x}, {slide.y}]  {slide.active:,} people  {observed.distortion:.1%} "
                f"suppressed  {observed.rate:,.0f} events/s"
            )


class LiveView(_Silent):
    """A table of the last windows, drawn again and again."""

    def __init__(self, console: Console | None = None, every: float = _EVERY) -> None:
        from rich.console import Console
        from rich.live import Live

        self.rows: deque[tuple[str, ...]] = deque(maxlen=_SHOWN)
        self.last, self.every = 0.0, every
        self.live = Live(console=console or Console(stderr=True), auto_refresh=False, transient=False)
        self.live.start()

    def update(self, observed: Observation) -> None:
        if observed.latest is not None:
            slide = observed.latest.slide
            bar = "█" * round(20 * observed.distortion)
            self.rows.append(
                (
                    f"{slide.seq:,}",
                    f"{slide.x}–{slide.y}",
                    f"{slide.active:,}",
                    f"{len(observed.latest.window):,}",
                    f"{observed.distortion:6.1%} {bar:░<20}",
                    f"{1000 * observed.latest.seconds:,.0f} ms",
                    "✓" if observed.latest.verified else "–",
                )
            )
        if time.monotonic() - self.last > self.every:
            self.draw(observed)

    def draw(self, observed: Observation) -> None:
        from rich import box
        from rich.table import Table

        self.last = time.monotonic()
        title = f"{observed.rate:,.0f} events/s · lag {observed.lag} timestamps · queue {observed.queue_depth:,}"
        if observed.trouble:
            title += f"\n{observed.trouble}"
        table = Table(title=title, box=box.SIMPLE_HEAD, title_justify="left", pad_edge=False)
        for heading in ("window", "time", "people", "records", "suppressed", "took", "verified"):
            table.add_column(heading, justify="left" if heading == "suppressed" else "right")
        for row in self.rows:
            table.add_row(*row)
        self.live.update(table, refresh=True)

    def close(self) -> None:
        self.live.stop()


for command in (Generate, Convert):
    stream_app.command(epilog=EVERY_COMMAND)(command.own_options_first())
