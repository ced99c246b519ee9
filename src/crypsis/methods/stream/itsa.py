"""ITSA: LKC-private sliding windows over a trajectory stream, decided slide by slide.

Guarantees LKC-privacy of each window; in cumulative mode of all windows together over a horizon. A slide costs the new
events, the people in the window, and the sequences with a new doublet in distinct rows.

Al-Hussaeni, Fung, Cheung. Privacy-preserving trajectory stream publishing. Data & Knowledge Engineering 94, 2014.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any

import numpy as np

from crypsis.arrays import Int8s, Int32s, Int64s, take_records
from crypsis.data.sensitive_values import EVERY_VALUE, SensitiveValues, Token
from crypsis.data.stream import OPEN, Events
from crypsis.data.windows import NO_TOKENS, PublishedWindow, PublishedWindows
from crypsis.errors import BadParameter, NotApplicable, SensitiveLocation, UnknownColumn, did_you_mean
from crypsis.guarantees import LKCPrivacy
from crypsis.guarantees.lkc_privacy import KnownDoublets, LargestShare, SensitiveChoice, SharedByPeople
from crypsis.kernels.event_intake import ACCEPTED, DUPLICATE, RESULTS, judge_events
from crypsis.methods.method import Method
from crypsis.methods.stream.exits import Exits
from crypsis.methods.stream.pseudonyms import pseudonyms
from crypsis.methods.stream.sliding_window import MODES, Slide, SlidingWindow
from crypsis.parameters import AtLeast, OneOf, Unit
from crypsis.run_context import RunContext

SEVERAL_PLACES = {"allow": "all of them", "first": "the first that arrived"}
EMPTY_RECORDS = {"drop": "left out", "keep": "published empty"}
EMPTY_KNOWLEDGE = {"report": "publish the window and report it", "withhold": "withhold the window"}
PSEUDONYMS = {"per-window": "a new one in each window", "stable": "one in all windows"}


@dataclass(frozen=True, kw_only=True)
class ITSA(Method):
    """Suppress doublets (a place at a time) so that no window tells who somebody is or what is sensitive about them.

    Each slide looks only at sequences with a new doublet: a doublet that is in too many critical violations for what it
    costs is suppressed for everybody, and stays so while it is in the window. Mode `cumulative` decides each doublet
    once and protects whoever keeps all windows over H timestamps; `static` anonymizes each window from scratch, for
    comparison. Time grows with new events and distinct rows; L above 4 is rarely practical.
    Differs from the paper: candidates by the subset rule (the printed join misses violations for L >= 3), one joint
    phase, support 0 is no violation, critical violations only, exact shares, ties settled, erasures.

    >>> import crypsis
    >>> seen = [("2", "a", 1), ("4", "a", 1), ("5", "f", 1), ("1", "b", 2), ("2", "f", 2), ("3", "b", 2), ("4", "f", 2)]
    >>> stream = crypsis.Events.from_lists(seen)
    >>> release = crypsis.anonymize(stream, crypsis.ITSA(L=2, K=2, N=2))
    >>> sorted(release.data.rows(release.data.windows[0]))
    [[('a', 1), ('f', 2)], [('a', 1), ('f', 2)], [('b', 2)], [('b', 2)]]
    >>> release.verify().holds
    True

    Al-Hussaeni, Fung, Cheung. Privacy-preserving trajectory stream publishing. Data & Knowledge
    Engineering 94, 2014, 89-109; Al-Hussaeni, PhD thesis, Concordia University 2017, chapter 4.
    """

    choose_when = "For a live log of who was where when, published window by window."
    costs = "Visits are held back, more of them the larger K and L are."
    example_options = "--sensitive fare"
    accepts = Events
    promises = LKCPrivacy
    stages = ("accept events", "slide")
    instead_of_parts = "use crypsis stream, which needs little memory"

    L: KnownDoublets = 2
    K: SharedByPeople = 5
    C: LargestShare = Fraction(1)
    sensitive_values: SensitiveChoice = EVERY_VALUE  # type: ignore[assignment]
    N: Annotated[int, AtLeast(1), Unit("timestamps"), "Timestamps of a window."] = 7
    step_size: Annotated[int, AtLeast(1), Unit("timestamps"), "Timestamps by which the window slides."] = 1
    mode: Annotated[
        str, OneOf(**MODES), "What is protected: each window for itself, all together, each from scratch (to compare)."
    ] = "itsa"
    H: Annotated[
        int | None,
        AtLeast(1),
        "Cumulative mode: timestamps over which all windows together are protected; none: for ever.",
    ] = None
    t0: Annotated[int | None, "Where the first window begins; none: at the first event."] = None
    lateness: Annotated[int, AtLeast(0), Unit("timestamps"), "How many timestamps an event may come late."] = 0
    multi_location: Annotated[
        str, OneOf(**SEVERAL_PLACES), "Several places of a person at one timestamp: all, or the first that arrived."
    ] = "allow"
    max_forward_jump: Annotated[
        int | None,
        AtLeast(0),
        "Events further ahead than this are refused as corrupt; none: no limit in a record, ten windows live.",
    ] = None
    flush_partial: Annotated[bool, "Also publish the unfinished last window."] = False
    empty_records: Annotated[
        str,
        OneOf(**EMPTY_RECORDS),
        "People of whom everything was suppressed: left out, or published with no doublets.",
    ] = "drop"
    empty_knowledge: Annotated[
        str,
        OneOf(**EMPTY_KNOWLEDGE),
        "A window that tells a sensitive value too surely as a whole: report, or withhold.",
    ] = "report"
    prune_winners: Annotated[bool, "Take back suppressions that later ones made superfluous."] = False
    pseudonyms: Annotated[str, OneOf(**PSEUDONYMS), "A person has a new pseudonym in each window, or one in all."] = (
        "per-window"
    )
    accept_linkage: Annotated[bool, "Needed for stable pseudonyms where only each window for itself is protected."] = (
        False
    )

    exits: Annotated[
        bool,
        "Also publish when visits ended, once it is known; until then, and where it is held back, they are open.",
    ] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.exits and self.mode == "static":
            raise BadParameter(
                "ITSA: mode static decides each window from scratch, so a visit whose end was told could be open "
                "again; use mode itsa or cumulative, or leave exits out.",
                parameter="exits",
            )
        if self.step_size > self.N:
            raise BadParameter(
                f"ITSA: step_size must be an int of at most N = {self.N}, got {self.step_size}; a larger step would "
                "leave timestamps in no window.",
                parameter="step_size",
            )
        if self.H is not None and self.H < self.N:
            raise BadParameter(
                f"ITSA: H must be an int of at least N = {self.N}, got {self.H}; a window would outlast it.",
                parameter="H",
            )
        if self.pseudonyms == "stable" and self.mode != "cumulative" and not self.accept_linkage:
            raise BadParameter(
                f"ITSA: stable pseudonyms link the windows of mode {self.mode!r}, which protects each by itself; use "
                "mode cumulative, or say accept_linkage.",
                parameter="pseudonyms",
            )

    @property
    def guarantee(self) -> LKCPrivacy:
        covers = "window" if self.mode != "cumulative" else "everything" if self.H is None else "horizon"
        return LKCPrivacy(
            L=self.L,
            K=self.K,
            C=self.C,
            sensitive_values=self.sensitive_values,
            covers=covers,
            H=self.H if covers == "horizon" else None,
            exits=self.exits,
        )

    def check_applicable(self, data: Any) -> None:
        super().check_applicable(data)
        if self.exits and data.exits is None:
            raise NotApplicable(
                "These events do not say when visits ended. Name the column that does (exit='COLUMN'), or leave exits "
                "out."
            )

    def anonymize(self, data: Events, context: RunContext) -> PublishedWindows:
        method = self.resolve(data)
        with context.stage("accept events"):
            stream = method._accepted(data, context)
        with context.stage("slide"):
            key = secrets.token_bytes(32)
            windows = tuple(method._windows(stream, data, context, key))
        context.private["pseudonym_key"] = key.hex()
        return PublishedWindows(
            windows,
            data.locations.vocabulary,
            stream.classes,
            linkable=self.pseudonyms == "stable",
            refused=len(data) - len(stream.times),
            key=key,
            drops_exits=data.exits is not None and not self.exits,
        )

    def windows(self, data: Events, context: RunContext | None = None) -> Iterator[PublishedWindow]:
        """One window after another, for a stream whose windows need not be kept."""
        self.check_applicable(data)
        method, context = self.resolve(data), context or RunContext()
        yield from method._windows(method._accepted(data, context), data, context, secrets.token_bytes(32))

    def sliding_window(self, origin: int) -> SlidingWindow:
        """The engine with these parameters; its tokens are those of `sensitive_values`, in order."""
        return SlidingWindow(
            L=self.L,
            K=self.K,
            N=self.N,
            step=self.step_size,
            mode=self.mode,
            horizon=self.H,
            tokens=self.sensitive_values.shares(self.C),
            origin=origin,
            prune=self.prune_winners,
        )

    def _accepted(self, data: Events, context: RunContext) -> _Accepted:
        """The events that count, by time, with the class of sensitive values that their person keeps."""
        _check_values(self.sensitive_values, data)
        told, classes = _classes_told(data, self.sensitive_values)
        n_places = max(len(data.locations), 1)
        owner = data.persons.astype(np.int64)
        _, together = np.unique(np.stack([owner, data.t], 1), axis=0, return_inverse=True)
        together = together.reshape(-1).astype(np.int64)
        _, same = np.unique(together * n_places + data.location_codes, return_inverse=True)
        jump = np.iinfo(np.int64).max if self.max_forward_jump is None else self.max_forward_jump
        result, kept, origin = judge_events(
            data.persons,
            told,
            data.t,
            same.astype(np.int64),
            together,
            len(data.people),
            0 if self.t0 is None else self.t0,
            self.t0 is not None,
            self.lateness,
            jump,
            self.multi_location == "first",
        )
        counted = np.bincount(result, minlength=len(RESULTS)).tolist()
        context.private["events"] = {name: count for name, count in zip(RESULTS, counted, strict=True) if count}
        rows = np.flatnonzero(result == ACCEPTED)
        rows = rows[np.argsort(data.t[rows], kind="stable")]
        people = data.persons[rows]
        ends = self._ends(data, same.reshape(-1), result)[rows] if self.exits else None
        return _Accepted(people, data.location_codes[rows], data.t[rows], kept[people], classes, int(origin), ends)

    def _ends(self, data: Events, same: Int64s, result: Int8s) -> Int64s:
        """When the visit of each event ended, by the first event that says so."""
        assert data.exits is not None
        events = np.flatnonzero(np.isin(result, (ACCEPTED, DUPLICATE)) & (data.exits != OPEN))[::-1]
        ends = np.full(int(same.max(initial=-1)) + 1, OPEN, np.int64)
        ends[same[events]] = data.exits[events]
        return ends[same]

    def _windows(self, stream: _Accepted, data: Events, context: RunContext, key: bytes) -> Iterator[PublishedWindow]:
        engine = self.sliding_window(stream.origin)
        exits = Exits() if self.exits else None
        token_of = {token: index for index, token in enumerate(self.sensitive_values.tokens)}
        declared = [
            engine.declare_class(token_of[token] for token in tokens if token in token_of)
            for tokens in stream.classes[1:]
        ]
        classes = np.array([0, *declared], np.int32)[stream.kept]
        names = data.people
        facts: list[dict[str, Any]] = []
        context.private["windows"] = facts
        class_of = np.zeros(max(len(data.people), 1), np.int32)
        class_of[stream.people] = stream.kept
        last = int(stream.times[-1]) if len(stream.times) else stream.origin - 1
        while True:
            end = engine.next_end
            if end > last:
                if not self.flush_partial or engine.y >= last:
                    return
                end = last
            lower, upper = np.searchsorted(stream.times, [engine.y + 1, end + 1])
            started = time.perf_counter()
            slide = engine.slide(
                stream.people[lower:upper],
                stream.places[lower:upper],
                stream.times[lower:upper],
                classes[lower:upper],
                end=end,
            )
            if exits is not None:
                slide = exits.decide(engine, slide, stream.visits_that_ended(exits.y, end))
            window = self.published_window(slide, class_of, stream.classes, names.labels, key, exits=exits)
            facts.append(_facts(slide, data, time.perf_counter() - started))
            context.report_progress(min((engine.y - stream.origin + 1) / max(last - stream.origin + 1, 1), 1.0))
            yield window

    def published_window(
        self,
        slide: Slide,
        class_of: Int32s,
        classes: Sequence[frozenset[Token]],
        names: Sequence[str],
        key: bytes,
        epoch: int = 0,
        exits: Exits | None = None,
    ) -> PublishedWindow:
        """The window under pseudonyms, sorted by them; `epoch` is the scope of stable ones."""
        people, offsets, codes = slide.published
        if self.empty_records == "keep":
            emptied = slide.emptied
            people = np.concatenate([people, emptied])
            offsets = np.concatenate([offsets, np.full(len(emptied), offsets[-1], np.int64)])
        if self.empty_knowledge == "withhold" and self._tells_too_much(class_of[people], classes):
            people, offsets, codes = people[:0], np.zeros(1, np.int64), codes[:0]
        scope = slide.seq if self.pseudonyms == "per-window" else epoch
        called = pseudonyms(key, scope, (names[person] for person in people.tolist()))
        order = np.argsort(np.array(called)) if called else np.empty(0, np.int64)
        offsets, positions = take_records(offsets, order)
        codes, people = codes[positions], people[order]
        places, times = slide.place[codes], slide.time[codes]
        ends = None
        if exits is not None:
            ends = exits.of(np.repeat(people, np.diff(offsets)).tolist(), times.tolist(), places.tolist())
        return PublishedWindow(
            slide.seq,
            slide.x,
            slide.y,
            tuple(called[at] for at in order.tolist()),
            offsets,
            places,
            times,
            class_of[people],
            people,
            ends,
        )

    def _tells_too_much(self, held: Int32s, classes: Sequence[frozenset[Token]]) -> bool:
        people = np.bincount(held, minlength=len(classes)).tolist()
        shares = self.sensitive_values.shares(self.C)
        for token, share in zip(self.sensitive_values.tokens, shares, strict=True):
            holders = sum(count for count, tokens in zip(people, classes, strict=True) if token in tokens)
            if holders * share.denominator > share.numerator * len(held):
                return True
        return False


@dataclass(frozen=True)
class _Accepted:
    """Accepted events by time; kept[e] is the class of the person, exits[e] when the visit ended, where that counts."""

    people: Int32s
    places: Int32s
    times: Int64s
    kept: Int32s
    classes: tuple[frozenset[Token], ...]
    origin: int
    exits: Int64s | None = None

    def visits_that_ended(self, after: int, until: int) -> Int64s:
        """Rows (person, time, place, exit) of the visits that ended after one timestamp, and up to another."""
        assert self.exits is not None
        ended = np.flatnonzero((self.exits > after) & (self.exits <= until))
        columns = (self.people, self.times, self.places, self.exits)
        return np.column_stack([column[ended].astype(np.int64) for column in columns])


def _check_values(values: SensitiveValues, data: Events) -> None:
    attributes = [part.name for part in data.sensitive]
    for attribute, value in values.tokens:
        if value in data.locations.vocabulary:
            raise SensitiveLocation(
                f"{value!r} is a location; who was there would be known for sure. Declare values of the person only.",
                value=value,
            )
        if attribute not in attributes:
            raise UnknownColumn(
                f"The stream has no sensitive attribute {attribute!r}; it has {', '.join(attributes) or 'none'}."
                f"{did_you_mean(attribute, attributes)}"
            )


def _classes_told(data: Events, values: SensitiveValues) -> tuple[Int32s, tuple[frozenset[Token], ...]]:
    """What each event says of its person's sensitive attributes: a class, -1 where it says nothing; and the classes.

    All values are compared and published; only those declared sensitive count as tokens of the promise.
    """
    told = np.full(len(data), -1, np.int32)
    if not data.sensitive:
        return told, (NO_TOKENS,)
    columns = np.stack([part.codes for part in data.sensitive], 1)
    distinct, number = np.unique(columns, axis=0, return_inverse=True)
    classes: list[frozenset[Token]] = [NO_TOKENS]
    for row in distinct.tolist():
        tokens = [
            (part.name, part.vocabulary[code]) for part, code in zip(data.sensitive, row, strict=True) if code >= 0
        ]
        classes.append(frozenset(tokens))
    of_row = np.array([index if tokens else -1 for index, tokens in enumerate(classes)][1:], np.int32)
    return of_row[number.reshape(-1)], tuple(classes)


def _facts(slide: Slide, data: Events, seconds: float) -> dict[str, Any]:
    """What the publisher keeps about a window."""
    labels = data.locations.labels
    return {
        "seq": slide.seq,
        "x": slide.x,
        "y": slide.y,
        "people": slide.active,
        "instances": slide.instances,
        "suppressed_instances": slide.suppressed_instances,
        "suppressed": [[labels[slide.place[code]], int(slide.time[code])] for code in slide.suppressed.tolist()],
        "critical_violations": len(slide.violation_starts) - 1,
        "regressed": slide.regressed,
        "seconds": seconds,
    }
