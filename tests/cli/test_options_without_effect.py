"""Of every way of reading, every reading option either changes what is read or is refused. None is passed over."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from crypsis.cli.reading.typed import Typed, file_options, reading_options
from crypsis.data.mixed import Mixed
from crypsis.data.relational import Table
from crypsis.data.sources import every_key
from crypsis.data.stream import Events
from crypsis.data.track import Tracks
from crypsis.data.trajectory import Trajectories
from crypsis.data.transaction import Transactions
from crypsis.errors import CrypsisError, OptionWithoutEffect
from crypsis.evaluate.dataset import Dataset
from tests.cli.conftest import Run

VISITS = "trajectory_id,position,location,rider\n1,1,a,x\n1,2,b,x\n2,1,a,x\n"
CHECKINS = "user,time,lat,lon,rider\nu,2008-06-08T23:00Z,1,2,x\nv,2008-06-09T23:00Z,1,2,x\nv,2008-06-10T23:00Z,1,3,x\n"
FIXES = "track_id,t,lat,lng,rider\n1,1,1,2,x\n1,2,1,3,x\n2,1,1,2,x\n"
POINTS = json.dumps(
    {
        "type": "FeatureCollection",
        "features": [
            {
                "type": "Feature",
                "geometry": {"type": "Point", "coordinates": [1.0, 2.0]},
                "properties": {"tid": track, "time": moment, "uid": "x"},
            }
            for track, moment in ((1, 1), (1, 2), (2, 1))
        ],
    }
)
PEOPLE = "user_id,age,zip,ill\nx,30,14122,flu\nx,31,14123,cold\ny,33,14122,flu\n"
TABLE = {"quasi": "age", "other": "zip,ill", "identifier": "user_id", "types": "age=int"}
MIXED = {"quasi": "age", "other": "zip,user_id", "items": "ill= ", "types": "age=int"}

# name of the file, its content, the kind, and what is said in any case
WAYS: dict[str, tuple[str, str, type, dict[str, Any]]] = {
    "long trajectories": ("v.csv", VISITS, Trajectories, {}),
    "listed trajectories": ("v.jsonl", '["a","b"]\n["a"]\n', Trajectories, {}),
    "spaced trajectories": ("v.dat", "a b\na\n", Trajectories, {}),
    "check-ins": ("c.csv", CHECKINS, Trajectories, {"grid": 1000.0}),
    "table of fixes": ("f.csv", FIXES, Tracks, {}),
    "file of fixes": ("f.geojson", POINTS, Tracks, {}),
    "long transactions": ("t.csv", "id,item,rider\n1,a,x\n1,b,x\n2,a,x\n", Transactions, {}),
    "listed transactions": ("t.jsonl", '["a","b"]\n["a"]\n', Transactions, {}),
    "spaced transactions": ("t.dat", "a b\na\n", Transactions, {}),
    "table": ("p.csv", PEOPLE, Table, TABLE),
    "mixed": ("p.csv", PEOPLE, Mixed, MIXED),
    "events": ("e.csv", "id,location,t,rider\n1,a,2008-06-08T23:00:00Z,x\n2,b,2008-06-08T23:10:00Z,x\n", Events, {}),
}
# what must be wrong with a file so that an option has something to do
DISORDER = {"1,1,a,x\n1,2,b,x": "1,2,a,x\n1,1,b,x", "1,1,1,2,x\n1,2,": "1,2,1,2,x\n1,1,", '"time": 2': '"time": 0'}
REPEATED = {"1,2,1,3,x": "1,1,1,3,x", '"time": 2': '"time": 1'}
BROKEN = {"sort": DISORDER, "repeated": REPEATED, "as_missing": {"33": "old"}, "drop_malformed": {"2,b,2008": "2,b,x"}}
VALUES: dict[str, Any] = {
    "grid": 2000.0,
    "one_per": "day",
    "crs": "3857",
    "repeated": "first",
    "time_format": "%d",
    "time_unit": "h",
    "types": "zip=category",
    "missing": "14122",
    "unite": "person",
    "separator": ";",
    "input_format": "parquet",
    "locations": "nowhere.csv",
}
FLAGS = ("sort", "as_missing", "drop_malformed", "each_row_is_a_person")


TABLES: dict[str, Any] = {
    "columns": {"item": {"type": "items"}},
    "sets": {"more": {"path": "nowhere.csv", "id": "id", "item": "item"}},
    "sensitive": ["nowhere"],
    "missing": ["flu"],
}


def broken(content: str, option: str) -> str:
    for sound, odd in BROKEN.get(option, {}).items():
        content = content.replace(sound, odd)
    return content


def outcome(read: Any) -> object:
    """What came of reading: a description of the data, or the code of the error and its words."""
    try:
        data = read()
    except OptionWithoutEffect:
        raise
    except CrypsisError as error:
        return error.code, str(error)
    locations = getattr(data, "locations", None)
    parts = [repr(data), data.to_frame().write_json() if hasattr(data, "to_frame") else str(data.to_lists())]
    parts += [str(getattr(data, name, None)) for name in ("person", "person_like", "crs", "owners", "sensitive")]
    parts += [str(None if locations is None else (locations.crs, locations.grid, locations.sensitive))]
    return parts


@pytest.mark.long
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("option", [*reading_options(), *file_options()])
def test_a_reading_option_has_an_effect_or_is_refused(tmp_path: Path, way: str, option: str) -> None:
    name, content, kind, always = WAYS[way]

    def read(more: dict[str, Any]) -> object:
        return outcome(partial(Typed(always | more).read, tmp_path / name, kind))

    value = True if option in FLAGS else VALUES.get(option, "nowhere")
    (tmp_path / name).write_text(broken(content, option))
    before = read({})
    try:
        after = read({option: value})
    except OptionWithoutEffect as refusal:
        assert refusal.code == "option-without-effect"
        assert option.replace("_", "-") in str(refusal).replace("_", "-")
        return
    assert after != before, f"{option} was passed over in silence by {way}"


@pytest.mark.parametrize("way", WAYS)
def test_a_key_of_an_experiment_has_an_effect_or_is_refused(tmp_path: Path, way: str) -> None:
    name, content, kind, always = WAYS[way]
    if kind in (Table, Mixed):
        pytest.skip("their keys are those of columns")
    base = {"path": name, "kind": kind.__name__.lower(), **always}
    for key in every_key():
        if key in base:
            continue
        value = True if key in FLAGS else VALUES.get(key, "nowhere")
        value = TABLES.get(key, str(value) if isinstance(value, Path) else value)
        (tmp_path / name).write_text(broken(content, key))
        before = outcome(Dataset(base, tmp_path).load)
        try:
            after = outcome(Dataset({**base, key: value}, tmp_path).load)
        except OptionWithoutEffect:
            continue
        assert after != before, f"{key} was passed over in silence by {way}"


def test_the_refusal_names_the_option_and_what_would_do(run, tmp_path: Path) -> None:
    (tmp_path / "c.csv").write_text(CHECKINS)
    command = ("anonymize", tmp_path / "c.csv", "--grid", "1000", "--method", "seq-anon", "--out", tmp_path / "out")
    done = run(*command, "--position", "time")
    assert done.code == 2
    assert "option-without-effect: --position has no effect here: check-ins on a grid is read with --" in done.err
    assert "--grid" in done.err


def test_experiments_refuse_keys_of_other_kinds_before_anything_is_read(run, tmp_path: Path) -> None:
    (tmp_path / "e.toml").write_text('[dataset]\npath = "c.csv"\nkind = "tracks"\ngrid = 5\n[[run]]\nmethod = "ppsg"\n')
    done = run("--json", "run", tmp_path / "e.toml", "--out", tmp_path / "r")
    assert "option-without-effect" in done.out + done.err


@pytest.mark.parametrize("executor", [(), ("--executor", "serial")])
@pytest.mark.parametrize(
    "typed",
    [
        ("--quasi", "age"), ("--separator", ";"), ("--types", "age=int"), ("--step", "drop(columns=age)"),
        ("--each-row-is-a-person",), ("--longest", "3"), ("--suppressed", "a"),
    ],
)  # fmt: skip
def test_a_release_is_verified_as_it_says_itself(
    run: Run, tmp_path: Path, typed: tuple[str, ...], executor: tuple[str, ...]
) -> None:
    folder = release_in_parts(run, tmp_path)
    assert run("verify", folder, *executor).code == 0
    refused = run("verify", folder, *executor, *typed)
    assert refused.code == 2
    assert f"option-without-effect: {typed[0]}" in refused.err


def test_figures_and_risks_of_parts_refuse_what_they_do_not_use(run: Run, tmp_path: Path) -> None:
    folder = release_in_parts(run, tmp_path)
    original = ("--original", tmp_path / "parts", "--each-row-is-a-person", "--executor", "serial")
    assert run("measure", folder, *original).code == 0
    for typed in (("--seed", "3"), ("--step", "drop(columns=ill)")):
        refused = run("measure", folder, *original, *typed)
        assert refused.code == 2
        assert f"option-without-effect: {typed[0]}" in refused.err
    for executor in ((), ("--executor", "serial")):
        refused = run("data", "risk", folder, *executor, "--separator", ";")
        assert refused.code == 2
        assert "option-without-effect: --separator" in refused.err


def test_roles_typed_for_an_original_in_parts_are_used(run: Run, tmp_path: Path) -> None:
    folder = release_in_parts(run, tmp_path)
    original = ("--original", tmp_path / "parts", "--each-row-is-a-person")
    for executor in ((), ("--executor", "serial")):
        refused = run("measure", folder, *original, "--quasi", "nothing", *executor)
        assert refused.code == 2
        assert "nothing" in refused.err


def test_no_memory_is_no_amount(run: Run, tmp_path: Path) -> None:
    refused = run("verify", release_in_parts(run, tmp_path), "--executor", "serial", "--memory", "")
    assert refused.code == 2
    assert "--memory" in refused.err


def release_in_parts(run: Run, folder: Path) -> Path:
    (folder / "parts").mkdir()
    for part in range(2):
        rows = "".join(f"{20 + row % 5},{'flu' if row % 2 else 'cold'}\n" for row in range(20))
        (folder / "parts" / f"{part}.csv").write_text(f"age,ill\n{rows}")
    made = run(
        "anonymize", folder / "parts", "--method", "mondrian", "-k", "3", "--quasi", "age", "--sensitive", "ill",
        "--executor", "serial", "--out", folder / "release",
    )  # fmt: skip
    assert made.code == 0, made.err
    return folder / "release"
