"""Signatures: who vouches for a release folder. Ed25519, detached, in `release.sig`.

What is signed is the list of the checksums of all files in the folder, the manifest among them, by name (see
`digest_list`). A private key is a PEM file that only its owner can read; a public key is a PEM file whose first line
names the owner. Whose key it is, is for the recipient to know: a release that is signed by an unknown key is whole, but
nobody vouches for it.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import os
import stat
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from crypsis.atomic import write_file
from crypsis.errors import BadKey, CrypsisError, MissingExtra, OutputExists
from crypsis.release_folder import SIGNATURE, digest_list, open_release_folder, sha256
from crypsis.strict_json import read_json
from crypsis.translation import marked

SCHEMA = "crypsis-signature/1"
UNSIGNED, SIGNED, TRUSTED, UNTRUSTED, BROKEN, UNCHECKED = (
    marked("unsigned"),
    marked("signed"),
    marked("trusted"),
    marked("untrusted"),
    marked("broken"),
    marked("unchecked"),
)
LONGEST_NAME = 200
_CONTEXT = b"crypsis release folder\n"
_LARGEST_FILE = 1 << 16
_FIRST_LINE = "crypsis public key of "


@dataclass(frozen=True)
class PublicKey:
    """A key that signatures are checked with, and whose it is."""

    raw: bytes
    name: str

    @property
    def fingerprint(self) -> str:
        """What two people compare over the telephone."""
        digits = hashlib.sha256(self.raw).hexdigest()[:32]
        return " ".join(digits[start : start + 4] for start in range(0, 32, 4))


@dataclass(frozen=True)
class Signature:
    """What the signature of a folder says.

    `state` is unsigned; signed, where the files are those that the key signed; trusted or untrusted, where the key was
    compared with known ones; broken, where the signature is not of these files; unchecked, where the package that
    checks it is not installed.
    """

    state: str
    key: str | None = None  # its fingerprint
    name: str | None = None  # of the owner, where the key is known

    @property
    def damage(self) -> tuple[str, ...]:
        """What is wrong with the release, as far as its signature tells."""
        broken = "The release is wrongly signed: release.sig is not the signature of these files."
        return (broken,) if self.state == BROKEN else ()

    def trusted_by(self, keys: Iterable[str | Path | PublicKey]) -> Signature:
        """The same after the key was compared with those that the recipient trusts."""
        known = [key if isinstance(key, PublicKey) else read_public_key(key) for key in keys]
        if self.state == UNCHECKED:
            _ed25519()
        if self.state not in (SIGNED, TRUSTED, UNTRUSTED):
            return self
        for key in known:
            if key.fingerprint == self.key:
                return replace(self, state=TRUSTED, name=key.name)
        return replace(self, state=UNTRUSTED, name=None)

    def to_dict(self) -> dict[str, Any]:
        return {"state": self.state, "key": self.key, "name": self.name}

    def __str__(self) -> str:
        words = {
            UNSIGNED: marked("unsigned: nothing tells who made it"),
            SIGNED: marked(f"signed with the key {self.key}; whose it is was not checked") + " (--trusted KEY.pub)",
            TRUSTED: marked(f"signed by {self.name} with the key {self.key}"),
            UNTRUSTED: marked(f"signed with the key {self.key}, which is none of the trusted ones"),
            BROKEN: marked("wrongly signed: the signature is not of these files"),
            UNCHECKED: marked("signed, but not checked: pip install 'crypsis[encryption]'"),
        }
        return words[self.state]


def make_keys(path: str | Path, name: str) -> tuple[Path, Path]:
    """A new private key at the path, for its owner only, and its public key beside it with the suffix .pub."""
    if not name.strip() or len(name) > LONGEST_NAME or not name.isprintable():
        raise BadKey(f"The owner of a key has a name of one line and up to {LONGEST_NAME} characters.")
    private, public = Path(path), Path(f"{path}.pub")
    for file in (private, public):
        if os.path.lexists(file):
            raise OutputExists(f"{file} exists already; a key is never replaced.", where=str(file))
    made = _ed25519().Ed25519PrivateKey.generate()
    encoding, formats = _serialization()
    secret = made.private_bytes(encoding.PEM, formats.private, formats.no_encryption)
    known = made.public_key().public_bytes(encoding.PEM, formats.public)
    write_file(private, secret, mode=0o600)
    write_file(public, f"{_FIRST_LINE}{name.strip()}\n".encode() + known)
    return private, public


def read_public_key(path: str | Path) -> PublicKey:
    """A public key that `make_keys` wrote, or any Ed25519 public key as PEM; then its name is that of the file."""
    ed25519, content = _ed25519(), _key_file(Path(path))
    from cryptography.hazmat.primitives.serialization import load_pem_public_key

    try:
        key = load_pem_public_key(content[max(content.find(b"-----BEGIN"), 0) :])
        if not isinstance(key, ed25519.Ed25519PublicKey):
            raise ValueError("not an Ed25519 key")
    except Exception as error:  # the package raises errors of its own for each way in which a file is no key
        raise BadKey(f"{Path(path).name} is not an Ed25519 public key.", where=str(path)) from error
    first = content.split(b"\n", 1)[0].decode("utf-8", "replace").strip()
    name = first.removeprefix(_FIRST_LINE) if first.startswith(_FIRST_LINE) else ""
    name = "".join(sign for sign in name[:LONGEST_NAME] if sign.isprintable())
    return PublicKey(key.public_bytes_raw(), name or Path(path).name)


def check_private_key(path: str | Path) -> None:
    """Refuse what cannot sign, before there is anything to sign."""
    _private_key(Path(path))


def sign_digests(digests: Mapping[str, str], key: str | Path) -> bytes:
    """The content of `release.sig` for the files with these checksums."""
    private = _private_key(Path(key))
    content = {
        "schema": SCHEMA,
        "algorithm": "ed25519",
        "public_key": base64.b64encode(private.public_key().public_bytes_raw()).decode(),
        "signature": base64.b64encode(private.sign(_CONTEXT + digest_list(digests))).decode(),
    }
    return (json.dumps(content, indent=1) + "\n").encode()


def sign_files(folder: Path, key: str | Path) -> None:
    """Sign a folder that is being written: all files that are in it now."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file() and path.name != SIGNATURE)
    digests = {path.relative_to(folder).as_posix(): sha256(path) for path in files}
    (folder / SIGNATURE).write_bytes(sign_digests(digests, key))


