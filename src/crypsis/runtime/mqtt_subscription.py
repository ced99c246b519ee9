"""A subscription at QoS 1, MQTT 3.1.1 on the wire: whatever has arrived is taken and acknowledged together.

A client library reads, stores and acknowledges one message at a time; a source that has to sync to disk in between
wants thousands. Nothing else of MQTT is needed for that: connect, subscribe, receive, acknowledge, ping, disconnect.
"""

from __future__ import annotations

import socket
import ssl
import struct
import time

from crypsis.errors import BrokerRefused
from crypsis.runtime.connection import Connection, untrusted

_KEEP_ALIVE = 60  # seconds of silence after which the broker gives us up
_PATIENCE = 5.0  # seconds for an answer
_QUIET = 2.0  # seconds without a word after which the broker is asked for one
_GOODBYE = 1.0  # seconds for the broker to hang up
_READ = 1 << 20

_CONNACK, _PUBLISH, _PUBACK, _SUBACK = 0x20, 0x30, b"\x40\x02", 0x90
_PING, _DISCONNECT = b"\xc0\x00", b"\xe0\x00"
_UNAVAILABLE = 3
_REASONS = {1: "unacceptable protocol version", 2: "client identifier not valid", 4: "bad user name or password"}


class MqttSubscription:
    """One connection with a session that the broker keeps. `OSError` where it cannot be made, or is lost.

    The answer to the subscription is not waited for: a broker that kept messages for us sends them all before it. What
    was received and not acknowledged comes again with the next connection.
    """

    def __init__(self, connection: Connection, client_id: str, topic: str) -> None:
        self._connection, self._topic = connection, topic
        self._rest = b""  # of a packet whose end has not arrived
        self._payloads: list[bytes] = []
        self._numbers: list[bytes] = []  # of the packets that wait for their acknowledgement
        self._answers: dict[int, bytes] = {}
        self._socket = self._connected(connection)
        try:
            self._send(_connect_packet(connection, client_id))
            self._check_welcome(self._answer(_CONNACK))
            self._send(_packet(0x82, b"\x00\x01" + _text(topic) + b"\x01"))
        except BaseException:
            self._socket.close()
            raise

    @staticmethod
    def _connected(connection: Connection) -> socket.socket:
        plain = socket.create_connection((connection.host, connection.port), timeout=_PATIENCE)
        try:
            plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if connection.encrypted:
                return connection.tls().wrap_socket(plain, server_hostname=connection.host)
        except ssl.SSLCertVerificationError as error:
            plain.close()
            raise untrusted(connection, error) from error
        except BaseException:
            plain.close()
            raise
        return plain

    def _check_welcome(self, answer: bytes) -> None:
        code = answer[1]
        if code == _UNAVAILABLE:
            raise ConnectionError("The MQTT broker is not available.")
        if code:
            raise BrokerRefused(
                f"The MQTT broker at {self._connection.address} refuses us: {_REASONS.get(code, 'not authorized')}. "
                "Look at username and password_file.",
                broker=self._connection.address,
            )

    def receive(self, wait: float) -> list[bytes]:
        """The messages that have arrived; waits for some, not longer than so many seconds."""
        if not self._payloads:
            self._read(wait)
        if self._answers.pop(_SUBACK, b"\x01")[-1] == 0x80:
            raise BrokerRefused(
                f"The MQTT broker at {self._connection.address} does not let us subscribe to {self._topic!r}.",
                broker=self._connection.address,
            )
        payloads, self._payloads = self._payloads, []
        return payloads

    def acknowledge(self) -> None:
        """Tell the broker that everything received so far need not come again."""
        if self._numbers:
            self._send(_PUBACK + _PUBACK.join(self._numbers))
            self._numbers.clear()

    def close(self) -> None:
        """Say goodbye; the broker keeps what comes from now on.

        What is on its way to us is read and forgotten: a connection that is closed over it is reset, and the broker
        would not see our last acknowledgements.
        """
        try:
            self._send(_DISCONNECT)
            self._socket.shutdown(socket.SHUT_WR)
            until = time.monotonic() + _GOODBYE
            self._socket.settimeout(_GOODBYE)
            while self._socket.recv(_READ) and time.monotonic() < until:
                pass
        except OSError:
            pass
        finally:
            self._socket.close()

    def _send(self, packets: bytes) -> None:
        self._socket.settimeout(_PATIENCE)
        self._socket.sendall(packets)
        self._last_sent = time.monotonic()

    def _answer(self, kind: int) -> bytes:
        """The packet that answers us; messages may come before it."""
        until = time.monotonic() + _PATIENCE
        while kind not in self._answers:
            if time.monotonic() > until:
                raise TimeoutError("The MQTT broker does not answer.")
            self._read(_PATIENCE)
        return self._answers.pop(kind)

    def _read(self, wait: float) -> None:
        self._socket.settimeout(wait)
        try:
            arrived = self._socket.recv(_READ)
        except TimeoutError:
            arrived = None
        now = time.monotonic()
        if arrived is not None:
            if not arrived:
                raise ConnectionError("The MQTT broker closed the connection.")
            self.last_heard = now
            self._take(self._rest + arrived if self._rest else arrived)
        elif now - self.last_heard > 1.5 * _KEEP_ALIVE:
            raise ConnectionError("The MQTT broker has fallen silent.")
        if now - self._last_sent > _KEEP_ALIVE / 2 or min(now - self.last_heard, now - self._last_sent) > _QUIET:
            self._send(_PING)

    last_heard = _last_sent = float("inf")  # until something was; a broker that is quiet is asked every two seconds

    def _take(self, block: bytes) -> None:
        """Split a block into packets; the beginning of one more is kept."""
        at, end = 0, len(block)
        payloads, numbers = self._payloads, self._numbers
        while end - at >= 2:
            kind, length, body = block[at], block[at + 1], at + 2
            shift = 7
            while length >> shift:  # the last byte of the length said that there is one more
                if body == end:
                    break
                length += (block[body] - 1) << shift
                shift += 7
                body += 1
            after = body + length
            if length >> shift or after > end:
                break
            if kind & 0xF0 == _PUBLISH:
                start = body + 2 + (block[body] << 8 | block[body + 1])
                if kind & 0x06:  # QoS 1; a message sent with QoS 0 has no number and cannot be asked for
                    numbers.append(block[start : start + 2])
                    start += 2
                payloads.append(block[start:after])
            else:
                self._answers[kind & 0xF0] = block[body:after]
            at = after
        self._rest = block[at:]


def _connect_packet(connection: Connection, client_id: str) -> bytes:
    """A session that is kept, and a login where one is given."""
    flags, login = 0, b""
    if connection.username is not None:
        flags, login = 0x80, _text(connection.username)
        if connection.password is not None:
            flags, login = 0xC0, login + _text(connection.password)
    return _packet(0x10, b"\x00\x04MQTT\x04" + struct.pack(">BH", flags, _KEEP_ALIVE) + _text(client_id) + login)


def _packet(kind: int, body: bytes) -> bytes:
    length, left = bytearray(), len(body)
    while True:
        left, digit = divmod(left, 128)
        length.append(digit | (128 if left else 0))
        if not left:
            return bytes([kind]) + bytes(length) + body


def _text(text: str) -> bytes:
    encoded = text.encode()
    return struct.pack(">H", len(encoded)) + encoded
