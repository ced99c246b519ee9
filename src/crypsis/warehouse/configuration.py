"""The configuration of a warehouse: one TOML or JSON file, checked as a whole before anything is fetched."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from crypsis.errors import BadWarehouse, CrypsisError, MissingFile, did_you_mean
from crypsis.warehouse import rules
from crypsis.warehouse.assignments import Vocabulary
from crypsis.warehouse.matching import COMPARATORS, Comparison, MatchRule, Side
from crypsis.warehouse.paths import find_file
from crypsis.warehouse.sources.tables import TableMapping
from crypsis.warehouse.terms import PREFIXES, expand
from crypsis.warehouse.transforms import transform_named

_TOP_KEYS = {"warehouse", "engine", "source", "rule", "match", "competence", "prefixes"}
_WAREHOUSE_KEYS = {
    "name", "title", "base", "core", "mappings", "inference", "tag_literals", "canonical_priority", "core_namespace",
    "on_conflict", "literal_key",
}  # fmt: skip
_ENGINE_KEYS = {"kind", "query_url", "update_url", "graph_store_url", "user_variable", "password_variable"}
_SOURCE_KEYS: dict[str, set[str]] = {
    "rdf": {"files", "keep_graphs"},
    "table": {"mapping"},
    "dwca": {"path"},
    "sparql": {"url", "query", "page", "fallback", "retries"},
    "plugin": {"callable", "options"},
}
_EVERY_SOURCE = {"id", "kind", "namespace", "title", "duplicate_free"}
_MATCH_KEYS = {
    "id",
    "link",
    "left",
    "right",
    "comparator",
    "threshold",
    "candidate",
    "compare",
    "block",
    "combine",
    "weight",
}
_SIDE_KEYS = {"source", "path", "class", "transforms", "languages"}
_COMPARE_KEYS = {"left", "right", "comparator", "threshold", "candidate", "weight"}
_COMPETENCE_KEYS = {"id", "sparql", "file", "minimum_rows", "sources", "title"}
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")


@dataclass(frozen=True)
class SourceConfiguration:
    """One source: where it is, what it is, and which IRIs are its own."""

    id: str
    kind: str
    namespace: str
    title: str
    settings: Mapping[str, Any]
    duplicate_free: bool = True


@dataclass(frozen=True)
class EngineConfiguration:
    """The store of the warehouse: embedded, or a SPARQL 1.1 server."""

    kind: str = "embedded"
    query_url: str = ""
    update_url: str = ""
    graph_store_url: str = ""
    user_variable: str = ""
    password_variable: str = ""


@dataclass(frozen=True)
class CompetenceQuery:
    """A question that the warehouse must be able to answer before it becomes active."""

    id: str
    sparql: str
    minimum_rows: int = 1
    sources: tuple[str, ...] | None = None  # those that can answer it alone
    title: str = ""


@dataclass(frozen=True)
class Configuration:
    """A whole warehouse as described."""

    folder: Path
    name: str
    title: str
    base: str
    core: str | None
    mappings: tuple[str, ...]
    inference: str
    tag_literals: bool
    canonical_priority: tuple[str, ...]
    on_conflict: str
    literal_key: str
    vocabulary: Vocabulary
    prefixes: Mapping[str, str]
    engine: EngineConfiguration
    sources: tuple[SourceConfiguration, ...]
    rules: tuple[rules.Rule, ...]
    matches: tuple[MatchRule, ...]
    competence: tuple[CompetenceQuery, ...] = field(default=())

    @classmethod
    def read(cls, path: str | Path) -> Configuration:
        """A configuration file; all its problems are reported at once."""
        path = Path(path)
        try:
            text = path.read_text(encoding="utf-8")
        except FileNotFoundError as error:
            raise MissingFile(f"There is no configuration {path.name}.", where=path.name) from error
        except (OSError, UnicodeDecodeError) as error:
            raise BadWarehouse(f"{path.name} cannot be read: {error}.", where=path.name) from error
        try:
            content = json.loads(text) if path.suffix.lower() == ".json" else tomllib.loads(text)
        except (ValueError, RecursionError) as error:
            raise BadWarehouse(
                f"{path.name} is not sound {path.suffix[1:].upper()}: {error}.", where=path.name
            ) from error
        return cls.from_dict(content, path.parent, where=path.name)

    @classmethod
    def from_dict(cls, content: Any, folder: Path, *, where: str = "configuration") -> Configuration:
        """A configuration that was parsed already."""
        checked = _Checker(content, folder)
        configuration = checked.configuration()
        if checked.problems or configuration is None:
            raise BadWarehouse(
                f"{where} has {len(checked.problems)} problem{'s' * (len(checked.problems) > 1)}: "
                + " ".join(checked.problems),
                where=where,
                problems=checked.problems,
            )
        return configuration

    def source(self, name: str) -> SourceConfiguration:
        """A source by its id."""
        for source in self.sources:
            if source.id == name:
                return source
        known = [source.id for source in self.sources]
        raise BadWarehouse(f"There is no source {name!r}; there are {', '.join(known)}.{did_you_mean(name, known)}")

    def source_of(self, term: str) -> str | None:
        """The source whose namespace an IRI lies in; the longest one decides."""
        fitting = [source for source in self.sources if term[1:].startswith(source.namespace)]
        return max(fitting, key=lambda source: len(source.namespace)).id if fitting else None


class _Checker:
    """Goes through a configuration once and collects what is wrong with it."""

    def __init__(self, content: Any, folder: Path) -> None:
        self.content = content if isinstance(content, dict) else {}
        self.folder = folder
        self.problems: list[str] = []
        if not isinstance(content, dict):
            self.problems.append("It must be a table with the key 'warehouse'.")
        self.prefixes = {**PREFIXES, **self._table("prefixes", None)}

    def configuration(self) -> Configuration | None:
        self._refuse_unknown(self.content, _TOP_KEYS, "the file")
        about = self._table("warehouse", _WAREHOUSE_KEYS)
        name = str(about.get("name", ""))
        if not _NAME.fullmatch(name):
            self.problems.append("[warehouse] needs a name of letters, digits, '-' and '_'.")
        inference = about.get("inference", "materialise")
        if inference not in ("materialise", "query"):
            self.problems.append(f"inference must be 'materialise' or 'query', got {inference!r}.")
        on_conflict = about.get("on_conflict", "report")
        if on_conflict not in ("report", "split"):
            self.problems.append(f"on_conflict must be 'report' or 'split', got {on_conflict!r}.")
        literal_key = about.get("literal_key", "folded")
        if literal_key not in ("folded", "exact"):
            self.problems.append(f"literal_key must be 'folded' or 'exact', got {literal_key!r}.")
        sources = tuple(self._sources())
        known = [source.id for source in sources]
        if not sources:
            self.problems.append("A warehouse needs at least one [[source]].")
        if unknown := [each for each in about.get("canonical_priority", []) if each not in known]:
            self.problems.append(f"canonical_priority names the unknown source {unknown[0]!r}.")
        for path in [about.get("core"), *about.get("mappings", [])]:
            if path is not None and not find_file(self.folder, str(path)).is_file():
                self.problems.append(f"There is no file {path!r}.")
        namespace = str(about.get("core_namespace", self.prefixes["tlo"]))
        self.prefixes["tlo"] = namespace
        found_rules, matches = tuple(self._rules(known)), tuple(self._matches(known))
        competence = tuple(self._competence(known))
        engine = self._engine()
        if self.problems:
            return None
        return Configuration(
            folder=self.folder,
            name=name,
            title=str(about.get("title", name)),
            base=str(about.get("base", "https://crypsis.example/w/")),
            core=about.get("core"),
            mappings=tuple(about.get("mappings", [])),
            inference=inference,
            tag_literals=bool(about.get("tag_literals", False)),
            canonical_priority=tuple(about.get("canonical_priority", [])),
            on_conflict=on_conflict,
            literal_key=literal_key,
            vocabulary=Vocabulary(namespace),
            prefixes=self.prefixes,
            engine=engine,
            sources=sources,
            rules=found_rules,
            matches=matches,
            competence=competence,
        )

    def _sources(self) -> Iterator[SourceConfiguration]:
        seen = set[str]()
        for number, each in enumerate(self._tables("source"), 1):
            name, kind = str(each.get("id", "")), str(each.get("kind", ""))
            where = f"source {name or number!r}"
            if not _NAME.fullmatch(name) or name in seen:
                self.problems.append(f"{where}: 'id' must be a name of its own.")
            seen.add(name)
            if kind not in _SOURCE_KEYS:
                self.problems.append(f"{where}: 'kind' must be one of {', '.join(_SOURCE_KEYS)}, got {kind!r}.")
                continue
            self._refuse_unknown(each, _EVERY_SOURCE | _SOURCE_KEYS[kind], where)
            if not each.get("namespace"):
                self.problems.append(f"{where}: 'namespace' says which IRIs are its own; it is missing.")
            self._check_source(kind, each, where)
            settings = {key: value for key, value in each.items() if key not in _EVERY_SOURCE}
            title = str(each.get("title", name))
            yield SourceConfiguration(
                name, kind, str(each.get("namespace", "")), title, settings, bool(each.get("duplicate_free", True))
            )

    def _check_source(self, kind: str, each: Mapping[str, Any], where: str) -> None:
        needed = {"rdf": "files", "table": "mapping", "dwca": "path", "sparql": "query", "plugin": "callable"}[kind]
        if not each.get(needed):
            self.problems.append(f"{where}: {needed!r} is missing.")
            return
        if kind == "sparql" and not str(each.get("url", "")).startswith(("http://", "https://")):
            self.problems.append(f"{where}: 'url' must be an http address.")
        local = {"rdf": each.get("files"), "table": [each.get("mapping")], "dwca": [each.get("path")]}.get(kind, [])
        local = [local] if isinstance(local, str) else local or []
        if kind == "sparql":
            local = [path for path in (each.get("fallback"), each["query"]) if path and not _is_sparql(str(path))]
        for path in local:
            if not find_file(self.folder, str(path)).exists():
                self.problems.append(f"{where}: there is no file {path!r}.")
            elif kind == "table":
                self._collect(
                    lambda path=path: TableMapping.read(find_file(self.folder, str(path)), self.prefixes), where
                )

    def _rules(self, known: Sequence[str]) -> Iterator[rules.Rule]:
        seen = set[str]()
        for number, each in enumerate(self._tables("rule"), 1):
            name, kind = str(each.get("id", "")), str(each.get("kind", ""))
            where = f"rule {name or number!r}"
            scope = each.get("scope", "source")
            if not _NAME.fullmatch(name) or name in seen:
                self.problems.append(f"{where}: 'id' must be a name of its own.")
            seen.add(name)
            if kind not in rules.KEYS:
                self.problems.append(f"{where}: 'kind' must be one of {', '.join(rules.KEYS)}, got {kind!r}.")
                continue
            self._refuse_unknown(each, rules.COMMON_KEYS | rules.KEYS[kind], where)
            if scope not in ("source", "warehouse"):
                self.problems.append(f"{where}: 'scope' must be 'source' or 'warehouse', got {scope!r}.")
            if scope == "source" and each.get("source") not in known:
                self.problems.append(f"{where}: 'source' must name a source, got {each.get('source')!r}.")
            for key in ("property", "name_class", "on", "authorship", "target"):
                if key in each:
                    self._collect(lambda value=each[key]: expand(str(value), self.prefixes), where)
            for key in rules.NEEDED[kind]:
                if key not in each:
                    self.problems.append(f"{where}: {key!r} is missing.")
            if "pattern" in each:
                self._collect_pattern(str(each["pattern"]), where)
            settings = {key: value for key, value in each.items() if key not in rules.COMMON_KEYS}
            yield rules.Rule(name, kind, str(scope), each.get("source"), settings)

    def _matches(self, known: Sequence[str]) -> Iterator[MatchRule]:
        for number, each in enumerate(self._tables("match"), 1):
            name = str(each.get("id", ""))
            where = f"match {name or number!r}"
            if not _NAME.fullmatch(name):
                self.problems.append(f"{where}: 'id' must be a name.")
            self._refuse_unknown(each, _MATCH_KEYS, where)
            link, combine = each.get("link", "sameAs"), each.get("combine", "all")
            if link not in ("sameAs", "candidate"):
                self.problems.append(f"{where}: 'link' must be 'sameAs' or 'candidate', got {link!r}.")
            if combine not in ("all", "any", "weighted"):
                self.problems.append(f"{where}: 'combine' must be all, any or weighted, got {combine!r}.")
            listed = each.get("compare") or [{key: each[key] for key in _COMPARE_KEYS - {"weight"} if key in each}]
            base = {side: each.get(side, {}) for side in ("left", "right")}
            compared = [self._comparison(entry, base, known, where) for entry in listed]
            block = [self._comparison(one, base, known, where) for one in each.get("block", [])]
            if any(one is None for one in (*compared, *block)):
                continue
            sound = [one for one in compared if one is not None]
            fuzzy = [one for one in sound if one.comparator != "equal"]
            if fuzzy and not block and (combine != "all" or len(fuzzy) == len(sound)):
                self.problems.append(f"{where}: comparing by likeness needs a 'block' of values that must be equal.")
            yield MatchRule(
                name, tuple(sound), link, tuple(one for one in block if one), combine, float(each.get("weight", 1.0))
            )

    def _comparison(
        self, each: Mapping[str, Any], base: Mapping[str, Any], known: Sequence[str], where: str
    ) -> Comparison | None:
        self._refuse_unknown(each, _COMPARE_KEYS, where)
        sides = []
        for side in ("left", "right"):
            given = {**base[side], **each.get(side, {})}
            self._refuse_unknown(given, _SIDE_KEYS, f"{where}, {side}")
            path = given.get("path")
            if given.get("source") not in known or not path:
                self.problems.append(f"{where}: {side!r} needs a known source and a path.")
                return None
            steps = (path,) if isinstance(path, str) else tuple(path)
            for step in steps if steps != ("@uri",) else ():
                self._collect(lambda step=step: expand(str(step), self.prefixes), where)
            for name in given.get("transforms", ()):
                self._collect(lambda name=name: transform_named(str(name)), where)
            languages = given.get("languages")
            sides.append(
                Side(
                    given["source"],
                    steps,
                    given.get("class"),
                    tuple(given.get("transforms", ())),
                    None if languages is None else (languages,) if isinstance(languages, str) else tuple(languages),
                )
            )
        comparator = each.get("comparator", "equal")
        if comparator not in COMPARATORS:
            self.problems.append(f"{where}: there is no comparator {comparator!r}; there are {', '.join(COMPARATORS)}.")
            return None
        distance = comparator in ("levenshtein", "numeric")
        threshold = float(each.get("threshold", 0 if distance else 1))
        candidate = each.get("candidate")
        sign = -1 if distance else 1
        return Comparison(
            sides[0],
            sides[1],
            comparator,
            sign * threshold,
            None if candidate is None else sign * float(candidate),
            float(each.get("weight", 1.0)),
        )

    def _competence(self, known: Sequence[str]) -> Iterator[CompetenceQuery]:
        for number, each in enumerate(self._tables("competence"), 1):
            name = str(each.get("id", ""))
            where = f"competence query {name or number!r}"
            self._refuse_unknown(each, _COMPETENCE_KEYS, where)
            sparql = each.get("sparql")
            if sparql is None and "file" in each:
                path = self.folder / str(each["file"])
                if not path.is_file():
                    self.problems.append(f"{where}: there is no file {each['file']!r}.")
                    continue
                sparql = path.read_text(encoding="utf-8")
            if not name or not sparql:
                self.problems.append(f"{where}: 'id' and 'sparql' (or 'file') are needed.")
                continue
            sources = each.get("sources")
            if sources is not None and set(sources) - set(known):
                self.problems.append(f"{where}: 'sources' names an unknown source.")
            yield CompetenceQuery(
                name,
                str(sparql),
                int(each.get("minimum_rows", 1)),
                None if sources is None else tuple(sources),
                str(each.get("title", name)),
            )

    def _engine(self) -> EngineConfiguration:
        given = self._table("engine", _ENGINE_KEYS)
        kind = given.get("kind", "embedded")
        if kind not in ("embedded", "sparql"):
            self.problems.append(f"[engine] kind must be 'embedded' or 'sparql', got {kind!r}.")
        if kind == "sparql" and not all(given.get(key) for key in ("query_url", "update_url", "graph_store_url")):
            self.problems.append("[engine] of kind 'sparql' needs query_url, update_url and graph_store_url.")
        return EngineConfiguration(**{key: str(value) for key, value in given.items() if key in _ENGINE_KEYS})

    def _table(self, key: str, allowed: set[str] | None) -> dict[str, Any]:
        given = self.content.get(key, {})
        if not isinstance(given, dict):
            self.problems.append(f"{key!r} must be a table.")
            return {}
        if allowed is not None:
            self._refuse_unknown(given, allowed, f"[{key}]")
        return given

    def _tables(self, key: str) -> list[dict[str, Any]]:
        given = self.content.get(key, [])
        if not isinstance(given, list) or not all(isinstance(each, dict) for each in given):
            self.problems.append(f"{key!r} must be a list of tables, [[{key}]].")
            return []
        return given

    def _refuse_unknown(self, given: Mapping[str, Any], allowed: set[str], where: str) -> None:
        self.problems += [
            f"{where}: there is no key {key!r}.{did_you_mean(str(key), sorted(allowed))}"
            for key in sorted(set(given) - allowed, key=str)
        ]

    def _collect(self, attempt: Any, where: str) -> None:
        try:
            attempt()
        except CrypsisError as error:
            self.problems.append(f"{where}: {error.message}")

    def _collect_pattern(self, pattern: str, where: str) -> None:
        try:
            re.compile(pattern)
        except re.error as error:
            self.problems.append(f"{where}: the pattern cannot be read: {error}.")


def _is_sparql(text: str) -> bool:
    return bool(re.search(r"\b(CONSTRUCT|SELECT)\b", text, re.IGNORECASE)) and "{" in text
