"""The engine of a live stream: events in, decided windows out. It knows no files; its whole state can be kept."""

from __future__ import annotations

import hashlib
import hmac
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from crypsis.data.sensitive_values import Token
from crypsis.data.windows import PublishedWindow, read_windows, window_text
from crypsis.errors import BadConfiguration, CapacityReached, TooManyBadEvents, VerificationFailed
from crypsis.guarantees import LKCPrivacy
from crypsis.methods.stream.exits import Exits
from crypsis.methods.stream.intake import Intake, Told, is_label, token
from crypsis.methods.stream.itsa import ITSA
from crypsis.methods.stream.sliding_window import Slide, SlidingWindow
from crypsis.runtime.certificate import certificate_line, certificate_of
from crypsis.runtime.configuration import StreamConfiguration
from crypsis.runtime.horizon import Horizon
from crypsis.verifiers.lkc_privacy import verify_lkc_privacy

_BAD = ("malformed", "bad_timestamp")
_BEFORE_JUDGING = 1_000  # events, before a share of bad ones means anything
_LARGEST = 2**63 - 1


@dataclass(frozen=True)
class Decided:
    """A window as it would be published, and what the journal and the publisher keep about it."""

    slide: Slide
    window: PublishedWindow
    line: bytes
    certificate: bytes
    published_digest: str
    input_digest: str
    new_suppressed: list[list[Any]]
    verified: bool
    horizon_verified: bool
    seconds: float


