"""Streams that tell when visits ended: what is told keeps the promise, and only ever narrows."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl
import pytest

import crypsis
from crypsis import ITSA, Events
from crypsis.data.stream import OPEN
from crypsis.data.windows import PublishedWindows, read_windows, window_line, window_object, window_text
from crypsis.errors import BadParameter, BadRelease, BadTimestamps, NotApplicable
from crypsis.fuzzytime import FuzzyInterval, refine
from crypsis.run_context import RunContext
from crypsis.verifiers import verify

Visit = tuple[str, str, int, int | None]


def stays(seed: int, people: int = 40, timestamps: int = 8) -> list[Visit]:
    """Visits one after another; some are open to the end."""
    chance = random.Random(seed)
    rows: dict[tuple[str, str, int], int | None] = {}
    for person in range(people):
        t = chance.randrange(2)
        while t < timestamps:
            end = t + chance.choice([0, 0, 1, 1, 2, 5])
            rows.setdefault((str(person), chance.choice("ab"), t), end if chance.random() < 0.9 else None)
            t = end + 1
    return sorted(((*visit, end) for visit, end in rows.items()), key=lambda row: row[2])


def events(visits: list[Visit], ill: int = 0) -> Events:
    """The first people are ill."""
    frame = pl.DataFrame(
        [(*visit, "ill" if int(visit[0]) < ill else "well") for visit in visits],
        schema=["id", "location", "t", "exit", "health"],
        orient="row",
        schema_overrides={"exit": pl.Int64},
    )
    return Events.from_frame(frame, exit="exit", sensitive=["health"])


def settings(seed: int) -> ITSA:
    cumulative = seed % 2 == 1
    return ITSA(
        L=1 + seed % 3,
        K=2 + seed % 2,
        N=4,
        step_size=1 + seed % 2,
        C="3/4",
        mode="cumulative" if cumulative else "itsa",
        H=6 if seed % 4 == 3 else None,
        exits=True,
    )


def released(seed: int) -> tuple[PublishedWindows, ITSA, Events]:
    data = events(stays(seed), ill=15)
    method = settings(seed).resolve(data)
    return method.anonymize(data, RunContext()), method, data


def told(published: PublishedWindows) -> Iterator[tuple[int, dict[int, dict[tuple[int, int], int]]]]:
    """By window: of each person the published visits, (time, place) with the end."""
    for window in published:
        assert window.people is not None
        assert window.exits is not None
        rows: dict[int, dict[tuple[int, int], int]] = {}
        for row, person in enumerate(window.people.tolist()):
            part = slice(window.offsets[row], window.offsets[row + 1])
            visits = zip(window.times[part].tolist(), window.places[part].tolist(), strict=True)
            rows[person] = dict(zip(visits, window.exits[part].tolist(), strict=True))
        yield window.y, rows


@pytest.mark.parametrize("seed", range(12))
def test_every_release_holds_and_some_ends_are_told(seed: int) -> None:
    published, method, data = released(seed)
    verdict = verify(published, method.guarantee, data)
    assert verdict.holds, verdict
    assert "no end was changed or taken back" in verdict.counted


def test_ends_are_told_where_enough_people_share_them() -> None:
    ends = [end for seed in range(12) for window in released(seed)[0] for end in window.exits.tolist()]  # type: ignore[union-attr]
    assert 0.05 < np.mean(np.array(ends) != OPEN) < 0.95


@pytest.mark.parametrize("seed", range(0, 12, 2))
def test_whoever_knows_visits_with_their_ends_is_left_with_k_people(seed: int) -> None:
    """By brute force, in each window: the victim's row shows visits that the adversary knows exactly. A row fits if it
    shows the same places and beginnings, and no other end than the known one."""
    published, method, data = released(seed)
    assert data.exits is not None
    true = {
        (int(data.persons[e]), int(data.t[e]), int(data.location_codes[e])): int(data.exits[e])
        for e in range(len(data))
    }
    for _, rows in told(published):
        for victim, shown in rows.items():
            for size in range(1, method.L + 1):
                for known in combinations(shown, size):
                    ends = {visit: true[victim, *visit] for visit in known}
                    fitting = [
                        row
                        for row in rows.values()
                        if all(visit in row and row[visit] in (OPEN, ends[visit]) for visit in known)
                    ]
                    assert len(fitting) >= method.K


def test_bounds_of_a_visit_only_narrow() -> None:
    """What a later window tells of a visit is what refining the earlier row by it gives."""

    def period(began: int, end: int) -> FuzzyInterval:
        last = (began, np.inf) if end == OPEN else (end, end + 1)
        return FuzzyInterval(began, began + 1, *last)

    narrowed = 0
    for seed in range(12):
        rows: dict[tuple[int, int, int], FuzzyInterval] = {}
        for _, people in told(released(seed)[0]):
            for person, visits in people.items():
                for (time, place), end in visits.items():
                    new = period(time, end)
                    old = rows.setdefault((person, time, place), new)
                    assert refine(old, new) == new
                    narrowed += old != new
                    rows[person, time, place] = new
    assert narrowed > 10


def test_an_end_is_held_back_that_would_leave_one_visit_open() -> None:
    """Five people arrive together. Four leave in 1: told, it would show who stayed. With two who stay it is told."""
    four = [(str(p), "a", 0, 1 if p < 4 else 6) for p in range(5)]
    later = [(str(p), "b", t, None) for t in (1, 2, 3) for p in range(6, 9)]
    for visits, expected in ((four, {OPEN}), ([*four, ("5", "a", 0, 5)], {OPEN, 1})):
        published = ITSA(L=1, K=2, N=4, exits=True).anonymize(
            events(sorted([*visits, *later], key=lambda row: row[2])), RunContext()
        )
        (window,) = published.windows
        assert window.exits is not None
        assert set(window.exits[window.times == 0].tolist()) == expected


def test_windows_with_ends_are_written_and_read() -> None:
    published, method, _ = released(0)
    lines = []
    for window in published:
        content = window_object(window, published.locations.labels, published.classes, {"mode": "é"})
        line, digest = window_text(window, published.locations.labels, published.classes, {"mode": "é"})
        assert line == window_line(content)
        assert digest == content["digest"]
        lines.append(line)
    read = read_windows(lines)
    assert [window.exits.tolist() for window in read] == [window.exits.tolist() for window in published]  # type: ignore[union-attr]
    visits = window_object(published.windows[0], published.locations.labels, published.classes, {})["records"][0][
        "visits"
    ]
    assert all(len(visit) == 5 and visit[2] == visit[1] + 1 for visit in visits)
    assert verify(read, method.guarantee).holds


@pytest.mark.parametrize(
    "visit", [["a", 1, 3, 1, None], ["a", 1, 2, 4, None], ["a", 1, 2, 4, 6], ["a", 1, 2, 4], ["a", 1]]
)
def test_bounds_that_no_stream_writes_are_refused(visit: list[Any]) -> None:
    published, _, _ = released(0)
    content = window_object(published.windows[0], published.locations.labels, published.classes, {})
    content["records"][0]["visits"][0] = visit
    with pytest.raises(BadRelease):
        read_windows([window_line(content)])


def with_exits(published: PublishedWindows, number: int, exits: np.ndarray[Any, Any] | None) -> PublishedWindows:
    windows = list(published.windows)
    windows[number] = replace(windows[number], exits=exits)
    return replace(published, windows=tuple(windows))


def a_window_with_ends(published: PublishedWindows) -> int:
    """The first window of which the next tells the same end again."""
    before: dict[tuple[int, int, int], int] = {}
    for number, (_, rows) in enumerate(told(published)):
        ends = {(p, *visit): end for p, visits in rows.items() for visit, end in visits.items() if end != OPEN}
        if before.keys() & ends.keys():
            return number - 1
        before = ends
    raise AssertionError("no end is told twice")


def test_tampering_with_ends_is_found() -> None:
    published, method, data = released(0)
    number = a_window_with_ends(published)
    window, later = published.windows[number], published.windows[number + 1]
    assert window.exits is not None
    assert later.exits is not None
    closed = np.flatnonzero(window.exits != OPEN)

    one_open = window.exits.copy()
    one_open[closed[0]] = OPEN
    moved = window.exits.copy()
    moved[closed] = window.y
    early = window.exits.copy()
    early[closed] = window.times[closed] - 1
    beyond = np.where(window.exits == OPEN, OPEN, window.y + 1)
    back = np.full(len(later.exits), OPEN)
    guarantee = method.guarantee
    for changed, promised, said in (
        (with_exits(published, number, one_open), guarantee, r"fits \d people|for some who share it|left it open"),
        (with_exits(published, number, moved), guarantee, "earlier window|not its own|fits"),
        (with_exits(published, number, early), guarantee, "ends before it begins"),
        (with_exits(published, number, beyond), guarantee, "ends after the window"),
        (with_exits(published, number + 1, back), guarantee, "is open again"),
        (with_exits(published, number, np.full(len(window.exits), OPEN)), guarantee, "left it open"),
        (with_exits(published, number, None), guarantee, "does not say whether visits ended"),
        (published, replace(guarantee, exits=False), "an adversary who knows no ends"),
    ):
        verdict = verify(changed, promised, data)
        assert not verdict.holds
        assert verdict.problem is not None
        assert re.search(said, verdict.problem), (said, verdict.problem)


def test_a_release_folder_with_ends_is_verified_from_its_files(tmp_path: Any) -> None:
    data = events(stays(3))
    release = crypsis.anonymize(data, ITSA(L=2, K=2, N=4, mode="cumulative", pseudonyms="stable", exits=True))
    folder = release.write(tmp_path / "release")
    again = crypsis.read_release(folder)
    assert again.guarantee.exits
    assert again.verify().holds
    assert "when it ended" in again.guarantee.scope


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(BadParameter, match="could be open again"):
        ITSA(mode="static", exits=True)
    with pytest.raises(NotApplicable, match="do not say when visits ended"):
        crypsis.anonymize(Events.from_lists([("1", "a", 1)]), ITSA(exits=True))
    with pytest.raises(BadTimestamps, match="ends at 2, before it begins at 3"):
        events([("1", "a", 3, 2)])
