"""Experiments of the workspace: runs of methods on a dataset, their progress, results, plots and releases.

An entry holds runs, metrics and plots; dataset, hierarchies, policies and queries are those of the workspace at the
moment. Put together they are an experiment file, which is what is run, shown, and taken back.
"""

from __future__ import annotations

import shutil
import threading
import time
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from crypsis.attacks import Attack, fitting_attacks
from crypsis.data.formats.compression import file_on_disk
from crypsis.data.microdata import LOCATIONS
from crypsis.drawing.frame import Frame
from crypsis.drawing.markup import Markup
from crypsis.errors import (
    BadExperiment,
    BadRelease,
    CrypsisError,
    MissingFile,
    NoSuchEntry,
    NotApplicable,
    StaleResult,
    StateInUse,
    UnreadableFile,
)
from crypsis.evaluate import Experiment, Store, run
from crypsis.evaluate.dataset import view_of
from crypsis.evaluate.export import Publishing, declared_release, export_release, unchanged_original
from crypsis.evaluate.plot_requests import PlotRequest
from crypsis.evaluate.plots import Results
from crypsis.evaluate.problems import Problem
from crypsis.evaluate.results import ResultRow
from crypsis.evaluate.store import PRIVATE
from crypsis.hierarchy import Taxonomy
from crypsis.methods import method_named
from crypsis.metrics import short_names
from crypsis.query.questions import Answer, Question, published_taxonomy
from crypsis.reports.report import Report
from crypsis.review import Review
from crypsis.translation import language, marked
from crypsis.web.asked_results import AskedResult
from crypsis.web.attacking import AttackAnswer, attacked
from crypsis.web.comparison import Comparison
from crypsis.web.datasets import Datasets, whole_table
from crypsis.web.declaration import Declaration
from crypsis.web.files import is_drawn, take_dataset
from crypsis.web.maps import release_map
from crypsis.web.named_files import refuse_named_files
from crypsis.web.outputs import Output, output_of
from crypsis.web.packing import pack_folder
from crypsis.web.side_inputs import SideInputs
from crypsis.web.what_changed import changes_since
from crypsis.web.workspace import Entry, Workspace

KIND = "experiments"
OWN = ("name", "seed", "workers", "run", "metrics", "plot", "limits", "executor", "queries")
UNFINISHED = ("waiting", "cancelled")  # states of cells that the next start runs
_EVENTS_KEPT = 20_000
_ASKED_KEPT = 2  # results that stay loaded for questions
_OUTPUTS_KEPT = 4
_RUNS_ELSEWHERE = marked(
    "This experiment runs in another process on the same workspace; wait for it, or cancel it there."
)


@dataclass(frozen=True)
class Progress:
    """The cells of an experiment as they are now, live where it runs: each a row with `phase` and `share` of the phase.

    `stale` cells are of an earlier run, whose data or settings were others.
    """

    running: bool
    cells: list[ResultRow]
    stale: list[ResultRow]
    finished: int
    seconds: float | None
    error: Mapping[str, Any] | None


@dataclass(eq=False)
class Job:
    """An experiment under way, as its events tell."""

    number: str
    cancel: threading.Event = field(default_factory=threading.Event)
    thread: threading.Thread | None = None
    events: list[dict[str, Any]] = field(default_factory=list)
    states: dict[str, str] = field(default_factory=dict)
    phases: dict[str, tuple[str, float | None]] = field(default_factory=dict)
    error: CrypsisError | None = None
    outcome: dict[str, Any] | None = None
    started: float = field(default_factory=time.monotonic)

    @property
    def running(self) -> bool:
        return self.thread is not None and self.thread.is_alive()

    def listen(self, event: Mapping[str, Any]) -> None:
        kind = event.get("event")
        if kind == "cell":
            self.states[str(event["cell"])] = str(event["state"])
        elif kind == "phase":
            self.phases[str(event["cell"])] = (str(event["phase"]), event.get("share"))
        if len(self.events) < _EVENTS_KEPT:
            self.events.append({name: value for name, value in event.items() if name != "folder"})


