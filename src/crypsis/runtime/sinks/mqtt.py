"""Windows as retained MQTT messages, one topic each: TOPIC/NUMBER, and TOPIC/NUMBER/certificate.

After a crash the broker is asked for the window that may be out; it is published again only if the broker has none.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Mapping
from typing import Any

from crypsis.errors import WriteFailed
from crypsis.runtime.sinks.sink import Sink
from crypsis.runtime.sources.mqtt import mqtt_client

_PATIENCE = 10.0  # seconds


class MqttSink(Sink):
    """QoS 1: a window is out when the broker has acknowledged it."""

    def __init__(self, settings: Mapping[str, Any]) -> None:
        self.topic = settings["topic"]
        self._seen: set[str] = set()
        self._answered = threading.Event()
        self._probe = f"{self.topic}/probe/{secrets.token_hex(8)}"
        self._connected = threading.Event()
        self.client = mqtt_client(f"{settings['client']}-{secrets.token_hex(4)}", kept=False)
        self.client.on_message = self._take
        self.client.on_connect = lambda *_: self._connected.set()
        self.client.on_disconnect = lambda *_: self._connected.clear()
        try:
            self.client.connect(settings["host"], settings["port"])
        except OSError as error:
            raise WriteFailed(f"The MQTT broker cannot be reached: {error}.") from error
        self.client.loop_start()

    def _take(self, client: Any, data: Any, message: Any) -> None:
        if message.topic == self._probe:
            self._answered.set()
        else:
            self._seen.add(message.topic)

    def last(self, decided: int) -> int:
        """Every decided window but the last is out; for the last one the broker is asked."""
        uncertain = max(decided - 1, 0)
        return uncertain if self._holds(uncertain) else uncertain - 1

    def _holds(self, seq: int) -> bool:
        """Retained messages come before what is published after the subscription, so a message to ourselves ends it."""
        if not self._connected.wait(_PATIENCE):
            raise WriteFailed("The MQTT broker does not answer.")
        topic = f"{self.topic}/{seq}"
        self.client.subscribe([(topic, 1), (self._probe, 1)])
        self.client.publish(self._probe, b"?", qos=1)
        if not self._answered.wait(_PATIENCE):
            raise WriteFailed("The MQTT broker does not say which windows it holds.")
        self.client.unsubscribe([topic, self._probe])
        return topic in self._seen

    def publish(self, seq: int, window: bytes, certificate: bytes) -> None:
        topic = f"{self.topic}/{seq}"
        if not self._connected.wait(_PATIENCE):
            raise WriteFailed(f"The MQTT broker cannot be reached for window {seq}.")
        for name, content in ((f"{topic}/certificate", certificate), (topic, window)):
            sent = self.client.publish(name, content.rstrip(b"\n"), qos=1, retain=True)
            try:
                sent.wait_for_publish(_PATIENCE)
            except (RuntimeError, ValueError) as error:
                raise WriteFailed(f"MQTT did not take window {seq}: {error}.") from error
            if not sent.is_published():
                raise WriteFailed(f"The MQTT broker did not acknowledge window {seq}.")

    def close(self) -> None:
        self.client.disconnect()
        self.client.loop_stop()
