"""Streams that run on the page: a dataset of events, replayed and published window by window, each verified first.

A stream is a folder of the workspace with its events, its configuration and its state, the same that `crypsis stream`
takes; one that was stopped, or whose server was killed, goes on where it was.
"""

from __future__ import annotations

import threading
import time
import tomllib
from collections import deque
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypedDict

import numpy as np
import polars as pl

from crypsis.data.stream import Events
from crypsis.errors import BadConfiguration, BadParameter, CrypsisError, NoSuchEntry, NotApplicable, StateInUse
from crypsis.evaluate.toml import toml_text
from crypsis.methods.stream.sliding_window import ALIVE, Slide
from crypsis.runtime import StreamConfiguration, StreamRun
from crypsis.runtime.observation import Observation
from crypsis.runtime.run import in_use
from crypsis.translation import marked
from crypsis.web.datasets import Datasets
from crypsis.web.telling import error_words
from crypsis.web.workspace import Entry, Workspace

KIND = "streams"
WINDOWS = "windows.ndjson"
_HISTORY = 240  # windows that the curves show
_LOOK = 0.4  # seconds between two looks into a published window


WindowFigures = TypedDict(
    "WindowFigures",
    {"window": int, "from": int, "to": int, "people": int, "suppressed_share": float, "lag": int, "seconds": float},
)  # of a window that was decided


@dataclass(eq=False)
class LiveStream:
    """What can be seen of a stream while it runs. Counts of published rows, never who."""

    number: str
    run: StreamRun
    thread: threading.Thread | None = None
    windows: deque[WindowFigures] = field(default_factory=lambda: deque(maxlen=_HISTORY))
    places: dict[str, int] = field(default_factory=dict)
    suppressed: dict[str, int] = field(default_factory=dict)
    summary: dict[str, Any] | None = None
    error: str | None = None
    code: str | None = None  # of the error
    _looked: float = 0.0

    @property
    def running(self) -> bool:
        return self.thread is not None and self.thread.is_alive()

    def to_dict(self) -> dict[str, Any]:
        seen = self.run.observed
        return {
            "id": self.number,
            "running": self.running,
            "windows": seen.windows,
            "people": seen.people,
            "published_doublets": seen.alive,
            "suppressed_doublets": seen.suppressed,
            "suppressed_share": seen.distortion,
            "lag": seen.lag,
            "rate": seen.rate,
            "verified_up_to": seen.last_verified,
            "events": dict(seen.events),
            "history": list(self.windows),
            "places": self.places,
            "suppressed_places": self.suppressed,
            "summary": self.summary,
            "error": self.error,
            "code": self.code,
        }

    def listen(self, seen: Observation) -> None:
        decided = seen.latest
        if decided is None:
            return
        slide = decided.slide
        instances = max(1, slide.instances)
        self.windows.append(
            {
                "window": slide.seq,
                "from": slide.x,
                "to": slide.y,
                "people": slide.active,
                "suppressed_share": slide.suppressed_instances / instances,
                "lag": seen.lag,
                "seconds": decided.seconds,
            }
        )
        now = time.monotonic()
        if now - self._looked > _LOOK:
            self._looked = now
            self._look(slide)

    def _look(self, slide: Slide) -> None:
        """Visits of the window by location: how many are published, how many held back."""
        labels = list(self.run.engine.intake.places)
        here = slide.in_window
        visits, place, alive = slide.raw[here], slide.place[here], slide.status[here] == ALIVE
        published = np.bincount(place[alive], visits[alive], len(labels)).astype(int).tolist()
        held = np.bincount(place[~alive], visits[~alive], len(labels)).astype(int).tolist()
        self.places = {label: count for label, count in zip(labels, published, strict=True) if count}
        self.suppressed = {label: count for label, count in zip(labels, held, strict=True) if count}

    def work(self) -> None:
        try:
            self.summary = self.run.execute()
            if self.run.observed.latest is not None:
                self._look(self.run.observed.latest.slide)
        except CrypsisError as error:
            self.error, self.code = error_words(error), error.code
        except Exception as error:
            self.error = marked(f"{type(error).__name__}: the stream ended unexpectedly; this is a bug.")


