"""Running a stream: events to windows, each out exactly once, through crashes.

Per window: compute, write the decision to the journal and sync it, publish, and now and then keep a checkpoint. After a
crash the last checkpoint is loaded and the source read on from its position; a window that stands in the journal must
come out the same, and is published if the sink does not hold it yet.
"""

from __future__ import annotations

import json
import os
import secrets
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

from crypsis.atomic import write_file
from crypsis.errors import (
    AllMalformed,
    BadRow,
    DamagedCheckpoint,
    OutputExists,
    SinkBehind,
    StateInUse,
    VerificationFailed,
    WriteFailed,
)
from crypsis.runtime.certificate import promised, scope
from crypsis.runtime.checkpoint import Checkpoints
from crypsis.runtime.configuration import SECONDS, StreamConfiguration
from crypsis.runtime.decision_journal import DecisionJournal
from crypsis.runtime.engine import Decided, StreamEngine
from crypsis.runtime.events import Batch, clock
from crypsis.runtime.feed import Feed, Nothing
from crypsis.runtime.line_log import LineLog
from crypsis.runtime.observation import Observation
from crypsis.runtime.people import read_people
from crypsis.runtime.persistence import retry
from crypsis.runtime.sealing import Sealing, sealing_of
from crypsis.runtime.sinks import sink_of
from crypsis.runtime.sources import source_of
from crypsis.version import VERSION

_SAMPLE = 10  # refused events whose place is kept
_LATE = b"late events"

Listener = Callable[[Observation], None]
Result = TypeVar("Result")


