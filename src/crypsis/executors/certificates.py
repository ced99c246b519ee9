"""Certificates by which the client, the scheduler and the workers of a cluster know each other."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from crypsis.errors import BadParameter, MissingFile, OptionWithoutEffect

_FILES = "certificate of the authority (`tls_ca`), your certificate (`tls_cert`) and its private key (`tls_key`)"


@dataclass(frozen=True)
class Certificates:
    """The authority's certificate, one's own certificate and its private key; all of them, or none."""

    ca: str | Path | None = None
    cert: str | Path | None = None
    key: str | Path | None = None

    def check(self, address: str) -> None:
        """`tls://` needs all three files; other addresses use none of them."""
        files = (self.ca, self.cert, self.key)
        if not address.startswith("tls://"):
            if any(files):
                raise OptionWithoutEffect(f"{address} is not spoken to with TLS. Leave out the {_FILES}.")
            return
        if not all(files):
            raise BadParameter(f"TLS needs the {_FILES}.", parameter="tls_ca")
        for file in files:
            if not Path(str(file)).is_file():
                raise MissingFile(f"There is no such file. TLS needs the {_FILES}.", where=str(file))

    def options_for(self, *roles: str) -> dict[str, str]:
        """The settings of the engine for a client, a worker or a scheduler."""
        own = {f"tls_{role}_{what}": str(getattr(self, what)) for role in roles for what in ("cert", "key")}
        return {"tls_ca_file": str(self.ca), **own}
