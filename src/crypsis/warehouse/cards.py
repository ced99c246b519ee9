"""Entity cards: what each source says of one entity, and what others say of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

from crypsis.warehouse.terms import LABEL, Term, Triple, expand, iri_of, is_iri, local_name, text_of

_LABELS = (LABEL, expand("skos:prefLabel"))


@dataclass(frozen=True)
class Card:
    """One entity: its labels, and per source its properties with their values; incoming ones begin with `^`."""

    entity: str
    labels: tuple[str, ...]
    groups: tuple[tuple[str, Mapping[str, tuple[Term, ...]]], ...]

    def to_dict(self) -> dict[str, object]:
        """The machine-readable form."""
        groups = [
            {"source": source, "properties": {name: list(values) for name, values in properties.items()}}
            for source, properties in self.groups
        ]
        return {"entity": self.entity, "labels": list(self.labels), "groups": groups}

    def to_html(self, *, title: str | None = None) -> str:
        """The card as a page of its own."""
        name = escape(title or (self.labels[0] if self.labels else self.entity))
        parts = [
            f"<!doctype html><html lang='en'><meta charset='utf-8'><title>{name}</title><style>{_STYLE}</style>",
            f"<h1>{name}</h1><p class='iri'>{escape(self.entity)}</p>",
        ]
        for source, properties in self.groups:
            parts.append(f"<section><h2>{escape(source)}</h2><dl>")
            for property, values in properties.items():
                incoming = "is " if property.startswith("^") else ""
                shown = escape(local_name(property.lstrip("^")).replace("_", " "))
                listed = "".join(f"<dd>{escape(text_of(value))}</dd>" for value in values)
                parts.append(f"<dt title='{escape(property)}'>{incoming}{shown}</dt>{listed}")
            parts.append("</dl></section>")
        return "".join(parts) + "</html>"


_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1b2733}"
    "h1{margin-bottom:0}.iri{color:#5b6b7a;overflow-wrap:anywhere}"
    "dl{display:grid;grid-template-columns:14rem 1fr;gap:.2rem 1rem}"
    "dt{grid-column:1;font-weight:600}dd{grid-column:2;margin:0;overflow-wrap:anywhere}"
    "section{border-top:1px solid #cdd6df;margin-top:1rem}"
    "@media(max-width:40rem){dl{grid-template-columns:1fr}dd{grid-column:1;padding-left:1rem}}"
)


def index_page(title: str, listed: Sequence[tuple[str, str]]) -> str:
    """Links to pages of entities, by name."""
    links = "".join(f"<li><a href='{escape(file)}'>{escape(name)}</a></li>" for name, file in sorted(listed))
    head = f"<!doctype html><html lang='en'><meta charset='utf-8'><title>{escape(title)}</title><style>{_STYLE}</style>"
    return f"{head}<h1>{escape(title)}</h1><ul>{links}</ul></html>"


def make_card(entity: Term, views: Mapping[str, set[Triple]] | Mapping[str, list[Triple]]) -> Card:
    """The card of an entity from the view of every source; sources that say nothing are left out."""
    groups, labels = [], []
    for source, triples in views.items():
        properties: dict[str, set[Term]] = {}
        for s, p, o in triples:
            if s == entity:
                properties.setdefault(iri_of(p), set()).add(o)
                if p in _LABELS:
                    labels.append(text_of(o))
            elif o == entity and is_iri(o):
                properties.setdefault("^" + iri_of(p), set()).add(s)
        if properties:
            groups.append((source, {name: tuple(sorted(properties[name])) for name in sorted(properties)}))
    return Card(iri_of(entity), tuple(dict.fromkeys(sorted(labels))), tuple(groups))