class Experiments:
    """The experiments of a workspace."""

    def __init__(
        self, workspace: Workspace, datasets: Datasets, side_inputs: SideInputs, declaration: Declaration
    ) -> None:
        self.workspace, self.datasets, self.side_inputs = workspace, datasets, side_inputs
        self.declaration = declaration
        self._jobs: dict[str, Job] = {}
        self._outputs: OrderedDict[tuple[str, str], Output] = OrderedDict()
        self._asked: OrderedDict[tuple[Any, ...], AskedResult] = OrderedDict()
        self._outdated: dict[str, tuple[Any, set[str]]] = {}
        self._changes: dict[str, tuple[Any, str]] = {}
        self._lock = threading.Lock()

    # What there is

    def entries(self, mode: str | None = None, dataset: str | None = None) -> list[Entry]:
        """All experiments, the newest first."""
        return [
            entry
            for entry in self.workspace.entries(KIND)
            if mode in (None, entry.content["mode"]) and dataset in (None, entry.content["dataset"])
        ]

    def entry(self, number: str) -> Entry:
        return self.workspace.entry(KIND, number)

    def store(self, number: str) -> Store:
        return Store(self.entry(number).folder / "store")

    def create(
        self, dataset: str, mode: str = "evaluate", content: Mapping[str, Any] | None = None, name: str | None = None
    ) -> Entry:
        """A new experiment on a dataset; without content, with the method that is suggested for such data."""
        entry = self.datasets.entry(dataset)
        if mode not in ("evaluate", "compare"):
            raise BadExperiment("An experiment is of mode evaluate or compare.")
        if content is None:
            suggested = self.datasets.suggested_run(dataset)
            content = {"run": [] if suggested is None else [suggested.to_dict()]}
        own = _own_tables(content)
        name = name or str(content.get("name") or entry.name)
        return self.workspace.create(KIND, name, {"mode": mode, "dataset": dataset, "tables": own})

    def set_tables(self, number: str, tables: Mapping[str, Any], revision: int | None = None) -> Entry:
        """New runs, metrics and plots."""
        own = _own_tables(tables)

        def alter(content: dict[str, Any]) -> None:
            content["tables"] = own
            if tables.get("name"):
                content["name"] = tables["name"]

        return self.workspace.change(KIND, number, alter, revision=revision)

    def remove(self, number: str) -> None:
        """Stop an experiment and remove it with its results.

        Where another server runs it, that one must stop it: it would write it again.
        """
        if number in self._jobs:
            self.cancel(number)
        try:
            store = self.store(number)
        except UnreadableFile:
            store = None
        try:
            with store.in_use() if store is not None and store.folder.is_dir() else nullcontext():
                self.workspace.remove(KIND, number)
        except StateInUse:
            raise StateInUse(_RUNS_ELSEWHERE) from None
        self._jobs.pop(number, None)

    # As a file, and back

    def experiment(self, number: str, tables: Mapping[str, Any] | None = None) -> Experiment:
        """The whole experiment; `tables` in place of its own for a look at what is being typed."""
        entry = self.entry(number)
        try:
            dataset = self.datasets.entry(entry.content["dataset"])
        except NoSuchEntry:
            raise NoSuchEntry("The dataset of this experiment was removed; its results are still there.") from None
        own = dict(entry.content["tables"] if tables is None else tables)
        if not self.datasets.allow_paths:
            refuse_named_files(own)
        content: dict[str, Any] = {"name": entry.name}
        content |= {key: own[key] for key in ("seed", "workers", "limits", "executor") if key in own}
        about = self.declaration.about
        content |= {} if about is None else {"about": about.to_dict()}
        content["dataset"] = whole_table(dataset)
        content |= self.side_inputs.sections(dataset.number)
        content |= {key: own[key] for key in ("queries", "run", "metrics", "plot") if own.get(key)}
        return Experiment.parse(content, folder=entry.folder)

    def take_text(self, number: str, text: str, revision: int | None = None) -> Entry:
        """An experiment file as the new content: its dataset is found in the workspace, or opened by its path."""
        parsed = Experiment.parse(text)
        own = _of_file(parsed.content)
        current = self.datasets.entry(self.entry(number).content["dataset"])
        dataset = take_dataset(self.datasets, self.side_inputs, parsed.content, current)
        self._take_declaration(parsed)

        def alter(content: dict[str, Any]) -> None:
            content["tables"] = own
            content["name"] = parsed.name
            content["dataset"] = dataset

        return self.workspace.change(KIND, number, alter, revision=revision)

    def create_from_text(self, text: str, mode: str = "compare") -> Entry:
        """A new experiment out of a file."""
        parsed = Experiment.parse(text)
        own = _of_file(parsed.content)
        dataset = take_dataset(self.datasets, self.side_inputs, parsed.content, None)
        self._take_declaration(parsed)
        return self.create(dataset, mode, own, parsed.name)

    def _take_declaration(self, parsed: Experiment) -> None:
        """What a file declares about releases is what the workspace declares."""
        about = parsed.about
        if about is not None:
            self.declaration.declare(about.to_dict())

    def problems(self, number: str, tables: Mapping[str, Any] | None = None) -> list[Problem]:
        """Everything that is wrong with it, at once."""
        return self.experiment(number, tables).check()

    # Running

    def start(self, number: str, *, workers: int | None = None, fresh: bool = False) -> Job:
        """Run what is not done yet, in processes of its own; the answer is there at once."""
        experiment = self.experiment(number)
        experiment.require_sound()
        folder = self.entry(number).folder / "store"
        with self._lock:
            known = self._jobs.get(number)
            if known is not None and known.running:
                raise StateInUse("This experiment is running already.")
            job = Job(number)

            def work() -> None:
                try:
                    outcome = run(
                        experiment, folder, workers=workers, fresh=fresh, on_event=job.listen, cancel=job.cancel
                    )
                    job.outcome = {"counts": dict(outcome.counts), "ran": outcome.ran, "reused": outcome.reused}
                except StateInUse:
                    job.error = StateInUse(_RUNS_ELSEWHERE)
                except CrypsisError as error:
                    job.error = error
                except Exception as error:
                    job.error = BadExperiment(f"The run ended unexpectedly ({type(error).__name__}); this is a bug.")

            job.thread = threading.Thread(target=work, name=f"experiment-{number}", daemon=True)
            self._jobs[number] = job
            self._outputs.clear()
            job.thread.start()
        return job

    def job(self, number: str) -> Job | None:
        return self._jobs.get(number)

    def cancel(self, number: str) -> None:
        job = self._jobs.get(number)
        if job is not None:
            job.cancel.set()
            if job.thread is not None:
                job.thread.join(15)

    def close(self) -> None:
        for job in self._jobs.values():
            job.cancel.set()
        for job in self._jobs.values():
            if job.thread is not None:
                job.thread.join(10)

    # What came out

    def progress(self, number: str) -> Progress:
        """Cells with their states, live where the experiment runs."""
        job = self._jobs.get(number)
        store = self.store(number)
        running = job is not None and job.running
        rows = store.results(outdated=() if running else self.outdated(number)) if store.exists() else []
        index = {cell.id for cell in store.cells()}
        kept, rows = [row for row in rows if row["cell"] not in index], [row for row in rows if row["cell"] in index]
        cells: list[ResultRow] = []
        for row in rows:
            id, state = str(row["cell"]), str(row["state"])
            if job is not None and job.running:
                state = job.states.get(id, state)
            phase, share = job.phases.get(id, ("", None)) if job is not None else ("", None)
            cells.append({**row, "state": state, "phase": phase if state == "running" else "", "share": share})
        finished = sum(cell["state"] not in ("waiting", "running") for cell in cells)
        return Progress(
            job is not None and job.running,
            cells,
            kept,
            finished,
            round(time.monotonic() - job.started, 1) if job is not None and job.running else None,
            None if job is None or job.error is None else {**job.error.to_dict(), "where": None},
        )

    def results(self, number: str, *, stale: bool = False) -> list[ResultRow]:
        store = self.store(number)
        return store.results(stale=stale, outdated=self.outdated(number)) if store.exists() else []

    def outdated(self, number: str) -> set[str]:
        """Cells of the last run that the experiment, as it stands now, does not have: they are stale."""
        store = self.store(number)
        try:
            experiment = self.experiment(number)
            key = _looked_at(experiment, store)
        except (CrypsisError, OSError):  # the dataset is gone
            return set()
        known = self._outdated.get(number)
        if known is None or known[0] != key:  # asked every second by an open page
            known = self._outdated[number] = (key, store.outdated(experiment))
        return known[1]

    def changes(self, number: str) -> str:
        """What has changed since the last run, its settings aside, in sentences; empty where nothing can be told."""
        store = self.store(number)
        try:
            experiment = self.experiment(number)
            key = (language(), *_looked_at(experiment, store))
            known = self._changes.get(number)
            if known is None or known[0] != key:  # asked every second by an open page
                known = self._changes[number] = (key, " ".join(changes_since(store, experiment)))
        except (CrypsisError, OSError):  # the dataset is gone
            return ""
        return known[1]

    def plotted(self, number: str) -> Results:
        """Results as plots read them."""
        store = self.store(number)
        return Results.of_store(store) if store.exists() else Results(())

    def output(self, number: str, cell: str) -> Output:
        """The published data of a cell beside the original."""
        key = (number, cell)
        with self._lock:
            if key in self._outputs:
                self._outputs.move_to_end(key)
                return self._outputs[key]
        store = self._store_with(number, cell)
        release = store.release(cell)
        output = output_of(self._original(store, cell), release.data)
        with self._lock:
            self._outputs[key] = output
            while len(self._outputs) > _OUTPUTS_KEPT:
                self._outputs.popitem(last=False)
        return output

    def comparison(self, number: str, cell: str) -> Comparison | None:
        """The published data of a cell and what they were made of; None where that has changed since."""
        store = self._store_with(number, cell)
        original = self._original(store, cell)
        return None if original is None else Comparison(original, store.release(cell))

    def _store_with(self, number: str, cell: str) -> Store:
        store = self.store(number)
        if not store.exists() or cell not in {*(one.id for one in store.cells()), *store.stale()}:
            raise NoSuchEntry(f"There is no cell {cell[:40]!r} in this experiment.")
        return store

    def _original(self, store: Store, cell: str) -> Any:
        experiment = store.experiment()
        one = next((one for one in store.cells() if one.id == cell), None)
        try:
            if one is None or cell in store.outdated():  # the data that it was made of are not these
                return None
            return view_of(experiment.dataset.load(), method_named(one.method).accepts, one.columns)
        except (MissingFile, UnreadableFile):  # removed since; what was published is still there
            return None

    def fitting_attacks(self, number: str, cell: str) -> dict[str, type[Attack]]:
        """The adversaries who could attack the published data of a cell; none where its original has changed."""
        store = self._store_with(number, cell)
        original = self._original(store, cell)
        return {} if original is None else fitting_attacks(store.release(cell).data, original)

    def attack(self, number: str, cell: str, name: str, params: Mapping[str, Any]) -> AttackAnswer:
        """What an adversary who knows pieces of the original finds in the published data of a cell."""
        store = self._store_with(number, cell)
        original = self._original(store, cell)
        if original is None:
            raise NotApplicable("The data that this result was made of have changed since; run it again.")
        return attacked(name, params, store.release(cell).data, original)

    def ask(self, number: str, cell: str, question: Question) -> Answer:
        """The answer of the published data of a cell to a question."""
        return self.asked(number, cell).answer(question)

    def asked(self, number: str, cell: str) -> AskedResult:
        """A cell to ask, with the taxonomy of places of its dataset; the last few stay loaded."""
        folder = self._store_with(number, cell).published_folder(cell)
        dataset = self.entry(number).content["dataset"]
        tree = self.side_inputs.hierarchy(dataset, LOCATIONS)
        key = (
            number,
            cell,
            None if folder is None else folder.stat().st_mtime_ns,
            None if tree is None else tree.number,
        )
        with self._lock:
            if key in self._asked:
                self._asked.move_to_end(key)
                return self._asked[key]
        answer = AskedResult(self._store_with(number, cell).release(cell))
        if tree is not None and published_taxonomy(answer.release) is None:
            taxonomy = Taxonomy(self.side_inputs.tree(tree).to_pairs())
            answer = replace(answer, taxonomy=taxonomy, tree=tree.number)
        with self._lock:
            self._asked[key] = answer
            while len(self._asked) > _ASKED_KEPT:
                self._asked.popitem(last=False)
        return answer

    def write_release(
        self,
        number: str,
        cell: str,
        *,
        confirm: Iterable[str] = (),
        stale: bool = False,
        strict: bool = False,
        publish_figures: Iterable[str] = (),
    ) -> Path:
        """The release of a cell as an archive, verified and reviewed once more, rows in an order that tells nothing.

        A stale result is refused unless `stale` says that it is meant; `confirm`, `strict` and `publish_figures` as for
        every release.
        """
        store = self._store_of_release(number, cell, stale)
        folder = self.workspace.unfinished()
        folder.mkdir(mode=0o700)
        how = Publishing(confirm=confirm, strict=strict, publish_figures=publish_figures, about=self.declaration.about)
        try:
            export_release(store, cell, folder / "release", how)
            return pack_folder(folder / "release", folder.with_name(f"{folder.name}.zip"))
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def release_report(
        self, number: str, cell: str, *, private: bool = False, stale: bool = False, language: str | None = None
    ) -> Report:
        """The report of a cell with what is declared: the public one, or the one with the original beside it."""
        store = self._store_of_release(number, cell, stale)
        release = declared_release(store, cell, self.declaration.about)
        original = unchanged_original(store, cell)
        if original is not None:
            release = release.with_original(original)
        return release.private_report(language) if private else release.report(language)

    def _store_of_release(self, number: str, cell: str, stale: bool) -> Store:
        """The store of a cell that has a release, and not an old one unless that is meant."""
        store = self._store_with(number, cell)
        state = store.cell(cell).state
        if state != "done":
            raise BadRelease(f"This cell has no release: it is {state}.")
        if not stale and self.is_stale(number, cell):
            raise StaleResult(
                "This result is stale: the data or the settings have changed since. Run it again, or confirm that the "
                "stale one is meant (stale=true)."
            )
        return store

    def is_stale(self, number: str, cell: str) -> bool:
        """Whether the data or the settings of a result have changed since."""
        return cell in self.store(number).stale() or cell in self.outdated(number)

    def review(self, number: str, cell: str) -> Review:
        """The three lights of a cell, as they were computed with the original beside it."""
        review = self._store_with(number, cell).cell(cell).review
        if review is None:
            raise NoSuchEntry("This cell has no lights: it has no release, or was run by an earlier version.")
        return review

    def private_file(self, number: str, cell: str) -> Path:
        """What only the publisher may see of a cell, where its release needs it."""
        file = self._store_with(number, cell).cell_folder(cell) / PRIVATE
        if not file.is_file():
            raise NoSuchEntry("This release needs nothing private to be verified.")
        return file

    def picture(self, number: str, cell: str) -> Markup:
        """The published trajectories of a cell on the map of the original."""
        store = self._store_with(number, cell)
        original, release = self._original(store, cell), store.release(cell)
        if original is None:
            raise NotApplicable("The data that this cell was made of are not there any more, so there is no map.")
        return release_map(original, release)

    def plot(self, number: str, request: PlotRequest) -> Frame:
        """The numbers of a plot; the first, where there is one for each run."""
        from crypsis.evaluate.plots.of_store import requested_frames

        store = self.store(number)
        if not store.exists():
            raise NoSuchEntry("There are no results yet.")
        return requested_frames(store, request)[0]

    def report(self, number: str) -> str:
        """The report of everything that was run, as one page without outside resources."""
        from crypsis.evaluate.report import ExperimentReport

        store = self.store(number)
        if not store.exists():
            raise NoSuchEntry("There are no results yet.")
        try:
            experiment = self.experiment(number)
        except NoSuchEntry:
            self.entry(number)
            experiment = store.experiment()  # the dataset was removed since; the results were not
        return str(ExperimentReport.of_store(store, experiment).to_html())

    def csv(self, number: str) -> bytes:
        """`results.csv` as it lies in the store."""
        file = self.store(number).folder / "results.csv"
        if not file.is_file():
            raise NoSuchEntry("There are no results yet.")
        return file.read_bytes()


