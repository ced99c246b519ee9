"""From what clusters are formed of to the published records: the steps that all methods for mixed data share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from crypsis.arrays import Int64s
from crypsis.data.mixed import Mixed, PublishedMixed
from crypsis.errors import Infeasible, InfeasibleDiversity
from crypsis.executors.threads import available_workers, map_in_threads
from crypsis.methods.mixed.clusters import Clusters
from crypsis.methods.mixed.item_loss import ItemLoss
from crypsis.methods.mixed.item_recoding import ItemRecoder, Recoded
from crypsis.methods.mixed.publishing import held_items, published_clusters
from crypsis.methods.relational.applied_mapping import AppliedMapping
from crypsis.methods.relational.quasi_identifiers import QuasiIdentifiers
from crypsis.methods.transaction.people import holders
from crypsis.run_context import RunContext


@dataclass(frozen=True, eq=False)
class Prepared:
    """Records with what clusters are formed of. `quasi` are the quasi-identifiers as clusters are published, `grouped`
    as the relational method takes them: some give every column a tree."""

    data: Mixed
    quasi: QuasiIdentifiers
    grouped: QuasiIdentifiers
    recoder: ItemRecoder


def recode_clusters(clusters: Clusters, recoder: ItemRecoder, context: RunContext, owner: str) -> list[Recoded]:
    """The generalized items of every cluster; largest clusters first, so that no worker is left with one at the end."""
    members = clusters.lists()
    order = sorted(range(len(members)), key=lambda cluster: -len(members[cluster]))
    made = map_in_threads(
        recoder.recoded, [members[one] for one in order], available_workers(), context.report_progress
    )
    recoded: list[Recoded | None] = [None] * len(members)
    for one, found in zip(order, made, strict=True):
        recoded[one] = found
    listed = [one for one in recoded if one is not None]
    if len(listed) < len(members):
        bad = [members[index] for index in range(len(members)) if recoded[index] is None]
        records = sum(map(len, bad))
        limited = getattr(recoder.method, "utility", None) is not None
        reason = "the utility policy keeps items apart, " if limited else ""
        remedy = "allow larger sets in the utility policy, " if limited else ""
        places = "1 cluster" if len(bad) == 1 else f"{len(bad):,} clusters"
        raise Infeasible(
            f"{owner}: the items of {records:,} records in {places} cannot be generalized enough: {reason}fewer "
            f"than k={recoder.k} of a cluster's records have items, or too many share a sensitive one. Raise delta so "
            f"that more clusters are united, {remedy}lower k or l, or leave out records without items.",
            records=records,
            clusters=len(bad),
        )
    return listed


def publish_clusters(
    data: Mixed, clusters: Clusters, recoder: ItemRecoder, recoded: Sequence[Recoded], context: RunContext
) -> PublishedMixed:
    """The published records; what only the publisher may know goes to the context."""
    published = published_clusters(data, clusters, recoder, recoded, held_items(clusters, recoder))
    context.private.update(
        clusters=[rows.tolist() for rows in clusters.lists()],
        largest_cluster=int(clusters.sizes.max(initial=0)),
        applied_mapping=AppliedMapping(data.table, published.table),
        suppressed_records=np.flatnonzero(published.table.suppressed).tolist(),
        exact_costs=clusters.quasi.exact,
        ncp=float(clusters.quasi.loss(clusters.cost())),
        ul=mean_item_loss(recoded, recoder.loss, clusters.suppressed, len(data)),
    )
    return published


def mean_item_loss(recoded: Sequence[Recoded], loss: ItemLoss, suppressed: int, n_records: int) -> float:
    """UL of all records; a suppressed one loses everything."""
    return (sum(float(cluster.losses(loss).sum()) for cluster in recoded) + suppressed) / max(n_records, 1)


def refuse_frequent_secrets(recoder: ItemRecoder, n_records: int) -> None:
    """A sensitive item of more than one in l records, or people, is a secret no longer, whatever is united."""
    held = holders(recoder.secret_offsets, recoder.secrets, len(recoder.secret_labels), recoder.person)
    refuse_frequent(recoder, held, n_records, "people" if len(recoder.person) else "records")


def refuse_frequent(recoder: ItemRecoder, held: Int64s, n_records: int, counted: str) -> None:
    """The same by how many have each sensitive item."""
    for label, count in zip(recoder.secret_labels, held.tolist(), strict=True):
        if count * recoder.l > n_records:
            raise InfeasibleDiversity(
                f"Sensitive item {label!r} is in {count} of {n_records} {counted}, more than one in {recoder.l}. "
                "Lower l, or leave the item out.",
                item=label,
                have=count,
                records=n_records,
            )
