"""Everything that once stood in a release folder and told of the original, with the reconstruction that worked."""

from __future__ import annotations

import json
import os
import re
import stat
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import crypsis
from crypsis.data.attribute_domains import PublicAttributes
from crypsis.data.constraints import AutomaticConstraints
from crypsis.data.relational import Table
from crypsis.data.trajectory import Trajectories
from crypsis.data.transaction import Transactions
from crypsis.errors import BadParameter, FigureNotPublishable, OutputExists
from crypsis.hierarchy import Hierarchies, ItemHierarchy, UtilityPolicy
from crypsis.methods import (
    COAT,
    Apriori,
    BottomUp,
    DiffGen,
    Disassociation,
    Incognito,
    KAMCut,
    SeqAnon,
    TopDown,
    USeqAnon,
)
from crypsis.release import Release

AGES = [20 + number % 14 for number in range(59)]


def people(oldest: int) -> Table:
    """59 people aged 20 to 33 in one town, and one much older in another."""
    frame = pl.DataFrame({"age": [*AGES, oldest], "town": [*["here"] * 59, "there"]})
    return Table.from_frame(frame, {"age": "quasi", "town": "quasi"}, each_row_is_a_person=True)


def folder_of(release: Release, place: Path, **options: Any) -> dict[str, bytes]:
    """The files of a written release."""
    folder = release.write(place, **options)
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def words_of(files: dict[str, bytes]) -> set[str]:
    """Every word of a folder, checksums and sizes of files aside."""
    manifest = json.loads(files["release.json"])
    del manifest["files"]
    others = [content.decode() for name, content in files.items() if name not in ("release.json", "report.html")]
    page = re.sub(r"<svg.*?</svg>|<style.*?</style>", " ", files["report.html"].decode(), flags=re.DOTALL)
    return set(re.findall(r"\w+", " ".join([json.dumps(manifest), page, *others])))


# The certainty penalty of a column, and a range that reaches to a suppressed person


@pytest.mark.parametrize("method", [Incognito, TopDown, BottomUp])
def test_the_age_of_a_suppressed_person_is_not_told(method: Any, tmp_path: Path) -> None:
    release = crypsis.anonymize(people(97), method(k=5, max_suppressed=0.02))
    assert release.data.suppressed.tolist() == [False] * 59 + [True]
    files = folder_of(release, tmp_path / "one")
    assert "97" not in words_of(files)
    assert files == folder_of(crypsis.anonymize(people(64), method(k=5, max_suppressed=0.02)), tmp_path / "other")


def test_the_span_cannot_be_computed_from_the_loss_any_more(tmp_path: Path) -> None:
    """span = widths / (loss · n - suppressed): with the loss of the private report it works, and only with that."""
    release = crypsis.anonymize(people(97), Incognito(k=5, max_suppressed=0.02, hierarchy=_halves()))
    release.write(tmp_path / "r", private_report=tmp_path / "p.json")
    private = json.loads((tmp_path / "p.json").read_text())
    table = pl.read_csv(tmp_path / "r" / "table.csv")
    ranges = [[int(bound) for bound in cell[1:-1].split(":")] for cell in table["age"].to_list() if cell != "~"]
    widths = sum(high - low for low, high in ranges)
    loss, suppressed = Fraction(private["utility"]["ncp_loss of age"]), table["age"].to_list().count("~")
    assert round(widths / (loss * len(table) - suppressed)) == 97 - 20
    manifest = json.loads((tmp_path / "r" / "release.json").read_text())
    assert not [name for name in manifest["figures"] if "ncp" in name]
    assert "utility" not in manifest


def _halves() -> Hierarchies:
    return Hierarchies.from_text("age=equi_width:2")


