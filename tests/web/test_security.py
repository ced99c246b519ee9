"""Who gets in: token, cookie, hosts, origins, websockets, sizes, names. Over the wire, against the real server."""

from __future__ import annotations

import gzip
import io
import json
import os
import socket
import time
import tomllib
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from crypsis.cli.main import main
from crypsis.web.security import Access, Gate, is_loopback
from tests.web.awaited import awaited
from tests.web.conftest import Server, start


def raw(server: Server) -> httpx.Client:
    return httpx.Client(base_url=server.base, trust_env=False, timeout=120)


@contextmanager
def with_cookie(server: Server) -> Iterator[httpx.Client]:
    with raw(server) as client:
        answer = client.get(f"/?token={server.token}")
        assert answer.status_code == 303
        yield client


@pytest.mark.parametrize("path", ["/", "/data", "/api/datasets", "/api/openapi.json", "/static/crypsis.js", "/no/such"])
def test_without_the_token_nothing_is_answered(server: Server, path: str) -> None:
    with raw(server) as client:
        answer = client.get(path)
        assert answer.status_code == 403
        assert answer.json()["error"]["code"] == "bad-token"
        assert client.get(path, params={"token": "wrong"}).status_code == 403
        assert client.get(path, headers={"Authorization": "Bearer wrong"}).status_code == 403


def test_the_token_leaves_the_address_and_becomes_a_cookie_that_other_sites_cannot_send(server: Server) -> None:
    with raw(server) as client:
        answer = client.get(f"/data?token={server.token}&dataset=x")
        assert answer.status_code == 303
        assert answer.headers["location"] == "/data?dataset=x"
        cookie = answer.headers["set-cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=Strict" in cookie
        assert client.get("/api/datasets").status_code == 200


def test_a_path_that_looks_like_a_host_is_not_redirected_elsewhere(server: Server) -> None:
    with raw(server) as client:
        answer = client.get(f"{server.base}//evil.example/?token={server.token}")
        assert not answer.headers.get("location", "/").startswith("//")


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:{port}",
        "127.0.0.1:1",
        "127.0.0.1",
        "127.0.0.1.evil.example:{port}",
        "localhost.:{port}",
        "127.0.0.1:{port}:1",
        "evil.example@127.0.0.1:{port}",
        "[::1]{port}",
        "[::1]:{port}x",
        "[::ffff:127.0.0.1]:{port}",
        "2130706433:{port}",
        "",
    ],
)
def test_another_host_name_is_refused_even_with_the_token(server: Server, host: str) -> None:
    port = server.base.rsplit(":", 1)[1]
    headers = {"Host": host.format(port=port), "Authorization": f"Bearer {server.token}"}
    with raw(server) as client:
        assert client.get("/api/datasets", headers=headers).status_code == 403


@pytest.mark.parametrize(
    "origin",
    [
        "http://evil.example",
        "null",
        "http://127.0.0.1:1",
        "https://127.0.0.1",
        "http://127.0.0.1.evil.example",
        "http://[",
        "file://",
        "",
        "http://user@{address}",
        "ftp://{address}",
        "{address}",
    ],
)
def test_requests_from_other_origins_are_refused_whatever_they_do(server: Server, origin: str) -> None:
    with with_cookie(server) as client:
        for method in ("GET", "POST", "PUT", "DELETE"):
            told = origin.format(address=server.base.removeprefix("http://"))
            answer = client.request(method, "/api/datasets", headers={"Origin": told})
            assert answer.status_code == 403, method
            assert answer.json()["error"]["code"] == "cross-origin"


def test_a_change_with_the_cookie_but_no_origin_is_refused_and_with_ours_it_is_not(server: Server) -> None:
    with with_cookie(server) as client:
        body = {"sample": "baskets", "size": 20}
        assert client.post("/api/datasets", json=body).status_code == 403
        assert client.post("/api/datasets", json=body, headers={"Origin": server.base}).status_code == 201


def test_a_page_of_another_site_cannot_fetch_even_with_the_cookie(server: Server) -> None:
    with with_cookie(server) as client:
        headers = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}
        assert client.get("/api/datasets", headers=headers).status_code == 403


