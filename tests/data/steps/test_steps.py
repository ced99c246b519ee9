"""Steps shape a table in the same way on every road, and are recorded as they were given."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

import crypsis
from crypsis.cli.main import main
from crypsis.data.steps import STEPS, shape, step_of
from crypsis.errors import BadParameter, CrypsisError, UnknownColumn
from crypsis.evaluate.dataset import Dataset
from crypsis.evaluate.dataset_checks import section_problems
from crypsis.evaluate.first_look import first_look
from crypsis.parameters import parameters_of

FRAME = pl.DataFrame(
    {
        "id": ["a", "b", "c", "b"],
        "dx1": ["x", "", "z", "x"],
        "dx2": ["y", "q", None, "y"],
        "t": ["08.06.2008 10:00", "09.06.2008 11:00", "09.06.2008 09:00", "10.06.2009 08:00"],
        "zip": ["10115", "80331", "20095", "80331"],
        "age": ["47", "9", "10", "9"],
    }
)
TYPED = {
    "unite(columns=dx1..dx2, to=dx)": ("dx", ["x y", "q", "z", "x y"]),
    "per_day(person=id, time=t)": ("trajectory_id", ["a 2008-06-08", "b 2008-06-09", "c 2008-06-09", "b 2009-06-10"]),
    "sort(columns=age,id)": ("id", ["b", "b", "c", "a"]),
    "sort(columns=t, descending=true)": ("id", ["b", "b", "c", "a"]),
    "keep_first(columns=zip,age)": ("id", ["a", "b", "c"]),
    "drop(columns=dx1..t,zip)": ("age", ["47", "9", "10", "9"]),
    "drop_rows(column=id, values=a,c)": ("id", ["b", "b"]),
    "recode(column=id, values=a=anna,b=bert, others=other)": ("id", ["anna", "bert", "other", "bert"]),
    "year(column=t, to=year)": ("year", [2008, 2008, 2008, 2009]),
    "prefix(column=zip, length=3, to=area)": ("area", ["101", "803", "200", "803"]),
    "ends(starts=dx1, ends=dx2, to=dx)": ("dx", ["x", "y", "", "q", "z", None, "x", "y"]),
    "bins(column=age, width=10, to=decade)": ("decade", [40, 0, 10, 0]),
}


@pytest.mark.parametrize("typed", TYPED)
def test_a_step_does_what_it_says_and_leaves_the_table_alone(typed: str) -> None:
    before = FRAME.clone()
    column, values = TYPED[typed]
    assert shape(FRAME, [typed])[column].to_list() == values
    assert FRAME.equals(before)


@pytest.mark.parametrize("typed", TYPED)
def test_a_step_is_the_same_as_text_as_table_and_as_object(typed: str) -> None:
    step = step_of(typed)
    assert step_of(str(step)) == step_of(json.loads(json.dumps(step.to_dict()))) == step
    assert not section_problems({"step": [step.to_dict()]})


def test_every_step_describes_itself() -> None:
    for name, step in STEPS.items():
        assert step.name == name
        assert step.label
        assert all(option.help for option in parameters_of(step))


def test_cells_are_split_into_rows_and_united_again() -> None:
    united = shape(FRAME, ["unite(columns=dx1..dx2, to=dx, separator=|)", "split(column=dx, separator=|)"])
    assert united.select("id", "dx").rows() == [
        ("a", "x"), ("a", "y"), ("b", "q"), ("c", "z"), ("b", "x"), ("b", "y")
    ]  # fmt: skip


def test_a_location_table_is_joined_by_its_key(tmp_path: Path) -> None:
    places = tmp_path / "places.csv"
    places.write_text("place,lat,lon\nhome,52.5,13.4\nwork,52.6,13.5\n")
    frame = pl.DataFrame({"visited": ["work", "home", "gym"]})
    joined = shape(frame, [{"step": "join", "table": str(places), "column": "visited", "key": "place"}])
    assert joined.rows() == [("work", "52.6", "13.5"), ("home", "52.5", "13.4"), ("gym", None, None)]
    places.write_text("place,lat\nhome,1\nhome,2\n")
    with pytest.raises(BadParameter, match="twice"):
        shape(frame, [{"step": "join", "table": str(places), "column": "visited", "key": "place"}])


@pytest.mark.parametrize(
    ("told", "words"),
    [
        ("unify(columns=a)", "There is no step 'unify'; the steps are unite"),
        ("unite(columns=dx1..dx2)", "unite: to must be given"),
        ({"step": "unite", "columns": ["dx1"], "too": "x"}, "there is no 'too'"),
        ({"step": "prefix", "column": "zip", "length": 0, "to": "p"}, "length must be an int of at least 1"),
        ("unite", "A step is typed as"),
        ("unite(dx1)", "unite takes columns, to, separator"),
        ("drop(columns=id..age)", "No column would be left"),
        ("prefix(column=zip, length=2, to=age)", "There is a column 'age' already"),
        (7, "A step is a table"),
    ],
)
def test_a_wrong_step_says_what_would_do(told: object, words: str) -> None:
    with pytest.raises(BadParameter, match=words):
        shape(FRAME, [told])


def test_an_unknown_column_names_the_step() -> None:
    with pytest.raises(UnknownColumn) as caught:
        shape(FRAME, ["drop(columns=dx1)", "drop(columns=dx1)"])
    assert caught.value.where == "step 2, drop"


PEOPLE = "age,dx01,dx02,dx03\n" + "".join(f"{20 + n % 5},{'xyz'[n % 3]},{'' if n % 2 else 'q'},\n" for n in range(40))
STEP = {"step": "unite", "columns": ["dx01..dx03"], "to": "dx"}


def test_columns_become_a_set_on_every_road(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "people.csv"
    file.write_text(PEOPLE)
    read = crypsis.read_mixed(file, {"age": "quasi"}, {"dx": " "}, each_row_is_a_person=True, step=[STEP])
    section = {"path": "people.csv", "step": [STEP], "each_row_is_a_person": True,
               "columns": {"age": {"role": "quasi"}, "dx": {"type": "items"}}}  # fmt: skip
    again = Dataset(section, tmp_path).load()
    assert len(again) == len(read) == 40
    assert again.transactions.occurrences == read.transactions.occurrences == 60
    with pytest.raises(SystemExit) as ended:
        main(["data", "inspect", str(file), "--json"])
    assert ended.value.code in (0, None)
    asked = json.loads(capsys.readouterr().out)["understood"]["questions"]
    assert any("step='unite(columns=dx01..dx03, to=dx)'" in question for question in asked)
    look = first_look(file, {"step": [STEP]})
    assert look.section["step"] == [STEP]
    assert [column["name"] for column in look.inspection["columns"]] == ["age", "dx"]
    with pytest.raises(SystemExit) as ended:
        main(["data", "inspect", str(file), "--step", str(step_of(STEP)), "--json"])
    assert ended.value.code in (0, None)
    told = json.loads(capsys.readouterr().out)
    assert told["kind"] == "mixed"
    assert all("--step 'unite(columns=dx01..dx03, to=dx)'" in command for command in told["commands"].values())


def test_a_release_of_shaped_data_is_verified_with_the_same_step(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, out = tmp_path / "people.csv", tmp_path / "release"
    file.write_text(PEOPLE)
    typed = [
        "--each-row-is-a-person",
        "--step",
        "drop(columns=dx01..dx03)",
        "--step",
        "bins(column=age, width=2, to=b)",
    ]
    with pytest.raises(SystemExit) as ended:
        main(["anonymize", str(file), "--quasi", "age,b", "--method", "mondrian", "-k", "2", "--out", str(out), *typed])
    assert ended.value.code in (0, None), capsys.readouterr()
    with pytest.raises(SystemExit) as ended:
        main(["verify", str(out), "--original", str(file), *typed])
    assert ended.value.code in (0, None), capsys.readouterr()


def test_an_experiment_names_the_step_that_is_wrong() -> None:
    problems = section_problems({"step": [STEP, {"step": "drop"}]})
    assert [problem.where for problem in problems] == ["dataset.step 2"]


def test_other_steps_give_another_digest(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text(PEOPLE)
    plain = {"path": "people.csv", "kind": "table", "rest": "other"}
    assert Dataset(plain, tmp_path).digest != Dataset({**plain, "step": [STEP]}, tmp_path).digest


def test_lists_have_no_columns_to_shape(tmp_path: Path) -> None:
    file = tmp_path / "baskets.dat"
    file.write_text("a b\nb c\n")
    with pytest.raises(CrypsisError, match="no table"):
        crypsis.read_transactions(file, step=["drop(columns=a)"])


def test_two_visits_are_made_of_each_trip_its_start_first() -> None:
    trips = pl.DataFrame({"bike": ["b", "a"], "t1": [5, 1], "p1": ["x", "y"], "t2": [6.5, 2.0], "p2": ["y", "y"]})
    visits = shape(trips, ["ends(starts=t1,p1, ends=t2,p2, to=time,place)"])
    assert visits.rows() == [(1, 5.0, "x", "b"), (1, 6.5, "y", "b"), (2, 1.0, "y", "a"), (2, 2.0, "y", "a")]
    for wrong in ("ends(starts=t1, ends=t2,p2, to=time)", "ends(starts=t1, ends=t2, to=bike)"):
        with pytest.raises(BadParameter):
            shape(trips, [wrong])


def test_a_day_and_a_time_of_day_are_one_instant() -> None:
    frame = pl.DataFrame({"day": ["08.06.2008", "09.06.2008"], "clock": ["7:30", "23:05:09"], "x": [1, 2]})
    made = shape(frame, ["instant(day=day, clock=clock, to=at)"])
    assert made.columns == ["x", "at"]
    assert [str(moment) for moment in made["at"]] == ["2008-06-08 07:30:00", "2008-06-09 23:05:09"]
    for wrong in ("day=x, clock=clock", "day=day, clock=x"):
        with pytest.raises(BadParameter, match="Column 'x'"):
            shape(frame, [f"instant({wrong}, to=at)"])
