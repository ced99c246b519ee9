"""The API under fire: whatever is sent, the answer is never a failure of ours, and has the form that is described.

First the command line of schemathesis, driven by the description of the API, on a workspace with entries of every kind.
Then bodies that were right before one value in them was replaced by another that nobody expects there.
"""

from __future__ import annotations

import copy
import json
import random
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from crypsis.evaluate.toml import toml_text
from tests.web.conftest import Server, sample, start, uploaded

pytestmark = pytest.mark.long

TABLE = "age,zip,sex,disease\n" + "".join(
    f"{20 + row % 7},{13000 + row % 5},{'mf'[row % 2]},{('flu', 'cold', 'none')[row % 3]}\n" for row in range(40)
)
ODD: tuple[Any, ...] = (
    None, True, -1, 0, 1.5, 1e308, 5e-324, 2**53, -(2**63), "", "x", "x" * 1000, "\0", "../../x", "a,b=c:d", "é\u202e",
    [], {}, [[]], [None], {"a": 1}, [1, "a"], {"": {}},
)  # fmt: skip
FOLLOWED = {
    "datasets": ("", "/risk", "/rows?limit=3", "/histogram", "/file.csv", "/experiment.toml"),
    "experiments": ("", "/problems", "/experiment.toml", "/progress"),
    "hierarchies": ("/tree", "/problems", "/hierarchy.csv"),
}