def sign_folder(folder: str | Path, key: str | Path) -> Signature:
    """Sign a release that was written before; an older signature is replaced."""
    opened = open_release_folder(Path(folder))
    write_file(Path(folder) / SIGNATURE, sign_digests(opened.digests, key))
    return read_signature(Path(folder), opened.digests)


def read_signature(folder: Path, digests: Mapping[str, str]) -> Signature:
    """What the signature says about files with these checksums."""
    path = folder / SIGNATURE
    if not os.path.lexists(path):
        return Signature(UNSIGNED)
    try:
        content = read_json(path, largest=_LARGEST_FILE)
        if set(content) != {"schema", "algorithm", "public_key", "signature"} or content["schema"] != SCHEMA:
            raise ValueError
        raw = base64.b64decode(content["public_key"], validate=True)
        signed = base64.b64decode(content["signature"], validate=True)
        if content["algorithm"] != "ed25519" or len(raw) != 32 or len(signed) != 64:
            raise ValueError
    except (ValueError, TypeError, OSError, binascii.Error):
        return Signature(BROKEN)
    fingerprint = PublicKey(raw, "").fingerprint
    try:
        ed25519 = _ed25519()
    except MissingExtra:
        return Signature(UNCHECKED, fingerprint)
    from cryptography.exceptions import InvalidSignature

    try:
        ed25519.Ed25519PublicKey.from_public_bytes(raw).verify(signed, _CONTEXT + digest_list(digests))
    except (InvalidSignature, ValueError):
        return Signature(BROKEN, fingerprint)
    return Signature(SIGNED, fingerprint)


def _private_key(path: Path) -> Any:
    ed25519, content = _ed25519(), _key_file(path)
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    if os.name == "posix" and stat.S_IMODE(path.stat().st_mode) & 0o077:
        raise BadKey(f"Others can read {path.name}; a private key is for its owner only (chmod 600).", where=str(path))
    try:
        key = load_pem_private_key(content, password=None)
        if not isinstance(key, ed25519.Ed25519PrivateKey):
            raise ValueError("not an Ed25519 key")
    except Exception as error:  # as above
        raise BadKey(
            f"{path.name} is not an Ed25519 private key without a password; `crypsis keys make` makes one.",
            where=str(path),
        ) from error
    return key


def _key_file(path: Path) -> bytes:
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode) or status.st_size > _LARGEST_FILE:
            raise BadKey(f"{path.name} is no file with a key.", where=str(path))
        return path.read_bytes()
    except CrypsisError:
        raise
    except OSError as error:
        raise BadKey(f"The key {path} cannot be read: {error.strerror}.", where=str(path)) from error


@dataclass(frozen=True)
class _Formats:
    private: Any
    public: Any
    no_encryption: Any


def _serialization() -> tuple[Any, _Formats]:
    from cryptography.hazmat.primitives import serialization

    formats = _Formats(
        serialization.PrivateFormat.PKCS8,
        serialization.PublicFormat.SubjectPublicKeyInfo,
        serialization.NoEncryption(),
    )
    return serialization.Encoding, formats


def _ed25519() -> Any:
    try:
        from cryptography.hazmat.primitives.asymmetric import ed25519
    except ImportError as error:
        raise MissingExtra(
            "Signatures need the package cryptography: pip install 'crypsis[encryption]'.", extra="encryption"
        ) from error
    return ed25519
