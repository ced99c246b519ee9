"""The workspace: a folder that holds everything a person works on, as files. It is the truth; pages only show it.

    <kind>/<number>/entry.json    name, settings, edits, and a revision that rises with every change
    <kind>/<number>/...           what belongs to it: the uploaded file, a store of results
    uploads/<number>              files that arrived and belong to nothing yet

Names that people give are only ever content of `entry.json`; folders and files have names of our own. Every change is
written whole or not at all, under a lock that other processes respect, and against the revision that was looked at: who
changes what somebody else has changed in the meantime is told so, and nothing is lost.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
import threading
import time
from collections.abc import AsyncIterable, Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from crypsis.atomic import write_file
from crypsis.errors import BadParameter, ChangedElsewhere, NoSuchEntry, UnreadableFile

KINDS = ("datasets", "hierarchies", "policies", "workloads", "experiments", "streams")
ENTRY = "entry.json"
LONGEST_NAME = 120
_NUMBER = re.compile(r"[0-9a-f]{12}")
_UNFINISHED = re.compile(r"unfinished-(\d+)-")
_SUFFIXES = frozenset(
    [
        ".csv",
        ".tsv",
        ".txt",
        ".dat",
        ".data",
        ".parquet",
        ".jsonl",
        ".ndjson",
        ".json",
        ".gpx",
        ".geojson",
        ".plt",
        ".gz",
        ".zst",
        ".bz2",
        ".xz",
        ".zip",
        ".toml",
    ]
)


@dataclass(frozen=True)
class Entry:
    """One thing of the workspace as it was when it was read."""

    kind: str
    number: str
    folder: Path
    revision: int
    content: dict[str, Any]

    @property
    def name(self) -> str:
        return str(self.content["name"])

    def to_dict(self) -> dict[str, Any]:
        return {"id": self.number, "revision": self.revision, **self.content}


class Workspace:
    """The entries of one folder."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder).absolute()
        for name in (*KINDS, "uploads"):
            (self.folder / name).mkdir(parents=True, exist_ok=True, mode=0o700)
        self.folder.chmod(0o700)
        self._thread_lock = threading.RLock()

    # Reading

    def entries(self, kind: str) -> list[Entry]:
        """Newest first. One that cannot be read is left out, so that it does not take the others with it."""
        found = []
        for folder in self._home(kind).iterdir():
            if _NUMBER.fullmatch(folder.name):
                with suppress(NoSuchEntry, UnreadableFile):
                    found.append(self.entry(kind, folder.name))
        return sorted(found, key=lambda entry: (str(entry.content.get("created", "")), entry.number), reverse=True)

    def entry(self, kind: str, number: str) -> Entry:
        folder = self._folder(kind, number)
        try:
            written = json.loads((folder / ENTRY).read_text(encoding="utf-8"))
            return Entry(kind, number, folder, int(written["revision"]), dict(written["content"]))
        except (FileNotFoundError, NotADirectoryError):
            raise NoSuchEntry(f"There is nothing under {kind}/{number}; it may have been removed.") from None
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise UnreadableFile(f"The entry {kind}/{number} is damaged: {error}.") from error

    # Changing

    def create(
        self, kind: str, name: str, content: Mapping[str, Any], fill: Callable[[Path], None] | None = None
    ) -> Entry:
        """A new entry; `fill` puts files into its folder before anybody can see it."""
        number = secrets.token_hex(6)
        folder = self._home(kind) / number
        partial = self.unfinished()
        partial.mkdir(mode=0o700)
        try:
            if fill is not None:
                fill(partial)
            created = datetime.now(UTC).isoformat(timespec="microseconds")
            _write(partial, 1, {"name": checked_name(name), "created": created, **content})
            partial.rename(folder)
        finally:
            shutil.rmtree(partial, ignore_errors=True)
        return self.entry(kind, number)

    def change(
        self, kind: str, number: str, alter: Callable[[dict[str, Any]], None], *, revision: int | None = None
    ) -> Entry:
        """Alter the content; with a revision only if nobody has changed it since."""
        with self._locked():
            before = self.entry(kind, number)
            if revision is not None and revision != before.revision:
                raise ChangedElsewhere(
                    f"{before.name!r} was changed in another tab in the meantime; look at it again and repeat.",
                    revision=before.revision,
                )
            content = json.loads(json.dumps(before.content))
            alter(content)
            content["name"] = checked_name(content["name"])
            _write(before.folder, before.revision + 1, content)
            return self.entry(kind, number)

    def remove(self, kind: str, number: str) -> None:
        with self._locked():
            entry = self.entry(kind, number)
            gone = self.unfinished()
            entry.folder.rename(gone)  # at once for everybody, however long the removal takes
            shutil.rmtree(gone, ignore_errors=True)

    # Files that arrive

    async def receive(self, chunks: AsyncIterable[bytes], suggested_name: str) -> str:
        """Keep an upload; its number. What arrives in part only leaves nothing behind."""
        self.remove_leftovers()
        number = secrets.token_hex(6)
        path = self.folder / "uploads" / f"{number}{safe_suffix(suggested_name)}"
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with os.fdopen(handle, "wb") as stream:
                async for chunk in chunks:
                    stream.write(chunk)
        except BaseException:
            path.unlink(missing_ok=True)
            raise
        return number

    def upload(self, number: str) -> Path:
        """The file of an upload that was not taken yet."""
        if _NUMBER.fullmatch(number):
            for path in (self.folder / "uploads").glob(f"{number}*"):
                return path
        raise NoSuchEntry(f"There is no upload {number[:40]!r}; it may have been taken already.")

    def unfinished(self) -> Path:
        """A place for something that is being made or removed. It names our process: what a killed one left can go."""
        return self.folder / "uploads" / f"unfinished-{os.getpid()}-{secrets.token_hex(6)}"

    def remove_leftovers(self, older_than: float = 86_400.0) -> None:
        """Uploads that nobody took for a day, and what processes left that are no more."""
        limit = time.time() - older_than
        for path in (self.folder / "uploads").iterdir():
            made_by = _UNFINISHED.match(path.name)
            with suppress(FileNotFoundError):  # somebody else was quicker
                if _is_alive(int(made_by[1])) if made_by else path.stat().st_mtime >= limit:
                    continue
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)

    # Places

    def _home(self, kind: str) -> Path:
        if kind not in KINDS:
            raise NoSuchEntry(f"The workspace has no {kind[:40]!r}; it has {', '.join(KINDS)}.")
        return self.folder / kind

    def _folder(self, kind: str, number: str) -> Path:
        if not _NUMBER.fullmatch(number):
            raise NoSuchEntry(f"{number[:40]!r} is not the number of an entry.")
        return self._home(kind) / number

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """One change at a time, in this process and in others on the same folder."""
        with self._thread_lock:
            try:
                import fcntl
            except ImportError:
                yield
                return
            handle = os.open(self.folder / "lock", os.O_RDWR | os.O_CREAT, 0o600)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX)
                yield
            finally:
                os.close(handle)


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def safe_suffix(name: str) -> str:
    """The endings by which a format is told, out of a fixed list; nothing else of a name reaches the disk."""
    endings = [ending.lower() for ending in Path(name.replace("\\", "/")).suffixes[-2:]]
    return "".join(ending for ending in endings if ending in _SUFFIXES)


def checked_name(name: Any) -> str:
    text = " ".join(str(name).split())
    if not text or len(text) > LONGEST_NAME or not text.isprintable():
        raise BadParameter(
            f"A name must have 1 to {LONGEST_NAME} printable characters, got {len(text)}.", parameter="name"
        )
    return text


def _write(folder: Path, revision: int, content: Mapping[str, Any]) -> None:
    text = json.dumps({"revision": revision, "content": content}, ensure_ascii=False, indent=1, allow_nan=False)
    write_file(folder / ENTRY, text.encode(), mode=0o600)
