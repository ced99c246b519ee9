"""Options stand below headings in the help: of the command, of what was chosen, and of each kind of data."""

from __future__ import annotations

import re

from crypsis.cli.output import by_direction, figure_lines
from crypsis.cli.reading.typed import is_for_other_kinds, options_of, reading_options
from crypsis.data.sources import SOURCES
from tests.cli.conftest import Run


def headed(text: str) -> dict[str, set[str]]:
    """The options below each heading."""
    found: dict[str, set[str]] = {}
    heading = ""
    for line in text.splitlines():
        if line.endswith(":") and not line.startswith(" "):
            heading = line[:-1]
        elif option := re.match(r"  (?:-\w, )?(--[\w-]+|-\w)", line):
            found.setdefault(heading, set()).add(option[1])
    return found


def test_options_are_grouped_by_kind_of_data(run: Run) -> None:
    groups = headed(run("anonymize", "--help").out)
    assert {source.family for source in SOURCES.values()} <= set(groups)
    assert "--quasi" in groups["Tables and mixed data"]
    assert "--item" in groups["Transactions"]
    assert "--grid" in groups["Movement (trajectories, tracks, events)"]
    assert "--person" in groups["Several kinds of data"]
    assert "--encoding" in groups["How the file is written"]
    assert "--executor" in groups["Work on parts"]
    assert "--out" in groups["Options"]
    listed = [option for options in groups.values() for option in options]
    assert len(listed) == len(set(listed)), "each option stands below one heading"


def test_with_a_method_its_parameters_come_first_and_other_kinds_are_left_out(run: Run) -> None:
    groups = headed(run("anonymize", "--method", "mondrian", "--help").out)
    assert list(groups)[:2] == ["Options", "Parameters of mondrian"]
    assert {"--hierarchy", "--diversity"} <= groups["Parameters of mondrian"]
    assert not {"Transactions", "Movement (trajectories, tracks, events)"} & set(groups)
    assert "--items" not in groups["Tables and mixed data"], "a table has no sets"


def test_help_leaves_out_only_what_would_be_refused() -> None:
    for source in SOURCES.values():
        for option in reading_options():
            refused = option not in options_of(source)
            assert is_for_other_kinds(option, type(source.kind.capitalize(), (), {})) is refused, (source.kind, option)


def test_figures_are_grouped_by_direction() -> None:
    figures = {"records": 3, "ncp_loss": 0.5, "intact_score": 0.25, "ncp_loss of age": 0.1}
    groups = by_direction(figures)
    assert list(groups) == ["lower is better", "higher is better", "for information"]
    assert groups["lower is better"] == {"ncp_loss": 0.5, "ncp_loss of age": 0.1}
    assert figure_lines({"records": 3})[0] == "  for information"
    assert figure_lines({}) == []
