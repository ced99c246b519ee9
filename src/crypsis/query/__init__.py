"""Questions to published data, answered with bounds that the truth must lie between."""

from crypsis.query.bounds import Bounds, presence_bounds, relation_bounds
from crypsis.query.copresence import CopresenceBounds, copresence_bounds
from crypsis.query.count import CountAnswer, count_records
from crypsis.query.dwell import DwellBounds, dwell_bounds
from crypsis.query.estimate import estimate_presence
from crypsis.query.origin_destination import od_bounds
from crypsis.query.periods import read_period
from crypsis.query.published_movements import visits_of
from crypsis.query.questions import Answer, Question, ask
from crypsis.query.regions import places_in
from crypsis.query.visits import PublishedVisits

__all__ = [
    "Answer",
    "Bounds",
    "CopresenceBounds",
    "CountAnswer",
    "DwellBounds",
    "PublishedVisits",
    "Question",
    "ask",
    "copresence_bounds",
    "count_records",
    "dwell_bounds",
    "estimate_presence",
    "od_bounds",
    "places_in",
    "presence_bounds",
    "read_period",
    "relation_bounds",
    "visits_of",
]
