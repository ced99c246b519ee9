"""The API does what the pages do: data and edits, hierarchies, policies, queries, tessellations, verification."""

from __future__ import annotations

import io
import json
import zipfile
from typing import Any

import httpx
import pytest

from tests.web.conftest import Server, sample, uploaded

PEOPLE = "name,age,city,illness\nAda,30,Oslo,flu\nBo,31,Oslo,cold\nCy,40,Rome,flu\nDi,41,Rome,none\n"


def rows(api: httpx.Client, number: str, **query: Any) -> dict[str, Any]:
    answer = api.get(f"/api/datasets/{number}/rows", params=query)
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def change(api: httpx.Client, number: str, edit: dict[str, Any], **query: Any) -> httpx.Response:
    return api.post(f"/api/datasets/{number}/edits", json={"edit": edit}, params=query)


def test_an_upload_becomes_a_dataset_with_suggested_roles(api: httpx.Client) -> None:
    made = uploaded(api, "people.csv", PEOPLE)
    columns = made["section"]["columns"]
    assert columns["name"]["role"] == "identifier"
    assert columns["age"]["type"] == "int"
    assert columns["city"]["role"] == "quasi"
    assert columns["illness"]["role"] == "sensitive"
    assert made["inspection"]["rows"] == 4


def test_edits_undo_and_redo_change_what_is_shown_and_never_the_file(api: httpx.Client, server: Server) -> None:
    number = uploaded(api, "people.csv", PEOPLE)["id"]
    for edit in (
        {"edit": "set", "row": 0, "column": "city", "value": "Bergen"},
        {"edit": "rename", "column": "city", "to": "town"},
        {"edit": "delete_row", "row": 3},
        {"edit": "add_column", "column": "note", "value": ""},
        {"edit": "add_row", "values": {"name": "Eve"}, "at": 0},
    ):
        assert change(api, number, edit).status_code == 200
    shown = rows(api, number)
    assert shown["columns"] == ["name", "age", "town", "illness", "note"]
    assert [row[0] for row in shown["rows"]] == ["Eve", "Ada", "Bo", "Cy"]
    assert shown["rows"][1][2] == "Bergen"
    for _ in range(5):
        assert api.post(f"/api/datasets/{number}/undo").status_code == 200
    back = rows(api, number)
    assert back["columns"] == ["name", "age", "city", "illness"]
    assert back["rows"][0] == ["Ada", "30", "Oslo", "flu"]
    assert api.post(f"/api/datasets/{number}/undo").status_code == 400
    assert api.post(f"/api/datasets/{number}/redo").status_code == 200
    assert rows(api, number)["rows"][0][2] == "Bergen"
    assert (server.workspace / "datasets" / number / "original.csv").read_text() == PEOPLE


def test_a_renamed_column_keeps_its_role_and_gets_it_back_when_undone(api: httpx.Client) -> None:
    number = uploaded(api, "people.csv", PEOPLE)["id"]
    renamed = change(api, number, {"edit": "rename", "column": "illness", "to": "disease"}).json()
    assert renamed["section"]["columns"]["disease"]["role"] == "sensitive"
    undone = api.post(f"/api/datasets/{number}/undo").json()
    assert undone["section"]["columns"]["illness"]["role"] == "sensitive"


def test_a_tab_that_looked_at_an_older_state_is_told_so(api: httpx.Client) -> None:
    made = uploaded(api, "people.csv", PEOPLE)
    edit = {"edit": "set", "row": 0, "column": "city", "value": "Bergen"}
    assert change(api, made["id"], edit, revision=made["revision"]).status_code == 200
    answer = change(api, made["id"], {**edit, "value": "Riga"}, revision=made["revision"])
    assert answer.status_code == 409
    assert answer.json()["error"]["code"] == "changed-elsewhere"
    assert rows(api, made["id"])["rows"][0][2] == "Bergen"


@pytest.mark.parametrize("kind", ["table", "mixed", "transactions", "trajectories", "tracks", "events"])
def test_a_dataset_of_which_only_the_kind_is_said_has_a_page(api: httpx.Client, kind: str) -> None:
    number = uploaded(api, "people.csv", PEOPLE)["id"]
    assert api.put(f"/api/datasets/{number}/section", json={"section": {"kind": kind}}).status_code == 200
    assert api.get(f"/data?dataset={number}").status_code == 200


def test_an_exported_table_loads_as_an_equal_one(api: httpx.Client) -> None:
    awkward = 'a,b\n"x,""y""",1\n"=2+3",2\n"<b>bold</b>",3\n'
    number = uploaded(api, "awkward.csv", awkward)["id"]
    exported = api.get(f"/api/datasets/{number}/file.csv")
    assert exported.headers["content-disposition"].startswith("attachment")
    again = uploaded(api, "again.csv", exported.content)["id"]
    assert rows(api, again)["rows"] == rows(api, number)["rows"]


