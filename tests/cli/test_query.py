"""`crypsis query` answers with bounds, and refuses what a release does not tell in words."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import crypsis
from tests.cli.conftest import Run

VISITS = """card,place,arrived,left
{}"""
MORNING = "{card},home,2024-03-01T07:10,2024-03-01T07:50\n{card},{there},2024-03-01T08:20,2024-03-01T09:40\n"


def write_visits(folder: Path) -> Path:
    rows = "".join(MORNING.format(card=card, there="shop" if card % 2 else "park") for card in range(6))
    (folder / "visits.csv").write_text(VISITS.format(rows))
    (folder / "places.csv").write_text("location,x,y\nhome,0,0\nshop,500,0\npark,500,100\n")
    return folder


@pytest.fixture
def visits(tmp_path: Path) -> Path:
    return write_visits(tmp_path)


def make(run: Run, folder: Path, *more: str, method: str = "seq-anon", out: str = "release") -> Path:
    done = run(
        *("anonymize", folder / "visits.csv", "--locations", folder / "places.csv", "--method", method, "-k", "3"),
        *("--id", "card", "--location", "place", "--enter", "arrived", "--exit", "left", "--each-row-is-a-person"),
        *("--out", folder / out, *more),
    )
    assert done.code == 0, done.err
    return folder / out


MERGED = ("--times", "merge", "--time-width", "60")


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = write_visits(tmp_path_factory.mktemp("town"))
    data = crypsis.read_trajectories(
        folder / "visits.csv",
        locations=folder / "places.csv",
        id="card",
        location="place",
        enter="arrived",
        exit="left",
        each_row_is_a_person=True,
        times="merge",
        time_width=60,
    )
    return crypsis.anonymize(data, crypsis.SeqAnon(k=3, m=2)).write(folder / "release")


def test_presence_is_answered_with_bounds(run: Run, release: Path) -> None:
    asked = ("query", "presence", release, "--region", "shop,park", "--period", "2024-03-01T08:30/09:30")
    assert re.fullmatch(
        r"at least 6, at most 6 trajectories; about 6\.0 if spread evenly\n"
        r"definitely 6, possibly 6 \(nothing suppressed\)   fuzziness 1\.00   truthful yes\n",
        run(*asked).out,
    )
    told = json.loads(run(*asked, "--json").out)
    assert (told["definite"], told["possible"], told["truthful"], told["complete"]) == (6, 6, True, True)
    within = run("query", "presence", release, "--region", "shop", "--period", "2024-03-01T08:00/08:30", "--json")
    assert [json.loads(within.out)[name] for name in ("definite", "possible")] == [0, 3]


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        (("od", "--from", "home", "--to", "shop"), "at least 3, at most 3 trajectories"),
        (
            ("dwell", "--region", "shop", "--period", "2024-03-01T08:00/10:00"),
            "at least 0.00 hours, at most 6.00 hours",
        ),
        (
            ("dwell", "--region", "home", "--period", "2024-03-01T06:00/07:30/07:45/09:00"),
            "at most 6.00 hours",
        ),
        (("copresence",), "at least 6, at most 15 pairs of trajectories"),
        (
            ("relation", "--region", "home", "--relation", "before", "--period", "2024-03-01T09:00/10:00"),
            "at least 6, at most 6 trajectories",
        ),
        (("places",), "home"),
    ],
)
def test_other_questions_are_answered(run: Run, release: Path, asked: tuple[str, ...], answer: str) -> None:
    done = run("query", asked[0], release, *asked[1:])
    assert done.code == 0, done.err
    assert answer in done.out, done.out


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (("presence", "--region", "nowhere", "--period", "2024-03-01T08:00/09:00"), "no cell 'nowhere'"),
        (("presence", "--region", "shop", "--period", "2024-03-01T09:00/08:00"), "must not fall"),
        (("presence", "--region", "shop", "--period", "soon"), "two or four instants"),
        (("presence", "--region", ",", "--period", "2024-03-01T08:00/09:00"), "none is named"),
        (("relation", "--region", "shop", "--relation", "near", "--period", "2024-03-01T08:00/09:00"), "no relation"),
        (("dwell", "--region", "shop", "--period", "2024-03-01T08:00/08:10/09:00/08:50"), "must not fall"),
        (("presence", "--region", "shop", "--period", "2024-03-01T08:00+01:00/09:00"), "others have none"),
        (("presence", "--region", "node:town", "--period", "2024-03-01T08:00/09:00"), "--taxonomy FILE"),
    ],
)
def test_what_is_no_question_is_refused(run: Run, release: Path, asked: tuple[str, ...], words: str) -> None:
    done = run("query", asked[0], release, *asked[1:])
    assert done.code == 2
    assert done.err.startswith("bad-query: ")
    assert words in done.err


@pytest.fixture(scope="module")
def tree(release: Path) -> Path:
    file = release.parent / "tree.csv"
    file.write_text("child,parent\nhome,living\nshop,centre\npark,centre\ncentre,town\nliving,town\n")
    return file


def test_a_region_is_a_node_of_a_taxonomy(run: Run, release: Path, tree: Path) -> None:
    period = ("--period", "2024-03-01T08:30/09:30")
    by_node = run("query", "presence", release, "--region", "node:centre", *period, "--taxonomy", tree)
    assert by_node.out == run("query", "presence", release, "--region", "shop,park", *period).out
    moved = run("query", "od", release, "--from", "node:living", "--to", "node:centre,park", "--taxonomy", tree)
    assert moved.out.startswith("at least 6, at most 6 trajectories")
    assert "node:centre" in run("query", "places", release, "--taxonomy", tree).out
    wrong = run("query", "presence", release, "--region", "node:center", *period, "--taxonomy", tree)
    assert (wrong.code, wrong.err.split(":")[0]) == (2, "bad-query")
    assert "no node 'center'. Did you mean 'centre'?" in wrong.err
    idle = run("query", "presence", release, "--region", "shop", *period, "--taxonomy", tree)
    assert (idle.code, idle.err.split(":")[0]) == (2, "option-without-effect")


def test_a_taxonomy_that_was_given_is_published_and_names_regions(run: Run, visits: Path, tree: Path) -> None:
    release = make(run, visits, *MERGED, "-m", "1", "--taxonomy", str(tree), method="sd-seq-anon")
    assert (release / "taxonomy.csv").read_text().startswith("child,parent\n")
    assert run("verify", release).code == 0
    asked = ("query", "presence", release, "--region", "node:centre", "--period", "2024-03-01T08:00/10:00")
    assert run(*asked).out.startswith("at least 6, at most 6 trajectories")
    made = make(run, visits, *MERGED, "-m", "1", "--taxonomy", "auto:2", method="sd-seq-anon", out="automatic")
    assert not (made / "taxonomy.csv").exists()


def test_an_unknown_mode_is_refused(run: Run, release: Path) -> None:
    done = run(
        "query", "presence", release, "--region", "shop", "--period", "2024-03-01T08:00/09:00", "--mode", "often"
    )
    assert done.err.startswith("bad-parameter: --mode must be one of")


def test_a_release_without_times_tells_the_order_only(run: Run, visits: Path) -> None:
    release = make(run, visits, "-m", "2")
    done = run("query", "presence", release, "--region", "shop", "--period", "2024-03-01T08:00/09:00")
    assert (done.code, done.err[:15]) == (2, "not-applicable:")
    assert "--times merge" in done.err
    assert run("query", "od", release, "--from", "home", "--to", "shop").out.startswith("at least 3, at most 3")


def test_a_release_that_is_not_truthful_gives_an_estimate_without_bounds(run: Run, visits: Path) -> None:
    release = make(run, visits, *MERGED, method="bf-p2ka")
    asked = ("presence", release, "--region", "shop", "--period", "2024-03-01T08:00/09:00")
    done = run("query", *asked)
    assert (done.code, done.out[:6]) == (0, "about ")
    assert "an estimate without bounds: the published records are drawn, replaced or noisy" in done.out
    told = json.loads(run("query", *asked, "--json").out)
    assert (told["truthful"], "definite" in told, "possible" in told) == (False, False, False)
    refused = run("query", "dwell", *asked[1:])
    assert (refused.code, refused.err[:15]) == (2, "not-applicable:")
    assert "no bounds" in refused.err


def test_a_timed_adversary_attacks_a_release_with_times_as_one_without(run: Run, visits: Path) -> None:
    for name, more in (("dropped", ()), ("merged", MERGED)):
        release = make(run, visits, "-m", "2", *more, out=name)
        done = run(
            *("attack", release, "--original", visits / "visits.csv", "--locations", visits / "places.csv", *more),
            *("--id", "card", "--location", "place", "--enter", "arrived", "--exit", "left", "--each-row-is-a-person"),
            *("--attack", "containment", "--knowledge", "2", "--json"),
        )
        assert done.code == 0, done.err
        assert json.loads(done.out)["fewest_candidates"] >= 3


@pytest.fixture(scope="module")
def table_release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rows = "".join(f"{20 + number},{'Rome' if number % 2 else 'Oslo'}\n" for number in range(12))
    folder = tmp_path_factory.mktemp("table")
    (folder / "people.csv").write_text("age,city\n" + rows)
    data = crypsis.read_table(folder / "people.csv", {"age": "quasi", "city": "other"})
    return crypsis.anonymize(data, crypsis.Mondrian(k=3)).write(folder / "release")


def test_records_are_counted_with_bounds(run: Run, table_release: Path) -> None:
    done = run("query", "count", table_release, "age in [20:31]", "city in {Rome}", "--json")
    told = json.loads(done.out)
    assert (told["definite"], told["at_most"], told["estimate"], told["truthful"]) == (6, 6, 6.0, True)
    done = run("query", "count", table_release, "age in [20:24]")
    assert done.out.startswith("at least 3, at most 6 records; about 5.0")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("agee in [1:2]", "Did you mean 'age'"),
        ("city in {Rom}", "Did you mean 'Rome'"),
        ("age in [9:2]", "ends before it begins"),
        ("age [9:2]", "cannot be read"),
    ],
)
def test_a_count_that_cannot_be_asked_has_a_code(run: Run, table_release: Path, text: str, words: str) -> None:
    done = run("query", "count", table_release, text, "--json")
    assert done.code == 2
    assert "bad-query" in done.err + done.out
    assert words in done.err + done.out
