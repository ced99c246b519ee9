"""The public report of synthetic trajectories: the promise, what was spent, and what was made up."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from crypsis.arrays import Int64s
from crypsis.data.domains import TimeDomain
from crypsis.data.synthetic import SyntheticTrajectories
from crypsis.drawing.markup import Markup, element, join
from crypsis.reports.histogram import Series, Wording, histogram
from crypsis.reports.page import columns, exact, paragraph, pictured, section, tile
from crypsis.reports.report_plan import ReportPlan
from crypsis.reports.sections.budget import epsilon_tile, spent, table, utility
from crypsis.reports.sections.promise import promise
from crypsis.reports.sections.provenance import provenance
from crypsis.reports.sections.verdict import verdict
from crypsis.reports.synthetic_facts import SyntheticFacts, in_proportion
from crypsis.translation import _, marked, translated
from crypsis.translation.wording import counted, figure, shortened, shown

MOST_LISTED = 12
_LENGTHS = Wording("trajectory", "trajectories", marked("visits"), marked("visits in the trajectory (length)"))
_TIMES = Wording("visit", "visits", marked("time"), marked("time of the visit"))
_DOMAINS = {"locations": marked("Locations"), "times": marked("Times")}
_RULES = {
    "canonical": marked("by time, at one time by place"),
    "nondecreasing": marked("a visit is at the same time as the one before it, or later"),
    "strict": marked("a visit is later than the one before it"),
}
_SCHEMES = {
    "uniform": marked("alike over all levels"),
    "printed": marked("as the thesis prints it"),
    "flat": marked("alike over all visits, without taxonomies"),
}


@dataclass(frozen=True, eq=False)
class TrajectoryFacts(SyntheticFacts):
    """The manifest and the rows."""

    row_words = ("distinct trajectory", "distinct trajectories")

    published: SyntheticTrajectories

    @property
    def times(self) -> Int64s:
        """The time of every visit, of very many only in proportion."""
        copies = np.repeat(self.published.copies, self.published.lengths)
        return in_proportion(self.published.times.decode(self.published.time_codes), copies)


def summary(facts: TrajectoryFacts) -> Markup:
    """Section: what was published and what it cost."""
    published = facts.published
    visited = len(np.unique(published.location_codes))
    tiles = [
        tile(
            _("Trajectories"),
            exact(published.trajectories),
            _("{distinct_ones}, all made up", distinct_ones=counted(len(published), "distinct one")),
        ),
        tile(_("Visits"), exact(published.visits), _("of all copies")),
        tile(_("Locations"), exact(visited), _("of {locations:,} declared", locations=len(published.locations))),
        epsilon_tile(facts),
        tile(_("Levels"), exact(published.height), _("longest possible trajectory")),
    ]
    return section(_("At a glance"), element("dl", *tiles, class_="tiles"), class_="glance")


def kept(facts: TrajectoryFacts) -> Markup:
    """Section: what is assumed public, and how the budget was kept."""
    data = facts.section("data")
    public = [
        _(
            "{name}: {size}, {declared} (SHA-256 {digest}…)",
            name=_(_DOMAINS.get(str(name), str(name))),
            size=shown(told.get("size")),
            declared=translated(str(told.get("declared", ""))),
            digest=str(told.get("digest", ""))[:16],
        )
        for name, told in (data.get("domains") or {}).items()
    ]
    times = facts.published.times
    public.append(
        _("Times from {first:,} to below {stop:,} in steps of {step:,}, {unit}.", **_bounds(times), unit=_unit(facts))
    )
    rule = str(data.get("rule", ""))
    public.append(_("Order of visits: {rule}.", rule=_(_RULES.get(rule, rule))))
    scheme = str(facts.budget.get("scheme", ""))
    division = [(_("Division of epsilon"), _(_SCHEMES.get(scheme, scheme)))] if scheme else []
    return spent(facts, public, _("discrete Laplace"), division)


def _bounds(times: TimeDomain) -> dict[str, int]:
    return {"first": times.first, "stop": times.stop, "step": times.step}


def _unit(facts: TrajectoryFacts) -> str:
    """What one step of time is, where the publisher said so."""
    unit = facts.published.times.unit
    return _("in the unit of the data") if unit is None else _("in units of 1 {unit} since 1970", unit=unit)


def left(facts: TrajectoryFacts) -> Markup:
    """Section: why there are no figures."""
    return utility(
        _(
            "Each published count of a whole prefix is off by the noise of its budget; longer trajectories "
            "are rarer and noisier, and those that hardly anybody shares are not there at all."
        )
    )


def shapes(facts: TrajectoryFacts) -> Markup:
    """Section: lengths and times."""
    if not len(facts.published):
        return section(
            _("Lengths and times"), paragraph(_("Nothing passed its threshold: the release has no trajectory."))
        )
    mean = facts.published.visits / facts.published.trajectories
    return section(
        _("Lengths and times"),
        columns(
            pictured(
                _("Visits in each trajectory"),
                _length_histogram(facts),
                _("{mean} visits on average.", mean=figure(mean, 3)),
            ),
            pictured(
                _("When visits happen"),
                _time_histogram(facts),
                _("Times are {unit}; a step is named after its first time.", unit=_unit(facts)),
            ),
        ),
    )


def frequent(facts: TrajectoryFacts) -> Markup:
    """Section: the rows with the most copies."""
    rows = facts.published.take(np.argsort(-facts.published.copies, kind="stable")[:MOST_LISTED]).to_lists()
    if not rows:
        return Markup("")
    listed = [(_visits(visits), [f"{copies:,}"]) for copies, visits in rows]
    return table(_("The most frequent trajectories"), (_("Trajectory"), _("Copies")), listed)


def _visits(visits: list[tuple[str, int]]) -> Markup:
    """Each label apart from its neighbours, so that none can change the direction in which others are read."""
    return join(
        [join([element("bdi", shortened(label, 24)), _(" at {time:,}", time=time)]) for label, time in visits], " → "
    )


def _length_histogram(facts: TrajectoryFacts) -> Markup:
    return histogram(
        (Series("bar-neutral", "", facts.lengths),), _LENGTHS, _("Histogram of the lengths of trajectories.")
    )


def _time_histogram(facts: TrajectoryFacts) -> Markup:
    return histogram((Series("bar-neutral", "", facts.times),), _TIMES, _("Histogram of the times of visits."))


SYNTHETIC_REPORT = ReportPlan(
    lambda manifest, published, _: TrajectoryFacts(manifest, published),
    (verdict, summary, promise, kept, shapes, frequent, left, provenance),
    {"trajectory-lengths": _length_histogram, "visit-times": _time_histogram},
)
