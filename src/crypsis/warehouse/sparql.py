"""Reading and rewriting SPARQL queries: enough of the grammar to treat every triple pattern by itself.

A query is a head (SELECT with its variables), a group of patterns, and a tail (ORDER BY, LIMIT). Groups hold triple
patterns, OPTIONAL, UNION, MINUS, nested groups, and text that is kept as it is (FILTER, BIND, VALUES).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from crypsis.errors import BadQuery

_TOKEN = re.compile(
    r"""
    (?P<space>\s+|\#[^\n]*)
  | (?P<iri><[^<>"{}|^`\\\x00-\x20]*>)
  | (?P<string>\"\"\"(?:[^"\\]|\\.|"(?!""))*\"\"\"|'''(?:[^'\\]|\\.|'(?!''))*'''
     |"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')
  | (?P<variable>[?$]\w+)
  | (?P<number>[+-]?(?:\d+\.\d+|\.\d+|\d+)(?:[eE][+-]?\d+)?)
  | (?P<lang>@[A-Za-z]+(?:-[A-Za-z0-9]+)*)
  | (?P<name>(?:[\w-]+)?:[\w%][\w%.-]*[\w%-]|(?:[\w-]+)?:[\w%]?|_:\w+)
  | (?P<word>[A-Za-z_]\w*)
  | (?P<sign>\^\^|&&|\|\||!=|<=|>=|[{}()\[\].;,^|/*+?!=<>-])
    """,
    re.VERBOSE,
)
_AGGREGATES = re.compile(r"\b(COUNT|SUM|MIN|MAX|AVG|SAMPLE|GROUP_CONCAT)\s*\(|\bGROUP\s+BY\b|\bHAVING\b", re.IGNORECASE)


@dataclass(frozen=True)
class Token:
    """One word of a query, and what kind of word it is."""

    kind: str
    text: str


@dataclass(frozen=True)
class TriplePattern:
    """Subject, property or path, object, as written."""

    subject: str
    path: tuple[str, ...]
    object: str

    @property
    def text(self) -> str:
        return f"{self.subject} {' '.join(self.path)} {self.object} ."

    @property
    def is_transitive(self) -> bool:
        """Whether the path repeats a property."""
        return any(sign in self.path for sign in ("+", "*"))


@dataclass(frozen=True)
class Kept:
    """Text that is not looked into."""

    text: str


@dataclass(frozen=True)
class Nested:
    """A group behind a keyword (OPTIONAL, MINUS), or several groups joined by UNION."""

    keyword: str
    groups: tuple[Group, ...]


@dataclass(frozen=True)
class Group:
    """A group pattern between braces."""

    elements: tuple[TriplePattern | Kept | Nested, ...]

    def patterns(self) -> Iterator[TriplePattern]:
        """Every triple pattern, also in nested groups."""
        for element in self.elements:
            if isinstance(element, TriplePattern):
                yield element
            elif isinstance(element, Nested):
                for group in element.groups:
                    yield from group.patterns()

    def write(self, change: Callable[[TriplePattern], str]) -> str:
        """The group as text, with every triple pattern changed."""
        parts = []
        for element in self.elements:
            if isinstance(element, TriplePattern):
                parts.append(change(element))
            elif isinstance(element, Kept):
                parts.append(element.text)
            elif element.keyword == "UNION":
                parts.append(" UNION ".join(group.write(change) for group in element.groups))
            else:
                parts.append(f"{element.keyword} {element.groups[0].write(change)}")
        return "{ " + " ".join(parts) + " }"


@dataclass(frozen=True)
class SelectQuery:
    """A SELECT query in its parts."""

    prologue: str
    distinct: bool
    variables: tuple[str, ...]  # without the question mark; empty for *
    where: Group
    tail: str


def tokens(text: str) -> list[Token]:
    """The words and signs of a query, without white space and comments."""
    listed, position = [], 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise BadQuery(f"The query cannot be read at {text[position : position + 20]!r}.")
        position = match.end()
        if match.lastgroup != "space":
            listed.append(Token(str(match.lastgroup), match[0]))
    return listed


def refuse_what_leaves(text: str) -> None:
    """Refuse a query that would reach other servers or files, or change anything."""
    for token in tokens(text):
        word = token.text.upper()
        if token.kind == "word" and word in (
            "SERVICE",
            "LOAD",
            "INSERT",
            "DELETE",
            "CLEAR",
            "DROP",
            "CREATE",
            "COPY",
            "MOVE",
            "ADD",
        ):
            raise BadQuery(f"{word} is not allowed in a question to the warehouse.")
        if token.kind == "iri" and token.text.lower().startswith("<file:"):
            raise BadQuery("A question to the warehouse cannot read files.")


def parse_select(text: str) -> SelectQuery:
    """A SELECT query without aggregates, in its parts."""
    if _AGGREGATES.search(text):
        raise BadQuery("An aggregate has no sources of its own; ask for the rows that it is made of.")
    reader = _Reader(tokens(text))
    prologue = []
    while reader.word() in ("PREFIX", "BASE"):
        keyword = reader.take().text
        prologue.append(
            " ".join([keyword, *(reader.take().text for _ in range(1 if keyword.upper() == "BASE" else 2))])
        )
    if reader.word() != "SELECT":
        raise BadQuery("Only SELECT queries have rows with sources.")
    reader.take()
    distinct = reader.word() in ("DISTINCT", "REDUCED")
    if distinct:
        reader.take()
    variables = []
    while reader.peek().kind == "variable" or reader.peek().text == "*":
        variables.append(reader.take().text)
    if reader.word() == "WHERE":
        reader.take()
    where = reader.group()
    tail = " ".join(token.text for token in reader.rest())
    names = tuple(name[1:] for name in variables if name != "*")
    return SelectQuery("\n".join(prologue), distinct, names, where, tail)


class _Reader:
    """Reads groups of patterns from tokens."""

    def __init__(self, listed: list[Token]) -> None:
        self.listed, self.position, self.fresh = listed, 0, 0

    def peek(self) -> Token:
        return self.listed[self.position] if self.position < len(self.listed) else Token("end", "")

    def word(self) -> str:
        token = self.peek()
        return token.text.upper() if token.kind == "word" else ""

    def take(self) -> Token:
        token = self.peek()
        if token.kind == "end":
            raise BadQuery("The query ends too early.")
        self.position += 1
        return token

    def expect(self, sign: str) -> None:
        token = self.take()
        if token.text != sign:
            raise BadQuery(f"The query has {token.text!r} where {sign!r} is expected.")

    def rest(self) -> list[Token]:
        return self.listed[self.position :]

    def group(self) -> Group:
        self.expect("{")
        elements: list[TriplePattern | Kept | Nested] = []
        while self.peek().text != "}":
            word = self.word()
            if self.peek().text == "{":
                if self.listed[self.position + 1].text.upper() == "SELECT":
                    raise BadQuery("Queries inside queries are not looked into; write their patterns out.")
                groups = [self.group()]
                while self.word() == "UNION":
                    self.take()
                    groups.append(self.group())
                elements.append(Nested("UNION", tuple(groups)))
            elif word in ("OPTIONAL", "MINUS"):
                self.take()
                elements.append(Nested(word, (self.group(),)))
            elif word in ("FILTER", "BIND", "VALUES"):
                elements.append(Kept(self._kept()))
            elif word in ("GRAPH", "SERVICE"):
                raise BadQuery(f"{word} cannot be used here: the question goes to all sources.")
            else:
                elements += self._triples()
            if self.peek().text == ".":
                self.take()
        self.expect("}")
        return Group(tuple(elements))

    def _kept(self) -> str:
        """FILTER, BIND or VALUES up to the end of its brackets."""
        words = [self.take().text]
        opened = 0
        while True:
            token = self.peek()
            if words[0].upper() == "FILTER" and opened == 0 and len(words) > 1 and token.text not in ("(", "{"):
                break
            token = self.take()
            words.append(token.text)
            opened += token.text in ("(", "{")
            opened -= token.text in (")", "}")
            if opened == 0 and token.text in (")", "}"):
                following = self.peek().text
                if not (words[0].upper() == "VALUES" and token.text == ")" and following == "{"):
                    break
        return _joined(words)

    def _triples(self) -> Iterator[TriplePattern]:
        subject, extra = self._term()
        names = list(extra)
        while True:
            path = self._path()
            while True:
                value, extra = self._term()
                names += [TriplePattern(subject, path, value), *extra]
                if self.peek().text != ",":
                    break
                self.take()
            if self.peek().text != ";":
                break
            while self.peek().text == ";":
                self.take()
            if self.peek().text in (".", "}"):
                break
        return iter(names)

    def _path(self) -> tuple[str, ...]:
        parts: list[str] = []
        opened = 0
        while True:
            token = self.peek()
            if (
                not opened
                and parts
                and parts[-1] not in ("/", "|", "^", "!", "(")
                and token.text not in ("/", "|", "+", "*", "?")
            ):
                return tuple(parts)
            token = self.take()
            opened += (token.text == "(") - (token.text == ")")
            parts.append(token.text)

    def _term(self) -> tuple[str, list[TriplePattern]]:
        token = self.take()
        if token.text == "[":
            self.fresh += 1
            name = f"?node_{self.fresh}"
            extra: list[TriplePattern] = []
            while self.peek().text != "]":
                path = self._path()
                value, more = self._term()
                extra += [TriplePattern(name, path, value), *more]
                if self.peek().text == ";":
                    self.take()
            self.take()
            return name, extra
        if token.text == "(":
            raise BadQuery("Lists in a pattern are not looked into.")
        text = token.text
        if token.kind == "string":
            if self.peek().kind == "lang":
                text += self.take().text
            elif self.peek().text == "^^":
                text += self.take().text + self.take().text
        return text, []


def _joined(words: list[str]) -> str:
    """Words with spaces between them, but none inside a literal with a language or a datatype."""
    text = ""
    for word in words:
        tight = word.startswith("@") or word == "^^" or text.endswith("^^")
        text += word if tight or not text else f" {word}"
    return text


def expand_sequences(pattern: TriplePattern, fresh: Callable[[], str]) -> list[TriplePattern]:
    """A path of properties in sequence as patterns with variables between them; other paths as they are."""
    if "(" in pattern.path or "|" in pattern.path or "/" not in pattern.path:
        return [pattern]
    steps: list[list[str]] = [[]]
    for part in pattern.path:
        if part == "/":
            steps.append([])
        else:
            steps[-1].append(part)
    ends = [pattern.subject, *(fresh() for _ in steps[1:]), pattern.object]
    expanded = []
    for index, step in enumerate(steps):
        first, last = ends[index], ends[index + 1]
        if step[0] == "^" and len(step) == 2:
            expanded.append(TriplePattern(last, (step[1],), first))
        else:
            expanded.append(TriplePattern(first, tuple(step), last))
    return expanded
