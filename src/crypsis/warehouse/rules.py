"""Transformation rules: what a source means, said in the terms of the core. Rules only add.

A rule with the scope of a source sees that source alone and its output belongs to it. A rule with the scope of the
warehouse sees the merged graph.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from crypsis.errors import BadWarehouse
from crypsis.warehouse.assignments import Vocabulary, assign_code, assign_name
from crypsis.warehouse.inference import Schema
from crypsis.warehouse.sources.rdf import engine_library
from crypsis.warehouse.terms import RDF_TYPE, Term, Triple, expand, iri, is_literal, literal, parts_of_literal, text_of
from crypsis.warehouse.transforms import apply

GRAPH = "urn:crypsis:graph:"
KEYS: dict[str, set[str]] = {
    "name_assignment": {
        "on", "property", "languages", "other_languages", "name_class", "authorship", "keep_language", "unpack",
    },
    "code_assignment": {"on", "path", "organisation", "transforms"},
    "split_literal": {"on", "property", "pattern", "groups"},
    "literal_to_iri": {"on", "property", "template", "target", "transforms"},
    "insert": {"sparql"},
}  # fmt: skip
NEEDED: dict[str, tuple[str, ...]] = {
    "name_assignment": ("property", "name_class"),
    "code_assignment": ("path", "organisation"),
    "split_literal": ("property", "pattern", "groups"),
    "literal_to_iri": ("property", "template"),
    "insert": ("sparql",),
}
COMMON_KEYS = {"id", "kind", "scope", "source"}
_UNPACKED = re.compile(r'"(?P<text>.*)"(?:@(?P<lang>[A-Za-z-]+))?', re.DOTALL)


@dataclass(frozen=True)
class Rule:
    """One rule of a configuration, with the keys that its kind has."""

    id: str
    kind: str
    scope: str
    source: str | None
    settings: Mapping[str, Any]

    def triples(self, known: set[Triple], schema: Schema, core: Vocabulary, prefixes: Mapping[str, str]) -> set[Triple]:
        """What the rule adds to the triples that are known."""
        return set(_KINDS[self.kind](self, known, schema, core, prefixes)) - known


def instances(
    known: Iterable[Triple], kind: str | None, schema: Schema, prefixes: Mapping[str, str]
) -> set[Term] | None:
    """The subjects of a class or of one below it; None where no class is asked for."""
    if kind is None:
        return None
    wanted = schema.subclasses(expand(kind, prefixes))
    return {s for s, p, o in known if p == RDF_TYPE and o in wanted}


def follow_path(known: set[Triple], steps: Sequence[Term], subjects: set[Term] | None) -> dict[Term, set[Term]]:
    """What a path of properties leads to from each subject; from every subject where none are named."""
    reached: dict[Term, set[Term]] = {}
    for s, p, o in known:
        if p == steps[0] and (subjects is None or s in subjects):
            reached.setdefault(s, set()).add(o)
    for step in steps[1:]:
        index: dict[Term, set[Term]] = {}
        for s, p, o in known:
            if p == step:
                index.setdefault(s, set()).add(o)
        reached = {s: {value for o in values for value in index.get(o, ())} for s, values in reached.items()}
    return reached


def _values(
    rule: Rule, known: set[Triple], schema: Schema, prefixes: Mapping[str, str], path: Sequence[str]
) -> Iterator[tuple[Term, Term]]:
    """Subjects of the rule's class with what a path of properties leads to."""
    subjects = instances(known, rule.settings.get("on"), schema, prefixes)
    steps = [expand(name, prefixes) for name in path]
    reached = follow_path(known, steps, subjects)
    for subject in sorted(reached):
        yield from ((subject, value) for value in sorted(reached[subject]))


