"""Warehouses of the workspace: configurations by path, builds that run beside the server, questions to the active one.

A build is a process of its own, the same as `crypsis warehouse build`: it can be ended at any moment, the server stays
quick meanwhile, and the active warehouse is switched only when the build is complete.
"""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import threading
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import IO, Any

from crypsis.errors import BadWarehouse, CrypsisError, MissingFile, StateInUse
from crypsis.translation import marked
from crypsis.warehouse import Warehouse
from crypsis.warehouse.cards import Card
from crypsis.warehouse.configuration import Configuration
from crypsis.web.datasets import Datasets
from crypsis.web.workspace import Entry, Workspace

KIND = "warehouses"
_SECONDS = 10.0  # for the answer to a question
_MOST_ROWS = 500
_NOTES_KEPT = 50


@dataclass(frozen=True)
class BuildState:
    """How far a build has come, or how the last one ended."""

    running: bool = False
    stages: tuple[str, ...] = ()
    error: str | None = None
    cancelled: bool = False

    def to_dict(self) -> dict[str, Any]:
        """The machine-readable form."""
        return {**asdict(self), "stages": list(self.stages)}


@dataclass(frozen=True)
class ShownWarehouse:
    """A warehouse: its configuration, the report of the active build, and of a later one that failed."""

    entry: Entry
    configuration: Configuration
    report: Mapping[str, Any] | None
    rejected: Mapping[str, Any] | None
    building: BuildState

    @property
    def active(self) -> bool:
        return self.report is not None

    def to_dict(self) -> dict[str, Any]:
        """The machine-readable form."""
        sources = self.configuration.sources
        return {
            "id": self.entry.number,
            "name": self.entry.name,
            "path": self.entry.content["path"],
            "title": self.configuration.title,
            "sources": [{"id": source.id, "kind": source.kind, "title": source.title} for source in sources],
            "active": self.active,
            "report": self.report,
            "rejected": self.rejected,
            "building": self.building.to_dict(),
        }


@dataclass(frozen=True)
class TableOfAnswers:
    """The answer to a question in SPARQL."""

    columns: list[str]
    rows: list[list[Any]]


@dataclass(frozen=True)
class WaitingPair:
    """Two entities that may be one, by which rule."""

    left: str
    right: str
    rule: str
    status: str


@dataclass(eq=False)
class Building:
    """A build under way, or how the last one ended."""

    process: subprocess.Popen[str]
    stages: list[str] = field(default_factory=list)
    error: str | None = None
    cancelled: bool = False

    @property
    def running(self) -> bool:
        return self.process.poll() is None

    @property
    def state(self) -> BuildState:
        return BuildState(self.running, tuple(self.stages), self.error, self.cancelled)

    def watch(self) -> None:
        """Note the stages as they come, and at the end what went wrong."""
        notes = threading.Thread(target=self._listen, args=(self.process.stderr,), daemon=True)
        notes.start()
        assert self.process.stdout is not None
        output = self.process.stdout.read()
        code = self.process.wait()
        notes.join()
        if not self.cancelled and code not in (0, 4):  # 4: built, and not activated; the report says why
            self.error = _message(output) or marked("The build ended unexpectedly; the active warehouse is as it was.")

    def _listen(self, notes: IO[str] | None) -> None:
        for line in notes or ():
            if line.strip():
                self.stages = [*self.stages, line.strip()][-_NOTES_KEPT:]


