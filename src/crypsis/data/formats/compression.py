"""Files as bytes: compressed or not, read as a stream that stops at the memory limit.

gzip, xz, bzip2, zstandard, zip and kmz are recognised by their suffix. A small file that unpacks to more than the
machine can hold is refused while it unpacks, so a decompression bomb costs no more than the limit.

A file in an archive is named like one in a folder, `trips.zip/january.csv`; an archive with several files of one format
is read like a folder.
"""

from __future__ import annotations

import bz2
import errno
import gzip
import io
import lzma
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, cast

from crypsis.data.formats.large_bytes import read_whole
from crypsis.data.formats.memory import check_fits, in_words, memory_limit, too_large
from crypsis.errors import CrypsisError, MissingExtra, MissingFile, UnknownFormat, UnreadableFile

CHUNK = 1 << 20
LONGEST_SHOWN = 100
_DOCUMENTS = frozenset({".md", ".rst", ".pdf", ".htm", ".html", ".doc", ".docx", ".odt", ".rtf", ".png", ".jpg"})


def _open_zstandard(path: Path) -> IO[bytes]:
    try:
        from compression import zstd  # type: ignore[import-not-found, unused-ignore]  # Python 3.14

        return cast(IO[bytes], zstd.open(path))
    except ImportError:
        pass
    try:
        import pyarrow
    except ImportError as error:
        raise MissingExtra(
            "Reading zstandard files needs pyarrow (or Python 3.14); install it with: pip install 'crypsis[interop]'",
            where=str(path),
        ) from error
    return cast(IO[bytes], pyarrow.input_stream(str(path), compression="zstd"))


def _open_zip(path: Path) -> IO[bytes]:
    """The one file of an archive."""
    archive = zipfile.ZipFile(path)
    return archive.open(_member(archive, path))


def _open_map(path: Path) -> IO[bytes]:
    """The map of an archive of Google Earth; pictures lie beside it."""
    archive = zipfile.ZipFile(path)
    names = [name for name in _members(archive) if name.lower().endswith(".kml")]
    return archive.open(names[0] if names else _member(archive, path))


def _open_member(path: Path) -> IO[bytes]:
    """A file that is named by its archive, `trips.zip/january.csv`."""
    holder = archive_of(path)
    assert holder is not None
    return zipfile.ZipFile(holder).open(path.relative_to(holder).as_posix())


def archive_of(path: Path) -> Path | None:
    """The archive that a file is in, None where it lies in folders alone."""
    archives = (parent for parent in path.parents if parent.suffix.lower() == ".zip")
    return next((parent for parent in archives if parent.is_file()), None)


def file_on_disk(path: Path) -> Path:
    """The file whose size and time tell whether the content is still the same: itself, or its archive."""
    return archive_of(path) or path


def files_in_archive(path: Path) -> list[Path]:
    """The files of an archive as paths in it; all have one suffix, or it must be said which is meant."""
    if path.suffix.lower() != ".zip" or not path.is_file():
        return []
    try:
        with zipfile.ZipFile(path) as archive:
            names = _members(archive)
            check_fits(sum(archive.getinfo(name).file_size for name in names), str(path))
    except (OSError, zipfile.BadZipFile, NotImplementedError):
        return []  # what is wrong with it is said where it is unpacked
    if not names:
        raise UnreadableFile(f"There are no data in the archive {path}.", where=str(path))
    if len({Path(name).suffix.lower() for name in names}) > 1:
        raise _several(names, path)
    return [path / name for name in sorted(names)]


def _member(archive: zipfile.ZipFile, path: Path) -> str:
    names = _members(archive)
    if len(names) == 1:
        return names[0]
    raise _several(names, path)


def _several(names: Sequence[str], path: Path) -> UnreadableFile:
    shown = ", ".join(names[:5]) + (", …" if len(names) > 5 else "")
    example = f"; name one, such as {path / names[0]}, or give an archive with files of one format" if names else ""
    return UnreadableFile(f"{path} holds {len(names)} files ({shown}){example}.", where=str(path))


def _members(archive: zipfile.ZipFile) -> list[str]:
    """The files that somebody packed, without what systems add; a name never leads out of the archive."""
    names = [one.filename for one in archive.infolist() if not one.is_dir()]
    kept = [name for name in names if not name.startswith("__MACOSX/") and not is_document(Path(name).name)]
    return [name for name in kept if not Path(name).is_absolute() and ".." not in Path(name).parts]


