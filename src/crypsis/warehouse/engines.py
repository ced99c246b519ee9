"""Where a warehouse is kept and asked: an embedded store, or a SPARQL 1.1 server over the standard protocols."""

from __future__ import annotations

import gzip
import io
import json
import os
import re
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from crypsis.errors import BadQuery, SourceUnreachable
from crypsis.warehouse.configuration import EngineConfiguration
from crypsis.warehouse.sources.rdf import engine_library
from crypsis.warehouse.terms import Term, iri, literal

SURFACE = "graph:surface"  # the default graph of the warehouse, on a server
_OWN_GRAPH = re.compile(r"<(graph:[^<>?]*)>")


@dataclass(frozen=True)
class Answer:
    """Rows of terms by variable; a yes or no is one row with the variable `answer`."""

    variables: tuple[str, ...]
    rows: list[tuple[Term | None, ...]]


class Engine(Protocol):
    """What a warehouse needs of a store. `None` names the default graph."""

    def load(self, graphs: Mapping[str | None, Sequence[Path]]) -> None:
        """Replace everything by the triples of N-Triples files (gzip), a list for each graph."""

    def query(self, sparql: str, *, timeout: float | None = None, most_rows: int | None = None) -> Answer:
        """The rows of a SELECT, the truth of an ASK, or the triples of a CONSTRUCT."""

    def close(self) -> None:
        """Let go of the store."""


class EmbeddedEngine:
    """pyoxigraph in a folder, or in memory where none is given."""

    def __init__(self, folder: Path | None = None, *, read_only: bool = False) -> None:
        self.library = engine_library()
        if folder is None:
            self.store = self.library.Store()
        elif read_only:
            self.store = self.library.Store.read_only(str(folder))
        else:
            self.store = self.library.Store(str(folder))

    def load(self, graphs: Mapping[str | None, Sequence[Path]]) -> None:
        # One load for all: each has a cost of its own, whatever its size.
        quads = io.BufferedReader(_QuadStream(graphs), 1 << 20)
        self.store.bulk_load(input=quads, format=self.library.RdfFormat.N_QUADS)
        self.store.flush()

    def query(self, sparql: str, *, timeout: float | None = None, most_rows: int | None = None) -> Answer:
        ends = None if timeout is None else time.monotonic() + timeout
        try:
            result = self.store.query(sparql)
        except (SyntaxError, ValueError) as error:
            raise BadQuery(f"The query cannot be answered: {error}.") from error
        if isinstance(result, self.library.QueryBoolean):
            return Answer(("answer",), [(literal(str(bool(result)).lower()),)])
        rows: list[tuple[Term | None, ...]] = []
        triples = isinstance(result, self.library.QueryTriples)
        variables = ("s", "p", "o") if triples else tuple(str(name)[1:] for name in result.variables)
        for found in result:
            terms = (found.subject, found.predicate, found.object) if triples else tuple(found)
            rows.append(tuple(None if term is None else str(term) for term in terms))
            if most_rows is not None and len(rows) > most_rows:
                raise BadQuery(f"The query has more than {most_rows:,} rows; add a LIMIT.")
            if ends is not None and time.monotonic() > ends:
                raise BadQuery(f"The query took longer than {timeout:g} seconds.")
        return Answer(variables, rows)

    def optimize(self) -> None:
        """Rearrange a store that was just loaded, so that it is read faster."""
        self.store.optimize()

    def close(self) -> None:
        del self.store


class _QuadStream(io.RawIOBase):
    """The files of all graphs as one stream of N-Quads."""

    def __init__(self, graphs: Mapping[str | None, Sequence[Path]]) -> None:
        self.lines = self._lines(graphs)
        self.rest = b""

    @staticmethod
    def _lines(graphs: Mapping[str | None, Sequence[Path]]) -> Iterator[bytes]:
        for graph, files in graphs.items():
            ending = b" .\n" if graph is None else f" <{graph}> .\n".encode()
            for path in files:
                with gzip.open(path, "rb") as content:
                    yield from (line.removesuffix(b" .\n") + ending for line in content)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        held, size = [self.rest], len(self.rest)
        for line in self.lines:
            held.append(line)
            size += len(line)
            if size >= len(buffer):
                break
        content = b"".join(held)
        taken = content[: len(buffer)]
        self.rest = content[len(buffer) :]
        buffer[: len(taken)] = taken
        return len(taken)


