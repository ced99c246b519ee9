"""The public report of a disassociated release: the promise and its verdict, the structure, what was hidden, the leak.

It stands beside the published data and uses nothing that is not published. It loads nothing and runs no script.
"""

from __future__ import annotations

from crypsis.arrays import Int64s
from crypsis.drawing.markup import Markup, element
from crypsis.reports.disassociated_facts import DisassociatedFacts
from crypsis.reports.page import columns, exact, items, paragraph, pictured, section
from crypsis.reports.pictures.cluster_sizes import cluster_sizes
from crypsis.reports.pictures.term_chunk_sizes import term_chunk_sizes
from crypsis.reports.report_plan import ReportPlan
from crypsis.reports.sections.promise import promise
from crypsis.reports.sections.provenance import provenance
from crypsis.reports.sections.utility import utility
from crypsis.reports.sections.verdict import verdict
from crypsis.wording import counted, listed, shown

_LISTED = 40


def _glance(facts: DisassociatedFacts) -> Markup:
    empty = facts.data.empty_records
    tiles = [
        _tile("Records", facts.data.records, f"and {counted(empty, 'empty one')}" if empty else "none was empty"),
        _tile("Clusters", len(facts.cluster_sizes), f"{facts.data.k:,} records required in each"),
        _tile("Terms", facts.published_terms, f"{len(facts.only_hidden):,} of them in term chunks only"),
        _tile("Record chunks", facts.record_chunks, "subrecords of one cluster"),
        _tile("Shared chunks", facts.shared_chunks, "subrecords of several clusters"),
        _tile("Joint nodes", facts.data.n_nodes - len(facts.cluster_sizes), f"at most {facts.joint_depth:,} deep"),
    ]
    found = facts.section("verdict").get("achieved")
    if found is not None:
        tiles.append(_tile("Smallest support", found, f"in any chunk; {shown(facts.required)} required"))
    return section("At a glance", element("dl", *tiles, class_="tiles"), class_="glance")


def _tile(name: str, value: int, detail: str) -> Markup:
    return element(
        "div", element("dt", name), element("dd", exact(value), class_="figure"), element("dd", detail, class_="detail")
    )


def _structure(facts: DisassociatedFacts) -> Markup:
    sizes = facts.cluster_sizes
    mean = float(sizes.mean()) if len(sizes) else 0.0
    chunks = facts.chunks_per_cluster
    return section(
        "How it is put together",
        paragraph(
            "Records were put into clusters of similar ones and cut into subrecords. Subrecords of one chunk say which "
            "terms occurred together; which subrecords of different chunks belong to the same record is not published."
        ),
        columns(
            pictured(
                "Cluster sizes",
                cluster_sizes(facts),
                f"{counted(len(sizes), 'cluster')} of {_least(sizes):,} to {int(sizes.max(initial=0)):,} "
                f"records, {mean:,.1f} on average, with {_least(chunks):,} to "
                f"{int(chunks.max(initial=0)):,} record chunks each.",
            ),
            pictured(
                "Term chunks",
                term_chunk_sizes(facts),
                "Of these terms a cluster tells only that they occur: not how often, nor together with what.",
            ),
        ),
    )


def _hidden(facts: DisassociatedFacts) -> Markup:
    hidden = facts.only_hidden
    told = [
        f"{counted(len(hidden), 'term')} of {facts.published_terms:,} occur in term chunks only: all that is known of "
        "them is in which clusters they are.",
        f"{counted(facts.partly_hidden, 'term')} occur in chunks and in some term chunks, so their counts are lower "
        "bounds; the counts of all other terms are exact.",
    ]
    if hidden:
        told.append(f"In term chunks only: {listed(hidden, _LISTED)}.")
    if facts.data.sensitive:
        told.append(
            f"{counted(len(facts.data.sensitive), 'sensitive term')} stand in term chunks by rule: "
            f"{listed(sorted(facts.data.sensitive), _LISTED)}."
        )
    return section("What was hidden", items(told))


def _leak(facts: DisassociatedFacts) -> Markup:
    k = facts.data.k
    told = [
        "The promise is about what the published form allows. Who also knows how it was made can rule out some of "
        "that:",
        f"a term of a term chunk occurs in 1 to {max(1, k - 1):,} records of its cluster, because it would have been "
        "put in a chunk otherwise (unless it is sensitive or was moved there by rule);",
        f"a term of a later chunk occurs together with something of an earlier one in fewer than {k:,} records; where "
        "only one thing can be meant, that rare pair is known (the cover problem).",
    ]
    return section(
        "What remains to be guessed",
        items(told),
        paragraph(
            "Safe placement moves terms whose rare partner would be certain to the term chunk. It mitigates and "
            "promises nothing."
        ),
    )


def _least(values: Int64s) -> int:
    return int(values.min()) if len(values) else 0


DISASSOCIATION_REPORT = ReportPlan(
    lambda manifest, published, _: DisassociatedFacts(manifest, published),
    (verdict, _glance, promise, _structure, _hidden, _leak, utility, provenance),
    {"cluster-sizes": cluster_sizes, "term-chunk-sizes": term_chunk_sizes},
)