def spoken(server: Server, text: str) -> tuple[int, str]:
    """What is answered to a request that no library would send."""
    host, port = server.base.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=60) as connection:
        connection.sendall(text.format(token=server.token, host=f"{host}:{port}").encode("latin-1"))
        answer = b""
        while chunk := connection.recv(65536):
            answer += chunk
    return int(answer.split(b" ")[1]), answer.decode("latin-1")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("GET http://evil.example/api/datasets HTTP/1.1\r\nHost: evil.example\r\n", 403),
        ("GET /api/datasets HTTP/1.1\r\nHost: evil.example\r\nX-Forwarded-Host: {host}\r\n", 403),
        ("GET /api/datasets HTTP/1.1\r\nHost: {host}\r\nHost: evil.example\r\n", 403),
        ("GET /api/datasets HTTP/1.0\r\n", 403),
        ("GET /api/datasets HTTP/1.1\r\nHost: {host}\r\nX-Forwarded-For: 10.0.0.1\r\n", 200),
    ],
)
def test_the_name_that_counts_is_the_one_in_the_request_itself(server: Server, text: str, expected: int) -> None:
    status, _ = spoken(server, text + "Authorization: Bearer {token}\r\nConnection: close\r\n\r\n")
    assert status == expected


def test_two_tokens_in_one_request_are_none(server: Server) -> None:
    text = (
        "GET /api/datasets HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer wrong\r\nAuthorization: Bearer {token}\r\n"
    )
    assert spoken(server, text + "Connection: close\r\n\r\n")[0] == 403


@pytest.mark.parametrize(
    "path", ["/%0d%0aSet-Cookie:%20a=b", "/\\evil.example", "//evil.example", "/%2f%2fevil.example"]
)
def test_the_redirect_that_takes_the_token_away_stays_here_and_is_one_line(server: Server, path: str) -> None:
    text = f"GET {path}?token={{token}}&a=%0d%0ab HTTP/1.1\r\nHost: {{host}}\r\nConnection: close\r\n\r\n"
    status, answer = spoken(server, text)
    if status == 400:
        return  # refused even before the gate
    assert status == 303
    location = next(line for line in answer.split("\r\n") if line.lower().startswith("location:")).split(" ", 1)[1]
    assert location.startswith("/")
    assert not location.startswith(("//", "/\\"))
    assert "a=b" not in [line.split(":")[-1].strip() for line in answer.split("\r\n") if line.startswith("Set-")]
    assert server.token not in location


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({}, 403),
        ({"Origin": "http://evil.example", "Cookie": "{cookie}"}, 403),
        ({"Cookie": "{cookie}"}, 403),
        ({"Origin": "{base}", "Cookie": "{cookie}"}, 101),
    ],
)
def test_the_websocket_asks_for_token_and_origin(server: Server, headers: dict[str, str], expected: int) -> None:
    host, port = server.base.removeprefix("http://").split(":")
    cookie = f"crypsis-{port}={server.token}"
    told = {name: value.format(cookie=cookie, base=server.base) for name, value in headers.items()}
    lines = [
        "GET /_nicegui_ws/socket.io/?EIO=4&transport=websocket&implicit_handshake=false HTTP/1.1",
        f"Host: {host}:{port}",
        "Upgrade: websocket",
        "Connection: Upgrade",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        "Sec-WebSocket-Version: 13",
        *(f"{name}: {value}" for name, value in told.items()),
    ]
    with socket.create_connection((host, int(port)), timeout=60) as connection:
        connection.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        status = connection.recv(64).split(b" ")[1]
    assert int(status) == expected


def test_long_polling_of_the_socket_is_refused_from_elsewhere(server: Server) -> None:
    with with_cookie(server) as client:
        answer = client.get(
            "/_nicegui_ws/socket.io/?EIO=4&transport=polling", headers={"Origin": "http://evil.example"}
        )
        assert answer.status_code == 403
        assert "access-control-allow-origin" not in answer.headers


@pytest.fixture(scope="module")
def open_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, int]]:
    """A server that lets others in, takes small files only, and was told a port that is taken; and that port."""
    with socket.socket() as taken:
        taken.bind(("0.0.0.0", 0))
        taken.listen()
        port = taken.getsockname()[1]
        folder = tmp_path_factory.mktemp("open")
        told = ("--host", "0.0.0.0", "--allow-remote", "--upload-limit", "1", "--port", str(port))
        running = start(folder / "workspace", *told)
        yield running, port
        running.stop()


@pytest.fixture
def outsider(open_server: tuple[Server, int]) -> Iterator[httpx.Client]:
    running, _ = open_server
    headers = {"Authorization": f"Bearer {running.token}"}
    with httpx.Client(base_url=running.base, headers=headers, trust_env=False, timeout=120) as client:
        yield client


