"""Loading kernels ahead of a cell leaves nothing behind: no files, and no use of anything that keeps a record of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import crypsis
from crypsis.evaluate import Experiment
from crypsis.evaluate.warming import warm
from crypsis.parameters import SideInput
from tests.evaluate.examples import people, sweep_of_people

USED: list[str] = []


class Budget(SideInput):
    """Something that is spent."""

    in_words: ClassVar[str] = "a budget"

    @classmethod
    def from_text(cls, text):
        return cls()


@dataclass(frozen=True, kw_only=True)
class Spending(crypsis.Mondrian):
    """Mondrian that notes when its budget is used."""

    budget: Annotated[Budget | None, "What is spent."] = None

    def anonymize(self, data, context):
        USED.append("run" if self.budget is None else "spent")
        return super().anonymize(data, context)


def test_warming_runs_once_on_a_few_records_and_spends_nothing(tmp_path):
    people(tmp_path, 500)
    experiment = Experiment.parse(sweep_of_people("[2]"), folder=tmp_path)
    data = experiment.dataset.load()
    (tmp_path / "work").mkdir()
    method = Spending(k=100, budget=Budget())
    shares: list[float] = []
    for _ in range(2):
        warm(method, data, tmp_path / "work", ["ncp"], experiment.inputs, shares.append)
    assert USED == ["run"]
    assert shares == sorted(shares)
    assert shares[0] == 0
    assert 0.5 < shares[-1] < 1
    assert list((tmp_path / "work").iterdir()) == []