def _looked_at(experiment: Experiment, store: Store) -> tuple[Any, ...]:
    """What says without reading it whether anything has changed: the tables, and when files were written."""
    inputs = experiment.inputs
    sources = (*inputs.hierarchy.values(), *inputs.policy.values())
    files = [file_on_disk(experiment.dataset.file), store.folder / "index.json"]
    files += [file for file in map(inputs.file_of, sources) if file is not None]
    states = [file.stat() for file in files if file.exists()]
    return (experiment.to_toml(), *((state.st_mtime_ns, state.st_size) for state in states))


def _own_tables(content: Mapping[str, Any]) -> dict[str, Any]:
    """What an entry keeps of an experiment file. Only its form is checked; `problems` reports everything else."""
    own = {key: value for key, value in content.items() if key in OWN and key != "name"}
    for name in ("run", "plot"):
        if not isinstance(own.get(name, []), list) or not all(isinstance(one, Mapping) for one in own.get(name, [])):
            raise BadExperiment(f"[[{name}]] must be a list of tables.")
    return own


def _of_file(content: Mapping[str, Any]) -> dict[str, Any]:
    """What an entry keeps of a whole file: queries that are listed are the workload of the dataset."""
    own = _own_tables(content)
    if not is_drawn(own.get("queries")):
        own.pop("queries", None)
    return own


def varied_names(settings: Iterable[Mapping[str, Any]]) -> list[str]:
    """Parameters with more than one value, over which a figure can be drawn."""
    values: dict[str, set[str]] = {}
    for parameters in settings:
        for name, value in parameters.items():
            if isinstance(value, (int, float)) and not isinstance(value, bool):
                values.setdefault(name, set()).add(str(value))
    return [name for name, found in values.items() if len(found) > 1]


def metric_names(results: Results) -> list[str]:
    """The figures that some cell has, by which cells can be compared; one with a short name only by that."""
    names: dict[str, None] = {}
    for cell in results:
        for name, value in cell.metrics.items():
            if isinstance(value, (int, float)) and not isinstance(value, bool):
                names[name] = None
    figures_of = {short: by_metric.values() for short, by_metric in short_names().items() if short in names}
    named_shortly = {next((figure for figure in figures if figure in names), "") for figures in figures_of.values()}
    return [*(name for name in names if name not in named_shortly), "runtime"]
