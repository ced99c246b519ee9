"""Clients of MQTT 3.1.1, whose packets are cheaper to read than those of version 5, and all that is used here."""

from __future__ import annotations

import socket
import ssl
from typing import Any

from crypsis.errors import BrokerRefused, CrypsisError, MissingExtra
from crypsis.runtime.connection import Connection, untrusted

_PATIENCE = 5.0  # seconds
_FOR_NOW = "Server unavailable"  # the one refusal that says nothing about us


def mqtt_client(client_id: str, connection: Connection, *, kept: bool) -> Any:
    """A client that is not connected yet; `kept`: the broker keeps its session while it is away.

    A kept session acknowledges its messages itself.
    """
    try:
        import paho.mqtt.client as paho
        from paho.mqtt.enums import CallbackAPIVersion
    except ImportError as error:
        raise MissingExtra("MQTT needs the package paho-mqtt: pip install 'crypsis[mqtt]'.", extra="mqtt") from error
    client = paho.Client(CallbackAPIVersion.VERSION2, client_id=client_id, clean_session=not kept, manual_ack=kept)
    client.reconnect_delay_set(1, 5)
    if connection.username is not None:
        client.username_pw_set(connection.username, connection.password)
    if connection.encrypted:
        client.tls_set_context(connection.tls())
    return client


def connect(client: Any, connection: Connection) -> bool:
    """Begin a connection; False where nobody answers. A certificate that cannot be trusted is no matter of time."""
    try:
        if connection.encrypted:
            _shake_hands(connection)
        client.connect(connection.host, connection.port)
    except CrypsisError:
        raise
    except OSError:
        return False
    client.loop_start()
    return True


def _shake_hands(connection: Connection) -> None:
    """Look at the certificate first: the library leaves its socket open where it does not hold."""
    with socket.create_connection((connection.host, connection.port), timeout=_PATIENCE) as plain:
        try:
            connection.tls().wrap_socket(plain, server_hostname=connection.host).close()
        except ssl.SSLCertVerificationError as error:
            raise untrusted(connection, error) from error


def refusal(connection: Connection, reason: Any) -> BrokerRefused | None:
    """What a broker's answer to a connection means; None where it is welcome, or may be later."""
    if not reason.is_failure or str(reason) == _FOR_NOW:
        return None
    return BrokerRefused(
        f"The MQTT broker at {connection.address} refuses us: {reason}. Look at username and password_file.",
        broker=connection.address,
    )
