"""The functions that join the layers: data and a method in, a release out."""

from __future__ import annotations

from typing import Any

from crypsis.data.bare_frames import refuse_frame
from crypsis.journal import Journal, Listener
from crypsis.methods import Method
from crypsis.publication import kind_of
from crypsis.release import Release, read_release
from crypsis.verifiers import verify

__all__ = ["anonymize", "read_release", "verify"]


def anonymize(data: Any, method: Method, *, listener: Listener | None = None) -> Release:
    """Anonymize data with a method; the release keeps the rows in input order until it is written.

    `listener` is told the stage and the share done, and may raise `Cancelled`.
    """
    refuse_frame(data, method.accepts, method)
    method.check_applicable(data)
    declared, method = method, method.prepared(data)
    journal = Journal(listener)
    published = method.anonymize(data, journal)
    published = kind_of(published).completed(published, data)
    return Release(
        data=published,
        guarantee=kind_of(published).promised(method.guarantee_of(data, published), published),
        companion=kind_of(published).companion(data, published),
        method=method,
        declared=declared,
        original=data,
        journal=journal,
    )
