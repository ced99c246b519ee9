"""Experiment files: what they mean, that they come back from their text, and that all problems are told at once."""

from __future__ import annotations

import json
import tomllib
from copy import deepcopy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crypsis.errors import BadExperiment
from crypsis.evaluate import Experiment
from crypsis.evaluate.applicability import applicable_methods, domain_parameters, why_not
from crypsis.evaluate.inputs import recipe_text
from crypsis.evaluate.sweeps import sweep_values
from crypsis.evaluate.toml import toml_text
from crypsis.methods import METHODS
from tests.evaluate.examples import DATASET, MERGE_R, PEOPLE, people, sweep_of_people, write_example

SPECIFIED = """
name = "informs k sweep"
seed = 7
workers = 2
[dataset]
path = "informs.csv"
separator = ","
[dataset.columns]
month_of_birth = {type="int", role="quasi"}
race = {type="category", role="quasi"}
diagnosis_codes = {type="items", role="quasi", item_separator=" ", sensitive=["042"]}
[hierarchy.race]
path = "race.csv"
[hierarchy.month_of_birth]
auto = "equi_width(12)"
[policy.privacy]
auto = "all(2)"
[policy.utility]
auto = "hierarchy(1)"
[queries]
generate = {count=100, relational=1, items=2, range_share=0.1, seed=3}
[[run]]
label = "cluster+pcta RT"
relational = {method="cluster"}
transaction = {method="pcta"}
bound = {method="RMERGE_RT", score="btd"}
params = {k=25, m=2, delta=0.65}
sweep = {param="delta", start=0.65, end=0.95, step=0.1}
[[run]]
label = "disassociation"
method = "disassociation"
columns = ["diagnosis_codes"]
params = {k=5, m=2, max_cluster_size=50}
repeats = 3
[metrics]
list = ["ncp","ul","are","tkd","re","tlost","runtime"]
[[plot]]
kind = "line"
x = "delta"
y = "are"
format = ["svg","png"]
"""


def informs(folder):
    lines = ["month_of_birth,race,diagnosis_codes"]
    lines += [f"{1 + n % 12},{'wba'[n % 3]},{'401 250' if n % 2 else '042 401'}" for n in range(60)]
    (folder / "informs.csv").write_text("\n".join(lines) + "\n")
    (folder / "race.csv").write_text("child;parent\nw;all\nb;other\na;other\nother;all\n")
    (folder / "experiment.toml").write_text(SPECIFIED)
    return Experiment.read(folder / "experiment.toml")


def test_the_experiment_of_the_specification_is_sound_and_expands(tmp_path):
    experiment = informs(tmp_path)
    assert experiment.check() == []
    cells = experiment.cells()
    assert [cell.params.get("delta") for cell in cells] == [0.65, 0.75, 0.85, 0.95, None, None, None]
    assert [cell.method for cell in cells] == ["rum-bound"] * 4 + ["disassociation"] * 3
    assert cells[0].params["merge"] == "rt"
    assert cells[0].swept == ("delta",)
    assert [cell.repeat for cell in cells[4:]] == [0, 1, 2]
    assert len({cell.id for cell in cells}) == 7


def test_toml_and_json_say_the_same(tmp_path):
    experiment = informs(tmp_path)
    again = Experiment.parse(experiment.to_toml(), folder=tmp_path)
    assert again.content == experiment.content
    (tmp_path / "experiment.json").write_text(json.dumps(experiment.content))
    assert Experiment.read(tmp_path / "experiment.json").cells() == experiment.cells()


_KEYS = st.text(st.characters(blacklist_categories=["Cs"]), min_size=1, max_size=5)
_VALUES = st.recursive(
    st.one_of(
        st.booleans(),
        st.integers(-(2**62), 2**62),
        st.floats(allow_nan=False),
        st.text(st.characters(blacklist_categories=["Cs"]), max_size=8),
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(_KEYS, inner, max_size=3)),
    max_leaves=8,
)


@given(st.dictionaries(_KEYS, _VALUES, max_size=4))
def test_whatever_is_written_as_toml_is_read_as_it_was(content):
    assert tomllib.loads(toml_text(content)) == content


@pytest.mark.parametrize(
    ("sweep", "values"),
    [
        ({"param": "k", "start": 5, "end": 20, "step": 5}, [5, 10, 15, 20]),
        ({"param": "d", "start": 0.4, "end": 1.0, "step": 0.1}, [0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0]),
        ({"param": "d", "start": 1, "end": 0, "step": -0.5}, [1.0, 0.5, 0.0]),
        ({"param": "d", "start": 0, "end": 0.2, "step": 0.1000000000001}, [0.0, 0.1000000000001, 0.2]),
        ({"param": "k", "start": 5, "end": 5, "step": 1}, [5]),
        ({"param": "k", "values": [2, 9]}, [2, 9]),
    ],
)  # fmt: skip
def test_both_ends_of_a_sweep_belong_to_it(sweep, values):
    assert sweep_values(sweep) == values