@pytest.mark.long
def test_a_port_in_use_is_passed_over_and_the_next_one_is_printed(open_server: tuple[Server, int]) -> None:
    running, taken = open_server
    assert int(running.base.rsplit(":", 1)[1]) > taken


def test_a_body_that_is_too_large_is_refused_announced_or_not(
    outsider: httpx.Client, open_server: tuple[Server, int]
) -> None:
    assert outsider.post("/api/uploads?name=a.csv", content=b"x" * 1_000_001).status_code == 413

    def pieces() -> Iterator[bytes]:
        for _ in range(30):
            yield b"x" * 100_000

    assert outsider.post("/api/uploads?name=a.csv", content=pieces()).status_code == 413
    bomb = outsider.post("/api/uploads?name=a.csv.gz", content=gzip.compress(b"1,2\n" * 300_000))
    assert bomb.status_code == 413
    assert "unpacks to more than 1.0 MB" in bomb.json()["error"]["message"]
    assert outsider.post("/api/uploads?name=a.csv", content=b"x" * 999_999).status_code == 201
    left = list((open_server[0].workspace / "uploads").iterdir())
    assert [path.stat().st_size for path in left] == [999_999]


def test_where_others_are_let_in_files_of_the_machine_cannot_be_named(outsider: httpx.Client, tmp_path: Path) -> None:
    (tmp_path / "secret.csv").write_text("a,b\n1,2\n")
    asked = outsider.post("/api/datasets", json={"path": str(tmp_path / "secret.csv")})
    assert asked.status_code == 400
    assert "upload" in asked.json()["error"]["message"]
    number = outsider.post("/api/datasets", json={"sample": "baskets", "size": 20}).json()["id"]
    text = outsider.get(f"/api/datasets/{number}/experiment.toml").text
    for table in ("hierarchy.items", "policy.privacy", "queries"):
        told = f'{text}\n[{table}]\npath = "{tmp_path}/secret.csv"\n'
        answer = outsider.put(f"/api/datasets/{number}/experiment.toml", json={"text": told})
        assert answer.status_code == 400, table
        assert "upload" in answer.json()["error"]["message"]


@pytest.mark.parametrize(
    "name",
    ["../../evil.csv", "/etc/passwd", "..\\..\\evil.csv", "a\0b.csv", ".csv/../../x", "x" * 300 + ".csv", "%2e%2e"],
)
def test_names_of_uploads_never_become_paths(api: httpx.Client, server: Server, name: str) -> None:
    before = {path for path in server.workspace.parent.rglob("*") if "store" not in path.parts}
    answer = api.post("/api/uploads", params={"name": name}, content=b"a,b\n1,2\n")
    assert answer.status_code == 201
    made = {path for path in server.workspace.parent.rglob("*") if "store" not in path.parts} - before
    assert all(path.parent == server.workspace / "uploads" for path in made)
    assert any(path.name.startswith(answer.json()["id"]) for path in made)
    assert all(set(path.stem.split(".")[0]) <= set("0123456789abcdef") for path in made)


@pytest.mark.parametrize(
    "number", ["..%2f..", "%2e%2e%2f%2e%2e%2fetc%2fpasswd", "aaaaaaaaaaaa", "0" * 13, "entry.json"]
)
def test_addresses_do_not_lead_out_of_the_workspace(api: httpx.Client, number: str) -> None:
    for resource in ("datasets", "experiments", "streams", "tessellations"):
        answer = api.get(f"/api/{resource}/{number}")
        assert answer.status_code in (404, 422)
        assert "root:" not in answer.text


def test_static_files_do_not_lead_out_of_their_folder(api: httpx.Client) -> None:
    for path in ("/static/../app.py", "/static/..%2fapp.py", "/static/%2e%2e/security.py"):
        assert api.get(path).status_code == 404


def test_every_answer_forbids_other_hosts_frames_and_guesses(api: httpx.Client) -> None:
    for path in ("/data", "/api/datasets", "/static/crypsis.css"):
        headers = api.get(path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy if path.startswith("/api") else "connect-src 'self'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "http" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["x-frame-options"] == "DENY"
        assert headers["referrer-policy"] == "no-referrer"


def test_an_address_that_others_can_reach_is_refused_unless_that_is_said(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["serve", str(tmp_path / "w"), "--host", "0.0.0.0"])
    assert stopped.value.code == 2
    assert "--allow-remote" in capsys.readouterr().err
    assert not (tmp_path / "w").exists()


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("127.0.0.1", True),
        ("::1", True),
        ("localhost", True),
        ("127.9.9.9", True),
        ("0.0.0.0", False),
        ("::", False),
        ("10.0.0.1", False),
        ("example.org", False),
    ],
)
def test_loopback_is_what_only_this_machine_reaches(host: str, expected: bool) -> None:
    assert is_loopback(host) is expected


