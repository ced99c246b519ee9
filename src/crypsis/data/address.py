"""Files that lie in a store, by address: `s3://bucket/parts/*.parquet`. The package fsspec lists and fetches them.

A file is fetched into a folder that only its owner can open, read there, and deleted at once. Credentials come from the
environment, by the rules of each store's own package. What an address tells beside the name of a file (a user, a
password, a query) is never shown.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from crypsis.data.formats.compression import is_document
from crypsis.errors import BadParameter, CrypsisError, MissingExtra, MissingFile, PartChanged, UnreadableFile

PACKAGES = {
    "s3": "s3fs",
    "gs": "gcsfs",
    "az": "adlfs",
    "abfs": "adlfs",
    "http": "aiohttp",
    "https": "aiohttp",
    "memory": "fsspec",
    "file": "fsspec",
}
CHUNK = 8 << 20
LONGEST_NAME = 120
_BEGINS = re.compile(r"([A-Za-z][A-Za-z0-9+.:-]*)://")
_IN_PATH = re.compile(rf"(?:^|/)({'|'.join(PACKAGES)}):/", re.IGNORECASE)
_WEB = frozenset({"http", "https"})
# What stores call the version of a file, or the time when it was written.
_VERSIONS = ("ETag", "etag", "e_tag", "VersionId", "generation", "Content-MD5", "content_md5", "md5Hash")
_TIMES = ("LastModified", "last_modified", "Last-Modified", "mtime", "updated", "modified", "created")


@dataclass(frozen=True)
class Address:
    """Where files lie in a store, as it was given; of one of several files also its `path` there."""

    given: str = field(repr=False)
    path: str | None = field(default=None, repr=False)
    url: str | None = field(default=None, repr=False)

    @classmethod
    def of(cls, text: object) -> Address | None:
        """The address that a text is; None where it is the path of a file."""
        if isinstance(text, Address):
            return text
        if not isinstance(text, str) or not (begin := _BEGINS.match(text)):
            return None
        if begin[1].lower() not in PACKAGES:
            raise BadParameter(
                f"Parts are read from addresses that begin with {', '.join(f'{name}://' for name in PACKAGES)}, got "
                f"{begin[0]}.",
                parameter="path",
            )
        return cls(text)

    @classmethod
    def within(cls, path: Path) -> Address | None:
        """The address that was taken for a path, `folder/https:/host/a.csv`; None for what is a path."""
        begin = _IN_PATH.search(str(path))
        return cls(f"{begin[1]}://{str(path)[begin.end() :]}") if begin else None

    @property
    def scheme(self) -> str:
        return self.given.partition("://")[0].lower()

    @property
    def shown(self) -> str:
        """The address without user, password and query."""
        rest = (self.url or self.given).partition("://")[2]
        user, at, behind = rest.rpartition("@")
        if at and (":" in user or "/" not in user):
            if "?" in user:
                return f"{self.scheme}://…"  # an at sign in a query, or a question mark in a password
            rest = behind
        rest = rest.partition("?")[0]
        rest = rest.partition("#")[0] if self.scheme in _WEB else rest
        return f"{self.scheme}://{rest if self.scheme == 'file' else rest.lstrip('/')}"

    @property
    def name(self) -> str:
        """The last part of the name, for messages and for the format."""
        return self.shown.rstrip("/").rpartition("/")[2] or "part"

    def __str__(self) -> str:
        return self.shown

    def __repr__(self) -> str:
        return f"Address({self.shown!r})"

    def files(self) -> list[Address]:
        """The files that fit a pattern, those of a folder, or the file itself; in the order of their names."""
        with self._speaking() as (store, path):
            pattern, signs = (self.shown, "*[") if self.scheme in _WEB else (path, "*?[")
            if any(sign in pattern for sign in signs):
                paths = [name for name, facts in store.glob(path, detail=True).items() if facts["type"] == "file"]
            elif path.endswith("/") or (self.scheme not in _WEB and store.info(path)["type"] == "directory"):
                paths = [name for name in store.find(path) if not is_document(name.rpartition("/")[2])]
            else:
                return [Address(self.given, path, self.given)]
            if not paths:
                raise MissingFile(f"No file fits {self}; check the pattern.", where=str(self))
            return [Address(self.given, one, store.unstrip_protocol(one)) for one in sorted(paths)]

    def stamp(self) -> tuple[int, int]:
        """The size, and a number that changes with the version or the time of the file."""
        with self._speaking() as (store, path):
            store.invalidate_cache()
            facts = store.info(path)
            if not isinstance(facts.get("size"), int):
                raise UnreadableFile(
                    f"The store does not tell the size of {self}; fetch the file and read it from disk.",
                    where=str(self),
                )
            versions = [str(facts.get(name)) for name in (*_VERSIONS, *_TIMES)]
            digest = hashlib.sha256("\0".join(versions).encode()).digest()
            return facts["size"], int.from_bytes(digest[:8], "big")

    @contextmanager
    def fetched(self, folder: Path | None = None) -> Iterator[Path]:
        """The file on disk, below `folder` or the system's folder for temporary files, until it has been read."""
        own = Path(tempfile.mkdtemp(prefix="fetched-", dir=folder))  # mode 0700
        try:
            local = own / self.name[-LONGEST_NAME:]
            self._fetch(local)
            try:
                yield local
            except CrypsisError as error:
                raise error.renamed(str(local), str(self)) from None
        finally:
            shutil.rmtree(own, ignore_errors=True)

    def _fetch(self, target: Path) -> None:
        size, _ = self.stamp()
        with os.fdopen(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as copy:
            with self._speaking() as (store, path):
                source = store.open(path, "rb")
            with source:
                while copy.tell() <= size:
                    with self._speaking():
                        chunk = source.read(CHUNK)
                    if not chunk:
                        break
                    copy.write(chunk)  # a full disk is told as such
            if copy.tell() != size:
                raise PartChanged(
                    "This part was changed while it was fetched; run again when nobody writes it.", where=str(self)
                )

    @contextmanager
    def _speaking(self) -> Iterator[tuple[Any, str]]:
        """The store and the path in it. Its errors may repeat the address with all that it tells, so they end here."""
        try:
            store, path = _store_of(self.given)
            yield store, self.path if self.path is not None else path
        except CrypsisError:
            raise
        except ImportError:
            package = PACKAGES[self.scheme]
            raise MissingExtra(
                f"Reading {self.scheme}:// needs the package {package}; install it with: pip install "
                f"'crypsis[cluster]' {package}"
            ) from None
        except FileNotFoundError:
            raise MissingFile(f"There is no file {self}; check the address.", where=str(self)) from None
        except Exception as error:  # every store has its own errors
            raise UnreadableFile(
                f"{self} cannot be read ({type(error).__name__}); check the address, and the credentials in the "
                "environment.",
                where=str(self),
            ) from None


def _store_of(given: str) -> tuple[Any, str]:
    import fsspec

    scheme, separator, rest = given.partition("://")
    store, path = fsspec.core.url_to_fs(f"{scheme.lower()}{separator}{rest}")
    return store, path
