"""Assignments: the intermediate nodes that say who gave something a name or a code, and when."""

from __future__ import annotations

from collections.abc import Iterator

from crypsis.warehouse.authorship import split_authorship
from crypsis.warehouse.terms import PREFIXES, RDF_TYPE, Term, Triple, iri, iri_of, literal, local_name, node


class Vocabulary:
    """The terms of the core ontology that rules write; its namespace is configurable."""

    def __init__(self, namespace: str = PREFIXES["tlo"]) -> None:
        self.namespace = namespace

    def __getitem__(self, name: str) -> Term:
        return iri(self.namespace + name)


def assign_name(
    subject: Term, name: str, kind: Term, core: Vocabulary, *, lang: str = "", authorship: str = ""
) -> Iterator[Triple]:
    """The triples of a name that was given to a subject, with its authors and year where they are known."""
    assignment = node(["assignment", iri_of(subject), local_name(iri_of(kind)), name, lang, authorship])
    yield subject, core["LX6_type_was_attributed_by"], assignment
    yield assignment, RDF_TYPE, kind
    yield assignment, core["assignedName"], literal(name, lang=lang or None)
    if (told := split_authorship(authorship)) is not None:
        for author in told.authors:
            yield from _carried_out_by(assignment, author, core)
        if told.year is not None:
            yield assignment, core["assignedDate"], literal(told.year, datatype=PREFIXES["xsd"] + "gYear")


def assign_code(subject: Term, code: str, organisation: str, core: Vocabulary) -> Iterator[Triple]:
    """The triples of a code that an organisation uses for a subject."""
    kind = core["BC46_3_Code_Assignment"]
    assignment = node(["assignment", iri_of(subject), local_name(iri_of(kind)), code, "", organisation])
    yield subject, core["LX6_type_was_attributed_by"], assignment
    yield assignment, RDF_TYPE, kind
    yield assignment, core["assignedCode"], literal(code)
    yield from _carried_out_by(assignment, organisation, core)


def _carried_out_by(assignment: Term, who: str, core: Vocabulary) -> Iterator[Triple]:
    actor = node(["actor", who])
    yield assignment, core["LC13_is_carried_out_by"], actor
    yield actor, RDF_TYPE, core["BC8_Actor"]
    yield actor, core["name"], literal(who)