@pytest.mark.parametrize("seed", range(40))
def test_a_published_bound_is_a_value_of_a_published_record(seed: int) -> None:
    random = np.random.default_rng(seed)
    ages = [*random.integers(20, 40, 30).tolist(), *random.integers(50, 99, 3).tolist()]
    towns = random.choice(["a", "b", "c"], 33, p=[0.6, 0.35, 0.05]).tolist()
    table = Table.from_frame(
        pl.DataFrame({"age": ages, "town": towns}), {"age": "quasi", "town": "quasi"}, each_row_is_a_person=True
    )
    trees = [None, *map(Hierarchies.from_text, ("age=equi_depth:4", "age=adaptive:3,town=balanced:2", "town=flat"))]
    method = [Incognito, TopDown, BottomUp][seed % 3](k=4, max_suppressed=0.3, hierarchy=trees[seed % 4])
    published = crypsis.anonymize(table, method).data
    kept = np.flatnonzero(~published.suppressed)
    shown = {ages[row] for row in kept.tolist()}
    assert set(published.column("age").cells.values.to_list()) <= shown


# Supports below k of a disassociated release


def baskets(with_x: int) -> Transactions:
    """ab x6, b x5, and 7 with a, some of which hold x, too."""
    return Transactions.from_lists([["a", "b"]] * 6 + [["b"]] * 5 + [["a"]] * (7 - with_x) + [["a", "x"]] * with_x)


def test_the_support_of_a_term_in_a_term_chunk_is_not_told(tmp_path: Path) -> None:
    folders = []
    for with_x in (1, 2):
        release = crypsis.anonymize(baskets(with_x), Disassociation(k=3, m=2))
        assert {"item_frequency_loss", "tkd_last_support", "tkd_itemsets"} <= set(release.utility())
        folders.append(folder_of(release, tmp_path / str(with_x)))
    assert folders[0] == folders[1]
    assert not {"item_frequency_loss", "tkd_last_support", "tkd_itemsets"} & words_of(folders[0])


# Leaves and sizes of hierarchies that were made from the data


def test_the_publisher_checks_nodes_with_the_private_report(tmp_path: Path) -> None:
    frame = pl.DataFrame({"zip": [f"{number}1" for number in (1, 1, 2, 2)] + ["15", "25"]})
    table = Table.from_frame(frame, {"zip": "quasi"}, {"zip": "category"}, each_row_is_a_person=True)
    release = crypsis.anonymize(table, TopDown(k=3, hierarchy=Hierarchies.from_text("zip=prefix")))
    folder = release.write(tmp_path / "r", private_report=tmp_path / "p.json")
    assert {"1*", "2*"} == set(release.data.to_frame()["zip"].to_list())
    assert crypsis.read_release(folder).verify().holds
    again = crypsis.read_release(folder, private_report=tmp_path / "p.json")
    assert again.verify(table).holds
    changed = Table.from_frame(frame.with_columns(pl.lit("31").alias("zip")), {"zip": "quasi"}, {"zip": "category"})
    assert not again.verify(changed).holds


def test_a_hierarchy_that_the_publisher_gave_is_told(tmp_path: Path) -> None:
    tree = crypsis.Hierarchy({"Oslo": "North", "Riga": "North", "Rome": "South", "North": "Any", "South": "Any"})
    frame = pl.DataFrame({"city": ["Oslo", "Riga", "Oslo", "Rome", "Rome"]})
    table = Table.from_frame(frame, {"city": "quasi"}, each_row_is_a_person=True)
    release = crypsis.anonymize(table, Incognito(k=2, hierarchy=Hierarchies({"city": tree})))
    manifest = json.loads(folder_of(release, tmp_path / "r")["release.json"])
    assert manifest["data"]["columns"][0]["hierarchy"]["leaves"]["North"] == ["Oslo", "Riga"]


def test_the_number_of_values_is_not_in_the_parameters() -> None:
    table = people(97)
    for text in ("age=equi_depth", "age=adaptive,town=flat", "age=equi_width:4"):
        made = Hierarchies.from_text(text).make(table)
        for given in (Hierarchies.from_text(text), made):
            release = crypsis.anonymize(table, Incognito(k=5, max_suppressed=0.02, hierarchy=given))
            told = release.describe()["method"]["parameters"]["hierarchy"]
            assert told == text.replace(",", "; ").replace("=", ": ")