def test_two_servers_have_different_tokens_and_cookies() -> None:
    one, other = Access(port=1), Access(port=2)
    assert one.token != other.token
    assert one.cookie != other.cookie
    assert len(one.token) >= 32
    assert one.token not in repr(one)


def test_a_refusal_is_json_that_says_what_to_do(server: Server) -> None:
    with raw(server) as client:
        content = json.loads(client.get("/data").text)
        assert "crypsis serve" in content["error"]["message"]


def test_data_are_never_kept_by_a_browser(api: httpx.Client) -> None:
    number = api.post("/api/datasets", json={"sample": "baskets", "size": 20}).json()["id"]
    for path in ("", "/rows", "/file.csv", "/experiment.toml"):
        assert api.get(f"/api/datasets/{number}{path}").headers["cache-control"] == "no-store"
    assert api.get("/data").headers["cache-control"] == "no-store"


@pytest.mark.long
def test_names_that_are_markup_or_lines_stay_names(api: httpx.Client) -> None:
    odd = "<script>alert(1)</script> \"quoted\" 'x' = +1"
    number = api.post("/api/datasets", json={"sample": "patients", "size": 30, "name": odd}).json()["id"]
    text = api.get(f"/api/datasets/{number}/experiment.toml").text
    assert tomllib.loads(text)["name"] == odd
    experiment = api.post("/api/experiments", json={"dataset": number, "name": odd}).json()
    made, tables = experiment["id"], experiment["tables"]
    tables["run"][0]["label"] = "</svg><script>alert(2)</script>"
    assert api.put(f"/api/experiments/{made}/tables", json={"tables": tables}).status_code == 200
    assert api.post(f"/api/experiments/{made}/start", json={"workers": 1}).status_code == 202
    until = time.monotonic() + 300
    while api.get(f"/api/experiments/{made}/progress").json()["running"]:
        assert time.monotonic() < until
        time.sleep(0.1)
    for path in ("report.html", "plots/phases?format=svg", "plots/tradeoff?x=runtime&y=runtime&format=svg"):
        answer = api.get(f"/api/experiments/{made}/{path}")
        assert answer.status_code == 200, answer.text
        assert "<script>alert" not in answer.text, path
    for name in ("a\r\nSet-Cookie: b=c", "a\nb"):
        kept = api.put(f"/api/datasets/{number}/name", json={"name": name})
        assert kept.status_code == 200
        assert "\n" not in kept.json()["name"]
        assert api.get(f"/api/datasets/{number}/file.csv").headers["content-disposition"].isprintable()


def packed(*members: tuple[str, bytes]) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return held.getvalue()


def linked(name: str, target: str) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        one = zipfile.ZipInfo(name)
        one.create_system, one.external_attr = 3, 0o120777 << 16
        archive.writestr(one, target)
    return held.getvalue()


@pytest.mark.parametrize(
    "archive",
    [
        packed(("../../../evil.txt", b"x"), ("release.json", b"{}")),
        packed(("/tmp/evil.txt", b"x"), ("release/release.json", b"{}")),
        packed(("release/release.json", b"{}"), ("release/..", b"x")),
        packed(*((f"release/{number}", b"") for number in range(100))),
        packed(("release.json", b"[" * 100_000)),
        linked("release.json", "/etc/passwd"),
        b"PK\x05\x06" + bytes(18),
    ],
)
def test_archives_that_lead_elsewhere_leave_nothing_and_are_refused(
    api: httpx.Client, server: Server, archive: bytes
) -> None:
    before = {path for path in server.workspace.parent.rglob("*") if path.name.startswith(("evil", "unfinished"))}
    upload = api.post("/api/uploads?name=release.zip", content=archive).json()["id"]
    answer = api.post("/api/verification", json={"upload": upload})
    assert answer.status_code in (400, 413), answer.text
    assert "root:" not in answer.text
    after = {path for path in server.workspace.parent.rglob("*") if path.name.startswith(("evil", "unfinished"))}
    assert after <= before