def _name_assignment(
    rule: Rule, known: set[Triple], schema: Schema, core: Vocabulary, prefixes: Mapping[str, str]
) -> Iterator[Triple]:
    settings = rule.settings
    authorships: dict[Term, str] = {}
    if "authorship" in settings:
        authorships = {s: text_of(o) for s, o in _values(rule, known, schema, prefixes, [settings["authorship"]])}
    kind = expand(settings["name_class"], prefixes)
    for subject, value in _values(rule, known, schema, prefixes, [settings["property"]]):
        if not is_literal(value):
            continue
        text, lang, _ = parts_of_literal(value)
        if settings.get("unpack") and (packed := _UNPACKED.fullmatch(text)):
            text, lang = packed["text"], packed["lang"] or ""
        if "languages" in settings and lang not in settings["languages"]:
            continue
        if lang in settings.get("other_languages", ()):
            continue
        kept = lang if settings.get("keep_language", True) else ""
        yield from assign_name(subject, text.strip(), kind, core, lang=kept, authorship=authorships.get(subject, ""))


def _code_assignment(
    rule: Rule, known: set[Triple], schema: Schema, core: Vocabulary, prefixes: Mapping[str, str]
) -> Iterator[Triple]:
    path = rule.settings["path"]
    for subject, value in _values(rule, known, schema, prefixes, [path] if isinstance(path, str) else path):
        code = apply(text_of(value), rule.settings.get("transforms", ()))
        if code:
            yield from assign_code(subject, code, rule.settings["organisation"], core)


def _split_literal(
    rule: Rule, known: set[Triple], schema: Schema, core: Vocabulary, prefixes: Mapping[str, str]
) -> Iterator[Triple]:
    pattern = re.compile(rule.settings["pattern"])
    for subject, value in _values(rule, known, schema, prefixes, [rule.settings["property"]]):
        match = pattern.search(text_of(value))
        for group, property in rule.settings["groups"].items():
            if match is not None and match[group]:
                yield subject, expand(property, prefixes), literal(match[group])


def _literal_to_iri(
    rule: Rule, known: set[Triple], schema: Schema, core: Vocabulary, prefixes: Mapping[str, str]
) -> Iterator[Triple]:
    target = expand(rule.settings.get("target", rule.settings["property"]), prefixes)
    for subject, value in _values(rule, known, schema, prefixes, [rule.settings["property"]]):
        changed = apply(text_of(value), rule.settings.get("transforms", ()))
        if changed:
            yield subject, target, iri(rule.settings["template"].replace("{value}", changed))


def _insert(
    rule: Rule, known: set[Triple], schema: Schema, core: Vocabulary, prefixes: Mapping[str, str]
) -> Iterator[Triple]:
    """A SPARQL INSERT, carried out in memory on the triples that the rule may see."""
    library = engine_library()
    graph = f"{GRAPH}{rule.source or 'warehouse'}"
    text = str(rule.settings["sparql"])
    head = "".join(f"PREFIX {name}: <{namespace}>\n" for name, namespace in prefixes.items())
    text = text.replace("$source", f"<{graph}>") if "$source" in text else f"WITH <{graph}> {text}"
    store = library.Store()
    parsed = library.parse(
        input="\n".join(f"{s} {p} {o} ." for s, p, o in sorted(known)), format=library.RdfFormat.N_TRIPLES
    )
    name = library.NamedNode(graph)
    store.extend(library.Quad(quad.subject, quad.predicate, quad.object, name) for quad in parsed)
    try:
        store.update(head + text)
    except (SyntaxError, ValueError, OSError) as error:
        raise BadWarehouse(f"The rule {rule.id!r} cannot be carried out: {error}.", rule=rule.id) from error
    for quad in store.quads_for_pattern(None, None, None, name):
        triple = str(quad.subject), str(quad.predicate), str(quad.object)
        if triple[0].startswith("_:") or triple[2].startswith("_:"):
            raise BadWarehouse(
                f"The rule {rule.id!r} makes blank nodes, which would be new ones at every run; "
                "make an IRI with IRI(CONCAT(...)) instead.",
                rule=rule.id,
            )
        yield triple


_KINDS: dict[str, Callable[..., Iterator[Triple]]] = {
    "name_assignment": _name_assignment,
    "code_assignment": _code_assignment,
    "split_literal": _split_literal,
    "literal_to_iri": _literal_to_iri,
    "insert": _insert,
}