@pytest.mark.parametrize(
    ("sweep", "words"),
    [
        ({"param": "k", "start": 1, "end": 5, "step": 0}, "step must not be 0"),
        ({"param": "k", "start": 1, "end": 5, "step": -1}, "change its sign"),
        ({"param": "k", "start": 1, "end": 20_000, "step": 1}, "at most 10,000"),
        ({"param": "k", "values": []}, "at least one value"),
        ({"param": "k", "start": 1, "end": "x", "step": 1}, "end must be a number"),
        ({"start": 1, "end": 2, "step": 1}, "param must be"),
    ],
)
def test_a_sweep_that_makes_no_sense_is_refused(sweep, words):
    with pytest.raises(BadExperiment, match=words):
        sweep_values(sweep)


def test_a_grid_gives_the_product(tmp_path):
    people(tmp_path)
    text = PEOPLE + '[[run]]\nmethod = "mondrian"\ngrid = {k = [2, 3], l = [1, 2]}\n'
    cells = Experiment.parse(text, folder=tmp_path).cells()
    assert [(cell.params["k"], cell.params["l"]) for cell in cells] == [(2, 1), (2, 2), (3, 1), (3, 2)]


def test_all_problems_are_told_at_once(tmp_path):
    people(tmp_path)
    text = (
        PEOPLE.replace('role = "sensitive"', 'role = "secret"')
        + """
wrkers = 3
[limits]
seconds = -1
[metrics]
list = ["npc"]
[[run]]
label = "same"
method = "mondrain"
[[run]]
label = "same"
method = "cluster"
params = {k = 0, kk = 3}
sweep = {param = "k", start = 1, end = 2, step = 0}
""".replace("wrkers = 3\n", "")
    )
    experiment = Experiment.parse("wrkers = 3\n" + text, folder=tmp_path)
    told = "\n".join(map(str, experiment.check()))
    for words in (
        "no key 'wrkers'",
        "Did you mean 'workers'?",
        "role must be one of",
        "seconds must be a finite number above 0",
        "no metric 'npc'",
        "Did you mean 'ncp'?",
        "no method 'mondrain'",
        "Did you mean 'mondrian'?",
        "label 'same' is that of run 1",
        "k must be an int of at least 1, got 0",
        "no parameter 'kk'",
        "step must not be 0",
    ):
        assert words in told, told
    with pytest.raises(BadExperiment) as caught:
        experiment.require_sound()
    assert len(caught.value.details["problems"]) == len(experiment.check())


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (PEOPLE, "has no run"),
        ('[[run]]\nmethod = "mondrian"\n', "names no data"),
        (PEOPLE + '[[run]]\nlabel = "x"\n', "names no method"),
        (PEOPLE + '[[run]]\nmethod = "lra"\n', "lra cannot be run: it needs sets of items"),
        (PEOPLE + '[[run]]\nmethod = "seq-anon"\n', "seq-anon cannot be run"),
        (PEOPLE + '[[run]]\nmethod = "mondrian"\n[hierarchy.city]\npath = "none.csv"\n', "Or have it built"),
        (PEOPLE + '[[run]]\nmethod = "mondrian"\n[hierarchy.city]\n', "auto = 'equi_depth(8)'"),
        (PEOPLE + '[[run]]\nmethod = "mondrian"\n[hierarchy.city]\nauto = "equi_dept(8)"\n', "mean 'equi_depth'"),
        (PEOPLE + '[[run]]\nmethod = "mondrian"\nrepeats = 0\n', "repeats must be"),
        (PEOPLE + '[[run]]\nmethod = "mondrian"\n[queries]\nlist = ["age in [1"]\n', "character"),
        (PEOPLE.replace("people.csv", "other.csv") + '[[run]]\nmethod = "mondrian"\n', "no file"),
        (PEOPLE + '[[dataset.edits]]\nedit = "renam"\n[[run]]\nmethod = "mondrian"\n', "Did you mean 'rename'"),
        (PEOPLE + '[[run]]\nmethod = "mondrian"\nsweep = {param = "k", start = 1, end = 9, step = 1}\nrepeats = 2000\n',
         "18,000 cells"),
        (PEOPLE + '[[run]]\nbound = {method = "XMERGE_R"}\n', "no bounding method"),
        (PEOPLE + '[[run]]\nmethod = "mondrian"\n[[plot]]\nkind = "lines"\n', "Did you mean 'line'"),
        (PEOPLE.replace('path = "people.csv"', 'path = "${CRYPSIS_DATA}/x.csv"') + '[[run]]\nmethod = "mondrian"\n',
         "CRYPSIS_DATA"),
    ],
)  # fmt: skip
def test_each_problem_is_told_in_words(tmp_path, monkeypatch, text, words):
    monkeypatch.delenv("CRYPSIS_DATA", raising=False)
    people(tmp_path)
    told = "\n".join(map(str, Experiment.parse(text, folder=tmp_path).check()))
    assert words in told


