"""Sample data made by seeded generators; the same seed gives the same rows again. `SAMPLES` lists them by name.

>>> from crypsis.samples import SAMPLES
>>> SAMPLES["checkins"].make(100).to_lists()[0]
['Main Campus', 'Student Canteen']
"""

from __future__ import annotations

from crypsis.samples.baskets import baskets, baskets_frame
from crypsis.samples.checkins import checkins, checkins_frame, places
from crypsis.samples.metro import metro, metro_frame
from crypsis.samples.metro_flow import metro_flow, metro_flow_frame
from crypsis.samples.patients import patients, patients_frame
from crypsis.samples.quest import quest, quest_frame
from crypsis.samples.sample import Sample
from crypsis.samples.tracks import tracks, tracks_frame

SAMPLES: dict[str, Sample] = {
    "checkins": Sample(
        "trajectory",
        "A day of check-ins of 2,000 people in a town of sixty places, with its map.",
        checkins,
        checkins_frame,
        places,
    ),
    "tracks": Sample("track", "GPS fixes of 400 cars on a street grid.", tracks, tracks_frame),
    "baskets": Sample(
        "transaction", "3,000 shopping baskets with products of twelve categories.", baskets, baskets_frame
    ),
    "quest": Sample(
        "transaction",
        "10,000 synthetic baskets filled with patterns of 1,000 terms, as Quest makes them.",
        quest,
        quest_frame,
    ),
    "patients": Sample("mixed", "2,500 hospital stays with diagnosis codes and the ward.", patients, patients_frame),
    "metro-flow": Sample(
        "stream", "An hour of 100,000 passengers on a metro of 65 stations.", metro_flow, metro_flow_frame
    ),
    "metro": Sample(
        "stream", "A day of 3,000 metro passengers, minute by minute, with their fare.", metro, metro_frame
    ),
}

__all__ = ["SAMPLES", "Sample", "baskets", "checkins", "metro", "metro_flow", "patients", "quest", "tracks"]
