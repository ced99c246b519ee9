"""Who gets in: token, cookie, hosts, origins, websockets, sizes, names. Over the wire, against the real server."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from crypsis.cli.main import main
from crypsis.web.security import Access, is_loopback
from tests.web.conftest import Server, start


def raw(server: Server) -> httpx.Client:
    return httpx.Client(base_url=server.base, trust_env=False, timeout=30)


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
    "host", ["evil.example", "evil.example:{port}", "127.0.0.1:1", "127.0.0.1.evil.example:{port}"]
)
def test_another_host_name_is_refused_even_with_the_token(server: Server, host: str) -> None:
    port = server.base.rsplit(":", 1)[1]
    headers = {"Host": host.format(port=port), "Authorization": f"Bearer {server.token}"}
    with raw(server) as client:
        assert client.get("/api/datasets", headers=headers).status_code == 403


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:1", "https://127.0.0.1"])
def test_requests_from_other_origins_are_refused_whatever_they_do(server: Server, origin: str) -> None:
    with with_cookie(server) as client:
        for method in ("GET", "POST", "PUT", "DELETE"):
            answer = client.request(method, "/api/datasets", headers={"Origin": origin})
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
    with socket.create_connection((host, int(port)), timeout=10) as connection:
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
    with httpx.Client(base_url=running.base, headers=headers, trust_env=False, timeout=30) as client:
        yield client


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
        assert "default-src 'self'" in policy
        assert "connect-src 'self'" in policy
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
