"""What goes with a dataset: queries are asked once each, and items can be chosen by their names."""

from __future__ import annotations

from pathlib import Path

from crypsis.web.datasets import Datasets
from crypsis.web.side_inputs import SideInputs
from crypsis.web.workspace import Workspace


def test_a_query_is_kept_once_however_often_and_however_it_is_written(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path)
    datasets = Datasets(workspace, allow_paths=False)
    side_inputs = SideInputs(workspace, datasets)
    number = datasets.add_sample("patients", 30).number
    kept = side_inputs.keep_queries(number, ["age in [20:30]", "age  in [20:30]", "age in [30:40]", "age in [20:30]"])
    assert kept.content["queries"] == ["age in [20:30]", "age in [30:40]"]


def test_the_items_of_a_dataset_can_be_chosen_by_name(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path)
    datasets = Datasets(workspace, allow_paths=False)
    side_inputs = SideInputs(workspace, datasets)
    labels = side_inputs.labels(datasets.add_sample("baskets", 60).number)
    assert len(labels) > 3
    assert labels == sorted(labels)
    assert side_inputs.labels(datasets.add_sample("patients", 30).number) == []