def test_overwriting_asks_and_then_the_file_is_the_edited_table(api: httpx.Client, server: Server) -> None:
    number = uploaded(api, "people.csv", PEOPLE)["id"]
    change(api, number, {"edit": "delete_row", "row": 0})
    assert api.post(f"/api/datasets/{number}/overwrite", json={"yes": False}).status_code == 400
    file = server.workspace / "datasets" / number / "original.csv"
    assert file.read_text() == PEOPLE
    assert api.post(f"/api/datasets/{number}/overwrite", json={"yes": True}).status_code == 200
    assert [row[0] for row in rows(api, number)["rows"]] == ["Bo", "Cy", "Di"]
    assert "Ada" not in file.read_text()
    assert api.post(f"/api/datasets/{number}/undo").status_code == 400


def test_rows_are_sorted_and_filtered_on_the_server(api: httpx.Client) -> None:
    number = uploaded(api, "people.csv", PEOPLE)["id"]
    down = rows(api, number, sort=json.dumps([{"colId": "c1", "sort": "desc"}]))
    assert [row[1] for row in down["rows"]] == ["41", "40", "31", "30"]
    assert down["places"] == [3, 2, 1, 0]
    some = rows(api, number, filter=json.dumps({"c2": {"type": "contains", "filter": "OS"}}))
    assert some["total"] == 2
    old = rows(api, number, filter=json.dumps({"c1": {"type": "greaterThan", "filter": 35}}))
    assert [row[0] for row in old["rows"]] == ["Cy", "Di"]
    between = rows(api, number, filter=json.dumps({"c1": {"type": "inRange", "filter": 31, "filterTo": 40}}))
    assert [row[0] for row in between["rows"]] == ["Bo", "Cy"]


@pytest.mark.parametrize(
    "query",
    [
        {"sort": "no json"},
        {"filter": "[]"},
        {"filter": '{"c0": 1}'},
        {"filter": '{"nope": {"type": "equals"}}'},
        {"filter": '{"c0": {"type": "explode"}}'},
        {"filter": '{"c1": {"type": "lessThan", "filter": "x"}}'},
    ],
)
def test_a_bad_question_about_rows_is_told_in_words(api: httpx.Client, query: dict[str, str]) -> None:
    number = uploaded(api, "people.csv", PEOPLE)["id"]
    answer = api.get(f"/api/datasets/{number}/rows", params=query)
    assert answer.status_code == 400
    assert answer.json()["error"]["message"]


def test_a_binary_file_that_is_no_table_is_refused_and_leaves_no_dataset(api: httpx.Client) -> None:
    before = len(api.get("/api/datasets").json())
    sent = api.post("/api/uploads", params={"name": "picture.csv"}, content=bytes(range(256)) * 20).json()["id"]
    answer = api.post("/api/datasets", json={"upload": sent})
    assert answer.status_code == 400
    assert len(api.get("/api/datasets").json()) == before


def test_the_risk_of_a_table_is_shown_in_aggregates_only(api: httpx.Client) -> None:
    number = uploaded(api, "people.csv", PEOPLE)["id"]
    section = {
        "kind": "table",
        "columns": {
            "name": {"type": "category", "role": "identifier"},
            "age": {"type": "int", "role": "quasi"},
            "city": {"type": "category", "role": "quasi"},
            "illness": {"type": "category", "role": "sensitive"},
        },
    }
    assert api.put(f"/api/datasets/{number}/section", json={"section": section}).status_code == 200
    risk = api.get(f"/api/datasets/{number}/risk")
    assert risk.json()["unique_share"] == 1.0
    assert "Ada" not in risk.text


def test_histograms_give_their_numbers(api: httpx.Client) -> None:
    number = sample(api, "patients", size=200)["id"]
    answer = api.get(f"/api/datasets/{number}/histogram", params={"column": "sex"})
    assert answer.status_code == 200
    assert answer.json()["rows"]


