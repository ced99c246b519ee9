"""Random small streams, the fast windows of them and what the obvious version says, in one form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from random import Random
from typing import Any

import numpy as np
from hypothesis import strategies as st

from crypsis.methods.stream.sliding_window import Slide, SlidingWindow
from tests.reference import itsa as reference

SHARES = [Fraction(0), Fraction(1, 3), Fraction(2, 5), Fraction(1, 2), Fraction(3, 4), Fraction(1)]


@dataclass
class Case:
    """A stream of (person, place, t) with the tokens of each person, and how it is anonymized."""

    events: list[tuple[int, int, int]]
    tokens: dict[int, list[int]]
    bounds: list[Fraction]
    settings: dict[str, Any]
    erase: dict[int, list[int]] = field(default_factory=dict)

    def obvious(self, **changed: Any) -> list[reference.Window]:
        return reference.itsa(
            self.events, self.tokens, bounds=dict(enumerate(self.bounds)), erase=self.erase, **self.settings | changed
        )


@st.composite
def cases(draw: st.DrawFn, mode: str | None = None, erasures: bool = True) -> Case:
    """Cases that are made smaller where a test fails."""
    return random_case(draw(st.randoms(use_true_random=False)), mode, erasures)


def random_case(random: Random, mode: str | None = None, erasures: bool = True) -> Case:
    """Few people, places and timestamps: rare and frequent sequences, gaps, several places at one timestamp."""
    n_people, n_places = random.randint(1, random.choice([4, 10, 25])), random.randint(1, 4)
    span, N, t0 = random.randint(1, 9), random.randint(1, 5), random.randint(-2, 3)
    several, gap = random.random() < 0.4, random.random() < 0.2
    events = {
        (person, random.randrange(n_places), t)
        for person in range(n_people)
        for t in range(t0, t0 + span)
        if random.random() < 0.7 and not (gap and t % 4 == 1)
        for _ in range(random.randint(1, 2) if several else 1)
    }
    bounds = [random.choice(SHARES) for _ in range(random.randint(0, 2))]
    tokens = {person: [token for token in range(len(bounds)) if random.random() < 0.3] for person in range(n_people)}
    erase = {
        window: [random.randrange(n_people) for _ in range(random.randint(1, 2))]
        for window in range(10)
        if erasures and several and random.random() < 0.4
    }
    settings = {
        "L": random.randint(1, 4),
        "K": random.randint(1, 4),
        "N": N,
        "step": random.randint(1, N),
        "t0": t0,
        "t_last": t0 + span - 1,
        "mode": mode or random.choice(["itsa", "cumulative", "static"]),
        "H": random.choice([None, N + random.randint(0, 4)]),
        "prune": random.random() < 0.3,
        "flush_partial": random.random() < 0.3,
    }
    shuffled = sorted(events)
    random.shuffle(shuffled)
    return Case(shuffled, tokens, bounds, settings, erase)


def slides(case: Case, *, checkpoints: bool = False) -> list[Slide]:
    """The windows that the engine makes of a case; with `checkpoints`, through its saved state after each slide."""
    given = case.settings
    window = SlidingWindow(
        L=given["L"],
        K=given["K"],
        N=given["N"],
        step=given["step"],
        mode=given["mode"],
        horizon=given["H"],
        tokens=case.bounds,
        origin=given["t0"],
        prune=given["prune"],
    )
    class_of: dict[tuple[int, ...], int] = {}
    for tokens in case.tokens.values():
        if tuple(tokens) not in class_of:
            class_of[tuple(tokens)] = window.declare_class(tokens)
    made: list[Slide] = []
    erased: set[int] = set()
    while True:
        end = window.next_end
        if end > given["t_last"]:
            start = window.x + given["step"] if made else window.x
            if not given["flush_partial"] or window.y >= given["t_last"] or start > given["t_last"]:
                return made
            end = given["t_last"]
        gone = case.erase.get(len(made), [])
        new = [event for event in case.events if window.y < event[2] <= end and event[0] not in erased]
        erased |= set(gone)
        columns = np.array(new, np.int64).reshape(-1, 3)
        made.append(
            window.slide(
                columns[:, 0].astype(np.int32),
                columns[:, 1].astype(np.int32),
                columns[:, 2].copy(),
                np.array([class_of[tuple(case.tokens[person])] for person, _, _ in new], np.int32),
                erased=gone,
                end=end,
            )
        )
        if checkpoints:
            window = SlidingWindow.from_state(window.state())


def seen(slide: Slide) -> Mapping[str, Any]:
    """A slide in the words of the obvious version."""

    def doublet(code: int) -> tuple[int, int]:
        return int(slide.time[code]), int(slide.place[code])

    people, offsets, codes = slide.published
    rows = [codes[start:end] for start, end in pairwise(offsets)]
    return {
        "window": (slide.x, slide.y),
        "critical": [tuple(map(doublet, one)) for one in slide.violations],
        "suppressed": [doublet(code) for code in slide.suppressed],
        "published": {
            person: [doublet(code) for code in row] for person, row in zip(people.tolist(), rows, strict=True)
        },
        "empty": set(slide.emptied.tolist()),
        "active": slide.active,
        "distortion": Fraction(slide.suppressed_instances, slide.instances) if slide.instances else Fraction(0),
        "regressed": slide.regressed,
    }


def expected(window: reference.Window) -> Mapping[str, Any]:
    return {
        "window": (window.x, window.y),
        "critical": window.critical,
        "suppressed": window.suppressed,
        "published": window.published,
        "empty": window.empty,
        "active": len(window.published) + len(window.empty),
        "distortion": window.distortion,
        "regressed": len(window.regressed),
    }