@pytest.fixture(scope="module")
def target(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server of its own: what is left after the fire is of no use to others."""
    running = start(tmp_path_factory.mktemp("fuzzed") / "workspace")
    yield running
    running.stop()


@pytest.fixture(scope="module")
def asker(target: Server) -> Iterator[httpx.Client]:
    with target.client() as client:
        yield client


@pytest.fixture(scope="module")
def numbers(asker: httpx.Client) -> dict[str, str]:
    """An entry of every kind, with an experiment and a stream that have run."""
    people = sample(asker, "patients", size=40)["id"]
    experiment = made(asker, "/api/experiments", dataset=people)
    assert asker.post(f"/api/experiments/{experiment}/start", json={"workers": 1}).status_code == 202
    events = sample(asker, "metro", size=40)["id"]
    stream = made(asker, "/api/streams", dataset=events, L=1, K=2, N=3, rate=1e6)
    asker.post(f"/api/streams/{stream}/start")
    tracks, baskets = sample(asker, "tracks", size=20)["id"], sample(asker, "baskets", size=40)["id"]
    kept = asker.put("/api/queries", params={"dataset": people}, json={"queries": ["sex in {female}"]})
    assert kept.status_code == 200
    entries = {
        "datasets": people,
        "table": uploaded(asker, "people.csv", TABLE)["id"],
        "visits": sample(asker, "checkins", size=40)["id"],
        "events": events,
        "baskets": baskets,
        "tracks": tracks,
        "tessellations": made(asker, "/api/tessellations", dataset=tracks),
        "hierarchies": made(asker, "/api/hierarchies", dataset=people, column="sex", auto="flat"),
        "policies": made(asker, "/api/policies", dataset=baskets, policy="privacy", auto="all:2"),
        "experiments": experiment,
        "streams": stream,
    }
    until = time.monotonic() + 300
    while asker.get(f"/api/experiments/{experiment}/progress").json()["running"]:
        assert time.monotonic() < until
        time.sleep(0.1)
    (row,) = asker.get(f"/api/experiments/{experiment}/results").json()
    assert row["state"] == "done"
    return {**entries, "cell": row["cell"]}


def made(asker: httpx.Client, path: str, **body: Any) -> str:
    answer = asker.post(path, json=body)
    assert answer.status_code in (200, 201), answer.text
    return str(answer.json()["id"])


def configuration(numbers: dict[str, str]) -> str:
    """Requests meet entries that exist, apart from those that remove them."""
    tables = []
    for kind in ("datasets", "hierarchies", "policies", "experiments", "streams", "tessellations"):
        known = {"path.number": numbers[kind]} | ({"path.cell": numbers["cell"]} if kind == "experiments" else {})
        tables.append((f"^/api/{kind}/.number(?!.*marks)", known))  # of two in one path both must be drawn
    for kind, dataset in (("hierarchies", "datasets"), ("policies", "baskets"), ("queries", "datasets")):
        tables.append((f"^/api/{kind}(/(preview|columns|counts|drawn))?$", {"query.dataset": numbers[dataset]}))
    return "\n".join(
        f"[[operations]]\ninclude-path-regex = {json.dumps(path)}\nexclude-method = ['DELETE']\n"
        f"parameters = {{{', '.join(f'{json.dumps(name)} = {json.dumps(value)}' for name, value in known.items())}}}\n"
        for path, known in tables
    )


def held(server: Server) -> tuple[int, int]:
    """How many files and threads a server has."""
    process = Path(f"/proc/{server.process.pid}")
    return len(list((process / "fd").iterdir())), len(list((process / "task").iterdir()))


def test_schemathesis_finds_nothing_and_the_server_is_well_afterwards(
    target: Server, asker: httpx.Client, numbers: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "schemathesis.toml").write_text(configuration(numbers))
    files, threads = held(target)
    done = subprocess.run(
        [
            *(sys.executable, "-m", "schemathesis.cli", "--config-file", str(tmp_path / "schemathesis.toml"), "run"),
            *(f"{target.base}/api/openapi.json", "-H", f"Authorization: Bearer {target.token}"),
            # a schema cannot say what a TOML file, a query or an edit must hold, so what fits it may be refused
            *("--checks", "all", "--exclude-checks", "positive_data_acceptance", "--max-examples", "3", "--seed", "8"),
            *("--phases", "coverage,fuzzing", "--no-shrink", "--continue-on-failure", "--generation-database", "none"),
        ],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    described = asker.get("/api/openapi.json").json()["paths"].values()
    assert f"Tested: {sum(map(len, described))}" in done.stdout
    began = time.monotonic()
    for path in ("/api/datasets", "/api/experiments", "/api/streams", "/data"):
        assert asker.get(path).status_code == 200
    assert time.monotonic() - began < 30
    for kind in ("experiments", "hierarchies", "policies", "streams"):  # the workspace is whole
        for entry in (target.workspace / kind).iterdir():
            assert json.loads((entry / "entry.json").read_text(encoding="utf-8"))["revision"] >= 1
    assert held(target)[0] <= files + 20
    assert held(target)[1] <= threads + 40  # a server keeps up to 40 threads for requests


# What nobody expects


def places(document: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if path:
        yield path
    if isinstance(document, dict):
        for name in document:
            yield from places(document[name], (*path, name))
    elif isinstance(document, list):
        for at in range(len(document)):
            yield from places(document[at], (*path, at))


def altered(document: Any, most: int) -> Iterator[Any]:
    """The document with one value replaced; a part of all that are possible, always the same."""
    choices = [(path, odd) for path in places(document) for odd in ODD]
    for path, odd in random.Random(8).sample(choices, min(most, len(choices))):
        changed = copy.deepcopy(document)
        inner = changed
        for name in path[:-1]:
            inner = inner[name]
        inner[path[-1]] = odd
        yield changed


def text_of(document: dict[str, Any]) -> str:
    try:
        return toml_text(document)
    except Exception:  # what TOML cannot say, JSON can
        return json.dumps(document)


class Trial:
    """Sends, and notes every failure of the server; after a change that was taken, looks at what it led to."""

    def __init__(self, asker: httpx.Client) -> None:
        self.asker, self.failures, self.answers = asker, list[str](), dict[int, int]()

    def __call__(self, method: str, path: str, **request: Any) -> httpx.Response:
        answer = self.asker.request(method, path, **request)
        self.answers[answer.status_code] = self.answers.get(answer.status_code, 0) + 1
        if answer.status_code >= 500:
            self.failures.append(f"{method} {path} {str(request)[:600]}: {answer.text[:200]}")
        return answer

    def changed(self, method: str, kind: str, number: str, rest: str, body: Any) -> str | None:
        answer = self(method, f"/api/{kind}/{number}/{rest}", json=body)
        if answer.status_code != 200:
            return None
        made = str(answer.json()["id"])
        for path in FOLLOWED.get(kind, ()):
            self("GET", f"/api/{kind}/{made}{path}")
        return made


def test_a_value_that_nobody_expects_is_refused_or_borne(asker: httpx.Client, numbers: dict[str, str]) -> None:
    trial = Trial(asker)
    for name in ("patients", "checkins", "tracks", "metro", "baskets"):
        entry = sample(asker, name, size=30)
        section = {key: value for key, value in entry["section"].items() if key != "path"}
        section |= {"sensitive": ["a"], "sort": True, "grid": 100.0, "t": "t", "time_unit": "s", "missing": ["?"]}
        for one in altered({**section, "sets": {"more": {"path": "x.csv", "id": "id", "item": "item"}}}, 25):
            trial.changed("PUT", "datasets", entry["id"], "section", {"section": one})
    edited = uploaded(asker, "people.csv", TABLE)["id"]
    for edit in (
        {"edit": "rename", "column": "age", "to": "years"},
        {"edit": "set", "row": 0, "column": "zip", "value": "1"},
        {"edit": "add_row", "at": 1, "values": {"zip": "1"}},
        {"edit": "delete_row", "row": 0},
        {"edit": "add_column", "column": "note", "value": ""},
    ):
        for one in altered(edit, 20):
            if trial.changed("POST", "datasets", edited, "edits", {"edit": one}):
                trial("POST", f"/api/datasets/{edited}/undo")
    tree = numbers["hierarchies"]
    for edit in ({"edit": "rename", "node": "female", "to": "f"}, {"edit": "merge", "nodes": ["female"], "to": "x"}):
        for one in altered(edit, 20):
            tree = trial.changed("POST", "hierarchies", tree, "edits", {"edit": one}) or tree
    for kind in ("table", "visits", "baskets", "events"):
        for policy in ("privacy", "utility", "constraints"):
            for auto in ("all:2", "hierarchy:1", "auto:5", "frequency:0", "all:9999999999"):
                body = {"dataset": numbers[kind], "policy": policy, "auto": auto}
                kept = trial("POST", "/api/policies", json=body)
                if kept.status_code == 201:
                    trial("GET", f"/api/policies/{kept.json()['id']}/sets")
    for odd in ("\ud800", "nan", None, 5, [], {}, "1e999"):
        for how in ("contains", "equals", "lessThan", "inRange", "x"):
            wanted = json.dumps({"c0": {"type": how, "filter": odd, "filterTo": odd}})
            trial("GET", f"/api/datasets/{edited}/rows", params={"filter": wanted})
    assert not trial.failures, "\n".join(trial.failures)
    assert trial.answers[200] > 100
    assert trial.answers[400] > 100


def test_a_file_with_a_value_that_nobody_expects_is_refused_or_borne(
    asker: httpx.Client, numbers: dict[str, str]
) -> None:
    trial = Trial(asker)
    experiment = made(asker, "/api/experiments", dataset=numbers["datasets"])
    document = tomllib.loads(asker.get(f"/api/experiments/{experiment}/experiment.toml").text)
    document |= {"seed": 3, "workers": 1, "metrics": {"list": ["ncp"]}, "limits": {"seconds": 9, "memory_mb": 900}}
    document["plot"] = [{"kind": "line", "x": "k", "y": "ncp", "format": ["svg"]}]
    document["run"] += [
        {"method": "rum-bound", "label": "a", "sweep": {"param": "k", "start": 2, "end": 4, "step": 1}, "repeats": 1},
        {"relational": {"method": "cluster"}, "transaction": {"method": "pcta"}, "bound": {"method": "RMERGE_RT"}},
    ]
    document["queries"] = {"generate": {"count": 3, "relational": 1, "items": 1, "range_share": 0.1, "seed": 3}}
    document["policy"] = {"privacy": {"auto": "all(2)"}}
    for one in altered(document, 60):
        tables = {name: value for name, value in one.items() if name in ("run", "metrics", "plot", "seed", "queries")}
        trial.changed("PUT", "experiments", experiment, "tables", {"tables": tables})
        trial.changed("PUT", "experiments", experiment, "experiment.toml", {"text": text_of(one)})
    for kind, file in (("streams", "stream.toml"), ("tessellations", "experiment.toml")):
        number = numbers[kind]
        document = tomllib.loads(asker.get(f"/api/{kind}/{number}/{file}").text)
        for one in altered(document, 25):
            number = trial.changed("PUT", kind, number, file, {"text": text_of(one)}) or number
    for text in ("seed = nan", "seed = 99999999999999999999", '{"name": "\\ud800"}', "a = " + "[" * 200 + "]" * 200):
        assert trial("PUT", f"/api/experiments/{experiment}/experiment.toml", json={"text": text}).status_code == 400
    assert trial("POST", "/api/experiments", json={"text": "name = 2024-01-01"}).status_code == 400
    assert not trial.failures, "\n".join(trial.failures)


@pytest.mark.parametrize(
    "body",
    [
        b'{"size": NaN}',
        b'{"size": Infinity}',
        b'{"size": 1e400}',
        b'{"size": ' + b"9" * 30 + b"}",
        b'{"size": ' + b"9" * 5000 + b"}",
        b'{"size": true, "sample": "patients"}',
        b'{"sample": "\\ud800"}',
        b'{"\\ud800": 1}',
        b"[" * 100_000,
        b'{"name":' * 80 + b"1" + b"}" * 80,
        b"\xff\xfe{\x00}\x00",
        b"",
        b"null",
    ],
)
def test_what_is_no_json_or_could_not_be_given_back_is_refused_in_our_words(asker: httpx.Client, body: bytes) -> None:
    answer = asker.post("/api/datasets", content=body, headers={"content-type": "application/json"})
    assert answer.status_code == 422
    assert answer.json()["error"]["code"] == "bad-request"
    assert len(answer.text) < 2000  # what was sent is not sent back


@pytest.mark.parametrize(("path", "allowed"), [("/api/datasets", "GET, POST"), ("/api/datasets/samples", "GET")])
def test_a_method_that_is_not_there_is_told_with_those_that_are(asker: httpx.Client, path: str, allowed: str) -> None:
    for method in ("DELETE", "PATCH", "TRACE", "HEAD", "PROPFIND"):
        answer = asker.request(method, path)
        assert answer.status_code == 405, method
        assert answer.headers["allow"] == allowed
    options = asker.request("OPTIONS", path)
    assert (options.status_code, options.headers["allow"]) == (204, allowed)


def test_an_address_that_is_not_there_is_told_as_json(asker: httpx.Client) -> None:
    for path in ("/api", "/api/", "/api/nothing", "/api/datasets/000000000000/nothing", "/api/datasets/a/b/c/d"):
        answer = asker.get(path)
        assert answer.status_code == 404
        assert answer.json()["error"]["code"] == "no-such-address"