def test_a_hierarchy_is_made_moved_refused_and_exported(api: httpx.Client) -> None:
    number = uploaded(api, "people.csv", PEOPLE)["id"]
    sent = api.post("/api/uploads", params={"name": "h.csv"}, content="Oslo;North;Any\nRome;South;Any\n").json()["id"]
    made = api.post("/api/hierarchies", json={"dataset": number, "column": "city", "upload": sent})
    assert made.status_code == 201, made.text
    address = f"/api/hierarchies/{made.json()['id']}"
    assert api.get(f"{address}/problems").json() == []
    taken = api.post(f"{address}/edits", json={"edit": {"edit": "rename", "node": "North", "to": "South"}})
    assert taken.status_code == 400
    assert "South" in taken.json()["error"]["message"]
    moved = api.post(f"{address}/edits", json={"edit": {"edit": "move", "node": "Rome", "parent": "North"}}).json()
    tree = api.get(f"/api/hierarchies/{moved['id']}/tree").json()
    assert [child["label"] for child in tree["children"]] == ["North"]
    text = api.get(f"/api/hierarchies/{moved['id']}/hierarchy.csv").text
    assert sorted(text.splitlines()) == ["Oslo;North;Any", "Rome;North;Any"]
    level = {"edit": "group", "nodes": ["Oslo"], "to": "Nordic"}
    grouped = api.post(f"/api/hierarchies/{moved['id']}/edits", json={"edit": level}).json()
    text = api.get(f"/api/hierarchies/{grouped['id']}/hierarchy.csv").text
    assert "Oslo;Nordic;North;Any" in text.splitlines()
    preview = api.get("/api/hierarchies/preview", params={"dataset": number, "column": "city", "auto": "flat"})
    assert len(preview.json()["children"]) == 2


def test_policies_refuse_overlaps_and_name_unknown_items(api: httpx.Client) -> None:
    number = sample(api, "baskets", size=100)["id"]
    overlap = {"dataset": number, "policy": "utility", "sets": [["bread", "milk"], ["milk", "eggs"]]}
    answer = api.post("/api/policies", json=overlap)
    assert answer.status_code == 400
    assert "milk" in answer.json()["error"]["message"]
    kept = api.post("/api/policies", json={**overlap, "sets": [["bread", "no such thing"]]})
    assert kept.status_code == 201
    assert kept.json()["unknown"] == ["no such thing"]
    derived = api.post("/api/policies", json={"dataset": number, "policy": "privacy", "auto": "all(1)"}).json()
    assert ["bread"] in api.get(f"/api/policies/{derived['id']}/sets").json()


def test_queries_count_on_the_original_and_errors_say_at_which_character(api: httpx.Client) -> None:
    number = uploaded(api, "people.csv", PEOPLE)["id"]
    asked = {"queries": ["age in [30:40]", "city in {Rome}"]}
    assert api.post("/api/queries/counts", params={"dataset": number}, json=asked).json() == [3, 2]
    wrong = api.put("/api/queries", params={"dataset": number}, json={"queries": ["age in [30:"]})
    assert wrong.status_code == 400
    assert wrong.json()["error"]["where"] == "query 1, character 8"
    drawn = api.post("/api/queries/drawn", params={"dataset": number}, json={"count": 5, "items": 0}).json()
    assert len(drawn) == 5
    kept = api.put("/api/queries", params={"dataset": number}, json={"queries": drawn})
    assert kept.json()["queries"] == [*dict.fromkeys(drawn)]


def test_a_tessellation_steps_marks_suggests_and_goes_back(api: httpx.Client) -> None:
    number = sample(api, "tracks", size=60)["id"]
    begun = api.post("/api/tessellations", json={"dataset": number, "radius": 300, "k": 5})
    assert begun.status_code == 201, begun.text
    address = f"/api/tessellations/{begun.json()['id']}"
    stepped = api.post(f"{address}/steps", json={"steps": 1}).json()
    assert stepped["cells"] < begun.json()["cells"]
    assert api.post(f"{address}/marks/0").json()["marked"] == [0]
    assert api.get(f"{address}/suggestion").json()["max_displacement"] >= 0
    assert api.post(f"{address}/marks/999999").status_code == 400
    assert api.post(f"{address}/undo").json()["cells"] == begun.json()["cells"]
    assert "<svg" in api.get(f"{address}/map.svg").text


def test_methods_are_described_by_themselves(api: httpx.Client) -> None:
    from crypsis.methods import METHODS

    listed = api.get("/api/methods").json()
    assert [one["name"] for one in listed] == list(METHODS)
    assert api.get("/api/methods/nonsense").status_code == 404


def test_a_file_is_verified_against_a_promise(api: httpx.Client) -> None:
    content = "age,city\n30-31,Oslo\n30-31,Oslo\n40-41,Rome\n40-41,Rome\n"
    sent = api.post("/api/uploads", params={"name": "table.csv"}, content=content).json()["id"]
    promise = {"model": "k-anonymity", "k": 2, "quasi": ["age", "city"]}
    assert api.post("/api/verification", json={"upload": sent, "promise": promise}).json()["holds"] is True
    broken = api.post("/api/verification", json={"upload": sent, "promise": {**promise, "k": 3}}).json()
    assert broken["holds"] is False
    assert broken["achieved"] == 2
    assert api.post("/api/verification", json={"upload": sent}).status_code == 400