# Names of what was suppressed


def test_suppressed_items_and_places_are_not_named(tmp_path: Path) -> None:
    rare = [["milk", "bread"]] * 6 + [["milk"]] * 3 + [["secretitem"]]
    tree = ItemHierarchy(
        [("milk", "food"), ("bread", "food"), ("secretitem", "other"), ("food", "all"), ("other", "all")]
    )
    policy = UtilityPolicy([["milk", "bread"]])
    sets = Transactions.from_lists(rare)
    releases = [
        crypsis.anonymize(sets, Apriori(k=3, m=1, max_suppressed_items=0.2, hierarchy=tree)),
        crypsis.anonymize(sets, COAT(k=3, m=1, utility=policy, max_suppressed=1)),
    ]
    points = {"home": (0, 0), "work": (1, 0), "secretitem": (9, 9)}
    trips = Trajectories.from_lists([["home", "work"]] * 6 + [["home", "secretitem"]], locations=points)
    releases.append(crypsis.anonymize(trips, USeqAnon(k=3, m=1, constraints=AutomaticConstraints(1), delta=50)))
    for number, release in enumerate(releases):
        assert release.data.suppressed == ("secretitem",)
        files = folder_of(release, tmp_path / str(number), private_report=tmp_path / f"{number}.json")
        assert "secretitem" not in words_of(files)
        told = crypsis.read_release(tmp_path / str(number), private_report=tmp_path / f"{number}.json")
        assert told.data.suppressed == ("secretitem",)
        assert told.verify(release.original).holds
        assert crypsis.read_release(tmp_path / str(number)).verify(release.original).holds


def test_a_release_that_names_what_it_suppressed_in_private_cannot_hide_more(tmp_path: Path) -> None:
    sets = Transactions.from_lists([["milk", "bread"]] * 6 + [["milk"]] * 3 + [["rare"]])
    release = crypsis.anonymize(sets, COAT(k=3, m=1, utility=UtilityPolicy([["milk", "bread"]]), max_suppressed=1))
    release.write(tmp_path / "r", private_report=tmp_path / "p.json")
    facts = json.loads((tmp_path / "p.json").read_text())
    (tmp_path / "p.json").write_text(json.dumps({**facts, "suppressed_labels": []}))
    assert not crypsis.read_release(tmp_path / "r", private_report=tmp_path / "p.json").verify(sets).holds


# Numbers of the input


def test_how_much_was_left_out_is_not_told(tmp_path: Path) -> None:
    folders = []
    for odd in (1, 4):
        trips = [["a", "b", "c"]] * 5 + [["x", "y", "z", "x"][:odd]]
        release = crypsis.anonymize(Trajectories.from_lists(trips), KAMCut(k=3))
        assert len(release.data) == 5
        folders.append(folder_of(release, tmp_path / str(odd)))
    assert folders[0] == folders[1]


def test_where_rows_were_cut_is_not_told(tmp_path: Path) -> None:
    """A trajectory that was cut to one visit, and one that never had more, publish the same."""
    points = {"a": (0, 0), "b": (1, 0), "c": (5, 5)}
    folders = []
    for first in (["a", "b", "c"], ["a"]):
        trips = Trajectories.from_lists([first, *[["a"], ["b"], ["a"], ["c"], ["b"], ["c"]]], locations=points)
        release = crypsis.anonymize(trips, SeqAnon(k=2, m=2, on_infeasible="truncate"))
        folders.append(folder_of(release, tmp_path / str(len(first))))
    assert folders[0] == folders[1]


def test_the_manifest_has_no_place_for_the_input(tmp_path: Path) -> None:
    release = crypsis.anonymize(people(97), Incognito(k=5, max_suppressed=0.02))
    files = folder_of(release, tmp_path / "r")
    manifest = json.loads(files["release.json"])
    assert set(manifest["provenance"]) == {"python", "numpy"}
    assert set(manifest["data"]) == {
        "kind",
        "file",
        "format",
        "order",
        "rows",
        "suppressed",
        "missing_values",
        "columns",
    }
    assert json.loads(files["datapackage.json"])["description"] == manifest["guarantee"]["scope"]


