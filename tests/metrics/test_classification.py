"""Classification: what can be learnt before can be learnt after as far as the cells still tell it."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from crypsis.data.relational import NodeLeaves, PublishedTable, Table
from crypsis.errors import BadParameter, NotApplicable
from crypsis.metrics import measure
from crypsis.metrics.classification import MODELS, classification_accuracy

ROLES = {"age": "quasi", "town": "quasi", "rich": "label"}
TYPES = {"age": "int", "town": "category", "rich": "category"}
NODES = NodeLeaves({"North": ("Oslo", "Riga"), "South": ("Bari", "Rome")}, 4)


def people(n: int = 240) -> Table:
    random = np.random.default_rng(1)
    ages, towns = random.integers(20, 60, n), random.choice(["Bari", "Oslo", "Riga", "Rome"], n)
    rich = np.where((ages > 40) ^ np.isin(towns, ["Oslo", "Riga"]), "yes", "no")
    return Table.from_frame(pl.DataFrame({"age": ages, "town": towns, "rich": rich}), ROLES)


def released(table: Table, ages: list[str], towns: list[str], labels: list[str] | None = None) -> PublishedTable:
    frame = pl.DataFrame({"age": ages, "town": towns, "rich": labels or table.column("rich").values().to_list()})
    return PublishedTable.from_frame(
        frame, ROLES, TYPES, nodes={"town": ["North", "South"]}, hierarchies={"town": NODES}
    )


@pytest.mark.parametrize("model", MODELS)
def test_nothing_is_lost_when_nothing_is_changed(model: str) -> None:
    table = people()
    frame = table.to_frame().with_columns(pl.all().cast(pl.String))
    published = released(table, frame["age"].to_list(), frame["town"].to_list())
    found = classification_accuracy(table, published, model=model)
    assert found.after == found.before
    assert found.label == "rich"
    if model != "logistic":  # no line divides these people
        assert found.before > 0.9


def test_what_the_label_depends_on_is_still_learnt_and_the_rest_is_not() -> None:
    table = people()
    ages = ["[20:40]" if age <= 40 else "[41:59]" for age in table.column("age").values().to_list()]
    towns = ["North" if town in ("Oslo", "Riga") else "South" for town in table.column("town").values().to_list()]
    kept = classification_accuracy(table, released(table, ages, towns))
    assert kept.after == 1.0
    lost = classification_accuracy(table, released(table, ["*"] * len(table), ["*"] * len(table)))
    assert lost.after == pytest.approx(lost.majority, abs=0.1)
    figures = measure(table, released(table, ages, towns), ["classification_score"])
    assert figures["classification_score"] == 1.0
    assert figures["classification_accuracy_majority"] < figures["classification_accuracy_original"]


def test_missing_sets_and_suppressed_records_are_taken_as_they_are() -> None:
    table = people()
    n = len(table)
    labels = table.column("rich").values().to_list()
    towns = ["?", "{Oslo|Riga}", "~", *table.column("town").values().to_list()[3:]]
    ages = ["?", "{20|30}", "~"] + [str(age) for age in table.column("age").values().to_list()[3:]]
    found = classification_accuracy(table, released(table, ages, towns, [*labels[:2], "~", *labels[3:]]), rows=n)
    assert 0.8 < found.after <= 1.0
    sampled = classification_accuracy(table, released(table, ages, towns, labels), rows=100, seed=3)
    assert 0.0 < sampled.before <= 1.0


def test_many_values_share_a_feature() -> None:
    frame = pl.DataFrame({"code": [f"c{number % 150}" for number in range(600)], "yes": ["a", "b"] * 300})
    table = Table.from_frame(frame, {"code": "quasi", "yes": "label"})
    published = PublishedTable.from_frame(
        frame, {"code": "quasi", "yes": "label"}, dict.fromkeys(frame.columns, "category")
    )
    found = classification_accuracy(table, published)
    assert found.before == found.after


def test_what_cannot_be_learnt_is_refused() -> None:
    table = people()
    published = released(table, ["*"] * len(table), ["*"] * len(table))
    unlabelled = Table.from_frame(table.to_frame(), ROLES | {"rich": "other"})
    with pytest.raises(NotApplicable, match="needs a label"):
        classification_accuracy(unlabelled, published)
    assert classification_accuracy(unlabelled, published, label="rich").label == "rich"
    same = Table.from_frame(table.to_frame().with_columns(rich=pl.lit("no")), ROLES)
    with pytest.raises(NotApplicable, match="nothing to learn"):
        classification_accuracy(same, published)
    with pytest.raises(NotApplicable, match="ask for fewer folds"):
        classification_accuracy(people(4), released(people(4), ["*"] * 4, ["*"] * 4), folds=5)
    with pytest.raises(BadParameter, match="model must be"):
        classification_accuracy(table, published, model="oracle")
    with pytest.raises(NotApplicable, match="no quasi-identifier"):
        classification_accuracy(
            Table.from_frame(table.to_frame(), dict.fromkeys(ROLES, "other")), published, label="rich"
        )