class Warehouses:
    """The warehouses that somebody opened here."""

    def __init__(self, workspace: Workspace, datasets: Datasets) -> None:
        self.workspace, self.datasets = workspace, datasets
        self._builds: dict[str, Building] = {}
        self._lock = threading.Lock()

    def open_path(self, path: str) -> Entry:
        """Open a configuration of this machine; one that is open already stays the one entry."""
        file = self.datasets.named_file(path)
        if not file.is_file():
            raise MissingFile(f"There is no configuration {file}.", where=str(file))
        configuration = Warehouse.from_config(file).configuration
        known = next((entry for entry in self.entries() if entry.content["path"] == str(file)), None)
        return known or self.workspace.create(KIND, configuration.title or configuration.name, {"path": str(file)})

    def entries(self) -> list[Entry]:
        """All warehouses that were opened here, the newest first."""
        return self.workspace.entries(KIND)

    def remove(self, number: str) -> None:
        """Forget a warehouse; its files stay."""
        self.cancel(number)
        self.workspace.remove(KIND, number)

    def warehouse(self, number: str) -> Warehouse:
        return Warehouse.from_config(self.workspace.entry(KIND, number).content["path"])

    # Building

    def start(self, number: str, source: str | None = None) -> BuildState:
        """Build everything, or read one source again."""
        path = str(self.workspace.entry(KIND, number).content["path"])
        if source is not None:
            self.warehouse(number).configuration.source(source)
        command = ["build", path] if source is None else ["refresh", path, source]
        with self._lock:
            known = self._builds.get(number)
            if known is not None and known.running:
                raise StateInUse("This warehouse is being built already.")
            process = subprocess.Popen(
                [sys.executable, "-m", "crypsis", "warehouse", *command, "--json"],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                encoding="utf-8",
                errors="replace",
            )
            building = self._builds[number] = Building(process)
        threading.Thread(target=building.watch, daemon=True).start()
        return building.state

    def building(self, number: str) -> BuildState:
        """How far a build has come."""
        self.workspace.entry(KIND, number)
        known = self._builds.get(number)
        return BuildState() if known is None else known.state

    def cancel(self, number: str) -> BuildState:
        """End a build; the active warehouse stays as it was, and what was fetched is used by the next build."""
        known = self._builds.get(number)
        if known is not None and known.running:
            known.cancelled = True
            known.process.kill()
            known.process.wait()
        return self.building(number)

    def close(self) -> None:
        """End every build."""
        for number in list(self._builds):
            with contextlib.suppress(CrypsisError):
                self.cancel(number)

    # Looking

    def shown(self, number: str) -> ShownWarehouse:
        """The sources as they are configured, the report of the active build, and of a later one that failed."""
        entry = self.workspace.entry(KIND, number)
        warehouse = self.warehouse(number)
        rejected = warehouse.work.path / "rejected.json"
        active = warehouse.work.active
        newer = rejected.exists() and (active is None or rejected.stat().st_mtime > active.stat().st_mtime)
        return ShownWarehouse(
            entry,
            warehouse.configuration,
            None if active is None else dict(warehouse.report().content),
            _json(rejected.read_text(encoding="utf-8")) if newer else None,
            self.building(number),
        )

    def ask(self, number: str, text: str, *, provenance: bool = False) -> TableOfAnswers:
        """The answer to a question in SPARQL, which can change nothing and reach nobody else."""
        answer = self.warehouse(number).query(text, provenance=provenance, timeout=_SECONDS, most_rows=_MOST_ROWS)
        if isinstance(answer, list):
            width = len(answer[0].answer) if answer else 0
            return TableOfAnswers(
                [*(f"column {index}" for index in range(1, width + 1)), marked("sources that suffice")],
                [[*row.answer, " or ".join(map(" + ".join, row.minimal_witnesses))] for row in answer],
            )
        return TableOfAnswers(list(answer.variables), [list(row) for row in answer.rows])

    def search(self, number: str, text: str) -> list[dict[str, str]]:
        """Entities whose name contains a text."""
        return [{"entity": entity, "label": label} for entity, label in self.warehouse(number).search(text)]

    def card(self, number: str, entity: str) -> Card:
        """What every source says of one entity."""
        return self.warehouse(number).card(entity)

    def candidates(self, number: str) -> list[WaitingPair]:
        """Pairs that may be one, and wait for a decision."""
        return [
            WaitingPair(link.left[1:-1], link.right[1:-1], link.rule, link.status)
            for link in self.warehouse(number).candidates()
        ]

    def decide(self, number: str, left: str, right: str, *, accept: bool | None) -> None:
        """Decide on a pair; it counts from the next build on."""
        waiting = {(pair.left, pair.right) for pair in self.candidates(number)}
        if accept is not None and (left, right) not in waiting:
            raise BadWarehouse("This pair does not wait for a decision; look at the list again.")
        self.warehouse(number).decide(left, right, accept=accept)


def _message(output: str) -> str:
    """The message of an error that a command printed as JSON."""
    content = _json(output)
    return str(content["error"]["message"]) if isinstance(content, dict) and "error" in content else ""


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None
