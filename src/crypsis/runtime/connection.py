"""How to reach a broker: address, login and TLS. A password lies in a file of its own, never in the configuration."""

from __future__ import annotations

import ssl
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from crypsis.data.formats.compression import existing_file
from crypsis.errors import BadConfiguration, BrokerRefused

# name: what a value must be, and the default
LOGIN: dict[str, tuple[Any, Any]] = {
    "username": (str, None),
    "password_file": (str, None),
    "tls": (bool, False),
    "ca_file": (str, None),
    "certificate_file": (str, None),
    "key_file": (str, None),
}


@dataclass(frozen=True)
class Connection:
    """An address, and what the broker wants to see; `tls` is None where the connection is plain."""

    host: str
    port: int
    username: str | None = None
    password: str | None = field(default=None, repr=False)
    ca_file: Path | None = None
    certificate_file: Path | None = None
    key_file: Path | None = None
    encrypted: bool = False

    @property
    def address(self) -> str:
        return f"{self.host}:{self.port}"

    def tls(self) -> ssl.SSLContext:
        """Certificates are always checked: against the file that was given, else those of the system."""
        try:
            context = ssl.create_default_context(cafile=None if self.ca_file is None else str(self.ca_file))
            if self.certificate_file is not None:
                context.load_cert_chain(self.certificate_file, self.key_file)
        except (OSError, ssl.SSLError) as error:
            raise BadConfiguration(f"A certificate file cannot be used: {error}.", parameter="ca_file") from error
        return context


def check_login(which: str, settings: Mapping[str, Any]) -> None:
    """What must go together."""
    if settings.get("password_file") and not settings.get("username"):
        raise BadConfiguration(f"[{which}] password_file needs a username.", parameter="password_file")
    if settings.get("key_file") and not settings.get("certificate_file"):
        raise BadConfiguration(f"[{which}] key_file needs a certificate_file.", parameter="key_file")
    for name in ("ca_file", "certificate_file"):
        if settings.get(name) and not settings.get("tls"):
            raise BadConfiguration(f"[{which}] {name} is about TLS; say tls = true.", parameter=name)


def connection_of(settings: Mapping[str, Any], path: Callable[[str], Path]) -> Connection:
    """From the settings of a source or sink; files are looked for now."""

    def file(name: str) -> Path | None:
        return existing_file(path(settings[name])) if settings.get(name) else None

    password = file("password_file")
    return Connection(
        settings["host"],
        settings["port"],
        settings["username"],
        None if password is None else password.read_text(encoding="utf-8").rstrip("\r\n"),
        file("ca_file"),
        file("certificate_file"),
        file("key_file"),
        settings["tls"],
    )


def untrusted(connection: Connection, error: Exception) -> BrokerRefused:
    """A certificate that does not hold."""
    return BrokerRefused(
        f"The certificate of the broker at {connection.address} cannot be trusted: {error}. Give the certificate of "
        "who signed it as ca_file, and the name that it was made for as host.",
        broker=connection.address,
    )
