"""Who may ask: one gate in front of every page, file, request of the API, and websocket.

A browser proves itself once with the token in the address it was given, then with a cookie that other sites cannot
send; a program sends the token as `Authorization: Bearer`. Hosts and origins other than our own are refused, so neither
another site in the same browser nor a name that was bound to our address gets in. Bodies are counted while they arrive.
"""

from __future__ import annotations

import ipaddress
import json
import logging
import secrets
import traceback
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]

MEGABYTE = 1_000_000
UPLOAD_LIMIT = 2_000 * MEGABYTE
BODY_LIMIT = 16 * MEGABYTE
UPLOADS = "/api/uploads"  # the only place that takes large bodies
READING = frozenset({"GET", "HEAD", "OPTIONS"})

# Scripts and styles are all our own; the page framework compiles templates and sets styles in the page, hence the two
# `unsafe` words. Whatever a page tries, the browser connects to nobody but us.
CONTENT_POLICY = "; ".join(
    (
        "default-src 'self'",
        "script-src 'self' 'unsafe-inline' 'unsafe-eval'",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "font-src 'self' data:",
        "connect-src 'self'",
        "object-src 'none'",
        "base-uri 'self'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    )
)
# What the API answers is data. A report or a plot that is opened on its own shows itself, and never runs anything.
DATA_POLICY = "; ".join(
    (
        "default-src 'none'",
        "style-src 'unsafe-inline'",
        "img-src data:",
        "font-src data:",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "sandbox",
    )
)
_POLICY = (b"content-security-policy", CONTENT_POLICY.encode())
_DATA_POLICY = (b"content-security-policy", DATA_POLICY.encode())
HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
)
_log = logging.getLogger("crypsis.web")
FAILED = ("internal-error", "Something went wrong here; this is a bug of ours.")
_NEVER_STORED = (b"cache-control", b"no-store")


@dataclass(frozen=True)
class Access:
    """What the gate lets through. `hosts` are names without a port; the port must be ours."""

    port: int
    token: str = field(default_factory=lambda: secrets.token_urlsafe(24), repr=False)
    hosts: frozenset[str] = frozenset({"127.0.0.1", "localhost", "[::1]"})
    upload_limit: int = UPLOAD_LIMIT
    body_limit: int = BODY_LIMIT

    @property
    def cookie(self) -> str:
        return f"crypsis-{self.port}"  # cookies do not know ports; two servers must not overwrite each other's

    def knows(self, token: str | None) -> bool:
        return token is not None and secrets.compare_digest(token.encode(), self.token.encode())

    def trusts_host(self, host: str | None) -> bool:
        """`127.0.0.1:8080`, or without the port where it is the usual one."""
        if host is None:
            return False
        name, port = _split_host(host)
        return name in self.hosts and (port == str(self.port) or (port == "" and self.port in (80, 443)))

    def trusts_origin(self, origin: str, host: str) -> bool:
        """A request comes from a page of the very server that it is sent to."""
        try:
            parts = urlsplit(origin)
        except ValueError:  # such as http://[
            return False
        return parts.scheme in ("http", "https") and parts.netloc.lower() == host.lower()


