"""What strangers, accidents and other servers do to a workspace: nothing is lost, and what is wrong is told."""

from __future__ import annotations

import bz2
import errno
import gzip
import io
import json
import lzma
import os
import threading
import time
import zipfile
from collections.abc import AsyncIterator, Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import httpx
import polars as pl
import pytest
from playwright.sync_api import expect

from crypsis.errors import BadParameter, ChangedElsewhere, CrypsisError, TooLarge, WriteFailed
from crypsis.evaluate import Store
from crypsis.evaluate.cells import Cell
from crypsis.evaluate.stored_cell import End, StoredCell
from crypsis.web.api.snapshot import file_snapshot
from crypsis.web.datasets import Datasets
from crypsis.web.security import Access, Gate
from crypsis.web.side_inputs import SideInputs
from crypsis.web.unpacking import check_unpacked
from crypsis.web.workspace import KINDS, Workspace, write_entry
from tests.damaged_files import aborting_parquet
from tests.web.awaited import awaited
from tests.web.conftest import Server, Tab, sample, uploaded

TABLE = "age,city\n" + "".join(f"{20 + n},{'Oslo' if n % 2 else 'Rome'}\n" for n in range(12))


def parquet(rows: int) -> bytes:
    held = io.BytesIO()
    pl.DataFrame({"a": pl.repeat("x" * 50, rows, eager=True)}).write_parquet(held)
    return held.getvalue()


def archive(content: bytes) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as written:
        written.writestr("release/table.csv", content)
    return held.getvalue()


async def sent(content: bytes) -> AsyncIterator[bytes]:
    yield content


@pytest.fixture
def datasets(tmp_path: Path) -> Datasets:
    return Datasets(Workspace(tmp_path / "workspace"), allow_paths=True)


def added(datasets: Datasets, name: str = "people.csv", content: str = TABLE) -> str:
    upload = awaited(datasets.workspace.receive(sent(content.encode()), name))
    return datasets.add_upload(upload, name).number


# What is small and unpacks to much


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv.gz", gzip.compress(b"1,2\n" * 50_000)),
        ("a.csv.bz2", bz2.compress(b"1,2\n" * 50_000)),
        ("a.csv.xz", lzma.compress(b"1,2\n" * 50_000)),
        ("a.parquet", parquet(50_000)),
        ("a.parquet.gz", gzip.compress(b"1,2\n" * 50_000)),
        ("release.zip", archive(b"1,2\n" * 50_000)),
    ],
)
def test_an_upload_that_unpacks_to_more_than_the_limit_is_refused_and_leaves_nothing(
    tmp_path: Path, name: str, content: bytes
) -> None:
    workspace = Workspace(tmp_path)
    assert len(content) < 20_000
    with pytest.raises(TooLarge, match="unpacks to more than"):
        awaited(workspace.receive(sent(content), name, 100_000))
    assert list((tmp_path / "uploads").iterdir()) == []
    assert workspace.upload(awaited(workspace.receive(sent(content), name, 20_000_000))).is_file()


def test_what_is_damaged_is_left_to_its_reader_who_says_so_better(tmp_path: Path) -> None:
    for name, content in (("a.csv.gz", b"junk"), ("a.parquet", b"PAR1junk"), ("a.zip", b"PK\x03\x04junk")):
        (tmp_path / name).write_bytes(content)
        check_unpacked(tmp_path / name, 10)


# Words that people know


@pytest.mark.parametrize(
    ("name", "content"), [("visits.csv.gz", b"junk"), ("visits.csv", b""), ("visits.csv", b"a,b\n1\n"), ("x.gpx", b"<")]
)
def test_what_cannot_be_read_is_called_by_its_name_and_not_by_a_place_on_this_machine(
    api: httpx.Client, server: Server, name: str, content: bytes
) -> None:
    upload = api.post("/api/uploads", params={"name": name}, content=content).json()["id"]
    answer = api.post("/api/datasets", json={"upload": upload, "name": name})
    assert answer.status_code == 400
    assert name in answer.text
    for hidden in (str(server.workspace), upload):
        assert hidden not in answer.text
    checked = api.post("/api/verification", json={"upload": upload, "promise": {"model": "km-anonymity", "k": 2}})
    assert checked.status_code == 400
    assert str(server.workspace) not in checked.text


