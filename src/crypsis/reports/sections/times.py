"""Section: what the release tells of times, how coarse they had to be, and how many were anywhere when."""

from __future__ import annotations

from crypsis.drawing.markup import Markup
from crypsis.reports.facts import ReleaseFacts
from crypsis.reports.page import paragraph, pictured, section
from crypsis.reports.pictures.presence_over_time import presence_over_time
from crypsis.translation import _, marked, translated
from crypsis.translation.wording import figure

DROPPED = marked(
    "The visits had times. They were dropped: the release tells the order of visits, and not when they were."
)
HOW_COARSE = {
    "merge": marked("The publisher chose these steps; where the guarantee needed more, places and times were merged."),
    "bin": marked("These are the narrowest steps of the public ladder for which the guarantee holds."),
    "cluster": marked(
        "These are the narrowest steps of the public ladder for which the guarantee holds; a place has one "
        "span of time in each cluster."
    ),
}


def times(facts: ReleaseFacts) -> Markup:
    """Nothing where the data had no times."""
    told = facts.section("data").get("times")
    if told is None:
        return Markup("")
    if facts.times_in_words is None:
        return section(_("Times"), paragraph(_(DROPPED)))
    needed = [
        _("Times of visits are published {times_in_words}.", times_in_words=translated(facts.times_in_words)),
        _(HOW_COARSE[told.get("way", "merge")]),
    ]
    figures = facts.section("figures")
    if "time_thickness_loss" in figures:
        hours = figure(figures["time_thickness_loss"] / 3600, 2)
        needed.append(
            _("When a visit began and when it ended is open by {hours} hours together, on average.", hours=hours)
        )
    if "temporal_loss" in figures:
        needed.append(
            _(
                "{temporal_loss} % of the time of a visit is not certain.",
                temporal_loss=figure(100 * figures["temporal_loss"], 2),
            )
        )
    if facts.presence is None:
        return section(_("Times"), paragraph(" ".join(needed)))
    certain = _(
        "At least as many as the certain part says were somewhere in the step, and at most as many as the whole bar."
    )
    return section(
        _("Times"), paragraph(" ".join(needed)), pictured(_("Present in each step"), presence_over_time(facts), certain)
    )
