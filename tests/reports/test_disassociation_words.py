"""The report of a disassociated release tells the smallest cluster there is."""

from __future__ import annotations

import crypsis


def test_the_smallest_cluster_is_told_as_it_is() -> None:
    data = crypsis.Transactions.from_lists([["a", "b"]] * 6 + [["c"]] * 6)
    page = crypsis.anonymize(data, crypsis.Disassociation(k=2, m=1, max_cluster_size=6)).report().html
    assert "2 clusters of 6 to 6 records" in page
