"""Views: the triples of a source with canonical names, and intermediate nodes named after what they say."""

from __future__ import annotations

from collections.abc import Mapping

from crypsis.warehouse.terms import Term, Triple, is_node, node


def canonical_view(triples: set[Triple], canonical: Mapping[Term, Term]) -> set[Triple]:
    """The triples with canonical names; nodes that say the same of the same thing get the same name.

    A node is named after the subjects that point to it, and what it says itself; nodes below it come first.
    """
    renamed = {(canonical.get(s, s), p, canonical.get(o, o)) for s, p, o in triples}
    incoming: dict[Term, list[str]] = {}
    own: dict[Term, list[tuple[Term, Term]]] = {}
    for s, p, o in renamed:
        if is_node(s):
            own.setdefault(s, []).append((p, o))
        if is_node(o):
            lines = incoming.setdefault(o, [])
            if not is_node(s):
                lines.append(f"{s} {p}")
    names: dict[Term, Term] = {}
    for start in sorted({*own, *incoming}):
        _name(start, own, incoming, names)
    return {(names.get(s, s), p, names.get(o, o)) for s, p, o in renamed}


def _name(
    start: Term,
    own: Mapping[Term, list[tuple[Term, Term]]],
    incoming: Mapping[Term, list[str]],
    names: dict[Term, Term],
) -> None:
    """Name a node and all nodes below it; a node on a cycle keeps its name."""
    waiting, open_nodes = [start], set[Term]()
    while waiting:
        current = waiting[-1]
        if current in names:
            waiting.pop()
            continue
        below = [o for _, o in own.get(current, ()) if is_node(o) and o not in names]
        if below and current not in open_nodes:
            open_nodes.add(current)
            waiting += below
            continue
        if below:
            names |= {cyclic: cyclic for cyclic in below}
        says = sorted(f"{p} {names.get(o, o)}" for p, o in own.get(current, ()))
        names[current] = node([*sorted(incoming.get(current, ())), *says])
        waiting.pop()
