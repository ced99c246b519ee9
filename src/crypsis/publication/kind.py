"""What a release has to know about a kind of published data: how it is written, read, described and shown."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from crypsis.arrays import Int32s, Int64s
from crypsis.errors import BadPublication, BadRelease, NotApplicable
from crypsis.late_members import imported
from crypsis.parameters import SideInput
from crypsis.run_context import RunContext

if TYPE_CHECKING:
    from crypsis.executors.executor import Executor
    from crypsis.guarantees import Guarantee, Verdict
    from crypsis.reports.report_plan import ReportPlan

SUPPRESSED_LABELS = "suppressed_labels"


class PublishedKind(ABC):
    """One kind. `side_file` stands for what is published beside the rows, such as coordinates; None if nothing is."""

    name: ClassVar[str]
    files: ClassVar[dict[str, str]]  # format: file name
    files_beside: ClassVar[frozenset[str]] = frozenset()  # what may lie beside the records, and is read with them
    report_place: ClassVar[str]  # where `reports` says what its report consists of
    private: ClassVar[bool] = False  # under differential privacy: no figure against the original is ever published
    aligned: ClassVar[bool] = True  # a published row was made from one input row

    @property
    def report(self) -> ReportPlan:
        """What its report consists of; whoever only reads a release does not load it."""
        plan: ReportPlan = imported(f"crypsis.reports.{self.report_place}")
        return plan

    @abstractmethod
    def side_file(self, original: Any, published: Any) -> Any:
        """What may be published beside the rows."""

    def with_times(
        self, published: Any, original: Any, guarantee_of: Callable[[Any, Any], Any], context: RunContext
    ) -> tuple[Any, Any]:
        """The published data with times that are attached to them, and the original in the same steps of time.

        `guarantee_of` gives the promise of the method for an original and what is published of it."""
        return published, original

    def completed(self, published: Any, original: Any) -> Any:
        """The published data with what follows from how the original was read, such as times of places."""
        return published

    def with_public_inputs(self, published: Any, given: Mapping[str, SideInput]) -> Any:
        """The published data with what the method was given beside the data and recipients may have, too."""
        return published

    def promised(self, guarantee: Any, published: Any) -> Any:
        """The guarantee of a method with what these data let an adversary know."""
        return guarantee

    def as_written(self, published: Any) -> Any:
        """The data as files hold them: nothing is told by their form that the published records do not tell."""
        return published

    @abstractmethod
    def sorted_rows(self, published: Any) -> Int64s:
        """Row numbers by published values, so that the order says nothing that the rows do not say."""

    @abstractmethod
    def write(self, folder: Path, published: Any, side_file: Any, rows: Int64s, format: str) -> Any:
        """Write the chosen rows in this order, and the side file; gives what `read_back` compares with, if anything."""

    def write_side_files(self, folder: Path, published: Any, side_file: Any) -> None:
        """Write what is published beside the rows; nothing, unless a kind says otherwise."""
        return

    @abstractmethod
    def read(self, folder: Path, manifest: Mapping[str, Any]) -> tuple[Any, Any]:
        """Published data and side file of a release folder."""

    def read_beside(self, folder: Path, manifest: Mapping[str, Any]) -> Any:
        """What is published beside the records of a release folder; None if nothing is."""
        return None

    def read_back(
        self, folder: Path, manifest: Mapping[str, Any], written: Any, rows: Int64s, kept: Any = None
    ) -> tuple[Any, Any]:
        """The same of a folder to which these rows of `written` have just been written, as a recipient reads it.

        `kept` is what `write` gave.
        """
        return self.read(folder, manifest)

    def verify_parts(
        self, files: Sequence[str], described: Mapping[str, Any], guarantee: Guarantee, executor: Executor
    ) -> tuple[int, Verdict]:
        """How many records parts hold, and whether they keep the guarantee, counted in bounded memory."""
        raise NotApplicable(f"A release of {self.name} has no parts.")

    def problem_of_shard(self, published: Any, original: Any) -> str | None:
        """What stands against rows that were published of a shard, beside the records that they were made of."""
        raise NotApplicable(f"A release of {self.name} has no parts.")

    def problem_of_rows(self, published: Any, original: Any) -> str | None:
        """The same where records were recoded apart, and lie in the order of those that they were made of."""
        raise NotApplicable(f"A release of {self.name} has no records that are recoded apart.")

    def ranked_rows(self, published: Any) -> tuple[Int64s, Int32s]:
        """Rows of ranks, by which they are sorted."""
        raise NotApplicable(f"A release of {self.name} has no parts.")

    def settled(self, symbols: Any, occurrences: Int64s) -> Any:
        """The symbols as parts are written with them, where each occurs so often in all parts together."""
        return symbols

    def write_beside_parts(self, folder: Path, symbols: Any) -> None:
        """Write what is needed to read the parts of a folder."""
        return

    def write_part(self, published: Any, file: Path) -> None:
        """Write sorted rows as one part."""
        raise NotApplicable(f"A release of {self.name} has no parts.")

    def read_file(self, path: Path) -> Any:
        """Published data that came as one file, without a manifest."""
        raise NotApplicable(f"{path.name}: {self.name} are checked as a release; give its folder.")

    def read_original(self, path: str | Path, published: Any, described: Mapping[str, Any], **options: Any) -> Any:
        """The data that a release was made of, read with the roles and columns that its manifest tells."""
        raise NotApplicable(f"A release of {self.name} does not tell how its original is read; read it and give it.")

    def private_facts(self, published: Any) -> dict[str, Any]:
        """What the private report keeps for `with_private_facts`, beside what the method noted."""
        return {}

    def with_private_facts(self, published: Any, facts: Mapping[str, Any]) -> Any:
        """The published data with what the private report adds to recheck them; raises `BadRelease` on other facts."""
        return published

    @abstractmethod
    def describe(self, published: Any) -> dict[str, Any]:
        """The manifest's entry on the data; it must suffice for `read`. `rows` is the number of rows.

        It tells what the published records and declared inputs tell, and nothing else of the original.
        """

    def describe_side_file(self, side_file: Any) -> dict[str, Any]:
        """What the manifest's entry on the data says about the side file; public parameters only."""
        return {}

    def figures(self, published: Any) -> dict[str, Any]:
        """Figures of the published data alone, for the manifest and the public report."""
        return {}

    @abstractmethod
    def resources(self, described: Mapping[str, Any], side_file: Any) -> list[dict[str, Any]]:
        """The files as a Frictionless data package lists them."""

    def notes(self, published: Any) -> list[str]:
        """What whoever makes the release should be told about it, a sentence each."""
        return []

    def is_sound(self, described: Mapping[str, Any]) -> bool:
        """The manifest's entry on the data is one that `read` understands."""
        return described.get("file") in self.files.values() and isinstance(described.get("rows"), int)