def test_a_file_that_broke_in_the_workspace_is_told_and_the_page_with_the_others_is_there(
    api: httpx.Client, server: Server
) -> None:
    broken = uploaded(api, "people.csv", TABLE)["id"]
    (server.workspace / "datasets" / broken / "original.csv").write_bytes(b"\0\0\0")
    for path in ("rows", "risk"):
        answer = api.get(f"/api/datasets/{broken}/{path}")
        assert answer.status_code == 400
        assert "people" in answer.json()["error"]["where"]
        assert str(server.workspace) not in answer.text
    page = api.get(f"/data?dataset={broken}")
    assert page.status_code == 200
    assert "This cannot be shown" in page.text
    assert api.delete(f"/api/datasets/{broken}").status_code == 204


@pytest.mark.parametrize(
    "content",
    [
        "{",
        "[]",
        "[" * 100_000,
        '{"revision": 1}',
        '{"revision": 1, "content": {"name": "x"}}',
        '{"revision": "x", "content": {"name": "x", "section": {}, "inspection": {}, "undone": [], "history": []}}',
        '{"revision": 1, "content": {"name": "x", "section": {}, "inspection": {}, "undone": [], "history": []}}',
        None,
    ],
)
def test_a_damaged_entry_is_told_removable_and_hurts_nobody(
    api: httpx.Client, server: Server, content: str | None
) -> None:
    good, bad = (uploaded(api, "people.csv", TABLE)["id"] for _ in range(2))
    file = server.workspace / "datasets" / bad / "entry.json"
    if content is None:
        file.unlink()
    else:
        file.write_text(content)
    numbers = [one["id"] for one in api.get("/api/datasets").json()]
    assert good in numbers
    assert bad not in numbers
    (told,) = (one for one in api.get("/api/workspace").json()["damaged"] if one["id"] == bad)
    assert told["kind"] == "datasets"
    assert "damaged" in told["message"]
    for path in ("/data", "/hierarchies", "/evaluate"):
        assert api.get(path).status_code == 200, path
    assert "cannot be read" in api.get("/data").text
    assert api.get(f"/api/datasets/{bad}/rows").status_code in (400, 404)
    assert api.delete(f"/api/datasets/{bad}").status_code == 204
    assert not file.parent.exists()


def test_a_damaged_entry_is_removed_with_a_click_once_it_is_confirmed(
    tab: Tab, api: httpx.Client, server: Server
) -> None:
    folder = server.workspace / "datasets" / uploaded(api, "people.csv", TABLE)["id"]
    (folder / "entry.json").write_text("{")
    page = tab.open("/data")
    told = page.get_by_role("alert").filter(has_text=f"datasets/{folder.name}")
    told.get_by_role("button", name="Remove it").click()
    page.get_by_role("button", name="Keep", exact=True).click()
    assert folder.is_dir()
    told.get_by_role("button", name="Remove it").click()
    page.get_by_role("button", name="Remove", exact=True).click()
    expect(told).not_to_be_visible()
    assert not folder.exists()


@pytest.mark.parametrize("content", ["[]", "{}", '{"state": "x"}', "[" * 100_000])
def test_a_cell_whose_state_is_damaged_waits_to_be_run_again(tmp_path: Path, content: str) -> None:
    store = Store(tmp_path)
    store.write_cell(StoredCell("abc", End("done"), Cell("abc", "a", "mondrian", {"k": 2}, 0, None)))
    assert store.cell("abc").state == "done"
    (tmp_path / "cells" / "abc" / "state.json").write_text(content)
    assert store.cell("abc") == StoredCell("abc", End("waiting"))


# Two at once


