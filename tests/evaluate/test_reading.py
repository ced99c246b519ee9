"""crypsis.read: it tells the kind, and suggests settings only where they are sure."""

from pathlib import Path

import pytest

import crypsis
from crypsis.errors import BadParameter, CrypsisError, InputError, UndeclaredRole
from tests.zoo.animals import TABLES


def written(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


VISITS = "trip,step,place\n1,0,a\n1,1,b\n2,0,a\n"
SURE = [
    ("items.dat", "a b\nb c\n", crypsis.Transactions),
    ("baskets.csv", "basket,item\n1,a\n1,b\n2,a\n", crypsis.Transactions),
    ("visits.csv", VISITS, crypsis.Trajectories),
    ("visits.jsonl", '["a","b"]\n["a"]\n', crypsis.Trajectories),
    (
        "fixes.csv",
        "track_id,lat,lon,time\na,52.0,13.0,2020-01-01T00:00:00\na,52.1,13.1,2020-01-01T00:01:00\n",
        crypsis.Tracks,
    ),
    ("log.csv", "user,place,time\n1,a,0\n2,b,1\n", crypsis.Events),
]


@pytest.mark.parametrize(("name", "text", "kind"), SURE, ids=[name for name, _, _ in SURE])
def test_the_kind_is_told_and_columns_are_found(tmp_path, name, text, kind):
    assert isinstance(crypsis.read(written(tmp_path, name, text)), kind)


def test_what_changes_the_data_is_asked_and_the_call_works(tmp_path):
    path = written(tmp_path, "visits.csv", "trip,step,place\n1,1,b\n1,0,a\n2,0,a\n")
    with pytest.raises(InputError, match="have to be sorted") as refused:
        crypsis.read(path)
    assert "sort=True" in str(refused.value)
    made = eval(refused.value.details["call"], {"crypsis": crypsis})
    assert made.to_lists() == [["a", "b"], ["a"]]
    assert crypsis.read(path, sort=True) == made


def test_a_table_asks_for_roles_and_the_call_works(tmp_path):
    path = written(tmp_path, "people.csv", "patient_id,age,diagnosis\n1,30,flu\n2,31,cold\n3,30,flu\n")
    with pytest.raises(UndeclaredRole) as refused:
        crypsis.read(path)
    assert refused.value.details["call"] in str(refused.value)
    made = eval(refused.value.details["call"], {"crypsis": crypsis})
    assert (made.identifiers, made.quasi, made.sensitive) == (("patient_id",), ("age",), ("diagnosis",))
    assert crypsis.read(path, quasi=["age"], person="patient_id", rest="other").others == ("diagnosis",)
    assert crypsis.read(path, roles=dict.fromkeys(["patient_id", "age", "diagnosis"], "quasi")).quasi[0] == "patient_id"


def test_mixed_data_ask_for_roles_and_the_call_works(tmp_path):
    sets = ["a", "b", "a b", "b c", "a c", "a b c", "c"]
    rows = "\n".join(f"{20 + row % 5},{sets[row % 7]}" for row in range(40))
    path = written(tmp_path, "mixed.csv", f"age,codes\n{rows}\n")
    with pytest.raises(UndeclaredRole) as refused:
        crypsis.read(path)
    made = eval(refused.value.details["call"], {"crypsis": crypsis})
    assert isinstance(made, crypsis.Mixed)


def test_a_kind_and_options_can_be_given(tmp_path):
    path = written(tmp_path, "visits.csv", VISITS)
    assert crypsis.read(path, kind="table", rest="quasi").quasi == ("trip", "step", "place")
    with pytest.raises(BadParameter, match="Did you mean 'tracks'"):
        crypsis.read(path, kind="track")
    with pytest.raises(BadParameter, match="leave quasi out"):
        crypsis.read(path, quasi=["place"])
    german = written(tmp_path, "german.csv", "alter;wert\n30;1,5\n31;2,5\n")
    assert crypsis.read(german, separator=";", rest="quasi").quasi == ("alter", "wert")


def test_files_that_are_missing_and_releases_are_told(tmp_path):
    with pytest.raises(FileNotFoundError):
        crypsis.read(tmp_path / "none.csv")
    path = written(tmp_path, "people.csv", "age,ill\n30,flu\n31,flu\n")
    folder = crypsis.anonymize(crypsis.read(path, quasi="age", sensitive="ill"), crypsis.Mondrian(k=2)).write(
        tmp_path / "release"
    )
    with pytest.raises(InputError, match="crypsis.read_release"):
        crypsis.read(folder)


@pytest.mark.parametrize("animal", TABLES, ids=lambda animal: animal.name)
def test_every_awkward_file_is_answered_with_a_call_that_works(animal, tmp_path):
    path = animal.write(tmp_path)
    options = {name: value for name, value in animal.options.items() if name != "missing"}
    try:
        crypsis.read(path, **options)
    except CrypsisError as error:
        line = error.details.get("call")
        if line is None:
            assert animal.refused, error
            return
        assert eval(line, {"crypsis": crypsis}) is not None


def test_the_call_says_how_the_file_is_written(tmp_path):
    path = written(tmp_path, "nodes.txt", "".join(f"{row} {row / 7} {row / 9}\n" for row in range(40)))
    with pytest.raises(UndeclaredRole) as caught:
        crypsis.read(path)
    assert "separator=' '" in caught.value.details["call"]
    assert len(eval(caught.value.details["call"], {"crypsis": crypsis})) == 40