def rows_of_input(facts: Mapping[str, Any], n_rows: int) -> Int64s:
    """The published row of each input row, as the private report tells it."""
    if facts.get("order") == "input":  # a working copy
        return np.arange(n_rows, dtype=np.int64)
    place = facts.get("published_row_of_input_row")
    if not isinstance(place, list) or sorted(place) != list(range(n_rows)):
        raise BadRelease("The private report does not tell which input record became which published one.")
    return np.array(place, np.int64)


def suppressed_labels(facts: Mapping[str, Any]) -> tuple[str, ...]:
    """The items or locations that were left out, as the private report tells them."""
    labels = facts.get(SUPPRESSED_LABELS)
    if not is_list_of_labels(labels):
        raise BadRelease("The private report does not tell what was suppressed in this release.")
    return tuple(labels)  # type: ignore[arg-type]


def is_list_of_labels(value: object) -> bool:
    """Return whether a value of JSON is a list of texts."""
    return isinstance(value, list) and all(isinstance(label, str) for label in value)


def declared_labels(described: Mapping[str, Any], names: Iterable[Sequence[str]], where: str) -> tuple[str, ...]:
    """What a manifest declares sensitive. All of it stands in some published name: of others a release says nothing."""
    declared: tuple[str, ...] = tuple(described["sensitive"])
    strange = sorted(set(declared).difference(*names)) if declared else ()
    if strange:
        raise BadPublication(f"{strange[0]!r} is declared sensitive, but is not published.", where=where)
    return declared


def shown_labels(labels: Iterable[str], published: Any) -> list[str]:
    """Those of the labels that some published symbol stands for, sorted: of others a release says nothing."""
    lists = published.symbols.label_lists
    shown = {label for code in np.unique(published.codes).tolist() for label in lists[code]}
    return sorted(shown.intersection(labels))