# The order of the input


def test_the_order_of_the_input_is_in_no_file(tmp_path: Path) -> None:
    random = np.random.default_rng(3)
    table = people(97)
    for number, method in enumerate((Incognito(k=5, max_suppressed=0.02), TopDown(k=5, max_suppressed=0.02))):
        one = folder_of(crypsis.anonymize(table, method), tmp_path / f"{number}a")
        shuffled = table.take(random.permutation(60))
        assert one == folder_of(crypsis.anonymize(shuffled, method), tmp_path / f"{number}b")


# Figures on request


def test_a_chosen_figure_is_rounded_named_as_not_covered_and_noted(tmp_path: Path) -> None:
    release = crypsis.anonymize(people(97), Incognito(k=5, max_suppressed=0.02))
    exact = release.utility()["ncp_loss of age"]
    files = folder_of(release, tmp_path / "r", publish_figures=["ncp_loss of age", "discernibility_loss"])
    manifest = json.loads(files["release.json"])
    told = manifest["figures_against_original"]
    assert told["ncp_loss of age"] == float(f"{exact:.2g}") != exact
    assert told["discernibility_loss"] == int(float(f"{release.utility()['discernibility_loss']:.2g}"))
    assert "ncp_loss of age: computed from the original, rounded to two digits." in manifest["guarantee"]["not_covered"]
    assert "ncp_loss of age" in manifest["verdict"]["note"]
    assert b"does not cover" in files["report.html"]
    again = crypsis.read_release(tmp_path / "r")
    assert again.verify().holds
    assert again.utility()["ncp_loss of age"] == told["ncp_loss of age"]


def test_what_would_tell_too_much_is_never_published(tmp_path: Path) -> None:
    release = crypsis.anonymize(baskets(2), Disassociation(k=5, m=2))
    assert release.utility()["tkd_last_support"] < 5
    for names, words in ((["tkd_last_support"], "count below 5"), (["tkd_lost"], "there is no figure")):
        with pytest.raises(FigureNotPublishable, match=words):
            release.write(tmp_path / "r", publish_figures=names)
    assert not (tmp_path / "r").exists()


def test_figures_of_private_releases_are_never_published(tmp_path: Path) -> None:
    frame = pl.DataFrame({"age": [20, 30, 40] * 20, "ill": ["yes", "no", "no"] * 20})
    table = Table.from_frame(frame, {"age": "quasi", "ill": "label"}, each_row_is_a_person=True)
    release = crypsis.anonymize(table, DiffGen(epsilon=1, specializations=1, domains=PublicAttributes()))
    with pytest.raises(FigureNotPublishable, match="budget"):
        release.write(tmp_path / "r", publish_figures=["region_ncp_loss"])


# The private report


def test_the_private_report_is_json_and_a_page_for_its_owner_alone(tmp_path: Path) -> None:
    old = os.umask(0o022)
    try:
        release = crypsis.anonymize(people(97), Incognito(k=5, max_suppressed=0.02))
        release.write(tmp_path / "r", private_report=tmp_path / "mine.json")
    finally:
        os.umask(old)
    for name in ("mine.json", "mine.html"):
        assert stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o600
    private = json.loads((tmp_path / "mine.json").read_text())
    assert private["utility"] == release.utility()
    assert private["published_row_of_input_row"]
    assert private["timings"]
    page = (tmp_path / "mine.html").read_text()
    assert "must not be passed on" in page
    assert "Normalized certainty penalty of age" in page
    assert str(tmp_path) not in page + (tmp_path / "mine.json").read_text()
    with pytest.raises(BadParameter, match="inside"):
        release.write(tmp_path / "s", private_report=tmp_path / "s" / "p.json")


