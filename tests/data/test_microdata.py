"""A kind of data answers for itself: a sixth one works wherever the five do, and nobody has to know its class."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import polars as pl
import pytest

from crypsis.attacks.risk_overview import RiskOverview, overview, risk_overview
from crypsis.data.microdata import Microdata
from crypsis.data.relational import Table
from crypsis.data.sources import SOURCES, DataFile, DataSource
from crypsis.data.ways_of_reading import Way
from crypsis.errors import NotApplicable
from crypsis.evaluate.applicability import applicable_methods, why_not
from crypsis.evaluate.dataset import Dataset, view_of
from crypsis.evaluate.plots.histogram import histogram
from crypsis.web.datasets import Datasets
from crypsis.web.workspace import Workspace

TABLE_OF_ANSWERS = Way("a table with one row per answer")


@dataclass(frozen=True, eq=False)
class Survey(Microdata):
    """Answers to questions: a kind of its own that can be taken for a table."""

    description: ClassVar[str] = "answers to questions"

    answers: Table

    @classmethod
    def views(cls) -> Mapping[type, Callable[[Any], Any]]:
        return {**super().views(), Table: lambda data: data.answers}

    @property
    def table_part(self) -> Table:
        return self.answers

    @property
    def hierarchy_columns(self) -> tuple[str, ...]:
        return self.answers.quasi

    def choose_columns(self, columns: Sequence[str], wanted: type) -> Any:
        return self.answers.choose_columns(columns, wanted)

    def to_frame(self) -> pl.DataFrame:
        return self.answers.to_frame()

    def __len__(self) -> int:
        return len(self.answers)


@dataclass(frozen=True, kw_only=True)
class SurveySource(DataSource):
    """How answers are read."""

    kind, label, plural = "survey", "Survey", "surveys"

    def way(self, file: DataFile) -> Way:
        return TABLE_OF_ANSWERS

    def load(self, file: DataFile, declared: Any) -> Survey:
        return Survey(Table(file.frame()[0], quasi=["age", "town"], rest="other"))


@contextmanager
def sixth_kind() -> Iterator[None]:
    SOURCES["survey"] = SurveySource
    risk_overview.register(Survey, lambda data: risk_overview.dispatch(Table)(data.answers))
    try:
        yield
    finally:
        del SOURCES["survey"]


@pytest.fixture
def answers(tmp_path: Path) -> Path:
    file = tmp_path / "answers.csv"
    rows = [f"{20 + row % 3},{'Bonn' if row % 2 else 'Ulm'},yes" for row in range(12)]
    file.write_text("\n".join(["age,town,vote", *rows, ""]))
    return file


def test_a_sixth_kind_is_read_viewed_measured_and_drawn(answers: Path) -> None:
    with sixth_kind():
        data = Dataset({"path": str(answers), "kind": "survey"}, answers.parent).load()
        assert isinstance(data, Survey)
        assert view_of(data, Table) is data.answers
        assert view_of(data, Table, ["age"]).names == ("age",)
        assert {"mondrian", "incognito"} <= set(applicable_methods(data))
        assert why_not("seq-anon", data) == "it needs visits to places; this dataset contains answers to questions"
        risk = overview(data)
        assert isinstance(risk, RiskOverview)
        assert (risk.records, risk.smallest_class) == (12, 2)
        assert histogram(data, "age").data["count"].sum() == 12


def test_a_sixth_kind_is_in_the_workspace_of_the_browser(answers: Path, tmp_path: Path) -> None:
    with sixth_kind():
        datasets = Datasets(Workspace(tmp_path / "workspace"), allow_paths=True)
        entry = datasets.add_path(str(answers))
        datasets.set_section(entry.number, {"kind": "survey"}, entry.revision)
        assert datasets.risk(entry.number).smallest_class == 2
        assert datasets.load(entry.number).hierarchy_columns == ("age", "town")


def test_a_kind_that_answers_nothing_is_refused_in_words() -> None:
    class Nothing(Microdata):
        def __len__(self) -> int:
            return 1

    with pytest.raises(NotApplicable, match="no risk at a glance"):
        overview(Nothing())
    with pytest.raises(NotApplicable, match="no columns to choose from"):
        view_of(Nothing(), Nothing, ["age"])
