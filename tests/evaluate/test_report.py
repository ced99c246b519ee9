"""The report of an experiment: readable, self-contained, true to the results, safe whatever names it holds."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from crypsis.evaluate.plots import PLOT_SCRIPT, Results, frame_of
from crypsis.evaluate.report import ExperimentReport, write_report
from crypsis.evaluate.results import OUTCOME, write_results
from crypsis.evaluate.stored_cell import End
from tests.evaluate.plots.rows import cell, sweep
from tests.evaluate.stores import NASTY_LABEL, finished_store
from tests.reports.releases import NASTY


def parsed(page: str) -> ElementTree.Element:
    return ElementTree.fromstring(page.removeprefix("<!doctype html>").encode())


def words(part: ElementTree.Element) -> str:
    return " ".join("".join(part.itertext()).split())


def section(page: ElementTree.Element, heading: str) -> ElementTree.Element:
    return next(part for part in page.iter("section") if part.findtext("h2") == heading)


def report(rows: list[dict[str, object]]) -> ExperimentReport:
    return ExperimentReport("tried", Results(rows), [])


def test_the_report_of_a_store_shows_every_cell_with_state_figures_and_guarantee(tmp_path: Path) -> None:
    html, _ = write_report(finished_store(tmp_path))
    table = section(parsed(html.read_text()), "Cells").iter("tr")
    rows = [" ".join(filter(None, map(words, row))) for row in table]
    assert rows[0] == "Configuration k State Guarantee Lights NCP DM seconds"
    assert rows[1] == "mondrian 2 ✓ done k-anonymity (k=2) – 0.25 8 2"
    assert rows[2] == "mondrian 5 ∅ infeasible – – – –"
    assert rows[3] == f"{NASTY_LABEL} 4 ✓ done k-anonymity (k=4) – 1 16 0.5"


def test_the_best_cells_are_named_and_bold(tmp_path: Path) -> None:
    page = parsed(ExperimentReport.of_store(finished_store(tmp_path)).to_html())
    told = words(section(page, "What came out best"))
    assert "Lowest normalized certainty penalty (NCP): 0.25 by mondrian, k = 2." in told
    assert f"Lowest wall time (seconds): 0.5 by {NASTY_LABEL}." in told
    bold = [words(part) for part in page.iter("td") if "best" in (part.get("class") or "").split()]
    assert bold == ["0.25", "8", "0.5"]


def test_the_best_setting_is_the_best_on_average_over_its_repeats() -> None:
    rows = [cell("lucky", repeat=repeat, metrics={"ncp": loss}) for repeat, loss in enumerate((0.1, 0.9))]
    rows += [cell("steady", repeat=repeat, metrics={"ncp": 0.3}) for repeat in range(2)]
    (best,) = report(rows).best()
    assert (best.setting, best.value, len(best.cells)) == ("steady", pytest.approx(0.3), 2)


def test_a_cell_that_was_not_verified_is_not_called_verified() -> None:
    rows = [cell("a", k=2), cell("b", k=2) | {"verified": None}]
    page = parsed(report(rows).to_html())
    box = next(part for part in page.iter("div") if "verdict" in (part.get("class") or ""))
    assert words(box).startswith("1 cell of 2 are done without a verdict")


def test_cells_without_a_release_say_why(tmp_path: Path) -> None:
    page = parsed(ExperimentReport.of_store(finished_store(tmp_path)).to_html())
    told = words(section(page, "Cells without a release"))
    assert told.endswith("infeasible · mondrian, k = 5: the table has 4 records, k=5 needs 5")


def test_the_page_holds_the_plots_of_the_experiment_with_their_gaps(tmp_path: Path) -> None:
    store = finished_store(tmp_path, plot=[{"kind": "line", "x": "k", "y": "ncp", "title": "Loss by k"}])
    plots = section(parsed(ExperimentReport.of_store(store).to_html()), "Plots")
    assert [words(heading) for heading in plots.iter("h3")] == ["Loss by k"]
    assert any(
        title.endswith(": infeasible") for part in plots.iter() if part.tag.endswith("title") and (title := part.text)
    )


def test_without_plots_in_the_file_lines_times_and_the_trade_off_are_shown(tmp_path: Path) -> None:
    made = ExperimentReport.of_store(finished_store(tmp_path))
    assert [frame.kind for _, frame in made.plots] == ["line", "line", "line", "phases", "tradeoff"]


def test_the_page_loads_nothing_and_may_run_one_script_only(tmp_path: Path) -> None:
    text = ExperimentReport.of_store(finished_store(tmp_path)).to_html()
    digest = base64.b64encode(hashlib.sha256(PLOT_SCRIPT.encode()).digest()).decode()
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', text)
    assert policy is not None
    assert policy[1].replace("&#x27;", "'") == (
        f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
    )
    assert text.count("<script") == 1
    assert "://" not in text.replace("http://www.w3.org/2000/svg", "")


def test_names_from_users_stay_text() -> None:
    rows = [cell(name, k=2, metrics={"ncp": place}) for place, name in enumerate(NASTY)]
    plots = [({}, frame_of("tradeoff", results=rows, x="ncp", y="ncp"))]
    text = ExperimentReport(NASTY[0], Results(rows), plots, file=NASTY[0], data=NASTY[0]).to_html()
    assert text.count("<script") == 1
    assert parsed(text).findtext("body/main/header/h1") == NASTY[0]


@pytest.mark.parametrize(
    ("states", "kind", "sentence"),
    [
        (["done", "done"], "holds", "2 of 2 cells are done and verified"),
        (["done", "infeasible"], "holds", "1 of 2 cells are done and verified"),
        (["done", "waiting"], "idle", "1 cell of 2 have not been run"),
        (["done", "failed"], "broken", "1 cell of 2 did not end well"),
        (["failed", "unsafe"], "broken", "1 cell violated the guarantee"),
        ([], "idle", "0 cells of 0 have not been run"),
    ],
)
def test_the_first_sentence_says_how_it_went(states: list[str], kind: str, sentence: str) -> None:
    rows = [cell(f"run {place}", state, k=2) for place, state in enumerate(states)]
    page = parsed(report(rows).to_html())
    box = next(part for part in page.iter("div") if "verdict" in (part.get("class") or ""))
    assert kind in (box.get("class") or "").split()
    assert words(box).startswith(sentence)


def test_headings_come_in_order_and_there_is_one_title() -> None:
    levels = [int(tag.tag[1]) for tag in parsed(report(sweep()).to_html()).iter() if re.fullmatch("h[1-6]", tag.tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1


def test_the_report_for_programs_says_the_same(tmp_path: Path) -> None:
    _, path = write_report(finished_store(tmp_path))
    told = json.loads(path.read_text())
    assert told["counts"] == {"done": 2, "infeasible": 1}
    assert [one["state"] for one in told["cells"]] == ["done", "infeasible", "done"]
    assert told["cells"][0]["metrics"] == {"ncp": 0.25, "dm": 8}
    assert told["cells"][0]["verified"] is True
    assert {"figure": "ncp", "setting": "mondrian, k = 2", "cells": ["aa"], "value": 0.25} in told["best"]
    line = next(plot for plot in told["plots"] if plot["kind"] == "line")
    assert line["data"][1]["absent"] == "infeasible"


def test_a_report_is_the_same_whenever_it_is_made(tmp_path: Path) -> None:
    store = finished_store(tmp_path)
    assert ExperimentReport.of_store(store).to_html() == ExperimentReport.of_store(store).to_html()


def test_a_figure_that_was_asked_for_has_its_column_even_where_no_cell_has_it(tmp_path: Path) -> None:
    columns = list(finished_store(tmp_path, metrics={"list": ["ul", "runtime", "ncp"]}).results()[0])
    assert columns[columns.index(OUTCOME[-1]) + 1 : columns.index("code")] == ["ul", "ncp", "dm"]


def test_a_report_names_files_without_the_folders_of_this_machine(tmp_path: Path) -> None:
    tree = tmp_path / "Ann & Bob" / "trees.csv"
    tree.parent.mkdir()
    tree.write_text("a;*\nb;*\n")
    store = finished_store(tmp_path, hierarchy={"city": {"path": str(tree)}}, name="a sweep")
    store.write_cell(replace(store.cell("bb"), end=End("failed", "x", f"{tree} is no tree.")))
    files = write_report(store)
    assert files
    for file in files:
        text = file.read_text()
        assert "trees.csv is no tree." in text
        assert str(tmp_path) not in text
        assert "Ann" not in text


def test_results_are_for_the_publisher_alone(tmp_path: Path) -> None:
    store = finished_store(tmp_path)
    write_report(store)
    write_results(store)
    with store.in_use():
        pass
    open_to_others = [
        path for path in (store.folder, *store.folder.rglob("*"))
        if path.stat().st_mode & 0o077 and not path.is_relative_to(store.cell_folder("aa") / "published")
    ]  # fmt: skip
    assert [path.name for path in open_to_others] in ([], [".lock"])
    assert store.folder.stat().st_mode & 0o777 == 0o700


def test_a_folder_that_holds_other_things_keeps_its_rights(tmp_path: Path) -> None:
    folder = tmp_path / "results"
    folder.mkdir(mode=0o755)
    (folder / "notes.txt").write_text("mine")
    store = finished_store(tmp_path)
    assert folder.stat().st_mode & 0o777 == 0o755
    assert store.cells_folder.stat().st_mode & 0o777 == 0o700