def test_a_release_made_of_a_release_is_the_same(tmp_path: Path) -> None:
    release = crypsis.anonymize(people(97), Incognito(k=5, max_suppressed=0.02))
    one = folder_of(release, tmp_path / "one")
    assert folder_of(crypsis.read_release(tmp_path / "one"), tmp_path / "two") == one


# Working copies of experiments


def test_a_working_copy_is_closed_to_others_and_no_release(tmp_path: Path) -> None:
    release = crypsis.anonymize(people(97), Incognito(k=5, max_suppressed=0.02))
    release.write_working_copy(tmp_path / "copy", release.utility())
    assert stat.S_IMODE((tmp_path / "copy").stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "copy").iterdir()} == {0o600}
    with pytest.raises(crypsis.CrypsisError, match="working copy"):
        crypsis.read_release(tmp_path / "copy")


def two_columns(rows: list[tuple[str, str]], file: Path) -> Table:
    file.write_text("age,note\n" + "".join(f"{age},{note}\n" for age, note in rows))
    return crypsis.read_table(file, {"age": "quasi", "note": "other"}, each_row_is_a_person=True)


@pytest.mark.parametrize(("age", "note"), [("0.5", "9"), ("97", "word"), ("0.5", "1.5")])
def test_the_type_of_a_column_is_that_of_its_published_values(age: str, note: str, tmp_path: Path) -> None:
    """A fraction or a word of a suppressed person made the whole column fractions or texts."""
    rows = [(str(20 + number % 3), str(5 + number % 2)) for number in range(24)]
    folders = []
    for number, odd in enumerate([("97", "9"), (age, note)]):
        file, place = tmp_path / f"{number}.csv", tmp_path / f"release{number}"
        release = crypsis.anonymize(two_columns([*rows, odd], file), Incognito(k=4, max_suppressed=0.1))
        folders.append(folder_of(release, place, private_report=tmp_path / "private.json"))
        read = crypsis.read_release(place, private_report=tmp_path / "private.json")
        assert read.verify(read.read_original(file, each_row_is_a_person=True)).holds
    assert folders[0] == folders[1]
    assert [column["type"] for column in json.loads(folders[0]["release.json"])["data"]["columns"]] == ["int", "int"]


def test_a_declared_type_is_told_whatever_is_published(tmp_path: Path) -> None:
    frame = pl.DataFrame({"age": ["20", "21"] * 6, "zip": ["1", "2"] * 6})
    roles = {"age": "quasi", "zip": "quasi"}
    table = Table.from_frame(frame, roles, {"age": "float", "zip": "category"}, each_row_is_a_person=True)
    manifest = json.loads(folder_of(crypsis.anonymize(table, Incognito(k=4)), tmp_path / "release")["release.json"])
    assert [column["type"] for column in manifest["data"]["columns"]] == ["float", "category"]


def zips(odd: str) -> Table:
    codes = [code for code in ("101", "102", "111", "112") for _ in range(3)]
    frame = pl.DataFrame({"zip": [*codes, odd], "age": [20] * 12 + [90]})
    types = {"zip": "category", "age": "int"}
    return Table.from_frame(frame, {"zip": "quasi", "age": "quasi"}, types, each_row_is_a_person=True)


@pytest.mark.parametrize("recipe", ["prefix", "balanced:2", "balanced:2:frequency", "balanced:3"])
@pytest.mark.parametrize("method", [Incognito, TopDown, BottomUp])
def test_names_of_nodes_tell_nothing_of_suppressed_values(recipe: str, method: Any, tmp_path: Path) -> None:
    """Masks were as long as the longest code; nodes were numbered among all values, and had a level more for more."""
    plan = Hierarchies.from_text(f"zip={recipe},age=flat")
    folders = {}
    for odd in ("999999999", "113", "103"):
        release = crypsis.anonymize(zips(odd), method(k=4, max_suppressed=0.1, hierarchy=plan))
        if not release.data.suppressed[12]:
            continue
        shown = set(release.data.to_frame()["zip"].to_list()) - {"~"}
        assert "999" not in "".join(shown)
        assert all(name.count("*") < 2 for name in shown)
        numbers = sorted(int(name[1:]) for name in shown if name[1:].isdecimal() and name[0] == "#")
        assert numbers == [*range(1, len(numbers) + 1)]
        files = folder_of(release, tmp_path / odd)
        records = files["table.csv"]
        assert folders.setdefault(records, files) == files
    assert folders