def test_an_error_about_an_upload_does_not_tell_where_it_lies(api: httpx.Client, server: Server) -> None:
    sent = api.post("/api/uploads", params={"name": "ages.csv"}, content="age,city\n1\n").json()["id"]
    promise = {"model": "k-anonymity", "k": 2, "quasi": ["age"]}
    refused = api.post("/api/verification", json={"upload": sent, "promise": promise})
    assert refused.json()["error"]["where"] == "the file, line 2"
    refused = api.post("/api/datasets", json={"upload": sent, "name": "ages.csv"})
    assert refused.json()["error"]["where"] == "ages.csv, line 2"
    assert str(server.workspace) not in refused.text


def test_an_archive_that_leads_elsewhere_or_is_no_release_is_refused(api: httpx.Client, server: Server) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("../../evil.txt", "x")
        archive.writestr("release.json", "{}")
    sent = api.post("/api/uploads", params={"name": "r.zip"}, content=packed.getvalue()).json()["id"]
    assert api.post("/api/verification", json={"upload": sent}).status_code == 400
    assert not list(server.workspace.parent.rglob("evil.txt"))


def test_the_description_of_the_api_is_served_without_other_hosts(api: httpx.Client) -> None:
    described = api.get("/api/openapi.json").json()
    assert len(described["paths"]) > 40
    assert api.get("/docs").status_code == 404


VISITS = "user,age,city,illness\n" + "".join(
    f"u{row % 7 if row > 30 else 0},{30 + row % 9},{'Oslo' if row % 2 else 'Rome'},{'flu' if row % 3 else 'cold'}\n"
    for row in range(60)
)


def test_who_a_person_is_is_asked_and_nothing_runs_before_the_answer(api: httpx.Client) -> None:
    made = uploaded(api, "visits.csv", VISITS)
    number = made["id"]
    assert made["section"]["columns"]["user"]["role"] == "identifier"
    asked = api.get(f"/api/datasets/{number}/person").json()
    assert asked["question"]["column"] == "user"
    assert asked["question"]["question"].startswith("Does one person have several rows?")
    runs = {"run": [{"method": "mondrian", "params": {"k": 3}}]}
    experiment = api.post("/api/experiments", json={"dataset": number, "name": "e", "tables": runs}).json()["id"]
    problems = api.get(f"/api/experiments/{experiment}/problems").json()
    assert [problem["code"] for problem in problems] == ["person-undecided"]
    assert 'person = "user"' in problems[0]["message"]
    told = api.put(f"/api/datasets/{number}/person", json={"column": "user"})
    assert told.status_code == 200
    assert told.json()["section"]["person"] == "user"
    assert api.get(f"/api/datasets/{number}/person").json()["question"] is None
    assert api.get(f"/api/datasets/{number}/risk").json()["people"] == 7
    assert api.get(f"/api/experiments/{experiment}/problems").json() == []


def test_the_person_follows_a_renamed_column_and_its_column_can_be_deleted(api: httpx.Client) -> None:
    number = uploaded(api, "visits.csv", VISITS)["id"]
    api.put(f"/api/datasets/{number}/person", json={"column": "user"})
    renamed = change(api, number, {"edit": "rename", "column": "user", "to": "who"}).json()
    assert renamed["section"]["person"] == "who"
    assert api.post(f"/api/datasets/{number}/undo").json()["section"]["person"] == "user"
    assert api.post(f"/api/datasets/{number}/redo").json()["section"]["person"] == "who"
    gone = change(api, number, {"edit": "delete_column", "column": "who"}).json()
    assert "person" not in gone["section"]
    each = api.put(f"/api/datasets/{number}/person", json={"column": None}).json()
    assert each["section"]["each_row_is_a_person"] is True


def test_a_person_that_is_a_quasi_identifier_is_told(api: httpx.Client) -> None:
    made = uploaded(api, "visits.csv", VISITS)
    number, section = made["id"], made["section"]
    section["columns"]["user"]["role"] = "quasi"
    kept = {key: value for key, value in section.items() if key != "path"} | {"person": "user"}
    assert api.put(f"/api/datasets/{number}/section", json={"section": kept}).status_code == 200
    answer = api.get(f"/api/datasets/{number}/risk")
    assert answer.status_code == 400
    assert "never published" in answer.json()["error"]["message"]
