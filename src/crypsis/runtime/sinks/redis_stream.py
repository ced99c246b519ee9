"""Windows as entries of a Redis stream; the entry of window n has the id n-1, so the server refuses a second one.

(An id of 0-0 is not allowed, so the second half is 1 for every window.)
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from crypsis.errors import BrokerSilent, OutputExists, SinkBehind, WriteFailed
from crypsis.runtime.connection import Connection
from crypsis.runtime.redis_client import redis_client, refusal
from crypsis.runtime.sinks.sink import Sink

_AT_ONCE = 256


class RedisSink(Sink):
    """Fields `window` and `certificate`, both JSON."""

    def __init__(self, stream: str, connection: Connection) -> None:
        self.stream, self.connection = stream, connection
        self.client, self._lost = redis_client(connection)

    def last(self, decided: int) -> int:
        import redis

        try:
            return _number(self.client.xinfo_stream(self.stream)["last-generated-id"])
        except redis.ResponseError as error:
            if "no such key" in str(error):
                return -1
            raise OutputExists(f"{self.stream!r} is no stream of windows: {error}.") from error
        except self._lost as error:
            raise refusal(self.connection, error) or self._silent(error) from error

    def held(self, decided: int) -> int:
        """All up to its last, unless one was taken out of the middle; the oldest may be trimmed once they are read."""
        newest = self.last(decided)
        try:
            known: dict[str, Any] = self.client.xinfo_stream(self.stream) if newest >= 0 else {"length": 0}
            if not known["length"] or known["length"] == newest - _number(known["first-entry"][0]) + 1:
                return newest
            expected = _number(known["first-entry"][0])
            for entry, _ in self._entries():
                if _number(entry) != expected:
                    break
                expected += 1
            return expected - 1
        except self._lost as error:
            raise refusal(self.connection, error) or self._silent(error) from error

    def _entries(self) -> Iterator[tuple[bytes, Any]]:
        after = "-"
        while found := self.client.xrange(self.stream, after, count=_AT_ONCE):
            yield from found
            after = f"({found[-1][0].decode()}"

    def make_room(self, seq: int) -> None:
        """Redis takes no entry below its last one."""
        raise SinkBehind(
            f"Window {seq + 1} was taken out of the stream {self.stream!r}, and Redis takes no entry below its last. "
            "Delete the stream and publish all windows again (crypsis stream run --republish).",
            held=seq,
        )

    def _silent(self, error: Exception) -> BrokerSilent:
        return BrokerSilent(f"Redis at {self.connection.address} does not answer: {str(error).rstrip('.')}.")

    def publish(self, seq: int, window: bytes, certificate: bytes) -> None:
        import redis

        fields = {"window": window.rstrip(b"\n"), "certificate": certificate.rstrip(b"\n")}
        try:
            self.client.xadd(self.stream, fields, id=f"{seq}-1")
        except redis.ResponseError as error:
            if "equal or smaller" not in str(error):  # else it is there: the answer of the first attempt was lost
                raise WriteFailed(f"Redis refuses window {seq}: {error}.") from error
        except self._lost as error:
            raise refusal(self.connection, error) or self._silent(error) from error

    def close(self) -> None:
        self.client.close()


def _number(entry: bytes) -> int:
    """The window of an entry."""
    return int(entry.partition(b"-")[0])
