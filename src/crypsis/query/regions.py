"""Regions as people name them: places, and nodes of a taxonomy of places, `node:Old town`."""

from __future__ import annotations

from collections.abc import Collection

from crypsis.errors import BadQuery, did_you_mean
from crypsis.hierarchy import Taxonomy
from crypsis.query.visits import PublishedVisits

NODE = "node:"
NO_TAXONOMY = (
    "names a node of a taxonomy of places, and this release has none; give the tree as a file (taxonomy='FILE')."
)


def places_in(visits: PublishedVisits, region: Collection[str], taxonomy: Taxonomy | None = None) -> tuple[str, ...]:
    """The places of the release that a region is made of, each once; `node:NAME` stands for all places below a node.

    A place of that very name goes before the node. Places below a node that nobody published visits to are left out:
    no visit of the release can have been there.
    """
    if isinstance(region, str):
        raise BadQuery(f"A region is a list of places and nodes, such as [{region!r}]; got the text {region!r}.")
    known = set(visits.cell_labels)
    found: dict[str, None] = {}
    for name in region:
        if name in known or not name.startswith(NODE):
            visits.inside([name])  # refused where the release has no such place
            found[name] = None
        else:
            found |= dict.fromkeys(label for label in _below(name, taxonomy, known) if label in known)
    return tuple(found)


def nodes_of(visits: PublishedVisits, taxonomy: Taxonomy | None) -> dict[str, int]:
    """The inner nodes of a taxonomy with places of the release below them, and how many, from the root on."""
    if taxonomy is None:
        return {}
    known = set(visits.cell_labels)
    counts = {node: sum(label in known for label in taxonomy.below(node)) for node in taxonomy.inner_nodes}
    return {node: count for node, count in counts.items() if count}


def _below(name: str, taxonomy: Taxonomy | None, known: Collection[str]) -> tuple[str, ...]:
    node = name.removeprefix(NODE).strip()
    if taxonomy is None:
        raise BadQuery(f"{name!r} {NO_TAXONOMY}", node=node)
    if node not in taxonomy.names:
        raise BadQuery(f"The taxonomy of places has no node {node!r}.{did_you_mean(node, taxonomy.names)}", node=node)
    if not any(leaf in known for leaf in taxonomy.leaves):
        raise BadQuery(
            f"No place of this release is a leaf of the taxonomy, which begins with {taxonomy.leaves[0]!r}; give the "
            "tree of these places.",
            node=node,
        )
    return taxonomy.below(node)