def test_a_tree_node_over_one_published_value_is_that_value() -> None:
    """`10*` over one published code told that somebody who is suppressed has another."""
    codes = ["101"] * 5 + ["111"] * 5 + ["102"]
    frame = pl.DataFrame({"zip": codes, "age": [20] * 10 + [90]})
    types = {"zip": "category", "age": "int"}
    table = Table.from_frame(frame, {"zip": "quasi", "age": "quasi"}, types, each_row_is_a_person=True)
    plan = Hierarchies.from_text("zip=prefix,age=flat")
    release = crypsis.anonymize(table, TopDown(k=5, max_suppressed=0.1, hierarchy=plan))
    assert release.verify().holds
    assert set(release.data.to_frame()["zip"].to_list()) <= {"101", "111", "1*", "*", "~"}


def test_a_missing_value_of_a_suppressed_person_is_not_told() -> None:
    ages = [20, 21, 22, 23] * 3
    tables = [
        Table.from_frame(
            pl.DataFrame({"age": [*ages, odd], "town": ["here"] * 12 + ["there"]}),
            {"age": "quasi", "town": "quasi"},
            {"age": "int", "town": "category"},
            each_row_is_a_person=True,
        )
        for odd in (None, 90)
    ]
    method = Incognito(k=12, max_suppressed=0.1)
    one, other = (crypsis.anonymize(table, method).data.to_frame().rows() for table in tables)
    assert one == other


def test_whether_there_were_several_blocks_is_not_told_where_trips_are_left_out(tmp_path: Path) -> None:
    """`scaling` told a recipient of ten trips that there had been more than eleven."""
    places = {place: (float(number), 0.0) for number, place in enumerate("abyz")}
    folders = []
    for lost in (["z"], ["z", "y"]):
        trips = [["a", "b"]] * 10 + [[place] for place in lost]
        data = Trajectories.from_lists(trips, locations=places)
        release = crypsis.anonymize(data, crypsis.KAMRec(k=3), executor="serial", block_rows=11)
        assert release.data.to_lists() == [["a", "b"]] * 10
        folders.append(folder_of(release, tmp_path / str(len(lost))))
    assert folders[0] == folders[1]


@pytest.mark.parametrize("name", ["people.csv", "notes.json", "page.html", "folder.json", "loop.json", ""])
def test_a_private_report_replaces_nothing_but_a_private_report(name: str, tmp_path: Path) -> None:
    """It took the place of any file that bore its name, be it the original."""
    for file in ("people.csv", "notes.json", "page.html"):
        (tmp_path / file).write_text("the only copy")
    (tmp_path / "folder.json").mkdir()
    (tmp_path / "loop.json").symlink_to("loop.json")
    before = sorted(path.name for path in tmp_path.iterdir())
    release = crypsis.anonymize(people(97), Incognito(k=5, max_suppressed=0.02))
    if name == "loop.json":  # of a link nothing but the link is replaced
        release.write(tmp_path / "release", private_report=tmp_path / name)
        assert json.loads((tmp_path / name).read_text())["schema"] == "crypsis-private-report/1"
        return
    with pytest.raises((OutputExists, BadParameter)):
        release.write(tmp_path / "release", private_report=tmp_path / name if name else "")
    assert sorted(path.name for path in tmp_path.iterdir()) == before
    assert (tmp_path / "people.csv").read_text() == "the only copy"


def test_a_private_report_replaces_the_one_before(tmp_path: Path) -> None:
    release = crypsis.anonymize(people(97), Incognito(k=5, max_suppressed=0.02))
    for _ in range(2):
        release.write(tmp_path / "release", private_report=tmp_path / "private.json", overwrite=True)
