"""Events from MQTT at QoS 1. A message cannot be asked for again: it is acknowledged once the spool holds it on disk.

One thread takes whatever has arrived, syncs it at once and acknowledges it at once; what comes meanwhile waits in the
connection, and behind it at the broker. A message that comes a second time, because the acknowledgement was lost, is a
repeat like any other and counted so.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

from crypsis.errors import CrypsisError
from crypsis.runtime.connection import Connection
from crypsis.runtime.events import Batch
from crypsis.runtime.mqtt_subscription import MqttSubscription
from crypsis.runtime.pulse import Pulse
from crypsis.runtime.sources.spooled import SpooledSource
from crypsis.runtime.spool import Spool

_WAIT = 0.05
_AGAIN = 0.5  # seconds before another attempt to connect


class MqttSource(SpooledSource):
    """Subscribes to a topic; the position is a place in the spool."""

    def __init__(self, topic: str, client: str, connection: Connection, spool: Spool, patience: float) -> None:
        self.topic, self.client_id, self.connection, self.patience = topic, client, connection, patience
        self.spool = spool
        self.pulse: Pulse = Pulse(f"The MQTT broker at {connection.address}")

    def batches(self, position: Any, stopped: threading.Event) -> Iterator[Batch]:
        left = threading.Event()
        writer = threading.Thread(target=self._write, args=(left,), daemon=True)
        writer.start()
        try:
            yield from self.spooled(position, stopped)
        finally:
            left.set()
            writer.join(timeout=5)
        if self.failure is not None:
            raise self.failure

    def _write(self, left: threading.Event) -> None:
        """Connect, and again whenever the connection is lost; stay away while the spool is full."""
        self.pulse.heard()
        try:
            while not left.is_set():
                if self.spool.full:
                    self.trouble = "The spool is full: the broker keeps the messages."
                    self.pulse.rest()
                    left.wait(0.02)
                    self.pulse.heard()
                    continue
                try:
                    subscription = MqttSubscription(self.connection, self.client_id, self.topic)
                except CrypsisError:
                    raise
                except OSError:
                    self.trouble = f"{self.pulse.broker} cannot be reached; it is tried again."
                    left.wait(_AGAIN)
                    continue
                self.trouble = ""
                try:
                    self._drain(subscription, left)
                except CrypsisError:
                    raise
                except OSError:
                    self.trouble = f"{self.pulse.broker} is away; it is tried again."
                    left.wait(_WAIT)
                finally:
                    subscription.close()
        except Exception as error:  # raised where the events are waited for
            self.failure = error
            self.spool.finish()

    def _drain(self, subscription: MqttSubscription, left: threading.Event) -> None:
        """Take what arrived, sync it, acknowledge it."""
        while not left.is_set() and not self.spool.full:
            messages = subscription.receive(_WAIT)
            self.pulse.heard(subscription.last_heard)
            if messages:
                self.append(messages, left)
            subscription.acknowledge()