class StreamRun:
    """One run of a stream, to its end or until it is stopped."""

    def __init__(
        self, configuration: StreamConfiguration, listener: Listener | None = None, *, republish: bool = False
    ) -> None:
        """With `republish` windows that the sink has lost are made again and published, as the journal knows them."""
        self.configuration, self.listener = configuration, listener
        self.republish = republish
        self.observed = Observation()
        self._stop = threading.Event()

    def stop(self) -> None:
        """Stop after the events that are being worked on; a later run goes on from there."""
        self._stop.set()

    def execute(self) -> dict[str, Any]:
        """Run until the stream ends or is stopped; the answer says what was done."""
        configuration, run = self.configuration, self.configuration.run
        folder = configuration.path(run.state)
        self._sealing = self._prepared_sealing()
        people, people_digest = None, ""
        if run.people is not None:
            people, people_digest = read_people(configuration.path(run.people), configuration.attributes)
        self.digest = sha256(f"{configuration.digest} {people_digest}".encode()).hexdigest()
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with in_use(folder), self.observed.served(run.port):
            key = _key(folder)
            self._new_engine: Callable[[], StreamEngine] = lambda: StreamEngine(configuration, key, people)
            self.engine = self._new_engine()
            self.checkpoints = Checkpoints(folder, self._sealing)
            self.journal = DecisionJournal(folder / "decisions.ndjson", self.digest, sha256(key).hexdigest())
            self.position: Any = None
            self._number = self._late_size = 0
            with closing(self.journal), ExitStack() as opened:
                finished = self._load()
                self.sink = opened.enter_context(closing(self._retry(lambda: sink_of(configuration))))
                newest = self._retry(lambda: self.sink.last(len(self.journal)))
                if newest >= len(self.journal):
                    raise OutputExists(
                        f"The sink holds windows up to {newest}, which this stream has not decided. Give it an "
                        "empty sink, or the state folder that belongs to this one.",
                    )
                self._held = self._retry(lambda: self.sink.held(len(self.journal)))
                if self.sink.remembers and self._held < self.observed.windows - 1:
                    finished = self._begun_again()
                elif self.republish and not self.sink.remembers:  # nobody knows what its reader lost
                    finished, self._held = self._begun_again(), -1
                if self._held < newest:
                    self._retry(lambda: self.sink.make_room(self._held))
                if not finished:
                    finished = self._work(folder)
            summary = self._summary(finished)
            certificate = json.dumps(summary, sort_keys=True, indent=1, ensure_ascii=False).encode() + b"\n"
            self._retry(lambda: write_file(folder / "certificate.json", certificate))
        if finished:
            refuse_all_malformed(summary["events"])
        return summary

    def _begun_again(self) -> bool:
        """The sink lost windows: refuse, or forget the checkpoint, so that all are decided again by the journal."""
        if not self.republish:
            raise SinkBehind(
                f"{self.observed.windows} windows were published, and the sink does not hold window {self._held + 1}. "
                "Restore the sink, or publish what it lost again (crypsis stream run --republish).",
                held=self._held,
                published=self.observed.windows,
            )
        self.engine = self._new_engine()
        self.position, self._late_size, self.observed.windows = None, 0, 0
        return False

    def _prepared_sealing(self) -> Sealing | None:
        run = self.configuration.run
        if not run.encrypt_state:
            return None
        return sealing_of(None if run.state_key is None else self.configuration.path(run.state_key))

    # Going on where the last run stopped.

    def _load(self) -> bool:
        state = self.checkpoints.newest()
        if state is None:
            return False
        if state["configuration"] != self.digest:
            raise DamagedCheckpoint("The checkpoint belongs to another stream.", where=str(self.checkpoints.folder))
        self.engine.restore(state["engine"])
        self.position, self._number, self._late_size = state["position"], state["number"], state["late_size"]
        decided = 0 if self.engine.window is None else self.engine.window.seq + 1
        if decided > len(self.journal):
            raise DamagedCheckpoint(
                f"The checkpoint knows {decided} windows, the journal {len(self.journal)}: the journal is not whole.",
                where=str(self.checkpoints.folder),
            )
        self.observed.windows = decided
        return bool(state["finished"])

    def _checkpoint(self, finished: bool = False) -> None:
        """Keep the state. Where that fails the journal still holds every decision, so the stream goes on."""
        self._number += 1
        content = {
            "configuration": self.digest,
            "late_size": 0 if self._late is None else self._late.size,
            "number": self._number,
            "position": self.position,
            "finished": finished,
            "engine": self.engine.state(),
        }
        try:
            self.checkpoints.write(self._number, content)
        except WriteFailed:
            self.observed.checkpoint_failures += 1
            if finished:
                raise
            return
        before = self.checkpoints.position_before()
        if before is not None:
            self.source.forget_before(before)

    # The loop.

    def _work(self, folder: Path) -> bool:
        run = self.configuration.run
        self.source = source_of(self.configuration, self._sealing)
        self._refused = LineLog(folder / "refused.ndjson", mode=0o600)
        self._sampled = len(self._refused.lines())
        self._late: LineLog | None = None
        if run.keep_late:  # what came after the checkpoint is read again, and noted again
            self._late = LineLog(folder / "late.ndjson", mode=0o600)
            self._late.cut(self._late_size)
        timed = None
        if self.configuration.start is not None and run.time_unit is not None:
            timed = clock(self.configuration.start, SECONDS[run.time_unit])
        feed: Feed | None = None
        try:
            self._publish_complete()
            if not self.engine.ended:
                feed = Feed(self.source, self.position, run.queue)
            while feed is not None and not self.engine.ended and not self._stop.is_set():
                batch = feed.next()
                self.observed.queue_depth = feed.depth
                if batch is Nothing:
                    if self.source.starved:  # its spool has room again when two checkpoints are beyond it
                        self._checkpoint()
                        self._checkpoint()
                    self._tell()
                    continue
                if batch is None:
                    self.engine.ended = True
                    break
                assert isinstance(batch, Batch)
                self._take(batch if timed is None else Batch([timed(event) for event in batch.events], batch.positions))
                self.engine.check_waiting()
                self._tell()
            finished = self._publish_complete() and self.engine.ended
            self._checkpoint(finished)
            return finished
        finally:
            if feed is not None:
                feed.close()
            self.source.close()
            self._refused.close()
            if self._late is not None:
                self._late.close()

    def _take(self, batch: Batch) -> None:
        engine, intake, offer = self.engine, self.engine.intake, self.engine.offer
        due = engine.next_due
        for event, position in zip(batch.events, batch.positions, strict=True):
            result = offer(event)
            if result == "malformed" or result == "bad_timestamp":
                self._note_refused(result, position)
            elif result == "late" and self._late is not None:
                self._keep_late(event)
            self.position = position
            if engine.ended:
                return
            if due is None:
                due = engine.next_due
            latest = intake.max_t
            if due is not None and latest is not None and latest >= due:
                if not self._publish_complete():
                    return  # stopped: what comes after must meet the windows that are left as it would have
                due = engine.next_due

    def _note_refused(self, reason: str, position: Any) -> None:
        if self.configuration.run.strict:
            raise BadRow(
                f"An event is {reason.replace('_', ' ')}, and strict was asked for.", where=f"before {position}"
            )
        if self._sampled < _SAMPLE:
            self._sampled += 1
            self._refused.append(f'{{"result":"{reason}","before":"{position}"}}\n'.encode())

    def _keep_late(self, event: Any) -> None:
        late, line = self._late, json.dumps(event).encode()
        assert late is not None
        kept = (line if self._sealing is None else self._sealing.sealed_line(line, _LATE)) + b"\n"
        self._retry(lambda: late.append(kept))

    def _publish_complete(self) -> bool:
        """Every window that is complete: decide, write down, publish. False where we were stopped before the last."""
        while not self._stop.is_set():
            try:
                decided = self.engine.next_window()
            except VerificationFailed:
                self.observed.verify_failures += 1
                raise
            if decided is None:
                return True
            self._publish(decided)
            if decided.slide.seq % self.configuration.run.checkpoint_every == 0:
                self._checkpoint()
            self.observed.saw(decided, self.engine)
            self._tell(decided)
        return False

    def _publish(self, decided: Decided) -> None:
        seq = decided.slide.seq
        if not self.journal.decided(seq, decided.published_digest):
            decision = {
                "seq": seq,
                "x": decided.slide.x,
                "y": decided.slide.y,
                "position": self.position,
                "input_digest": decided.input_digest,
                "new_suppressed": decided.new_suppressed,
                "published_digest": decided.published_digest,
            }
            self._retry(lambda: self.journal.append(decision))
        if seq > self._held:
            self._retry(lambda: self.sink.publish(seq, decided.line, decided.certificate))
            self._held = seq

    def _retry(self, action: Callable[[], Result]) -> Result:
        """No window is passed over: what cannot be written now is tried again for a while."""

        def failed(error: WriteFailed) -> None:
            self.observed.missed(error)
            if self.listener is not None:  # said at once: nothing else comes while it is tried again
                self.observed.latest = None
                self.listener(self.observed)

        answer = retry(action, self.configuration.run.retry_seconds, self._stop, failed)
        self.observed.trouble = ""
        return answer

    def _tell(self, decided: Decided | None = None) -> None:
        self.observed.look(self.engine)
        self.observed.hear(self.source)
        if self.listener is not None:
            self.observed.latest = decided
            self.listener(self.observed)

    def _summary(self, finished: bool) -> dict[str, Any]:
        window = self.engine.window
        return {
            "windows": 0 if window is None else window.seq + 1,
            "finished": finished,
            "last_timestamp": self.engine.intake.max_t,
            "events": dict(sorted(self.engine.intake.counters.items())),
            "guarantee": promised(self.configuration.method),
            "scope": scope(self.configuration.method),
            "pseudonyms": self.configuration.method.pseudonyms,
            "verify": self.configuration.run.verify,
            "verifier": VERSION,
            "warnings": ["trivial_guarantee"] if self.configuration.method.guarantee.trivial else [],
        }


