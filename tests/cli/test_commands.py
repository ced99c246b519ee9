"""Each command does what its help says, in words and as JSON."""

from __future__ import annotations

import json
import signal
import subprocess
import sys

import pytest

import crypsis
import crypsis.verifiers
from crypsis.evaluate import Experiment
from crypsis.methods import METHODS
from crypsis.metrics import METRICS
from crypsis.samples import SAMPLES


def anonymize(run, town, *more):
    return run(
        "anonymize",
        town / "checkins.csv",
        "--method",
        "seq-anon",
        "-k",
        "5",
        "-m",
        "2",
        "--locations",
        town / "places.csv",
        "--out",
        town / "release",
        *more,
    )


def test_the_whole_path_from_a_file_to_a_verified_release(run, town):
    done = anonymize(run, town)
    assert done.code == 0, done.err
    assert "✓ verified" in done.out
    assert str(town / "release" / "report.html") in done.out
    checked = run("verify", town / "release")
    assert checked.code == 0
    assert "holds" in checked.out
    strict = run("verify", town / "release", "--original", town / "checkins.csv", "--locations", town / "places.csv")
    assert strict.code == 0
    assert "the original ones recoded" in strict.out


def test_json_is_one_object_on_standard_output(run, town):
    done = anonymize(run, town, "--json")
    result = json.loads(done.out)
    assert result["verdict"]["holds"] is True
    assert result["utility"]["visit_query_loss"] >= 0
    assert set(result["timings"]) >= {"feasibility", "verify", "write"}


def test_timings_tell_each_stage_and_its_memory(run, town):
    done = anonymize(run, town, "--timings")
    table = done.out[done.out.index("most MiB so far") :]
    assert all(stage in table for stage in ("read", "feasibility", "verify", "write"))
    told = json.loads((town / "release.private.json").read_text())
    assert next(iter(told["timings"])) == "read"
    assert set(told["memory"]) == set(told["timings"])


def test_flags_may_stand_anywhere(run, town):
    first = run("--json", "verify", anonymize(run, town) and town / "release")
    assert json.loads(first.out)["verdict"]["holds"] is True


def test_quiet_says_nothing_but_the_result(run, town):
    done = anonymize(run, town, "--quiet")
    assert done.code == 0
    assert done.err == ""


def test_a_broken_release_exits_with_4(run, town):
    anonymize(run, town)
    path = town / "release" / "trajectories.jsonl"
    path.write_text(path.read_text() + '["Nowhere"]\n')
    done = run("verify", town / "release")
    assert done.code == 4
    assert "✗ NOT SAFE" in done.out
    assert "(Nowhere) occurs in 1 trajectory, 5 are required" in done.out


def test_any_published_file_can_be_verified_against_a_model(run, town):
    anonymize(run, town)
    path = town / "release" / "trajectories.jsonl"
    assert run("verify", path, "--model", "km-anonymity", "-k", "5", "-m", "2").code == 0
    assert run("verify", path, "--model", "km-anonymity", "-k", "5", "-m", "4").code == 4
    assert run("verify", path).code == 2


def test_measure_gives_the_figures_of_the_private_report(run, town):
    anonymize(run, town)
    private = json.loads((town / "release.private.json").read_text())
    measured = run(
        "measure",
        town / "release",
        "--original",
        town / "checkins.csv",
        "--locations",
        town / "places.csv",
        "--json",
    )
    assert json.loads(measured.out) == pytest.approx(private["utility"])
    table = run("measure", town / "release", "--original", town / "checkins.csv", "--metric", "visit_query_loss")
    assert "visit_query_loss" in table.out


def test_report_says_where_it_is_and_makes_it_anew(run, town):
    anonymize(run, town)
    assert "report.html" in run("report", town / "release").out
    assert run("report", town / "release", "--out", town / "again.html").code == 0
    assert "<svg" in (town / "again.html").read_text()
    drawn = json.loads(run("report", town / "release", "--pictures", town / "pictures", "--json").out)["pictures"]
    assert {path.suffix for path in (town / "pictures").iterdir()} == {".svg"}
    assert len(drawn) == len(list((town / "pictures").iterdir())) >= 4


def test_the_demo_ends_with_a_verified_release(run, tmp_path):
    done = run("demo", "--out", tmp_path / "demo")
    assert done.code == 0, done.err
    assert "✓ verified" in done.out
    assert crypsis.read_release(tmp_path / "demo").verify().holds
    assert run("demo", "--out", tmp_path / "demo").code == 2
    assert run("demo", "--out", tmp_path / "demo", "--overwrite").code == 0


@pytest.mark.long
def test_methods_lists_every_method_and_its_parameters(run):
    listed = run("methods")
    for name, method in METHODS.items():
        line = next(line for line in listed.out.splitlines() if line.split()[:1] == [name])
        assert f" {method.scaling.value} " in line
        described = run("methods", name)
        for parameter in method.describe()["parameters"]:
            assert parameter["name"].replace("_", "-") in described.out
        told = json.loads(run("methods", name, "--json").out)
        assert told.items() >= method.describe().items()
        assert hasattr(crypsis.verifiers, told["verifier"])
        assert told["claims"]["model"] == method.promises.model
        assert set(told["metrics"]) < set(METRICS)
        assert told["metrics"]
    assert len(json.loads(run("methods", "--json").out)["methods"]) == len(METHODS)


