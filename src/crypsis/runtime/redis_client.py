"""Clients of Redis, and what their errors mean."""

from __future__ import annotations

import ssl
from typing import Any

from crypsis.errors import BrokerRefused, MissingExtra
from crypsis.runtime.connection import Connection, untrusted
from crypsis.runtime.pulse import SILENCE


def redis_client(connection: Connection) -> tuple[Any, Any]:
    """A client, and the errors after which one may try again unless they are a `refusal`."""
    try:
        import redis
        from redis.backoff import NoBackoff
        from redis.retry import Retry
    except ImportError as error:
        raise MissingExtra(
            "Redis streams need the package redis: pip install 'crypsis[redis]'.", extra="redis"
        ) from error
    settings: dict[str, Any] = {"username": connection.username, "password": connection.password}
    if connection.encrypted:
        connection.tls()  # files that cannot be used are told now
        settings |= {
            "ssl": True,
            "ssl_ca_certs": None if connection.ca_file is None else str(connection.ca_file),
            "ssl_certfile": None if connection.certificate_file is None else str(connection.certificate_file),
            "ssl_keyfile": None if connection.key_file is None else str(connection.key_file),
            "ssl_check_hostname": True,
        }
    # The library would repeat a command whose answer was lost. A group that is asked twice gives the next entries the
    # second time, and those of the first are gone: whoever asks must set it back, so every failure is told.
    never = Retry(NoBackoff(), 0)
    client = redis.Redis(
        host=connection.host,
        port=connection.port,
        socket_timeout=SILENCE,
        socket_connect_timeout=SILENCE,
        retry=never,
        **settings,
    )
    return client, (redis.ConnectionError, redis.TimeoutError, redis.exceptions.BusyLoadingError)


def refusal(connection: Connection, error: BaseException) -> BrokerRefused | None:
    """What Redis will say again however often it is asked; None where time may help."""
    import redis

    if isinstance(error, redis.AuthenticationError):
        return BrokerRefused(
            f"Redis at {connection.address} refuses us: {error}. Look at username and password_file.",
            broker=connection.address,
        )
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return untrusted(connection, cause)
        cause = cause.__cause__ or cause.__context__
    return None