class LiveStreams:
    """The streams of a workspace and those that run."""

    def __init__(self, workspace: Workspace, datasets: Datasets) -> None:
        self.workspace, self.datasets = workspace, datasets
        self._live: dict[str, LiveStream] = {}
        self._lock = threading.Lock()

    def entries(self) -> list[Entry]:
        """All streams, the newest first."""
        return self.workspace.entries(KIND)

    def create(
        self, dataset: str, *, L: int = 2, K: int = 20, C: float = 1.0, N: int = 7, rate: float = 5000.0
    ) -> Entry:
        """A stream that replays a dataset of events."""
        entry = self.datasets.entry(dataset)
        data = self.datasets.load(dataset)
        if not isinstance(data, Events):
            raise NotApplicable(f"A stream is made of events; these data are {type(data).__name__}.")
        if not rate > 0:
            raise BadParameter("The rate must be above 0 events a second.", parameter="rate")
        privacy: dict[str, Any] = {"L": L, "K": K, "C": str(C), "N": N}
        content = _tables(privacy, float(rate))
        StreamConfiguration.from_tables(content)  # refuses what is out of range before anything is written
        events = _event_table(self.datasets, dataset, entry)

        def fill(folder: Path) -> None:
            events.write_csv(folder / "events.csv")
            (folder / "stream.toml").write_text(toml_text(content), encoding="utf-8")

        return self.workspace.create(KIND, entry.name, {"dataset": dataset, **privacy, "rate": rate}, fill)

    def text(self, number: str) -> str:
        """The file with which `crypsis stream` does the same; its paths hold everywhere on this machine."""
        entry = self.workspace.entry(KIND, number)
        privacy = {name: entry.content[name] for name in ("L", "K", "C", "N")}
        return toml_text(_tables(privacy, float(entry.content["rate"]), entry.folder))

    def take_text(self, number: str, text: str) -> Entry:
        """The stream with the promise and the rate of a file, from the beginning; its data and its places stay."""
        entry = self.workspace.entry(KIND, number)
        try:
            content = tomllib.loads(text)
        except (ValueError, RecursionError) as error:
            raise BadConfiguration(f"The file is no TOML: {error}.") from error
        StreamConfiguration.from_tables(content)
        privacy, source = dict(content.get("privacy") or {}), dict(content.get("source") or {})
        rate = source.get("rate", entry.content["rate"])
        settings = {name: privacy[name] for name in ("L", "K", "C", "N") if name in privacy}
        own = tomllib.loads(self.text(number))
        wanted = {**own, "privacy": own["privacy"] | settings, "source": own["source"] | {"rate": rate}}
        if content != {**wanted, "privacy": privacy, "source": source}:
            raise BadConfiguration("Here only L, K, C, N and the rate can be changed; run other streams with the file.")
        given = {**own["privacy"], **settings}
        made = self.create(
            entry.content["dataset"],
            L=given["L"],
            K=given["K"],
            C=float(given["C"]),
            N=given["N"],
            rate=float(rate),
        )
        self.remove(number)
        return made

    def begin(self, number: str, *, republish: bool = False) -> LiveStream:
        """Start, or go on where it was stopped; with `republish` windows that the file has lost are written again."""
        entry = self.workspace.entry(KIND, number)
        with self._lock:
            known = self._live.get(number)
            if known is not None and known.running:
                raise StateInUse("This stream is running already.")
            configuration = StreamConfiguration.read(entry.folder / "stream.toml")
            live = LiveStream(number, StreamRun(configuration, republish=republish))
            if known is not None:
                live.windows, live.places, live.suppressed = known.windows, known.places, known.suppressed
            live.run.listener = live.listen
            live.thread = threading.Thread(target=live.work, name=f"stream-{number}", daemon=True)
            self._live[number] = live
            live.thread.start()
        return live

    def live(self, number: str) -> LiveStream | None:
        """What can be seen of a stream; None where it has not been started since the server was."""
        return self._live.get(number)

    def get(self, number: str) -> LiveStream:
        live = self._live.get(number)
        if live is None:
            self.workspace.entry(KIND, number)
            raise NoSuchEntry("This stream has not been started since the server was.")
        return live

    def windows_file(self, number: str) -> Path:
        """Where the published windows lie."""
        file = self.workspace.entry(KIND, number).folder / WINDOWS
        if not file.is_file():
            raise NoSuchEntry("Nothing was published yet; start the stream.")
        return file

    def stop(self, number: str) -> LiveStream:
        live = self.get(number)
        live.run.stop()
        if live.thread is not None:
            live.thread.join(10)
        return live

    def remove(self, number: str) -> None:
        """Stop a stream and remove it with its windows."""
        if number in self._live:
            self.stop(number)
            del self._live[number]
        state = self.workspace.folder / KIND / number / "state"
        with in_use(state) if state.is_dir() else nullcontext():  # another server would write it again
            self.workspace.remove(KIND, number)

    def close(self) -> None:
        for live in list(self._live.values()):
            live.run.stop()
        for live in list(self._live.values()):
            if live.thread is not None:
                live.thread.join(5)


def _tables(privacy: Mapping[str, Any], rate: float, folder: Path | None = None) -> dict[str, Any]:
    """The tables of a stream's file, with paths in this folder."""

    def place(name: str) -> str:
        return name if folder is None else str(folder / name)

    return {
        "privacy": dict(privacy),
        "source": {"kind": "replay", "path": place("events.csv"), "rate": rate},
        "sink": {"kind": "ndjson", "path": place(WINDOWS)},
        "run": {"state": place("state")},
    }


def _event_table(datasets: Datasets, number: str, entry: Entry) -> pl.DataFrame:
    """The events as a live source gives them: id, loc, t, and sensitive values where the dataset names some."""
    frame = datasets.grid(number).frame
    section = entry.content["section"]
    names = {section.get("id", "id"): "id", section.get("location", "location"): "loc", section.get("t", "t"): "t"}
    sensitive = section.get("sensitive")
    column = sensitive[0] if isinstance(sensitive, list) and sensitive else sensitive
    if isinstance(column, str) and column in frame.columns:
        names[column] = "sa"
    chosen = frame.select([pl.col(old).alias(new) for old, new in names.items()])
    return chosen.with_columns(pl.col("t").cast(pl.Int64)).sort("t", maintain_order=True)