def test_data_inspect_writes_the_experiment_to_begin_with(run, tmp_path):
    sets = ["a", "a b", "b c d", "c d", "d", "a c d"]
    rows = "".join(f"p{number},{20 + number % 4},{sets[number % 6]}\n" for number in range(40))
    (tmp_path / "people.csv").write_text(f"id,age,codes\n{rows}")
    told = run("data", "inspect", tmp_path / "people.csv", "--as-experiment")
    experiment = Experiment.parse(told.out, folder=tmp_path)
    assert experiment.content["dataset"]["columns"] == {
        "id": {"type": "category", "role": "identifier"},
        "age": {"type": "int", "role": "quasi"},
        "codes": {"type": "items", "item_separator": " "},
    }
    assert experiment.check() == []
    assert [run.method for run in experiment.runs] == ["rum-bound"]
    said = run("data", "inspect", tmp_path / "people.csv", "--as-experiment", "--json")
    assert json.loads(said.out) == experiment.content


def test_data_inspect_shows_columns_and_missing_values(run, tmp_path):
    (tmp_path / "people.csv").write_text("name,age\nann,30\nbob,\n")
    shown = run("data", "inspect", tmp_path / "people.csv")
    assert shown.code == 0, shown.err
    assert "2 rows" in shown.out
    columns = {
        column["name"]: column
        for column in json.loads(run("data", "inspect", tmp_path / "people.csv", "--json").out)["columns"]
    }
    assert columns["age"]["missing"] == 1


@pytest.mark.parametrize("name", SAMPLES)
def test_every_sample_can_be_written(run, tmp_path, name):
    assert name in run("sample").out
    done = run("sample", name, "--out", tmp_path / "sample.csv")
    assert done.code == 0, done.err
    assert (tmp_path / "sample.csv").stat().st_size > 1000


def test_parquet_and_a_private_report_are_written_when_asked_for(run, town):
    done = anonymize(run, town, "--format", "parquet", "--private-report", town / "private.json")
    assert done.code == 0, done.err
    assert (town / "release" / "trajectories.parquet").is_file()
    assert (town / "private.json").stat().st_mode & 0o777 == 0o600


def test_warmup_compiles_everything_that_a_run_needs(run):
    done = run("warmup", "--method", "seq-anon", "--method", "ppsg", "--json")
    assert done.code == 0
    assert json.loads(done.out)["cached"] is True


def test_help_is_quick_and_lists_the_commands():
    command = [sys.executable, "-m", "crypsis", "--help"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    for name in ("demo", "sample", "methods", "anonymize", "verify", "measure", "report", "warmup", "data"):
        assert name in done.stdout
    heavy_ones = "('numba', 'polars', 'numpy', 'rich', 'pydantic')"
    loaded = f"import sys, crypsis.cli.app as a; a.parser(); print([m for m in {heavy_ones} if m in sys.modules])"
    heavy = subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True, check=True)
    assert heavy.stdout.strip() == "[]", "the help must not load what it does not need"


@pytest.mark.long
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_ctrl_c_leaves_nothing_behind(town, number):
    slow = (
        "import signal\n"
        "signal.signal(signal.SIGHUP, signal.SIG_DFL)  # whoever started us may ignore it\n"
        "import sys, time, crypsis.release as r, crypsis.cli as c\n"
        "write = r.Release._write_files\n"
        "def slow(*a):\n"
        "    write(*a); print('writing', flush=True); time.sleep(600)\n"
        "r.Release._write_files = slow\n"
        "c.main(sys.argv[1:])\n"
    )
    arguments = [
        "anonymize",
        "checkins.csv",
        "--method",
        "seq-anon",
        "--locations",
        "places.csv",
        "--out",
        "release",
    ]
    process = subprocess.Popen(
        [sys.executable, "-c", slow, *arguments],
        cwd=town,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline().strip() == "writing"
    process.send_signal(number)
    _, errors = process.communicate(timeout=120)
    assert process.returncode == 130
    assert "cancelled: stopped; nothing was left behind" in errors
    assert sorted(path.name for path in town.iterdir()) == ["checkins.csv", "places.csv"]


def test_ctrl_c_while_the_command_is_loaded_is_no_traceback():
    """Until it is there, nothing has been begun that must be cleaned up."""
    early = (
        "import builtins, os, signal, crypsis.__main__ as command\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever started us may ignore it\n"
        "before = builtins.__import__\n"
        "def interrupted(name, *rest, **named):\n"
        "    if name == 'crypsis.cli': os.kill(os.getpid(), signal.SIGINT)\n"
        "    return before(name, *rest, **named)\n"
        "builtins.__import__ = interrupted\n"
        "command.start()\n"
    )
    ended = subprocess.run([sys.executable, "-c", early], capture_output=True, text=True, timeout=120, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (-signal.SIGINT, "", "")
