"""Events of a Redis stream, read by a consumer group; the position is the id of an entry.

An entry holds one field `event` with JSON, or the fields id, loc, t and sa. After a restart the group is set back to
the position of the checkpoint, and what came after is delivered again; entries are acknowledged when no restart needs
them.
"""

from __future__ import annotations

import threading
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from typing import Any

from crypsis.errors import InputError
from crypsis.runtime.connection import Connection
from crypsis.runtime.events import Batch, events_of_lines
from crypsis.runtime.pulse import Pulse
from crypsis.runtime.redis_client import redis_client, refusal
from crypsis.runtime.sources.source import Source

_COUNT = 2048
_BLOCK = 200  # milliseconds
_FIRST_WAIT, _LONGEST_WAIT = 0.1, 5.0
_CONSUMER = "crypsis"
_BEGINNING = "0"


class RedisSource(Source):
    """One consumer of one group: the order of the stream is the order of the events."""

    def __init__(self, stream: str, group: str, connection: Connection) -> None:
        self.stream, self.group, self.connection = stream, group, connection
        self.client, self._lost = redis_client(connection)
        self.pulse: Pulse = Pulse(f"Redis at {connection.address}")
        self._given: list[bytes] = []  # ids that are not acknowledged, in order
        self._turn = threading.Lock()

    def batches(self, position: Any, stopped: threading.Event) -> Iterator[Batch]:
        import redis

        at = position or _BEGINNING
        wait, ready = _FIRST_WAIT, False
        self.pulse.heard()
        while not stopped.is_set():
            try:
                if not ready:
                    self._set_back(at)
                    ready = True
                found = self.client.xreadgroup(self.group, _CONSUMER, {self.stream: ">"}, count=_COUNT, block=_BLOCK)
                wait, self.trouble = _FIRST_WAIT, ""
                self.pulse.heard()
            except self._lost as error:
                refused = refusal(self.connection, error)
                if refused is not None:
                    raise refused from error
                self.trouble = f"Redis at {self.connection.address} cannot be reached; it is tried again."
                ready = False  # set back to where we are once it is there again
                stopped.wait(wait)
                wait = min(2 * wait, _LONGEST_WAIT)
                continue
            except redis.ResponseError as error:
                if "NOGROUP" not in str(error):
                    raise InputError(f"Redis does not give the events of {self.stream!r}: {error}.") from error
                ready = False  # the stream was taken away under us
                stopped.wait(wait)
                continue
            for _, entries in found or ():
                ids = [entry.decode() for entry, _ in entries]
                with self._turn:
                    self._given += [entry for entry, _ in entries]
                at = ids[-1]
                self.pulse.rest()  # for as long as nobody takes the events
                yield Batch(_events([fields for _, fields in entries]), ids)
                self.pulse.heard()

    def _set_back(self, at: str) -> None:
        """The group delivers everything after this entry again."""
        import redis

        try:
            try:
                self.client.xgroup_create(self.stream, self.group, id=at, mkstream=True)
            except redis.ResponseError as error:
                if "BUSYGROUP" not in str(error):
                    raise
                self.client.xgroup_setid(self.stream, self.group, at)
            if at != _BEGINNING:
                self._check_whole(at)
        except redis.ResponseError as error:
            raise InputError(f"Redis refuses the group {self.group!r} of {self.stream!r}: {error}.") from error

    def _check_whole(self, at: str) -> None:
        """What comes after the position must still be there: trimming begins with the oldest, so the position tells."""
        last = self.client.xinfo_stream(self.stream)["last-generated-id"]
        if _order(last) > _order(at.encode()) and not self.client.xrange(self.stream, at, at):
            raise InputError(
                f"The stream {self.stream!r} was trimmed beyond {at}, where reading goes on: events are gone. Trim "
                "only what the group has acknowledged; to go on without them, start over.",
                where=self.connection.address,
            )

    def forget_before(self, position: Any) -> None:
        """Acknowledge what no restart will ask for; where the broker is away it is done another time."""
        done = _order(position.encode())
        with self._turn:
            ready = self._given[: bisect_right(self._given, done, key=_order)]
            try:
                for lower in range(0, len(ready), _COUNT):
                    self.client.xack(self.stream, self.group, *ready[lower : lower + _COUNT])
            except self._lost:
                return
            self._given = self._given[len(ready) :]

    def close(self) -> None:
        self.client.close()


def _order(entry: bytes) -> tuple[int, int]:
    milliseconds, _, number = entry.partition(b"-")
    return int(milliseconds), int(number or 0)


def _events(entries: list[Mapping[bytes, bytes] | None]) -> list[Any]:
    """JSON in the field `event`, or an event made of fields."""
    contents = [entry or {} for entry in entries]
    if all(b"event" in entry for entry in contents):
        return events_of_lines([entry[b"event"] for entry in contents])
    return [events_of_lines([entry[b"event"]])[0] if b"event" in entry else _of_fields(entry) for entry in contents]


def _of_fields(entry: Mapping[bytes, bytes]) -> Any:
    try:
        event: dict[str, Any] = {name.decode(): value.decode() for name, value in entry.items()}
    except UnicodeDecodeError:
        return None
    t = event.get("t", "")
    if t.lstrip("-").isdecimal() and t.isascii() and len(t) < 30:
        event["t"] = int(t)
    return event