def refuse_all_malformed(events: Mapping[str, int]) -> None:
    """Input without any event is wrong input, not an empty stream."""
    bad = events.get("malformed", 0) + events.get("bad_timestamp", 0)
    if bad and bad == sum(events.values()):
        raise AllMalformed(
            f"None of {bad:,} lines is an event: {events.get('malformed', 0):,} are malformed, "
            f"{events.get('bad_timestamp', 0):,} have a bad timestamp. Nothing was published; check the columns "
            "and the format of the source.",
            events=dict(events),
        )


def stream(
    configuration: str | Path | Mapping[str, Any] | StreamConfiguration,
    *,
    listener: Listener | None = None,
    republish: bool = False,
) -> dict[str, Any]:
    """Run a live stream to its end: a configuration file, its tables, or a checked configuration.

    Returns what was done: windows, events by result, and the guarantee. A run that was stopped or killed goes on where
    it was when it is started again.
    """
    if isinstance(configuration, Mapping):
        configuration = StreamConfiguration.from_tables(configuration)
    elif not isinstance(configuration, StreamConfiguration):
        configuration = StreamConfiguration.read(configuration)
    return StreamRun(configuration, listener, republish=republish).execute()


def _key(folder: Path) -> bytes:
    """The key of the pseudonyms; made once, on disk before anything is published with it."""
    file = folder / "pseudonym.key"
    try:
        key = bytes.fromhex(file.read_text(encoding="ascii"))
    except FileNotFoundError:
        if (folder / "decisions.ndjson").exists():
            raise DamagedCheckpoint(
                "The key of the pseudonyms is gone; without it the windows cannot be made again.", where=str(file)
            ) from None
        key = secrets.token_bytes(32)
        write_file(file, key.hex().encode(), mode=0o600)
    except ValueError as error:
        raise DamagedCheckpoint("The key of the pseudonyms is damaged.", where=str(file)) from error
    if len(key) != 32:
        raise DamagedCheckpoint("The key of the pseudonyms is damaged.", where=str(file))
    return key


@contextmanager
def in_use(folder: Path) -> Iterator[None]:
    """One process per stream; the lock goes with the process."""
    try:
        import fcntl
    except ImportError:
        yield
        return
    handle = os.open(folder / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise StateInUse("Another process runs this stream.", where=str(folder)) from error
        yield
    finally:
        os.close(handle)