def together(*actions: Callable[[], Any]) -> list[Any]:
    """What each gave or raised, begun at the same moment."""
    found: list[Any] = [None] * len(actions)
    gate = threading.Barrier(len(actions))

    def work(place: int) -> None:
        gate.wait()
        try:
            found[place] = actions[place]()
        except CrypsisError as error:
            found[place] = error

    threads = [threading.Thread(target=work, args=(place,)) for place in range(len(actions))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


def test_two_who_delete_the_last_row_at_once_leave_a_table_that_can_be_read(datasets: Datasets) -> None:
    number = added(datasets, content="a,b\n1,2\n3,4\n5,6\n")
    last = {"edit": "delete_row", "row": 2}
    found = together(*[lambda: datasets.edit(number, last)] * 6)
    assert sum(isinstance(one, CrypsisError) for one in found) == 5
    assert datasets.grid(number).frame.height == 2
    assert len(datasets.entry(number).content["section"]["edits"]) == 1


def test_what_is_changed_while_somebody_overwrites_is_not_lost(datasets: Datasets) -> None:
    number = added(datasets)
    datasets.edit(number, {"edit": "set", "row": 0, "column": "age", "value": "1"})
    together(
        lambda: datasets.overwrite(number),
        lambda: datasets.edit(number, {"edit": "set", "row": 1, "column": "age", "value": "2"}),
    )
    assert datasets.grid(number).frame["age"].to_list()[:2] == ["1", "2"]


def test_of_two_who_change_a_tree_at_once_one_is_told_and_there_is_one_tree(datasets: Datasets) -> None:
    side_inputs = SideInputs(datasets.workspace, datasets)
    number = added(datasets)
    tree = side_inputs.keep_recipe(number, "city", "flat").number
    changes = [{"edit": "add", "node": f"n{place}", "parent": "*"} for place in range(6)]
    found = together(*[lambda change=change: side_inputs.edit_tree(tree, change) for change in changes])
    assert sum(isinstance(one, CrypsisError) for one in found) == 5
    assert len(side_inputs.of("hierarchies", number)) == 1
    together(*[lambda: side_inputs.keep_recipe(number, "city", "flat")] * 4)
    assert len(side_inputs.of("hierarchies", number)) == 1


def test_of_two_trees_that_a_killed_server_left_page_and_run_take_the_newest(datasets: Datasets) -> None:
    side_inputs = SideInputs(datasets.workspace, datasets)
    number = added(datasets)
    for recipe in ("balanced:2", "flat"):
        datasets.workspace.create("hierarchies", "city", {"dataset": number, "column": "city", "auto": recipe})
    entry = side_inputs.hierarchy(number, "city")
    assert entry is not None
    assert side_inputs.sections(number)["hierarchy"]["city"] == {"auto": entry.content["auto"]} == {"auto": "flat"}


def test_an_entry_that_was_replaced_is_not_replaced_once_more(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path)
    content = {"dataset": "0" * 12, "column": "a"}
    first = workspace.create("hierarchies", "a", content).number
    workspace.create("hierarchies", "a", content, instead_of=[first])
    with pytest.raises(ChangedElsewhere):
        workspace.create("hierarchies", "a", content, instead_of=[first])
    assert len(workspace.entries("hierarchies")) == 1
    assert list((tmp_path / "uploads").iterdir()) == []


def test_a_second_server_sees_the_file_that_the_first_one_wrote(datasets: Datasets) -> None:
    other = Datasets(datasets.workspace, allow_paths=True)
    number = added(datasets)
    datasets.edit(number, {"edit": "delete_row", "row": 0})
    assert other.grid(number).frame.height == 11
    datasets.overwrite(number)
    assert other.grid(number).frame.height == 11  # and not 10: the edit is in the file now
    other.edit(number, {"edit": "delete_row", "row": 0})
    assert datasets.grid(number).frame["age"][0] == "22"


# Killed in between


@pytest.mark.parametrize("written", [True, False])
def test_who_is_killed_while_overwriting_finds_every_edit_once(datasets: Datasets, written: bool) -> None:
    number = added(datasets)
    datasets.edit(number, {"edit": "delete_row", "row": 0})
    entry, content = datasets.entry(number), datasets.csv(number)
    write_entry(entry.folder, entry.revision, {**entry.content, "overwriting": sha256(content).hexdigest()})
    if written:
        (entry.folder / "original.csv").write_bytes(content)
    again = Datasets(Workspace(datasets.workspace.folder), allow_paths=True)
    assert again.grid(number).frame["age"].to_list() == [str(21 + place) for place in range(11)]
    assert ("edits" in again.entry(number).content["section"]) is not written
    assert "overwriting" not in again.entry(number).content


def test_overwriting_leaves_the_rights_of_a_file_and_a_link_what_they_were(datasets: Datasets, tmp_path: Path) -> None:
    file, link = tmp_path / "people.csv", tmp_path / "link.csv"
    file.write_text(TABLE)
    file.chmod(0o600)
    link.symlink_to(file)
    number = datasets.add_path(str(link)).number
    datasets.edit(number, {"edit": "delete_row", "row": 0})
    datasets.overwrite(number)
    assert link.is_symlink()
    assert file.stat().st_mode & 0o777 == 0o600
    assert len(file.read_text().splitlines()) == 12


def test_a_workspace_in_a_folder_of_somebody_else_leaves_its_rights_alone(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    Workspace(tmp_path)
    assert tmp_path.stat().st_mode & 0o777 == 0o755
    assert all(folder.stat().st_mode & 0o077 == 0 for folder in tmp_path.iterdir())
    (tmp_path / "file").write_text("x")
    with pytest.raises(BadParameter, match="is a file"):
        Workspace(tmp_path / "file")


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS])
def test_a_disk_that_cannot_be_written_to_is_told_and_what_was_saved_stays(
    datasets: Datasets, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    dataset = added(datasets)
    before = datasets.entry(dataset)

    def failing(*given: Any, **named: Any) -> int:
        raise OSError(number, os.strerror(number))

    def no_room(folder: Path) -> None:
        raise OSError(number, os.strerror(number))

    workspace = datasets.workspace
    with monkeypatch.context() as patched:
        patched.setattr(os, "open", failing)
        with pytest.raises(WriteFailed, match=os.strerror(number)):
            awaited(workspace.receive(sent(b"a"), "a.csv"))
        with pytest.raises(WriteFailed, match=os.strerror(number)):
            datasets.edit(dataset, {"edit": "delete_row", "row": 0})
    with pytest.raises(WriteFailed, match=os.strerror(number)):
        workspace.create("streams", "x", {"dataset": dataset}, no_room)
    assert datasets.entry(dataset) == before
    assert list((workspace.folder / "uploads").iterdir()) == []


def test_an_upload_that_a_killed_server_left_is_never_taken_for_one(datasets: Datasets) -> None:
    seen: list[str] = []

    async def slowly() -> AsyncIterator[bytes]:
        yield b"a,b\n"
        seen.extend(path.name for path in (datasets.workspace.folder / "uploads").iterdir())

    number = awaited(datasets.workspace.receive(slowly(), "a.csv"))
    assert len(seen) == 1
    assert seen[0].startswith(f"unfinished-{os.getpid()}-")
    assert datasets.workspace.upload(number).name == f"{number}.csv"


def test_who_goes_away_while_sending_is_no_bug(caplog: pytest.LogCaptureFixture) -> None:
    async def reading(scope: Any, receive: Any, send: Any) -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        raise RuntimeError

    async def receive() -> dict[str, Any]:
        return {"type": "http.disconnect"}

    answers: list[Any] = []

    async def send(message: Any) -> None:
        answers.append(message)

    access = Access(port=80, token="t")
    headers = [(b"host", b"127.0.0.1"), (b"authorization", b"Bearer t")]
    scope = {"type": "http", "method": "POST", "path": "/api/uploads", "query_string": b"", "headers": headers}
    awaited(Gate(reading, access)(scope, receive, send))
    assert caplog.records == []
    assert answers == []


# What is removed, and what stays


def finished(api: httpx.Client, number: str) -> list[dict[str, Any]]:
    until = time.monotonic() + 120
    while (seen := api.get(f"/api/experiments/{number}/progress").json())["running"]:
        assert time.monotonic() < until
        time.sleep(0.1)
    return list(seen["cells"])


def test_results_outlive_their_dataset_and_an_experiment_that_runs_elsewhere_is_not_removed(
    api: httpx.Client, server: Server
) -> None:
    dataset = uploaded(api, "people.csv", TABLE)["id"]
    runs = {"run": [{"method": "mondrian", "params": {"k": 2}}]}
    number = api.post("/api/experiments", json={"dataset": dataset, "tables": runs}).json()["id"]
    assert api.post(f"/api/experiments/{number}/start", json={"workers": 1}).status_code == 202
    (cell,) = finished(api, number)
    events = api.get(f"/api/experiments/{number}/events").text
    assert "event: end" in events
    assert str(server.workspace) not in events
    assert api.delete(f"/api/datasets/{dataset}").status_code == 204
    for path in ("report.html", "results.csv", f"cells/{cell['cell']}/rows", f"cells/{cell['cell']}/release.zip"):
        answer = api.get(f"/api/experiments/{number}/{path}")
        assert answer.status_code == 200, (path, answer.text)
    again = api.post(f"/api/experiments/{number}/start", json={})
    assert again.status_code == 404
    assert "dataset of this experiment was removed" in again.json()["error"]["message"]
    with Store(server.workspace / "experiments" / number / "store").in_use():  # as another server would
        refused = api.delete(f"/api/experiments/{number}")
        assert refused.status_code == 409
        assert "another process" in refused.json()["error"]["message"]
    assert api.delete(f"/api/experiments/{number}").status_code == 204


def test_a_report_or_a_plot_that_is_opened_on_its_own_runs_nothing(api: httpx.Client) -> None:
    number = sample(api, "baskets", size=20)["id"]
    for path in ("/api/datasets", f"/api/datasets/{number}/histogram", "/api/nothing", "/api/datasets/nothing"):
        policy = api.get(path).headers["content-security-policy"]
        assert "default-src 'none'" in policy, path
        assert "sandbox" in policy
        assert "script-src" not in policy


def test_maps_and_windows_that_the_pages_show_are_there_for_programs(api: httpx.Client) -> None:
    people = sample(api, "checkins", size=40)["id"]
    assert "<svg" in api.get(f"/api/datasets/{people}/map.svg").text
    runs = {"run": [{"method": "kam-cut", "params": {"k": 2}}]}
    number = api.post("/api/experiments", json={"dataset": people, "tables": runs}).json()["id"]
    assert api.post(f"/api/experiments/{number}/start", json={"workers": 1}).status_code == 202
    (cell,) = finished(api, number)
    assert cell["state"] == "done", cell
    drawn = api.get(f"/api/experiments/{number}/cells/{cell['cell']}/map.svg")
    assert drawn.status_code == 200, drawn.text
    assert "<svg" in drawn.text
    baskets = sample(api, "baskets", size=20)["id"]
    refused = api.get(f"/api/datasets/{baskets}/map.svg")
    assert refused.status_code == 400
    assert "A map shows trajectories" in refused.json()["error"]["message"]
    stream = api.post("/api/streams", json={"dataset": sample(api, "metro", size=40)["id"], "L": 1, "K": 2, "N": 3})
    number = stream.json()["id"]
    seen = api.get(f"/api/streams/{number}")
    assert (seen.status_code, seen.json()["running"], seen.json()["K"]) == (200, False, 2)
    assert api.get(f"/api/streams/{number}/windows.ndjson").status_code == 404
    api.post(f"/api/streams/{number}/start")
    until = time.monotonic() + 120
    while api.get(f"/api/streams/{number}").json()["running"]:
        assert time.monotonic() < until
        time.sleep(0.1)
    published = api.get(f"/api/streams/{number}/windows.ndjson")
    assert published.status_code == 200
    assert all(isinstance(json.loads(line), dict) for line in published.text.splitlines())


def test_a_release_of_tracks_is_made_downloaded_and_verified_beside_its_original(api: httpx.Client) -> None:
    tracks, others = sample(api, "tracks", size=60)["id"], sample(api, "baskets", size=20)["id"]
    runs = {"run": [{"method": "ppsg", "params": {"k": 2}}]}
    number = api.post("/api/experiments", json={"dataset": tracks, "tables": runs}).json()["id"]
    assert api.post(f"/api/experiments/{number}/start", json={"workers": 1}).status_code == 202
    (cell,) = finished(api, number)
    assert cell["state"] == "done", cell
    place = f"/api/experiments/{number}/cells/{cell['cell']}"
    release, private = api.get(f"{place}/release.zip"), api.get(f"{place}/private.json")
    assert (release.status_code, private.status_code) == (200, 200)
    upload, report = (
        api.post("/api/uploads", params={"name": name}, content=one.content).json()["id"]
        for name, one in (("release.zip", release), ("private.json", private))
    )
    question = {"upload": upload, "original": tracks, "private_report": report}
    verdict = api.post("/api/verification", json=question)
    assert verdict.status_code == 200, verdict.text
    assert verdict.json()["holds"] is True
    refused = api.post("/api/verification", json={**question, "original": others})
    assert (refused.status_code, refused.json()["error"]["code"]) == (400, "not-applicable")
    assert api.get(f"{place}/map.svg").status_code == 200


def test_every_operation_says_what_it_does(api: httpx.Client) -> None:
    paths = api.get("/api/openapi.json").json()["paths"]
    silent = [
        f"{way} {path}" for path, ways in paths.items() for way, one in ways.items() if not one.get("description")
    ]
    assert silent == []


@pytest.mark.long
def test_the_workspace_tells_how_much_there_is(api: httpx.Client) -> None:
    told = api.get("/api/workspace").json()
    assert set(told["entries"]) == set(KINDS)
    assert told["entries"]["datasets"] == len(api.get("/api/datasets").json())
    assert told["upload_limit"] == 2_000_000_000
    assert json.dumps(told)


@pytest.mark.long
def test_a_file_that_makes_a_decoder_abort_is_refused_and_the_server_goes_on(api: httpx.Client, server: Server) -> None:
    for number in range(3):
        name = f"aborting{number}.parquet"
        upload = api.post("/api/uploads", params={"name": name}, content=aborting_parquet()).json()["id"]
        answer = api.post("/api/datasets", json={"upload": upload, "name": name})
        assert answer.status_code == 400
        assert answer.json()["error"]["code"] == "unreadable-file"
        assert str(server.workspace) not in answer.text
    assert server.process.poll() is None
    assert uploaded(api, "people.csv", TABLE)["id"]


def test_windows_that_grow_or_are_cut_while_they_are_sent_arrive_as_they_were(tmp_path: Path) -> None:
    file = tmp_path / "windows.ndjson"
    whole = b'{"seq": 1}\n' * 100_000
    file.write_bytes(whole + b'{"seq": 2')
    answer = file_snapshot(file, media_type="application/x-ndjson", filename="windows.ndjson", lines=True)
    assert answer.headers["content-length"] == str(len(whole))
    blocks = iter(_blocks_of(answer))
    arrived = next(blocks)
    with file.open("ab") as stream:
        stream.write(b"}\n" * 1000)
    replaced = tmp_path / "new"
    replaced.write_bytes(b"another")
    replaced.replace(file)
    assert arrived + b"".join(blocks) == whole
    file.write_bytes(whole)
    cut = _blocks_of(file_snapshot(file, media_type="application/x-ndjson", filename="windows.ndjson", lines=True))
    next(cut)
    os.truncate(file, 20)
    with pytest.raises(ConnectionAbortedError):
        b"".join(cut)
    file.write_bytes(b"half a line")
    empty = file_snapshot(file, media_type="application/x-ndjson", filename="windows.ndjson", lines=True)
    assert (empty.headers["content-length"], b"".join(_blocks_of(empty))) == ("0", b"")


def _blocks_of(answer: Any) -> Iterator[bytes]:
    while True:
        block = awaited(anext(answer.body_iterator, None))
        if block is None:
            return
        yield block
