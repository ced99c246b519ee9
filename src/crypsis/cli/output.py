"""Showing: results on standard output, progress on standard error once a run takes longer than two seconds."""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal

from crypsis.cli.printing import printable, takes_every_character
from crypsis.cli.settings import SETTINGS
from crypsis.run_context import Listener, Progress, StagesDone

if TYPE_CHECKING:
    from crypsis.guarantees import Verdict
    from crypsis.review import Review

PATIENCE = 2.0  # seconds before progress is shown
UNBROKEN = 10  # characters of a word that stay on one line
TERMINAL_EVERY = 0.1  # seconds between two states of a line that is rewritten
PLAIN_EVERY = 5.0  # seconds between two plain lines where there is no terminal
_COMPILING = "compiling, first run only (up to half a minute for each method; `crypsis warmup` does it ahead of time)"


def show(content: Mapping[str, Any], words: str) -> None:
    """One result: JSON when asked for, else words."""
    print(json_text(content) if SETTINGS.get().json else printable(words))


def json_text(content: Any) -> str:
    """JSON for standard output, with escapes where its encoding needs them."""
    return json.dumps(content, ensure_ascii=not takes_every_character(), default=str)


def show_table(headings: Sequence[str], rows: Sequence[Sequence[object]], title: str = "") -> None:
    """A table for people; columns of numbers are right-aligned."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(title=title or None, box=box.SIMPLE_HEAD, title_justify="left", pad_edge=False)
    for index, heading in enumerate(headings):
        numeric = bool(rows) and all(isinstance(row[index], (int, float)) for row in rows)
        side: Literal["left", "right"] = "right" if numeric else "left"
        words = [word for text in (heading, *(row[index] for row in rows)) for word in shown_value(text).split()]
        widest = min(max(map(len, words), default=0), UNBROKEN)
        table.add_column(Text(printable(heading)), justify=side, overflow="fold", min_width=widest)
    for row in rows:
        table.add_row(*(Text(printable(shown_value(value))) for value in row))
    Console(width=None if sys.stdout.isatty() else 110, highlight=False).print(table)


def by_direction(
    figures: Mapping[str, Any], direction: Callable[[str], str] | None = None
) -> dict[str, dict[str, Any]]:
    """Figures in groups: those that should be low, those that should be high, and those that only describe."""
    from crypsis.metrics.figure import HIGHER, LOWER, NEITHER, direction_of

    groups: dict[str, dict[str, Any]] = {LOWER: {}, HIGHER: {}, NEITHER: {}}
    for name, value in figures.items():
        groups[(direction or direction_of)(name)][name] = value
    return {words or "for information": group for words, group in groups.items() if group}


def figure_lines(figures: Mapping[str, Any]) -> list[str]:
    """Figures as indented lines, each group below its direction."""
    lines = []
    for direction, group in by_direction(figures).items():
        lines.append(f"  {direction}")
        lines += [f"    {name.replace('_', ' '):<38}{shown_value(value)}" for name, value in group.items()]
    return lines


def shown_value(value: object) -> str:
    """A figure as people read it."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.4g}" if abs(value) < 10_000 else f"{value:,.0f}"
    return str(value)


def verdict_words(verdict: Verdict) -> str:
    """The verdict with a sign that is not only colour."""
    return f"{'✓ verified' if verdict.holds else '✗ NOT SAFE'}: {verdict}"


def review_words(review: Review) -> str:
    """The three lights, each finding on a line with a sign that is not only colour, and what would mend it below."""
    lines = []
    for name, light in review.lights():
        lines.append(f"{_SIGNS[str(light.colour)]} {name:<11} {light.colour}")
        if not light.findings:
            lines.append("    nothing was found")
        for finding in light.findings:
            lines.append(f"    {finding.colour}: {finding.sentence}")
            remedy = finding.remedy
            if remedy is not None and str(finding.colour) != "green":
                option = "" if remedy.option is None else f" ({remedy.option})"
                lines.append(f"        remedy: {remedy.words}{option}")
    return "\n".join(lines)


_SIGNS = {"green": "✓", "amber": "!", "red": "✗"}


def note(words: str) -> None:
    """A remark on standard error."""
    if not SETTINGS.get().quiet:
        print(printable(words), file=sys.stderr, flush=True)


@contextmanager
def progress(stages: Sequence[str] = ()) -> Iterator[Listener]:
    """A listener that shows stage, share done and remaining time, only on runs that take a while.

    While kernels are compiled it says so, with the share of the `stages` that are done.
    """
    if SETTINGS.get().quiet:
        yield lambda message: None
        return
    from crypsis.compilation import when_compiling

    shown = _Terminal(stages) if sys.stderr.isatty() else _Plain(stages)
    try:
        with when_compiling(shown.hear_compiling):
            yield shown.listen
    finally:
        shown.close()


def note_compilation() -> None:
    """Say so once, when the kernels have to be compiled first."""
    from crypsis.compilation import compiled_before

    if not compiled_before():
        note(_COMPILING)


class _Shown:
    """What is shown of a run. A kernel that is compiled keeps its stage from telling how far it is."""

    def __init__(self, stages: Sequence[str]) -> None:
        self.started = self.last = time.perf_counter()
        self.done, self.stage, self.noted = StagesDone(stages), "", False
        self.compiling = threading.Lock()

    def listen(self, message: Progress) -> None:
        self.stage = message.stage
        self.done.begin(message.stage)
        self.show(_words(message))

    def hear_compiling(self) -> None:
        """Called by whatever thread needs the kernel."""
        with self.compiling:
            if not self.noted:
                self.noted = True
                self.close()  # the line that is rewritten
                note(_COMPILING)
            self.show(f"compiling, {self.done.share:4.0%} of the steps done: {self.stage or 'start'} …")

    def show(self, words: str) -> None:
        raise NotImplementedError

    def close(self) -> None:
        pass


class _Plain(_Shown):
    """Lines for log files."""

    def show(self, words: str) -> None:
        now = time.perf_counter()
        if now - self.started > PATIENCE and now - self.last > PLAIN_EVERY:
            self.last = now
            note(words)


class _Terminal(_Shown):
    """One line that is rewritten."""

    def __init__(self, stages: Sequence[str]) -> None:
        super().__init__(stages)
        self.last, self.written = 0.0, False

    def show(self, words: str) -> None:
        now = time.perf_counter()
        if now - self.started > PATIENCE and now - self.last > TERMINAL_EVERY:
            self.last, self.written = now, True
            print(f"\r\x1b[2K{words}", end="", file=sys.stderr, flush=True)

    def close(self) -> None:
        if self.written:
            self.written = False
            print("\r\x1b[2K", end="", file=sys.stderr, flush=True)


def _words(message: Progress) -> str:
    if not message.share:
        return f"{message.stage} …"
    left = message.elapsed * (1 - message.share) / message.share
    bar = "█" * round(20 * message.share)
    return f"{message.stage:<16} {bar:░<20} {message.share:4.0%}  {left:,.0f} s left"