def test_what_is_no_experiment_is_refused():
    for text in ("[dataset", "{", "name = "):
        with pytest.raises(BadExperiment, match="neither TOML nor JSON"):
            Experiment.parse(text)


def test_every_method_can_be_asked_for_at_once_and_domains_are_declared_by_a_person_only(tmp_path):
    write_example(tmp_path)
    declared = ', domains = "public-in-data", item_domain = "public-in-data"'
    applicable = {
        name for name, method in METHODS.items() if method.accepts.__name__ in ("Table", "Mixed", "Transactions")
    }
    private = {name for name in applicable if domain_parameters(name)}
    assert private == {"diff-multi", "diff-gen", "diff-part"}
    for domains, wanted in (("", applicable - private), (declared, applicable)):
        text = DATASET + f'[[run]]\nmethod = "*"\nparams = {{k = 2, delta = 0.9{domains}}}\n'
        experiment = Experiment.parse(text, folder=tmp_path)
        assert experiment.check() == []
        cells = experiment.cells()
        assert {cell.method for cell in cells} == wanted
        assert all(("delta" in cell.params) == (cell.method in ("rum-bound", "tum-bound")) for cell in cells)


def test_with_every_method_some_are_left_out_and_choices_go_to_those_that_offer_them(tmp_path):
    people(tmp_path)
    text = (
        PEOPLE
        + """[[run]]
method = "*"
except = ["incognito"]
params = {seeds = "first", k = 3}
grid = {max_suppressed = [0.0, 0.1]}
"""
    )
    cells = Experiment.parse(text, folder=tmp_path).cells()
    by_method = {cell.method: cell for cell in cells}
    assert "incognito" not in by_method
    assert by_method["cluster"].params == {"seeds": "first", "k": 3}
    assert by_method["mondrian"].params == {"k": 3}
    assert [cell.params["max_suppressed"] for cell in cells if cell.method == "top-down"] == [0.0, 0.1]
    wrong = Experiment.parse(text.replace("k = 3", "k = 0").replace("incognito", "incognitoo"), folder=tmp_path)
    told = "\n".join(map(str, wrong.check()))
    assert "Mondrian: k must be an int of at least 1" in told
    assert "Did you mean 'incognito'" in told


def test_methods_that_do_not_apply_say_why(tmp_path):
    data = Experiment.parse(DATASET + MERGE_R, folder=write_example(tmp_path)).dataset.load()
    assert why_not("mondrian", data) is None
    assert "visits to places" in why_not("seq-anon", data)
    assert "mondrian" not in applicable_methods(data, ["items"])
    assert "lra" in applicable_methods(data, ["items"])


def test_the_identity_of_a_cell_follows_what_decides_its_outcome(tmp_path):
    people(tmp_path)
    text = sweep_of_people("[2]")
    first = Experiment.parse(text, folder=tmp_path).cells()[0].id
    assert Experiment.parse(text, folder=tmp_path).cells()[0].id == first
    assert Experiment.parse("name = 'other'\nworkers = 2\n" + text, folder=tmp_path).cells()[0].id == first
    assert Experiment.parse(sweep_of_people("[3]"), folder=tmp_path).cells()[0].id != first
    edit = '[[dataset.edits]]\nedit = "set"\nrow = 0\ncolumn = "age"\nvalue = "33"\n'
    assert Experiment.parse(text + edit, folder=tmp_path).cells()[0].id != first
    assert Experiment.parse(text + '[hierarchy.city]\nauto = "flat"\n', folder=tmp_path).cells()[0].id != first
    (tmp_path / "people.csv").write_text((tmp_path / "people.csv").read_text() + "30,atown,flu\n")
    assert Experiment.parse(text, folder=tmp_path).cells()[0].id != first


