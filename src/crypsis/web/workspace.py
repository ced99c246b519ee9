"""The workspace: a folder that holds everything a person works on, as files: the single source, which pages display.

    <kind>/<number>/entry.json    name, settings, edits, and a revision that rises with every change
    <kind>/<number>/...           what belongs to it: the uploaded file, a store of results
    uploads/<number>              files that arrived and belong to nothing yet

Names that people give are only ever content of `entry.json`; folders and files have names of our own. Every change is
written whole or not at all, under a lock that other processes respect, and against the revision that was looked at: who
changes what somebody else has changed in the meantime gets a message, and nothing is lost.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import secrets
import shutil
import threading
import time
from collections.abc import AsyncIterable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from crypsis.atomic import write_file
from crypsis.data.formats import known_suffixes
from crypsis.data.formats.compression import OPENERS
from crypsis.errors import BadParameter, ChangedElsewhere, CrypsisError, NoSuchEntry, UnreadableFile, WriteFailed
from crypsis.translation import marked
from crypsis.web.unpacking import check_unpacked

KINDS = ("datasets", "hierarchies", "policies", "workloads", "experiments", "streams", "warehouses", "parts")
ENTRY = "entry.json"
LONGEST_NAME = 120
_NUMBER = re.compile(r"[0-9a-f]{12}")
_UNFINISHED = re.compile(r"unfinished-(\d+)-")
_NEEDED: dict[str, dict[str, type]] = {  # what every entry of a kind holds; one that does not is damaged
    "datasets": {"section": dict, "inspection": dict, "undone": list, "history": list},
    "hierarchies": {"dataset": str, "column": str},
    "policies": {"dataset": str, "policy": str},
    "workloads": {"dataset": str, "queries": list},
    "experiments": {"dataset": str, "mode": str, "tables": dict},
    "streams": {"dataset": str},
    "warehouses": {"path": str},
    "parts": {"section": dict, "run": dict},
}
_OTHER_SUFFIXES = frozenset([".data", ".zip", ".toml", *OPENERS])  # beside those of the formats


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
        if self.folder.exists() and not self.folder.is_dir():
            raise BadParameter(f"{self.folder} is a file; name a folder for the workspace.", parameter="workspace")
        ours = not self.folder.exists()  # a folder that somebody else made keeps its rights; what we put in has ours
        with self._writing():
            for name in (*KINDS, "uploads"):
                (self.folder / name).mkdir(parents=True, exist_ok=True, mode=0o700)
            if ours:
                self.folder.chmod(0o700)
        self._thread_lock = threading.RLock()
        self._when_created: list[tuple[str, Callable[[Entry], None]]] = []

    def when_created(self, kind: str, tell: Callable[[Entry], None]) -> None:
        """Call this with each new entry of a kind."""
        self._when_created.append((kind, tell))

    # Reading

    def entries(self, kind: str) -> list[Entry]:
        """Newest first. One that cannot be read is left out, so that it does not take the others with it."""
        found = []
        for number in self._numbers(kind):
            with suppress(NoSuchEntry, UnreadableFile):
                found.append(self.entry(kind, number))
        return sorted(found, key=lambda entry: (str(entry.content.get("created", "")), entry.number), reverse=True)

    def damaged(self) -> list[dict[str, str]]:
        """The entries that are left out, each with the reason: whoever misses one finds it here."""
        found = []
        for kind in KINDS:
            for number in self._numbers(kind):
                try:
                    self.entry(kind, number)
                except UnreadableFile as error:
                    found.append({"kind": kind, "id": number, "message": error.sentence})
                except NoSuchEntry:
                    if self._folder(kind, number).is_dir():
                        found.append(
                            {"kind": kind, "id": number, "message": _damage(kind, number, marked("is not there"))}
                        )
        return found

    def _numbers(self, kind: str) -> list[str]:
        return sorted(folder.name for folder in self._home(kind).iterdir() if _NUMBER.fullmatch(folder.name))

    def entry(self, kind: str, number: str) -> Entry:
        folder = self._folder(kind, number)
        try:
            written = json.loads((folder / ENTRY).read_text(encoding="utf-8"))
        except (FileNotFoundError, NotADirectoryError):
            raise NoSuchEntry(f"There is nothing under {kind}/{number}; it may have been removed.") from None
        except OSError as error:
            raise UnreadableFile(_damage(kind, number, f"cannot be read ({error.strerror})")) from error
        except (ValueError, RecursionError) as error:
            raise UnreadableFile(_damage(kind, number, "is no JSON")) from error
        content = written.get("content") if isinstance(written, dict) else None
        if not isinstance(content, dict) or not isinstance(written.get("revision"), int):
            raise UnreadableFile(_damage(kind, number, "has no content or no revision"))
        for name, form in {"name": str, **_NEEDED[kind]}.items():
            if not isinstance(content.get(name), form):
                raise UnreadableFile(_damage(kind, number, f"has no {name}"))
        if kind == "datasets" and not all(isinstance(content["section"].get(name), str) for name in ("path", "kind")):
            raise UnreadableFile(_damage(kind, number, "does not say which file it is about"))
        return Entry(kind, number, folder, written["revision"], content)

    # Changing

    def create(
        self,
        kind: str,
        name: str,
        content: Mapping[str, Any],
        fill: Callable[[Path], None] | None = None,
        *,
        instead_of: Sequence[str] = (),
    ) -> Entry:
        """A new entry; `fill` puts files into its folder before anybody can see it.

        It takes the place of the entries `instead_of`; where somebody has replaced one of them in the meantime, there
        is nothing new, and `ChangedElsewhere` says so.
        """
        number = secrets.token_hex(6)
        folder = self._home(kind) / number
        partial = self.unfinished()
        try:
            with self._writing():
                partial.mkdir(mode=0o700)
                if fill is not None:
                    fill(partial)
                created = datetime.now(UTC).isoformat(timespec="microseconds")
                write_entry(partial, 1, {"name": checked_name(name), "created": created, **content})
            with self._locked():
                replaced = [self._folder(kind, one) for one in instead_of]
                if not all(one.is_dir() for one in replaced):
                    raise ChangedElsewhere(f"{name!r} was changed elsewhere in the meantime; look at it again.")
                partial.rename(folder)
                for one in replaced:
                    self._put_away(one)
        finally:
            shutil.rmtree(partial, ignore_errors=True)
        entry = self.entry(kind, number)
        for wanted, tell in self._when_created:
            if wanted == kind:
                tell(entry)
        return entry

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
            write_entry(before.folder, before.revision + 1, content)
            return self.entry(kind, number)

    def remove(self, kind: str, number: str) -> None:
        """Also what is damaged: otherwise nobody would ever be rid of it."""
        with self._locked():
            folder = self._folder(kind, number)
            if not folder.is_dir():
                raise NoSuchEntry(f"There is nothing under {kind}/{number}; it may have been removed.")
            self._put_away(folder)

    def _put_away(self, folder: Path) -> None:
        gone = self.unfinished()
        folder.rename(gone)  # at once for everybody, however long the removal takes
        shutil.rmtree(gone, ignore_errors=True)

    # Files that arrive

    async def receive(self, chunks: AsyncIterable[bytes], suggested_name: str, limit: int | None = None) -> str:
        """Keep an upload; its number. What arrives in part only, or unpacks to more than the limit, leaves nothing."""
        self.remove_leftovers()
        number = secrets.token_hex(6)
        partial = self.unfinished().with_suffix(safe_suffix(suggested_name))
        try:
            with self._writing():
                handle = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
                with os.fdopen(handle, "wb") as stream:
                    async for chunk in chunks:
                        stream.write(chunk)
            if limit is not None:
                await asyncio.to_thread(check_unpacked, partial, limit)
            partial.rename(partial.with_name(f"{number}{safe_suffix(suggested_name)}"))
        finally:
            with suppress(OSError):  # where nothing can be written there is nothing to remove
                partial.unlink(missing_ok=True)
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
        with self._thread_lock, self._writing():
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

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """A disk that is full or may not be written to becomes an error in words."""
        try:
            yield
        except CrypsisError:
            raise
        except ConnectionError:  # who was sending is gone
            raise
        except OSError as error:
            raise WriteFailed(
                f"The workspace cannot be written to: {error.strerror or type(error).__name__}. What was saved before "
                "is still there."
            ) from error


def _damage(kind: str, number: str, how: str) -> str:
    return marked(
        f"The entry {kind}/{number} of the workspace is damaged: its {ENTRY} {how}. Put the file back from a copy, or "
        "remove the entry."
    )


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def safe_suffix(name: str) -> str:
    """The endings that name a format, out of a fixed list; nothing else of a name reaches the disk."""
    endings = [ending.lower() for ending in Path(name.replace("\\", "/")).suffixes[-2:]]
    known = known_suffixes() | _OTHER_SUFFIXES
    return "".join(ending for ending in endings if ending in known)


def checked_name(name: Any) -> str:
    """Return a name with single blanks, or refuse it."""
    text = " ".join(str(name).split())
    if not text or len(text) > LONGEST_NAME or not text.isprintable():
        raise BadParameter(
            f"A name must have 1 to {LONGEST_NAME} printable characters, got {len(text)}.", parameter="name"
        )
    return text


def write_entry(folder: Path, revision: int, content: Mapping[str, Any]) -> None:
    """The new content of an entry, whole or not at all. Only for who holds the lock, or for what nobody sees yet."""
    text = json.dumps({"revision": revision, "content": content}, ensure_ascii=False, indent=1, allow_nan=False)
    write_file(folder / ENTRY, text.encode(), mode=0o600)
