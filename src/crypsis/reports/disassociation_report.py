"""The public report of a disassociated release: the promise and its verdict, the structure, what was hidden, the leak.

It stands beside the published data and uses nothing that is not published. It loads nothing and runs no script.
"""

from __future__ import annotations

from crypsis.arrays import Int64s
from crypsis.data.forest_counts import ForestCounts
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
from crypsis.translation import _
from crypsis.translation.wording import counted, listed, shown

_LISTED = 40


def _glance(facts: DisassociatedFacts) -> Markup:
    empty = facts.counts.empty_records
    tiles = [
        _tile(
            _("Records"),
            facts.counts.records,
            _("and {empty_ones}", empty_ones=counted(empty, "empty one")) if empty else _("none was empty"),
        ),
        _tile(_("Clusters"), facts.counts.clusters, _("{k:,} records required in each", k=facts.counts.k)),
        _tile(
            _("Terms"),
            facts.published_terms,
            _("{only_hidden:,} of them in term chunks only", only_hidden=len(facts.only_hidden)),
        ),
        _tile(_("Record chunks"), facts.counts.record_chunks, _("subrecords of one cluster")),
        _tile(_("Shared chunks"), facts.counts.shared_chunks, _("subrecords of several clusters")),
        _tile(
            _("Joint nodes"),
            facts.counts.joint_nodes,
            _("at most {joint_depth:,} deep", joint_depth=facts.counts.joint_depth),
        ),
    ]
    achieved = facts.section("verdict").get("achieved")
    if achieved is not None:
        tiles.append(
            _tile(
                _("Smallest support"), achieved, _("in any chunk; {required} required", required=shown(facts.required))
            )
        )
    return section(_("At a glance"), element("dl", *tiles, class_="tiles"), class_="glance")


def _tile(name: str, value: int, detail: str) -> Markup:
    return element(
        "div", element("dt", name), element("dd", exact(value), class_="figure"), element("dd", detail, class_="detail")
    )


def _structure(facts: DisassociatedFacts) -> Markup:
    sizes = facts.counts.cluster_sizes
    mean = float(sizes.mean()) if len(sizes) else 0.0
    chunks = facts.counts.chunks_per_cluster
    return section(
        _("How it is put together"),
        paragraph(
            _(
                "Records were put into clusters of similar ones and cut into subrecords. Subrecords of one "
                "chunk say which terms occurred together; which subrecords of different chunks belong to "
                "the same record is not published."
            )
        ),
        columns(
            pictured(
                _("Cluster sizes"),
                cluster_sizes(facts),
                _(
                    "{clusters} of {least:,} to {max:,} records, {mean:,.1f} on average, with {least2:,} "
                    "to {max2:,} record chunks each.",
                    clusters=counted(len(sizes), "cluster"),
                    least=_least(sizes),
                    max=int(sizes.max(initial=0)),
                    mean=mean,
                    least2=_least(chunks),
                    max2=int(chunks.max(initial=0)),
                ),
            ),
            pictured(
                _("Term chunks"),
                term_chunk_sizes(facts),
                _("A cluster only says that these terms occur: not how often, nor together with what."),
            ),
        ),
    )


def _hidden(facts: DisassociatedFacts) -> Markup:
    hidden = facts.only_hidden
    told = [
        _(
            "{terms} of {published_terms:,} occur in term chunks only: all that is known of them is in "
            "which clusters they are.",
            terms=counted(len(hidden), "term"),
            published_terms=facts.published_terms,
        ),
        _(
            "{terms} occur in chunks and in some term chunks, so their counts are lower bounds; the counts "
            "of all other terms are exact.",
            terms=counted(facts.partly_hidden, "term"),
        ),
    ]
    if hidden:
        told.append(_("In term chunks only: {hidden}.", hidden=listed(hidden, _LISTED)))
    if facts.sensitive:
        told.append(
            _(
                "{sensitive_terms} stand in term chunks by rule: {sensitive}.",
                sensitive_terms=counted(len(facts.sensitive), "sensitive term"),
                sensitive=listed(sorted(facts.sensitive), _LISTED),
            )
        )
    return section(_("What was hidden"), items(told))


def _leak(facts: DisassociatedFacts) -> Markup:
    k = facts.counts.k
    told = [
        _(
            "The guarantee is about what the published form allows. Who also knows how it was made can rule "
            "out some of that:"
        ),
        _(
            "a term of a term chunk occurs in 1 to {value:,} records of its cluster, because it would have "
            "been put in a chunk otherwise (unless it is sensitive or was moved there by rule);",
            value=max(1, k - 1),
        ),
        _(
            "a term of a later chunk occurs together with something of an earlier one in fewer than {k:,} "
            "records; where only one thing can be meant, that rare pair is known (the cover problem).",
            k=k,
        ),
    ]
    return section(
        _("What remains to be guessed"),
        items(told),
        paragraph(
            _(
                "Safe placement moves terms whose rare partner would be certain to the term chunk. It "
                "mitigates and promises nothing."
            )
        ),
    )


def _least(values: Int64s) -> int:
    return int(values.min()) if len(values) else 0


DISASSOCIATION_REPORT = ReportPlan(
    lambda manifest, published, _: DisassociatedFacts(manifest, ForestCounts.of(published), published.sensitive),
    (verdict, _glance, promise, _structure, _hidden, _leak, utility, provenance),
    {"cluster-sizes": cluster_sizes, "term-chunk-sizes": term_chunk_sizes},
)
