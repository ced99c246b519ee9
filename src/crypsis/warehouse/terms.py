"""Terms and triples as N-Triples writes them, names of prefixes, and names of intermediate nodes.

A term is its N-Triples text: `<iri>`, `"text"`, `"text"@en` or `"1788"^^<datatype>`. Texts are compared, sorted, hashed
and written as they are, so every step of a build is deterministic.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from typing import Final, TypeAlias

from crypsis.errors import BadWarehouse

Term: TypeAlias = str
Triple: TypeAlias = tuple[Term, Term, Term]

NODE_PREFIX: Final = "urn:crypsis:node:"

PREFIXES: Final = {
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "owl": "http://www.w3.org/2002/07/owl#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "dcterms": "http://purl.org/dc/terms/",
    "dwc": "http://rs.tdwg.org/dwc/terms/",
    "tlo": "https://crypsis.example/tlo#",
    "cr": "https://crypsis.example/release#",
    "void": "http://rdfs.org/ns/void#",
    "prov": "http://www.w3.org/ns/prov#",
    "dcat": "http://www.w3.org/ns/dcat#",
    "spdx": "http://spdx.org/rdf/terms#",
    "csvw": "http://www.w3.org/ns/csvw#",
}

_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f"}
_UNESCAPES = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f", '"': '"', "'": "'", "\\": "\\"}
_LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"(?:@([A-Za-z0-9-]+)|\^\^<([^>]*)>)?', re.DOTALL)
_ESCAPED = re.compile(r"\\(u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|.)", re.DOTALL)
_NOT_IN_IRI = re.compile(r'[\x00-\x20<>"{}|^`\\]')


def iri(value: str) -> Term:
    """The term of an IRI; characters that no IRI has are percent-encoded."""
    return f"<{_NOT_IN_IRI.sub(lambda match: ''.join(f'%{byte:02X}' for byte in match[0].encode()), value)}>"


def literal(text: str, *, lang: str | None = None, datatype: str | None = None) -> Term:
    """The term of a literal."""
    quoted = '"' + "".join(_ESCAPES.get(character, character) for character in text) + '"'
    if lang:
        return f"{quoted}@{lang.lower()}"
    return quoted if datatype is None or datatype == PREFIXES["xsd"] + "string" else f"{quoted}^^<{datatype}>"


def is_iri(term: Term) -> bool:
    """Return whether a term is an IRI."""
    return term.startswith("<")


def is_literal(term: Term) -> bool:
    """Return whether a term is a literal."""
    return term.startswith('"')


def is_node(term: Term) -> bool:
    """Whether a term is an intermediate node, which stands for an assignment or the like and not for a thing."""
    return term.startswith(f"<{NODE_PREFIX}")


def iri_of(term: Term) -> str:
    """The IRI of a term that is one."""
    return term[1:-1]


def text_of(term: Term) -> str:
    """The text of a literal, or the IRI."""
    if is_iri(term):
        return iri_of(term)
    return parts_of_literal(term)[0]


def parts_of_literal(term: Term) -> tuple[str, str, str]:
    """Text, language and datatype of a literal; empty where it has none."""
    match = _LITERAL.fullmatch(term)
    if match is None:
        raise BadWarehouse(f"{term!r} is not a literal.")
    return _ESCAPED.sub(_unescape, match[1]), match[2] or "", match[3] or ""


def _unescape(match: re.Match[str]) -> str:
    sign = match[1]
    return chr(int(sign[1:], 16)) if len(sign) > 1 else _UNESCAPES.get(sign, sign)


def node(parts: Iterable[str]) -> Term:
    """The name of an intermediate node: a hash of the parts that define it, so that a rule makes the same one again."""
    digest = hashlib.sha256("\n".join(parts).encode()).hexdigest()
    return f"<{NODE_PREFIX}{digest[:16]}>"


def expand(name: str, prefixes: Mapping[str, str] = PREFIXES) -> Term:
    """The term of a prefixed name, of an IRI, or of an IRI in angle brackets."""
    if name == "a":
        return RDF_TYPE
    if name.startswith("<") and name.endswith(">"):
        return iri(name[1:-1])
    prefix, colon, local = name.partition(":")
    if colon and prefix in prefixes and not local.startswith("//"):
        return iri(prefixes[prefix] + local)
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]*:", name):
        return iri(name)
    raise BadWarehouse(f"{name!r} is neither an IRI nor a name with a known prefix; known are {', '.join(prefixes)}.")


def local_name(value: str) -> str:
    """What follows the last slash or hash of an IRI."""
    return re.split(r"[/#]", value.rstrip("/#"))[-1]


RDF_TYPE: Final = iri(PREFIXES["rdf"] + "type")
LABEL: Final = iri(PREFIXES["rdfs"] + "label")
SAME_AS: Final = iri(PREFIXES["owl"] + "sameAs")
SUBCLASS_OF: Final = iri(PREFIXES["rdfs"] + "subClassOf")
SUBPROPERTY_OF: Final = iri(PREFIXES["rdfs"] + "subPropertyOf")
EQUIVALENT_CLASS: Final = iri(PREFIXES["owl"] + "equivalentClass")
EQUIVALENT_PROPERTY: Final = iri(PREFIXES["owl"] + "equivalentProperty")
INVERSE_OF: Final = iri(PREFIXES["owl"] + "inverseOf")
SYMMETRIC: Final = iri(PREFIXES["owl"] + "SymmetricProperty")
CANONICAL: Final = iri(PREFIXES["cr"] + "canonical")
