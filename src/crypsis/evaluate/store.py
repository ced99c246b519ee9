"""The results of an experiment on disk: one folder, readable at every moment, whoever was killed while writing it.

    experiment.toml            the experiment as it was run last
    index.json                 its cells in order
    cells/<id>/params.json     what was run
               state.json      how it ended: state, code and message of an error
               metrics.json    the figures
               phases.json     seconds of each phase, total, processor seconds, peak memory
               verify.json     guarantee and verdict
               review.json     the three lights, for the publisher alone
               published/      the published data with their manifest, rows in the order of the input
               private.json    what verifying them once more needs and nobody may see: the generators of cells
    quarantine/<id>/published/ the same of a cell whose promise is broken; never exported unasked
    results.csv, results.parquet

A cell's folder is written beside its place and renamed. A folder that cannot be read counts as one that is not there.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crypsis.atomic import write_file
from crypsis.errors import BadExperiment, BadRelease, CrypsisError, MissingFile, StateInUse
from crypsis.evaluate.cells import Cell, code_version
from crypsis.evaluate.experiment import Experiment
from crypsis.evaluate.stored_cell import FILES, StoredCell

if TYPE_CHECKING:
    from crypsis.evaluate.results import ResultRow

PUBLISHED = "published"
PRIVATE = "private.json"
FOLDER_MODE, FILE_MODE = 0o700, 0o600  # figures against the original are for the publisher alone
_REPORTS = ("results.csv", "results.parquet", "report.html", "report.json")
_OWN = ("experiment.toml", "index.json", "cells", "quarantine", "plots", *_REPORTS)


class Store:
    """The folder of an experiment. Many may read it; one process at a time runs it (`in_use`)."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)

    @property
    def cells_folder(self) -> Path:
        return self.folder / "cells"

    @property
    def quarantine(self) -> Path:
        return self.folder / "quarantine"

    def exists(self) -> bool:
        return (self.folder / "experiment.toml").is_file()

    def experiment(self) -> Experiment:
        """The experiment as it was run last; its paths begin where they began then."""
        if not self.exists():
            raise MissingFile(f"{self.folder} holds no experiment: it has no experiment.toml.", where=str(self.folder))
        index = self._index()
        experiment = Experiment.read(self.folder / "experiment.toml")
        return Experiment(experiment.content, Path(index.get("folder", self.folder)))

    def begin(self, experiment: Experiment, cells: Sequence[Cell]) -> None:
        """Note the experiment and its cells; results of earlier ones stay and are stale."""
        self._make_folders()
        write_file(self.folder / "experiment.toml", experiment.to_toml().encode(), mode=FILE_MODE)
        index = {
            "folder": str(experiment.folder.resolve()),
            "made_of": made_of(experiment),
            "parts": asdict(parts_of(experiment)),
            "metrics": experiment.measuring.list,
            "cells": [cell.to_dict() for cell in cells],
        }
        write_file(self.folder / "index.json", _json(index), mode=FILE_MODE)
        for left in self.cells_folder.glob(".*.partial"):
            shutil.rmtree(left, ignore_errors=True)

    def _make_folders(self) -> None:
        """The folders, closed to everybody else; one that holds other things, too, keeps the rights it has."""
        if not self.folder.exists():
            self.folder.mkdir(mode=FOLDER_MODE, parents=True)
        elif all(path.name in _OWN or path.name.startswith(".") for path in self.folder.iterdir()):
            with suppress(OSError):  # it may belong to somebody else
                self.folder.chmod(FOLDER_MODE)
        for folder in (self.cells_folder, self.quarantine):
            folder.mkdir(mode=FOLDER_MODE, exist_ok=True)

    def cells(self) -> list[Cell]:
        """The cells of the experiment as it was run last, in order."""
        return [Cell.from_dict(one) for one in self._index().get("cells", ())]

    def metrics(self) -> list[str]:
        """The metrics that the experiment asked for as it was run last, in order; none where it left them open."""
        return list(self._index().get("metrics") or ())

    def parts(self) -> RunParts | None:
        """What the last run was made of, as `parts_of` tells; None where an older version ran it."""
        kept = self._index().get("parts")
        return RunParts(**kept) if kept else None

    def _index(self) -> dict[str, Any]:
        return _read(self.folder / "index.json") or {}

    def cell(self, id: str) -> StoredCell:
        """Everything that is known about a cell; its state is `waiting` where there is nothing."""
        folder = self.cell_folder(id)
        return StoredCell.from_files(id, {name: _read(folder / f"{name}.json") for name in FILES})

    def cell_folder(self, id: str) -> Path:
        if not id.isalnum():
            raise BadExperiment(f"There is no cell {id!r}.")
        return self.cells_folder / id

    def published_folder(self, id: str) -> Path | None:
        """Where the published data of a cell lie; None if it has none that may be shown."""
        folder = self.cell_folder(id) / PUBLISHED
        return folder if folder.is_dir() else None

    def release(self, id: str) -> Any:
        """The published data of a cell as a `Release`, rows in the order of the input."""
        from crypsis.release import read_working_copy

        folder = self.published_folder(id)
        if folder is None:
            raise BadRelease(f"Cell {id} has no published data; its state is {self.cell(id).state}.")
        return read_working_copy(folder)

    def write_cell(
        self, stored: StoredCell, *, private: Mapping[str, Any] | None = None, published: Path | None = None
    ) -> None:
        """The whole cell or nothing. `published` is a folder of data that is moved in."""
        id = stored.id
        self._make_folders()
        partial = self.cells_folder / f".{id}.{os.getpid()}.partial"
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir(mode=FOLDER_MODE)
        try:
            files = {f"{name}.json": content for name, content in stored.to_files().items()}
            for name, content in {**files, PRIVATE: private}.items():
                if content is not None:
                    opened = os.open(partial / name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, FILE_MODE)
                    with os.fdopen(opened, "wb") as stream:
                        stream.write(_json(content))
            if published is not None:
                published.rename(partial / PUBLISHED)
            target = self.cell_folder(id)
            if target.exists():
                old = target.with_name(f".{id}.{os.getpid()}.old.partial")
                target.rename(old)
                partial.rename(target)
                shutil.rmtree(old, ignore_errors=True)
            else:
                partial.rename(target)
        finally:
            shutil.rmtree(partial, ignore_errors=True)

    def forget(self, id: str) -> None:
        """Remove what is known about a cell, half-written parts included."""
        for folder in (self.cell_folder(id), self.quarantine / id):
            shutil.rmtree(folder, ignore_errors=True)
        self.remove_partial(id)

    def remove_partial(self, id: str) -> None:
        """Remove what a worker left that was killed."""
        for left in self.cells_folder.glob(f".{id}.*.partial"):
            shutil.rmtree(left, ignore_errors=True)

    def stale(self) -> list[str]:
        """Cells with results that are not of the experiment as it was run last."""
        current = {cell.id for cell in self.cells()}
        kept = self.cells_folder.iterdir() if self.cells_folder.is_dir() else iter(())
        return sorted(one.name for one in kept if one.name.isalnum() and one.name not in current)

    def outdated(self, now: Experiment | None = None) -> set[str]:
        """Cells of the last run that are stale, too, because data, hierarchies, policies or code have changed since.

        `now` is the experiment as it would be run now, whose settings may be others, too. Of files that are gone
        nothing can be told.
        """
        current = {cell.id for cell in self.cells()}
        try:
            if now is not None:
                return set() if now.check(read=False) else current - {cell.id for cell in now.cells()}
            digest = self._index().get("made_of")
            return current if digest is not None and digest != made_of(self.experiment()) else set()
        except CrypsisError:
            return set()

    def results(self, *, stale: bool = True, outdated: Collection[str] = ()) -> list[ResultRow]:
        """One row per cell in order, then the stale ones; every row has the same columns.

        `outdated` cells keep their place and are marked stale.
        """
        from crypsis.evaluate.results import rows_of

        return rows_of(self, stale=stale, outdated=outdated)

    @contextmanager
    def in_use(self) -> Iterator[None]:
        """Keep other processes from running in this folder; one that is killed lets go."""
        self._make_folders()
        with (self.folder / ".lock").open("a") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise StateInUse(
                    f"Another process runs the experiment in {self.folder.name}; wait for it or choose another folder.",
                    where=str(self.folder),
                ) from None
            yield

    def _repr_html_(self) -> str:
        """Settings side by side, with their states, lights and figures."""
        from crypsis.evaluate.results import comparison_html

        return comparison_html(self.folder.name, self.results() if self.exists() else [])

    def __repr__(self) -> str:
        return f"Store({str(self.folder)!r})"


def made_of(experiment: Experiment) -> str:
    """Return the digest of everything that decides what cells give, their own settings aside."""
    text = "\n".join([experiment.dataset.digest, experiment.inputs.digest, code_version()])
    return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True)
class RunParts:
    """Digests of what a run was made of: the data, the code, and each hierarchy and policy by its name."""

    data: str
    code: str
    hierarchy: Mapping[str, str] = field(default_factory=dict)
    policy: Mapping[str, str] = field(default_factory=dict)


def parts_of(experiment: Experiment) -> RunParts:
    """The same part by part."""
    return RunParts(experiment.dataset.digest, code_version(), **experiment.inputs.held)


def _json(content: Any) -> bytes:
    return (json.dumps(content, ensure_ascii=False, indent=1, default=str) + "\n").encode()


def _read(path: Path) -> Any:
    """The object that a file holds; None where it is not there or not whole."""
    with suppress(OSError, ValueError, RecursionError):
        content = json.loads(path.read_text(encoding="utf-8"))
        return content if isinstance(content, dict) else None
    return None
