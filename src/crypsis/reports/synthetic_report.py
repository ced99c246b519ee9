"""The public report of synthetic trajectories: the promise, what was spent, and what was made up."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from crypsis.data.arrays import Int64s
from crypsis.data.synthetic import SyntheticTrajectories
from crypsis.reports.histogram import Series, Wording, histogram
from crypsis.reports.manifest_facts import ManifestFacts
from crypsis.reports.markup import Markup, element, join
from crypsis.reports.page import columns, exact, facts_list, items, paragraph, pictured, section, tile
from crypsis.reports.release_page import release_page
from crypsis.reports.sections.making import making
from crypsis.reports.sections.promise import promise
from crypsis.reports.sections.verdict import verdict
from crypsis.reports.svg import standalone
from crypsis.reports.wording import counted, figure, shortened, shown

MOST_LISTED = 12
_LENGTHS = Wording("trajectory", "trajectories", "visits", "visits in the trajectory (length)", "trajectories")
_TIMES = Wording("visit", "visits", "time", "time of the visit", "visits")
_MOST_DRAWN = 2_000_000


@dataclass(frozen=True, eq=False)
class SyntheticFacts(ManifestFacts):
    """The manifest and the rows."""

    row_words: ClassVar[tuple[str, str]] = ("distinct trajectory", "distinct trajectories")
    level_words: ClassVar[tuple[str, str]] = ("spent", "allowed")
    recheck_words: ClassVar[str] = (
        "From the files the verifier checks the form of the rows and that no more was spent than allowed; with the "
        "publisher's private report it adds up the ledger of the run anew. That the noise was large enough follows "
        "from the proof of the method; no file can show it."
    )

    manifest: Mapping[str, Any]
    published: SyntheticTrajectories

    @property
    def counts_rows(self) -> bool:
        return True  # the original adds nothing to the check

    @property
    def lengths(self) -> Int64s:
        """The length of every trajectory, of very many only in proportion."""
        return _repeated(self.published.lengths, self.published.copies)

    @property
    def times(self) -> Int64s:
        """The time of every visit, of very many only in proportion."""
        copies = np.repeat(self.published.copies, self.published.lengths)
        return _repeated(self.published.times.decode(self.published.time_codes), copies)


def render_synthetic_report(manifest: Mapping[str, Any], published: SyntheticTrajectories) -> str:
    """The page of a release, from its manifest and its rows."""
    facts = SyntheticFacts(manifest, published)
    sections = (verdict, glance, promise, spent, shapes, frequent, utility, making)
    return release_page(facts, *(one(facts) for one in sections))


def synthetic_pictures(manifest: Mapping[str, Any], published: SyntheticTrajectories) -> dict[str, str]:
    """The pictures as SVG files."""
    facts = SyntheticFacts(manifest, published)
    return {name: standalone(picture(facts)) for name, picture in _PICTURES.items()}


def glance(facts: SyntheticFacts) -> Markup:
    """Section: what was published and what it cost."""
    published, budget = facts.published, facts.section("data").get("budget") or {}
    visited = len(np.unique(published.location_codes))
    tiles = [
        tile("Trajectories", exact(published.trajectories), f"{counted(len(published), 'distinct one')}, all made up"),
        tile("Visits", exact(published.visits), "of all copies"),
        tile("Locations", exact(visited), f"of {len(published.locations):,} declared"),
        tile("Epsilon", exact(budget.get("epsilon", "")), f"{shown(budget.get('spent'))} spent"),
        tile("Levels", exact(published.height), "longest possible trajectory"),
    ]
    return section("At a glance", element("dl", *tiles, class_="tiles"), class_="glance")


def spent(facts: SyntheticFacts) -> Markup:
    """Section: what is assumed public, and how the budget was kept."""
    data = facts.section("data")
    budget, domains = data.get("budget") or {}, data.get("domains") or {}
    public = [
        f"{str(name).capitalize()}: {shown(told.get('size'))}, {told.get('declared', '')} "
        f"(SHA-256 {str(told.get('digest', ''))[:16]}…)"
        for name, told in domains.items()
    ]
    public.append(f"Order of visits: {data.get('rule', '')}.")
    kept = [
        ("Accounting", str(budget.get("accounting", ""))),
        ("Noise", f"discrete Laplace on whole numbers, drawn by {budget.get('noise', '')}"),
        ("Division of epsilon", str(budget.get("scheme", ""))),
        ("Ledger of the dataset", str(budget.get("dataset_ledger", ""))),
        ("Digest of the run's ledger", str(budget.get("ledger_digest", ""))[:16] + "…"),
    ]
    return section(
        "What is public, and what was spent",
        columns(
            element("div", element("h3", "Declared as public"), items(public)),
            element("div", element("h3", "The budget"), facts_list(kept)),
        ),
    )


def shapes(facts: SyntheticFacts) -> Markup:
    """Section: lengths and times."""
    if not len(facts.published):
        return section("Lengths and times", paragraph("Nothing passed its threshold: the release has no trajectory."))
    mean = facts.published.visits / facts.published.trajectories
    return section(
        "Lengths and times",
        columns(
            pictured("Visits in each trajectory", _length_histogram(facts), f"{figure(mean, 3)} visits on average."),
            pictured("When visits happen", _time_histogram(facts), "A bin is named after its first time."),
        ),
    )


def frequent(facts: SyntheticFacts) -> Markup:
    """Section: the rows with the most copies."""
    rows = facts.published.take(np.argsort(-facts.published.copies, kind="stable")[:MOST_LISTED]).to_lists()
    if not rows:
        return Markup("")
    head = element(
        "tr", element("th", "Trajectory", scope="col"), element("th", "Copies", scope="col", class_="numeric")
    )
    body = [
        element("tr", element("td", _visits(visits)), element("td", f"{copies:,}", class_="numeric"))
        for copies, visits in rows
    ]
    table = element("table", element("thead", head), element("tbody", *body))
    return section("The most frequent trajectories", element("div", table, class_="scroll"))


def _visits(visits: list[tuple[str, int]]) -> Markup:
    """Each label apart from its neighbours, so that none can change the direction in which others are read."""
    return join([join([element("bdi", shortened(label, 24)), f" at {time:,}"]) for label, time in visits], " → ")


def utility(facts: SyntheticFacts) -> Markup:
    """Section: why there are no figures."""
    return section(
        "What is left for analysis",
        paragraph(
            "How near these counts are to the true ones is not told: such a figure would be a statement about the "
            "original data without noise. Each published count of a whole prefix is off by the noise of its budget; "
            "longer trajectories are rarer and noisier, and those that hardly anybody shares are not there at all."
        ),
    )


def _repeated(values: Int64s, copies: Int64s) -> Int64s:
    total = int(copies.sum())
    scale = max(1, -(-total // _MOST_DRAWN))
    return np.repeat(values, copies if scale == 1 else -(-copies // scale)).astype(np.int64)


def _length_histogram(facts: SyntheticFacts) -> Markup:
    return histogram((Series("bar-neutral", "", facts.lengths),), _LENGTHS, "Histogram of the lengths of trajectories.")


def _time_histogram(facts: SyntheticFacts) -> Markup:
    return histogram((Series("bar-neutral", "", facts.times),), _TIMES, "Histogram of the times of visits.")


_PICTURES: dict[str, Callable[[SyntheticFacts], Markup]] = {
    "trajectory-lengths": _length_histogram,
    "visit-times": _time_histogram,
}
