"""Plots of an experiment's folder: the sections of its file, published data of its cells, files with their numbers."""

from __future__ import annotations

from pathlib import Path

import pytest

from crypsis.errors import BadParameter, NotApplicable, OutputExists
from crypsis.evaluate.plot_requests import PlotRequest, formats_of, plot_problems
from crypsis.evaluate.plots import Results, frame_of
from crypsis.evaluate.plots.of_store import file_name, requested_frames, suggested_plots, write_plots
from tests.evaluate.plots.rows import cell, sweep
from tests.evaluate.stores import NASTY_LABEL, finished_store


def test_published_data_of_the_first_done_cell_of_each_run_are_shown(tmp_path: Path) -> None:
    store = finished_store(tmp_path)
    (frame,) = requested_frames(store, PlotRequest(kind="value_difference", column="age", run="mondrian"))
    assert frame.title.endswith("· mondrian, k = 2")
    assert frame.data["original"].to_list() == [1, 1, 1, 1]
    assert frame.data["expected"].to_list() == [1.0, 1.0, 1.0, 1.0]  # two ranges of two ages each


def test_the_required_size_is_the_k_of_the_cell(tmp_path: Path) -> None:
    (frame,) = requested_frames(finished_store(tmp_path), PlotRequest(kind="cluster_sizes", cell="aa"))
    assert frame.data.rows() == [(2, 3, 2)]
    assert frame.panels[0].limit is not None
    assert frame.panels[0].limit.value == 2


def test_a_histogram_shows_the_data_of_the_experiment(tmp_path: Path) -> None:
    (frame,) = requested_frames(finished_store(tmp_path), PlotRequest(kind="histogram", column="city"))
    assert frame.data.select("value", "count").rows() == [("a", 2), ("b", 2)]


def test_runs_and_cells_that_do_not_exist_are_refused(tmp_path: Path) -> None:
    store = finished_store(tmp_path)
    with pytest.raises(BadParameter, match="Did you mean 'mondrian'"):
        requested_frames(store, PlotRequest(kind="class_sizes", run="mondrain"))
    with pytest.raises(BadParameter, match="'zz'"):
        requested_frames(store, PlotRequest(kind="class_sizes", cell="zz"))
    with pytest.raises(NotApplicable, match="Chunks"):
        requested_frames(store, PlotRequest(kind="chunk_counts", run="mondrian"))


def test_all_problems_of_a_section_are_told_at_once() -> None:
    told = plot_problems({"kind": "line", "x": "k", "colour": "red", "column": "age", "format": ["svg", "gif"]})
    assert len(told) == 4
    assert "'colour'" in told[0]
    assert "needs 'y'" in told[1]
    assert "takes no 'column'" in told[2]
    assert "'gif'" in told[3]
    assert plot_problems({"kind": "line", "x": "k", "y": "are", "format": "svg,jpeg"}) == []
    assert "Did you mean 'phases'" in plot_problems({"kind": "phase"})[0]
    assert plot_problems("line")


def test_formats_are_a_list_or_a_text() -> None:
    assert formats_of(None) == ["svg"]
    assert formats_of("svg, PNG,jpeg") == formats_of(["svg", "png", "jpg"]) == ["svg", "png", "jpg"]


def test_suggested_plots_follow_what_was_varied_and_measured() -> None:
    assert suggested_plots(Results(sweep())) == [
        PlotRequest(kind="line", x="k", y="ncp"),
        PlotRequest(kind="line", x="k", y="ul"),
        PlotRequest(kind="line", x="k", y="runtime"),
        PlotRequest(kind="phases"),
        PlotRequest(kind="tradeoff", x="ncp", y="ul"),
    ]


def test_every_picture_has_its_numbers_beside_it_and_no_two_the_same_name(tmp_path: Path) -> None:
    frame = frame_of("line", results=sweep(), x="k", y="ncp")
    written = write_plots([(frame, ["svg"]), (frame, ["svg"])], tmp_path / "plots")
    assert sorted(path.name for path in written) == sorted(path.name for path in (tmp_path / "plots").iterdir())
    assert len(written) == 4
    assert {path.suffix for path in written} == {".svg", ".csv"}


def test_files_are_not_replaced_unless_that_is_allowed(tmp_path: Path) -> None:
    frame = frame_of("line", results=sweep(), x="k", y="ncp")
    write_plots([(frame, [])], tmp_path)
    with pytest.raises(OutputExists):
        write_plots([(frame, [])], tmp_path, overwrite=False)


@pytest.mark.parametrize("label", ["../../etc/passwd", "a/b\\c", NASTY_LABEL, "ключ"])
def test_file_names_are_plain_whatever_columns_are_called(label: str) -> None:
    frame = frame_of("line", results=[cell("a", **{label: 2}, metrics={"are": 1})], x=label, y="are")
    assert set(file_name(frame)) <= set("abcdefghijklmnopqrstuvwxyz0123456789-")