def test_the_hierarchy_of_the_items_is_found_by_their_column(tmp_path):
    write_example(tmp_path)
    (tmp_path / "tree.csv").write_text("A;ab;all\nB;ab;all\nC;all\nD;d;dd;all\nE;all\nF;all\nG;all\nH;all\n")
    unmarked = DATASET.replace(', sensitive = ["G", "H"]', "")
    text = unmarked + '[hierarchy.items]\npath = "tree.csv"\n[[run]]\nmethod = "lra"\n'
    experiment = Experiment.parse(text, folder=tmp_path)
    assert experiment.check() == []
    data = experiment.dataset.load()
    for held in (data, data.transactions):
        assert experiment.inputs.hierarchy_of_items(held) == "items"
        tree = experiment.inputs.item_hierarchy(held)
        assert sorted(tree.leaves) == list("ABCDEFGH")
        assert ("D", "d") in tree.to_pairs()
    (tmp_path / "baskets.dat").write_text("A B\nC\n")
    alone = Experiment.parse(
        '[dataset]\npath = "baskets.dat"\n[hierarchy.products]\npath = "tree.csv"\n[[run]]\nmethod = "lra"\n',
        folder=tmp_path,
    )
    assert alone.inputs.item_hierarchy(alone.dataset.load()) is not None


def test_a_seed_is_that_of_the_run_or_of_the_experiment_and_grows_with_repeats(tmp_path):
    people(tmp_path)
    text = "seed = 4\n" + PEOPLE + '[[run]]\nmethod = "cluster"\nrepeats = 2\n'
    assert [cell.seed for cell in Experiment.parse(text, folder=tmp_path).cells()] == [4, 5]
    text += "params = {seed = 9}\n"
    assert [cell.seed for cell in Experiment.parse(text, folder=tmp_path).cells()] == [9, 10]


def test_no_item_may_be_generalized_where_the_utility_policy_is_none(tmp_path):
    (tmp_path / "baskets.dat").write_text("A B\nB C\n")
    text = '[dataset]\npath = "baskets.dat"\n[policy.utility]\nauto = "none"\n[[run]]\nmethod = "coat"\n'
    experiment = Experiment.parse(text, folder=tmp_path)
    assert experiment.check() == []
    data = experiment.dataset.load()
    assert len(experiment.inputs.utility(data).make(data)) == 0


def test_recipes_can_be_written_as_calls():
    assert recipe_text("equi_width(12)") == "equi_width:12"
    assert recipe_text("balanced(4, frequency)") == "balanced:4:frequency"
    assert recipe_text("flat()") == "flat"
    assert recipe_text("all:2") == "all:2"


_ODD = st.one_of(
    st.none(), st.booleans(), st.integers(-5, 5), st.floats(), st.text(max_size=4), st.just([]), st.just({}),
    st.just([1, "a"]), st.just({"a": 1}), st.just([{"method": 3}]), st.just("*"),
)  # fmt: skip


@given(data=st.data())
def test_whatever_stands_in_a_file_there_are_problems_or_none_but_no_crash(data, tmp_path_factory):
    folder = tmp_path_factory.getbasetemp() / "odd"
    if not folder.exists():
        folder.mkdir()
        informs(folder)
    content = tomllib.loads(SPECIFIED)
    content["run"][1] |= {"method": "*", "except": ["lra"], "grid": {"k": [2]}}
    places = list(_places(content))
    for path in data.draw(st.lists(st.sampled_from(places), min_size=1, max_size=3)):
        _put(content, path, deepcopy(data.draw(_ODD)))
    experiment = Experiment.parse(content, folder=folder)
    problems = experiment.check()
    assert all(problem.message and problem.where for problem in problems)
    if not problems:
        assert len(experiment.cells()) >= 1


def _places(content, path=()):
    entries = content.items() if isinstance(content, dict) else enumerate(content)
    for key, value in entries:
        yield (*path, key)
        if isinstance(value, (dict, list)):
            yield from _places(value, (*path, key))


def _put(content, path, value):
    for key in path[:-1]:
        try:
            content = content[key]
        except (KeyError, IndexError, TypeError):
            return
    try:
        content[path[-1]] = value
    except (TypeError, IndexError):
        return


def test_methods_are_known_whatever_their_spelling():
    runs = [
        {"method": "Top_Down"},
        {"method": "SeqAnon"},
        {"relational": {"method": "Full-subtree bottom-up"}, "transaction": {"method": "PCTA"}},
        {"method": "*", "except": ["BottomUp", "nobody", 3]},
        {"method": "nobody"},
    ]
    read = Experiment.parse({"run": runs}).content["run"]
    assert [run.get("method") for run in read] == ["top-down", "seq-anon", None, "*", "nobody"]
    assert (read[2]["relational"]["method"], read[2]["transaction"]["method"]) == ("bottom-up", "pcta")
    assert read[3]["except"] == ["bottom-up", "nobody", 3]
