"""Events from MQTT at QoS 1. A message cannot be asked for again: it is acknowledged once the spool holds it on disk.

A message that comes a second time, because the acknowledgement was lost, is a repeat like any other and counted so.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from crypsis.errors import CrypsisError, MissingExtra
from crypsis.runtime.events import Batch, events_of_lines
from crypsis.runtime.sources.source import Source
from crypsis.runtime.spool import Spool

_AT_ONCE = 5_000
_WAIT = 0.05


def mqtt_client(client_id: str, *, kept: bool) -> Any:
    """A client of MQTT 3.1.1, whose packets are cheaper to read; `kept`: the broker keeps its session while it is away.

    A kept session acknowledges its messages itself.
    """
    try:
        import paho.mqtt.client as paho
        from paho.mqtt.enums import CallbackAPIVersion
    except ImportError as error:
        raise MissingExtra("MQTT needs the package paho-mqtt: pip install 'crypsis[mqtt]'.", extra="mqtt") from error
    client = paho.Client(CallbackAPIVersion.VERSION2, client_id=client_id, clean_session=not kept, manual_ack=kept)
    client.reconnect_delay_set(1, 5)
    return client


class MqttSource(Source):
    """Subscribes to a topic; the position is a place in the spool."""

    def __init__(self, settings: Mapping[str, Any], spool: Path, limit: int) -> None:
        self.settings = settings
        self.spool = Spool(spool, limit)
        self._arrived: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._connection = 0
        self._failure: CrypsisError | None = None

    def batches(self, position: Any, stopped: threading.Event) -> Iterator[Batch]:
        client = mqtt_client(self.settings["client"], kept=True)
        client.on_message = lambda _, __, message: self._arrived.put((self._connection, message))
        client.on_connect = self._subscribe
        writer = threading.Thread(target=self._write, args=(client, stopped), daemon=True)
        writer.start()
        try:
            for lines, positions in self.spool.read(int(position or 0), stopped):
                yield Batch(events_of_lines(lines), positions)
        finally:
            client.disconnect()
            client.loop_stop()
        writer.join(timeout=5)
        if self._failure is not None:
            raise self._failure

    def _subscribe(self, client: Any, *_: Any) -> None:
        self._connection += 1
        client.subscribe(self.settings["topic"], qos=1)

    def _write(self, client: Any, stopped: threading.Event) -> None:
        """Take what arrived, sync it, acknowledge it; disconnect while the spool is full."""
        try:
            while not stopped.is_set() and not self._connect(client):
                stopped.wait(0.5)
            while not stopped.is_set():
                if self.spool.full:
                    client.disconnect()
                    client.loop_stop()
                    while self.spool.full and not stopped.wait(0.1):
                        pass
                    while not stopped.is_set() and not self._connect(client):
                        stopped.wait(0.5)
                messages = self._taken()
                if messages:
                    self.spool.append(message.payload for _, message in messages)
                    for connection, message in messages:
                        if connection == self._connection:  # a number of an older one may mean another message now
                            client.ack(message.mid, message.qos)
        except CrypsisError as error:
            self._failure = error
            self.spool.finish()

    def _connect(self, client: Any) -> bool:
        try:
            client.connect(self.settings["host"], self.settings["port"])
        except OSError:
            return False
        client.loop_start()
        return True

    def _taken(self) -> list[Any]:
        messages: list[Any] = []
        try:
            messages.append(self._arrived.get(timeout=_WAIT))
            while len(messages) < _AT_ONCE:
                messages.append(self._arrived.get_nowait())
        except queue.Empty:
            pass
        return messages

    def forget_before(self, position: Any) -> None:
        self.spool.forget_before(int(position))

    def close(self) -> None:
        self.spool.close()