def is_document(name: str) -> bool:
    """Whether a file beside data is none of them: a page about them, or what systems hide or mark parts with."""
    return name.startswith((".", "~$")) or name == "_SUCCESS" or Path(name).suffix.lower() in _DOCUMENTS


OPENERS: dict[str, Callable[[Path], Any]] = {
    ".gz": gzip.open,
    ".xz": lzma.open,
    ".bz2": bz2.open,
    ".zst": _open_zstandard,
    ".zip": _open_zip,
    ".kmz": _open_map,
}


def is_compressed(path: Path) -> bool:
    """Return whether the suffix is that of a compressed file or an archive."""
    return path.suffix.lower() in OPENERS or archive_of(path) is not None


def without_compression(path: Path) -> Path:
    """`trips.csv.gz` -> `trips.csv`; an archive `trips.zip` is called as the file in it."""
    if path.suffix.lower() not in OPENERS:
        return path
    if path.suffix.lower() == ".kmz":
        return path.with_suffix(".kml")
    plain = path.with_suffix("")
    if path.suffix.lower() == ".zip" and not plain.suffix:
        with suppress(OSError, zipfile.BadZipFile, CrypsisError), zipfile.ZipFile(path) as archive:
            return path.with_name(Path(_member(archive, path)).name)
    return plain


def names_file(text: str | Path) -> bool:
    """Whether a text is the name of a file: a list of labels may be longer than any name can be."""
    try:
        return Path(text).is_file()
    except (OSError, ValueError):
        return False


def existing_file(path: str | Path) -> Path:
    """The path of a file that can be opened; `MissingFile`, `UnknownFormat` for a folder, or `UnreadableFile`."""
    file = Path(path)
    try:
        if file.is_dir():
            raise UnknownFormat(f"{file} is a folder; give one of the files in it.", where=str(file))
        if file.exists() and not file.is_file():  # opening a pipe would wait for somebody to write into it
            raise UnreadableFile(
                f"{file} is a pipe or a device; files are read more than once, so save the data to a file first.",
                where=str(file),
            )
        with file.open("rb"):
            return file
    except CrypsisError:
        raise
    except (FileNotFoundError, ValueError) as error:  # a path with a zero byte is no path at all
        raise MissingFile(f"There is no file {file}; check the path.", where=str(file)) from error
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            shown = f"{str(file)[:LONGEST_SHOWN]}…"
            raise MissingFile(f"There is no file {shown}; no name is that long.", where=shown) from error
        raise UnreadableFile(
            f"{file} cannot be opened ({error.strerror or error}); check its permissions.", where=str(file)
        ) from error


def readable_file(path: str | Path) -> Path:
    """The path of a file whose content `read_bytes` gives: one that can be opened, or one in an archive."""
    file = Path(path)
    if archive_of(file) is None:
        return existing_file(file)
    with _unpacking(file):
        return file


def read_bytes(path: Path, memory_per_byte: float = 1.0) -> bytes:
    """The whole content, unpacked; `memory_per_byte` is what the reader needs in memory per byte of content."""
    if not is_compressed(path):
        check_fits(int(path.stat().st_size * memory_per_byte), str(path))
        return read_whole(path)
    limit = memory_limit()
    most = None if limit is None else int(limit / memory_per_byte)
    content = io.BytesIO()
    with _unpacking(path) as stream:
        while chunk := stream.read(CHUNK):
            content.write(chunk)
            if most is not None and content.tell() > most:
                raise too_large(str(path), f"more than {in_words(limit or 0)}", limit or 0)
    return content.getvalue()


def unpacked_chunks(path: Path) -> Iterator[bytes]:
    """The content, unpacked, a piece at a time."""
    with _unpacking(path) as stream:
        while chunk := stream.read(CHUNK):
            yield chunk


def read_beginning(path: Path, size: int = CHUNK) -> bytes:
    """The first bytes of the content, unpacked."""
    if not is_compressed(path):
        with path.open("rb") as plain:
            return plain.read(size)
    with _unpacking(path) as stream:
        return stream.read(size)


@contextmanager
def _unpacking(path: Path) -> Iterator[IO[bytes]]:
    try:
        with (_open_member if archive_of(path) else OPENERS[path.suffix.lower()])(path) as stream:
            yield stream
    except CrypsisError:
        raise
    except KeyError as error:
        holder = archive_of(path)
        raise MissingFile(f"{holder} holds no such file; check {path}.", where=str(path)) from error
    except Exception as error:  # every unpacker has its own errors
        raise UnreadableFile(
            f"{path} cannot be unpacked: it is truncated or not a {path.suffix} file ({error}). Fetch it again.",
            where=str(path),
        ) from error
