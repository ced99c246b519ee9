"""Windows as entries of a Redis stream; the entry of window n has the id n-1, so the server refuses a second one.

(An id of 0-0 is not allowed, so the second half is 1 for every window.)
"""

from __future__ import annotations

from crypsis.errors import OutputExists, WriteFailed
from crypsis.runtime.connection import Connection
from crypsis.runtime.redis_client import redis_client, refusal
from crypsis.runtime.sinks.sink import Sink


class RedisSink(Sink):
    """Fields `window` and `certificate`, both JSON."""

    def __init__(self, stream: str, connection: Connection) -> None:
        self.stream, self.connection = stream, connection
        self.client, self._lost = redis_client(connection)

    def last(self, decided: int) -> int:
        import redis

        try:
            return int(self.client.xinfo_stream(self.stream)["last-generated-id"].partition(b"-")[0])
        except redis.ResponseError as error:
            if "no such key" in str(error):
                return -1
            raise OutputExists(f"{self.stream!r} is no stream of windows: {error}.") from error
        except self._lost as error:
            raise refusal(self.connection, error) or WriteFailed(
                f"Redis cannot be asked which windows it holds: {error}."
            ) from error

    def publish(self, seq: int, window: bytes, certificate: bytes) -> None:
        import redis

        fields = {"window": window.rstrip(b"\n"), "certificate": certificate.rstrip(b"\n")}
        try:
            self.client.xadd(self.stream, fields, id=f"{seq}-1")
        except redis.ResponseError as error:
            if "equal or smaller" not in str(error):  # else it is there: the answer of the first attempt was lost
                raise WriteFailed(f"Redis refuses window {seq}: {error}.") from error
        except self._lost as error:
            raise refusal(self.connection, error) or WriteFailed(
                f"Redis cannot be reached for window {seq}: {error}."
            ) from error

    def close(self) -> None:
        self.client.close()