def test_an_archive_that_unpacks_to_more_than_fits_is_refused(api: httpx.Client) -> None:
    content = bytearray(packed(("release.json", b"{}"), ("data.csv", b"x")))
    at = content.rindex(b"data.csv") - 46  # its line in the directory of the archive; the unpacked size is at 24
    content[at + 24 : at + 28] = (4_000_000_001).to_bytes(4, "little")
    answer = api.post("/api/uploads?name=release.zip", content=bytes(content))
    assert answer.status_code == 413
    assert "unpacks to more than" in answer.json()["error"]["message"]


def test_a_device_or_a_pipe_is_not_read_to_its_end(api: httpx.Client, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.csv")
    for path in ("/dev/zero", str(tmp_path / "pipe.csv")):
        assert api.post("/api/datasets", json={"path": path}).status_code == 400
        promise = {"model": "k-anonymity", "k": 2}
        assert api.post("/api/verification", json={"path": path, "promise": promise}).status_code == 400
    for path in ("~nobody-of-that-name/a.csv", "/" + "a" * 4000, "relative.csv", "/a\0b.csv"):
        assert api.post("/api/datasets", json={"path": path}).status_code == 400


@pytest.mark.parametrize("auto", ["/etc/passwd", "secret.csv", "../secret.csv", "file:///etc/passwd", "secret"])
def test_a_recipe_is_never_the_name_of_a_file(outsider: httpx.Client, auto: str) -> None:
    for sample in ("baskets", "checkins"):
        number = outsider.post("/api/datasets", json={"sample": sample, "size": 20}).json()["id"]
        asked = {"dataset": number, "column": "items", "auto": auto}
        answer = outsider.get("/api/hierarchies/preview", params=asked)
        assert answer.status_code == 400
        assert "root" not in answer.text
        for policy in ("privacy", "utility", "constraints"):
            kept = outsider.post("/api/policies", json={"dataset": number, "policy": policy, "auto": auto})
            assert kept.status_code == 400


def test_where_others_are_let_in_neither_runs_nor_settings_name_files(outsider: httpx.Client, tmp_path: Path) -> None:
    (tmp_path / "secret.csv").write_text("id,item\n1,hidden\n")
    secret = str(tmp_path / "secret.csv")
    number = outsider.post("/api/datasets", json={"sample": "patients", "size": 30}).json()["id"]
    for section in (
        {"kind": "mixed", "sets": {"more": {"path": secret, "id": "id", "item": "item"}}},
        {"kind": "events", "locations": secret},
        {"kind": "events", "locations": "${CRYPSIS_DATA}/x.csv"},
        {"kind": "events", "locations": "../x.csv"},
    ):
        assert outsider.put(f"/api/datasets/{number}/section", json={"section": section}).status_code == 400
    made = outsider.post("/api/experiments", json={"dataset": number}).json()["id"]
    for tables in (
        {"queries": {"path": secret}},
        {"run": [{"method": "mondrian", "params": {"hierarchies": f"age={secret}"}}]},
        {"run": [{"method": "mondrian", "params": {"hierarchies": {"age": secret}}}]},
        {"run": [{"method": "apriori", "params": {"hierarchy": "../../secret.csv"}}]},
    ):
        assert outsider.put(f"/api/experiments/{made}/tables", json={"tables": tables}).status_code == 200
        for path in ("problems", "experiment.toml"):
            answer = outsider.get(f"/api/experiments/{made}/{path}")
            assert answer.status_code == 400
            assert "upload" in answer.json()["error"]["message"]
        assert outsider.post(f"/api/experiments/{made}/start", json={}).status_code == 400


def test_a_bug_is_told_without_what_it_was_about(caplog: pytest.LogCaptureFixture) -> None:
    async def broken(scope: Any, receive: Any, send: Any) -> None:
        raise ValueError("Alice has the flu")

    async def asked() -> httpx.Response:
        headers = {"Authorization": f"Bearer {access.token}"}
        async with httpx.AsyncClient(transport=httpx.ASGITransport(Gate(broken, access))) as client:
            return await client.get("http://127.0.0.1:8190/api/datasets", headers=headers)

    access = Access(port=8190)
    answer = awaited(asked())
    assert answer.status_code == 500
    assert answer.json()["error"]["code"] == "internal-error"
    assert "Alice" not in answer.text + caplog.text
    assert "ValueError" in caplog.text