class SparqlEngine:
    """A server that speaks the SPARQL 1.1 protocols for queries, updates and graphs; login from the environment.

    Every build has graphs of its own on the server, so that a build that fails or is ended leaves the active one whole.
    The default graph of the warehouse is a named graph there too, because servers disagree on what theirs is.
    """

    def __init__(
        self, configuration: EngineConfiguration, build: str, graphs: Sequence[str], *, timeout: float = 60.0
    ) -> None:
        self.configuration, self.build, self.graphs, self.timeout = configuration, build, tuple(graphs), timeout
        user = os.environ.get(configuration.user_variable, "") if configuration.user_variable else ""
        passwords = urllib.request.HTTPPasswordMgrWithDefaultRealm()
        handlers: list[urllib.request.BaseHandler] = [urllib.request.ProxyHandler({})]
        if user:
            password = os.environ.get(configuration.password_variable, "")
            for url in (configuration.query_url, configuration.update_url, configuration.graph_store_url):
                passwords.add_password(None, url, user, password)
            handlers += [
                urllib.request.HTTPBasicAuthHandler(passwords),
                urllib.request.HTTPDigestAuthHandler(passwords),
            ]
        self._opener = urllib.request.build_opener(*handlers)

    def load(self, graphs: Mapping[str | None, Sequence[Path]]) -> None:
        self.graphs = tuple(graph for graph in graphs if graph is not None)
        for graph, files in graphs.items():
            self.update(f"CLEAR SILENT GRAPH <{self._name(graph)}>")
            for path in files:
                with gzip.open(path, "rt", encoding="utf-8") as lines:
                    for chunk in _chunks(lines):
                        self._send("POST", self._address(graph), chunk.encode(), "application/n-triples")

    def query(self, sparql: str, *, timeout: float | None = None, most_rows: int | None = None) -> Answer:
        text = _OWN_GRAPH.sub(lambda match: f"<{self._name(match[1])}>", sparql)
        asked = [("query", text)]
        if not re.search(r"\bFROM\b", text):  # else the query says itself which graphs it is about
            asked += [("default-graph-uri", self._name(None))]
            if re.search(r"\bGRAPH\b", text):
                asked += [("named-graph-uri", self._name(graph)) for graph in self.graphs]
        body = urllib.parse.urlencode(asked).encode()
        accept = "application/sparql-results+json, application/n-triples;q=0.5"
        content, kind = self._send(
            "POST", self.configuration.query_url, body, "application/x-www-form-urlencoded", accept, timeout
        )
        if "json" not in kind:
            rows = [_triple_of(line) for line in content.decode().splitlines() if line.strip() and line[0] != "#"]
            return Answer(("s", "p", "o"), rows)
        result = json.loads(content)
        if "boolean" in result:
            return Answer(("answer",), [(literal(str(result["boolean"]).lower()),)])
        variables = tuple(result["head"]["vars"])
        bindings = result["results"]["bindings"]
        if most_rows is not None and len(bindings) > most_rows:
            raise BadQuery(f"The query has more than {most_rows:,} rows; add a LIMIT.")
        return Answer(variables, [tuple(self._term(row.get(name)) for name in variables) for row in bindings])

    def update(self, sparql: str) -> None:
        """Carry out an update."""
        body = urllib.parse.urlencode({"update": sparql}).encode()
        self._send("POST", self.configuration.update_url, body, "application/x-www-form-urlencoded")

    def remove(self) -> None:
        """Remove the graphs of this build."""
        for graph in (None, *self.graphs):
            self.update(f"CLEAR SILENT GRAPH <{self._name(graph)}>")

    def close(self) -> None:
        """Nothing is kept open."""

    def _name(self, graph: str | None) -> str:
        return f"{graph or SURFACE}?{self.build}"

    def _term(self, binding: Mapping[str, Any] | None) -> Term | None:
        term = _term_of(binding)
        return None if term is None else term.removesuffix(f"?{self.build}>") + ">" if self._is_own(term) else term

    def _is_own(self, term: Term) -> bool:
        return term.startswith("<graph:") and term.endswith(f"?{self.build}>")

    def _address(self, graph: str | None) -> str:
        joint = "&" if "?" in self.configuration.graph_store_url else "?"
        named = urllib.parse.quote(self._name(graph), safe="")
        return f"{self.configuration.graph_store_url}{joint}graph={named}"

    def _send(
        self, method: str, url: str, body: bytes, kind: str, accept: str = "*/*", timeout: float | None = None
    ) -> tuple[bytes, str]:
        request = urllib.request.Request(url, body, {"Content-Type": kind, "Accept": accept}, method=method)
        try:
            with self._opener.open(request, timeout=timeout or self.timeout) as answer:
                return answer.read(), str(answer.headers.get("Content-Type", ""))
        except urllib.error.HTTPError as error:
            reason = error.read(300).decode(errors="replace").strip()
            if error.code == 400:
                raise BadQuery(f"The server refused the query: {reason or error.reason}.") from error
            raise SourceUnreachable(f"The server answered {error.code} {error.reason}.") from error
        except (urllib.error.URLError, TimeoutError, OSError) as error:
            raise SourceUnreachable(f"The server cannot be reached: {getattr(error, 'reason', error)}.") from error


def _chunks(lines: Iterable[str], size: int = 20_000) -> Iterable[str]:
    held: list[str] = []
    for line in lines:
        held.append(line)
        if len(held) == size:
            yield "".join(held)
            held = []
    if held:
        yield "".join(held)


def _term_of(binding: Mapping[str, Any] | None) -> Term | None:
    if binding is None:
        return None
    if binding["type"] == "uri":
        return iri(binding["value"])
    if binding["type"] == "bnode":
        return f"_:{binding['value']}"
    return literal(binding["value"], lang=binding.get("xml:lang"), datatype=binding.get("datatype"))


def _triple_of(line: str) -> tuple[Term | None, ...]:
    subject, property, rest = line.rstrip().removesuffix(".").rstrip().split(" ", 2)
    return subject, property, rest