def is_loopback(host: str) -> bool:
    """Whether an address to listen on can be reached from this machine only."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


class Gate:
    """The application behind checks that nothing passes by. Outermost, so it sees websockets, too."""

    def __init__(self, app: Application, access: Access) -> None:
        self.app, self.access = app, access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers = _headers(scope)
        reason = self._refusal(scope, headers)
        if reason is not None:
            await _refuse(scope, send, 403, *reason)
        elif scope["type"] == "websocket":
            await self.app(scope, receive, send)
        elif self._arrives(scope):
            await self._welcome(scope, send)
        else:
            await self._answer(scope, receive, send, headers)

    def _refusal(self, scope: Scope, headers: dict[str, str]) -> tuple[str, str] | None:
        host = headers.get("host")
        if not self.access.trusts_host(host):
            return "wrong-host", "This server does not answer under that name; use the address that it printed."
        assert host is not None
        origin = headers.get("origin")
        if origin is not None and not self.access.trusts_origin(origin, host):
            return "cross-origin", "Requests from other sites are refused."
        site, mode = headers.get("sec-fetch-site"), headers.get("sec-fetch-mode")
        if site in ("cross-site", "same-site") and mode != "navigate":
            return "cross-origin", "Requests from other sites are refused."
        scheme, _, bearer = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer" and self.access.knows(bearer):
            return None
        if self.access.knows(_cookie(headers.get("cookie", ""), self.access.cookie)):
            changes = scope["type"] == "websocket" or scope["method"] not in READING
            if changes and origin is None:  # a browser always says where such a request comes from
                return "cross-origin", "A request that changes something must say its origin, or carry the token."
            return None
        if scope["type"] == "http" and scope["method"] in READING and self._arrives(scope):
            return None
        return "bad-token", "Open the address with the token that `crypsis serve` printed."

    def _arrives(self, scope: Scope) -> bool:
        return self.access.knows(dict(_query(scope)).get("token"))

    async def _welcome(self, scope: Scope, send: Send) -> None:
        """Take the token out of the address: it must not stay in the history or be sent on."""
        rest = [(name, value) for name, value in _query(scope) if name != "token"]
        path = "/" + str(scope["path"]).lstrip("/")  # `//host` would lead elsewhere
        target = path + (f"?{urlencode(rest)}" if rest else "")
        cookie = f"{self.access.cookie}={self.access.token}; Path=/; HttpOnly; SameSite=Strict"
        headers = [(b"location", _ascii(target)), (b"set-cookie", cookie.encode()), _NEVER_STORED, _POLICY, *HEADERS]
        await send({"type": "http.response.start", "status": 303, "headers": headers})
        await send({"type": "http.response.body", "body": b""})

    async def _answer(self, scope: Scope, receive: Receive, send: Send, headers: dict[str, str]) -> None:
        path = str(scope["path"])
        limit = self.access.upload_limit if path.rstrip("/") == UPLOADS else self.access.body_limit
        too_large = ("too-large", f"A request to {path[:80]} may hold up to {limit:,} bytes.")
        announced = headers.get("content-length", "0")
        if not announced.isdecimal() or len(announced) > 18 or int(announced) > limit:
            await _refuse(scope, send, 413, *too_large)
            return
        arrived, started, whole, gone = 0, False, False, False

        async def counted() -> Message:
            nonlocal arrived, gone
            message = await receive()
            gone = message["type"] == "http.disconnect"
            arrived += len(message.get("body", b""))
            if arrived > limit:
                raise BodyTooLarge
            return message

        async def answered(message: Message) -> None:
            nonlocal started, whole
            if arrived > limit and not started:
                return  # what the application makes of the interruption is not the answer
            whole = message["type"] == "http.response.body" and not message.get("more_body", False)
            if message["type"] == "http.response.start":
                started = True
                present = {name for name, _ in message["headers"]}
                own: Iterable[tuple[bytes, bytes]] = (_DATA_POLICY if path.startswith("/api/") else _POLICY, *HEADERS)
                if not path.startswith("/_nicegui/"):
                    own = (*own, _NEVER_STORED)
                message = {**message, "headers": [*message["headers"], *(one for one in own if one[0] not in present)]}
            await send(message)

        try:
            await self.app(scope, counted, answered)
        except Exception as error:
            if gone:
                return  # whoever asked; there is nobody to answer
            if arrived <= limit:
                _log.error("%s%s; this is a bug", type(error).__name__, _place(error))  # never what it was about
                if started and not whole:
                    raise ConnectionAbortedError from None  # half an answer must not look whole
                if not started:
                    await _refuse(scope, send, 500, *FAILED)
        if arrived > limit and not started:
            await _refuse(scope, send, 413, *too_large)


class BodyTooLarge(Exception):
    """More bytes arrived than were allowed; the gate turns this into an answer."""


def _place(error: Exception) -> str:
    """Where in our code it happened."""
    ours = [one for one in traceback.extract_tb(error.__traceback__) if "crypsis" in one.filename]
    return f" in {ours[-1].filename}:{ours[-1].lineno}" if ours else ""


async def _refuse(scope: Scope, send: Send, status: int, code: str, message: str) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008, "reason": code})  # before accepting: a plain 403
        return
    body = json.dumps({"error": {"code": code, "message": message}}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode()), _NEVER_STORED]
    await send({"type": "http.response.start", "status": status, "headers": [*headers, _DATA_POLICY, *HEADERS]})
    await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else body})


def _headers(scope: Scope) -> dict[str, str]:
    """By lower-case name. One that must be single and is given twice counts as absent."""
    found: dict[str, str] = {}
    repeated = set()
    for name, value in scope["headers"]:
        key = name.decode("latin-1").lower()
        if key in found:
            repeated.add(key)
            found[key] = f"{found[key]}; {value.decode('latin-1')}"
        else:
            found[key] = value.decode("latin-1")
    for key in repeated & {"host", "authorization", "content-length"}:
        del found[key]
    return found


def _cookie(header: str, name: str) -> str | None:
    try:
        morsel = SimpleCookie(header).get(name)
    except CookieError:
        return None
    return None if morsel is None else morsel.value


def _query(scope: Scope) -> list[tuple[str, str]]:
    return parse_qsl(scope.get("query_string", b"").decode("latin-1"), keep_blank_values=True)


def _split_host(host: str) -> tuple[str, str]:
    text = host.strip().lower()
    if text.startswith("["):
        name, _, rest = text.partition("]")
        return f"{name}]", rest[1:] if rest.startswith(":") else rest and "?"
    name, _, port = text.partition(":")
    return name, port


def _ascii(target: str) -> bytes:
    from urllib.parse import quote

    return quote(target, safe="/?&=%:+,-._~").encode()