class StreamEngine:
    """Everything between an event and a window. Nothing in it depends on when or how often it was restarted."""

    def __init__(
        self,
        configuration: StreamConfiguration,
        key: bytes,
        people: Mapping[str, frozenset[Told]] | None = None,
    ) -> None:
        self.configuration, self.method, self._key = configuration, configuration.method, key
        method, run = self.method, configuration.run
        self.intake = Intake(
            lateness=method.lateness,
            multi_location=method.multi_location,
            t0=method.t0,
            locations=run.locations,
            max_forward_jump=configuration.max_forward_jump,
            sensitive=people,
            refused_places=[value for _, value in method.sensitive_values.tokens],
            attributes=configuration.attributes,
            exits=method.N if method.exits else 0,
        )
        self.exits = Exits() if method.exits else None
        self.window: SlidingWindow | None = None
        self.ended = False
        self._erased: list[int] = []  # people to take out at the next slide
        self._class_of = np.empty(0, np.int32)
        self._declared = 1
        self._token_of = {token: index for index, token in enumerate(method.sensitive_values.tokens)}
        self._promised_window = _for_one_window(method)
        self.horizon: Horizon | None = None
        if method.mode == "cumulative" and configuration.horizon_sampled:
            self.horizon = Horizon(method.H)

    # Events.

    def offer(self, event: Any) -> str:
        """Take an event or a control event; the answer is a word for the counters."""
        if type(event) is dict and "op" in event:
            return self._control(event)
        return self.intake.offer(event)

    def _control(self, event: Mapping[str, Any]) -> str:
        operation = event["op"]
        if operation == "watermark" and type(event.get("t")) is int and -_LARGEST <= event["t"] <= _LARGEST:
            self.intake.watermark(event["t"])
        elif operation == "erase" and is_label(event.get("id")):
            number = self.intake.erase(event["id"])
            if number is not None and number not in self._erased:
                self._erased.append(number)
        elif operation == "end":
            self.ended = True
        else:
            self.intake.counters["malformed"] += 1
            return "malformed"
        return "control"

    @property
    def next_due(self) -> int | None:
        """The timestamp that must be reached for the next window to be complete; None before the first event."""
        if self.intake.origin is None:
            return None
        return self._next_end() + self.method.lateness + 1

    def next_window(self) -> Decided | None:
        """The next window if it is complete, else None."""
        latest = self.intake.max_t
        if latest is None:
            return None
        end = self._next_end()
        if self.ended and end > latest and self.method.flush_partial and self._sliding().y < latest:
            end = latest
        if not (end <= latest if self.ended else self.intake.is_complete(end)):
            return None
        self._check_events()
        self.check_waiting()
        return self._decide(end)

    # The slide.

    def _next_end(self) -> int:
        if self.window is None:
            assert self.intake.origin is not None
            return self.intake.origin + self.method.N - 1
        return self.window.next_end

    def _sliding(self) -> SlidingWindow:
        if self.window is None:
            assert self.intake.origin is not None
            self.window = self.method.sliding_window(self.intake.origin)
        return self.window

    def _decide(self, end: int) -> Decided:
        started = time.perf_counter()
        sliding, intake = self._sliding(), self.intake
        classes = [frozenset(map(token, values)) for values in intake.classes]
        for tokens in classes[self._declared :]:
            sliding.declare_class(self._token_of[one] for one in tokens if one in self._token_of)
        self._declared = len(classes)
        people, places, times, held = intake.take(end)
        self._class_of = np.concatenate([self._class_of, np.array(intake.class_of[len(self._class_of) :], np.int32)])
        digest = hashlib.sha256()
        for array in (people, places, times, held, np.array(sorted(self._erased), np.int64)):
            digest.update(len(array).to_bytes(8, "big") + array.tobytes())
        slide = sliding.slide(people, places, times, held, erased=self._erased, rank=intake.ranks(), end=end)
        self._erased = []
        if self.exits is not None:
            ended = intake.take_ends(end)
            digest.update(len(ended).to_bytes(8, "big") + ended.tobytes())
            slide = self.exits.decide(sliding, slide, ended)
        self._check_capacity(slide)
        lasts = self.configuration.run.pseudonym_epoch
        epoch = 0 if lasts is None else slide.seq // lasts
        window = self.method.published_window(
            slide, self._class_of, classes, intake.names, self._key, epoch, self.exits
        )
        labels = list(intake.places)
        facts = {"mode": self.method.mode, "L": self.method.L, "K": self.method.K, "C": str(self.method.C)}
        line, published_digest = window_text(window, labels, classes, facts)
        verified = self._is_sampled(slide.seq, self.configuration.sampled)
        if verified:
            self._verify(line)
        horizon_verified = self._verify_horizon(line, window, classes)
        certificate = certificate_of(self.method, slide, window, classes, published_digest, verified, horizon_verified)
        winners = slide.winners.tolist()
        return Decided(
            slide,
            window,
            line,
            certificate_line(certificate),
            published_digest,
            digest.hexdigest(),
            [[labels[slide.place[code]], int(slide.time[code])] for code in winners],
            verified,
            horizon_verified,
            time.perf_counter() - started,
        )

    def _is_sampled(self, seq: int, share: Fraction) -> bool:
        drawn = int.from_bytes(hmac.digest(self._key, b"verify" + seq.to_bytes(8, "big"), "sha256")[:8], "big")
        return drawn * share.denominator < share.numerator << 64

    def _verify(self, line: bytes) -> None:
        """Recount the window from its text, before anybody sees it."""
        verdict = verify_lkc_privacy(read_windows([line]), self._promised_window)
        if not verdict.holds:
            raise VerificationFailed(f"A window is not what was promised, so it is not published: {verdict}")

    def _verify_horizon(self, line: bytes, window: PublishedWindow, classes: Sequence[frozenset[Token]]) -> bool:
        """Recount all that is out of the last H timestamps together with this window, joined by person."""
        if self.horizon is None:
            return False
        assert window.people is not None
        self.horizon.add(read_windows([line]), window.people)
        if not self._is_sampled(window.seq, self.configuration.horizon_sampled):
            return False
        together = self.horizon.joined(self._class_of, classes)
        verdict = verify_lkc_privacy(together, self._promised_window)
        if not verdict.holds:
            raise VerificationFailed(
                f"With what is already out the window {window.seq} is not what was promised, so it is not published: "
                f"{verdict}"
            )
        return True

    def _check_events(self) -> None:
        counted = self.intake.counters
        bad, total = sum(counted[name] for name in _BAD), counted.total()
        share = self.configuration.run.max_bad_fraction
        if total >= _BEFORE_JUDGING and bad > share * total:
            raise TooManyBadEvents(
                f"{bad:,} of {total:,} events are malformed or have no usable timestamp, more than {share:.0%}: "
                "nothing more is published. Look at the source, or allow more with max_bad_fraction.",
                bad=bad,
                total=total,
            )

    def _check_capacity(self, slide: Slide) -> None:
        run = self.configuration.run
        for reached, limit, what in (
            (slide.active, run.max_people, "max_people"),
            (slide.instances, run.max_events_in_window, "max_events_in_window"),
        ):
            if reached > limit:
                raise _capacity(reached, limit, what)

    def check_waiting(self) -> None:
        """Stop before memory does."""
        run = self.configuration.run
        if len(self.intake.names) > run.max_known_people:
            raise _capacity(len(self.intake.names), run.max_known_people, "max_known_people")
        waiting = self.intake.waiting
        if waiting > run.max_waiting_events:
            raise _capacity(waiting, run.max_waiting_events, "max_waiting_events")

    # Checkpoints.

    def state(self) -> dict[str, Any]:
        return {
            "intake": self.intake.state(),
            "window": {} if self.window is None else self.window.state(),
            "erased": np.array(self._erased, np.int64),
            "ended": self.ended,
            "declared": self._declared,
            "horizon": {} if self.horizon is None else self.horizon.state(),
            **({} if self.exits is None else {"exits": self.exits.state()}),
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        self.intake.restore(state["intake"])
        self.window = SlidingWindow.from_state(state["window"]) if state["window"] else None
        self._erased = state["erased"].tolist()
        self.ended, self._declared = state["ended"], state["declared"]
        self._class_of = np.array(self.intake.class_of, np.int32)
        if self.exits is not None:
            self.exits.restore(state["exits"])
        if self.horizon is not None:
            if self.window is not None and not state["horizon"]:
                raise BadConfiguration(
                    "The stream was begun without recounting the horizon, so what is out is not known: say "
                    "verify_horizon = 'off'.",
                    parameter="verify_horizon",
                )
            if state["horizon"]:
                self.horizon.restore(state["horizon"])


def _capacity(reached: int, limit: int, what: str) -> CapacityReached:
    return CapacityReached(
        f"The stream has reached {reached:,}, beyond {what} = {limit:,}. Nothing was published for this window, since "
        f"leaving people out would break the guarantee; raise {what} where there is memory for it, and start again.",
        limit=what,
    )


def _for_one_window(method: ITSA) -> LKCPrivacy:
    return replace(method.guarantee, covers="window", H=None)
