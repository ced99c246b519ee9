"""A folder as an archive that tells nothing but its files: equal folders become equal archives.

Files stand in the order of their names, with one date and one mode: neither when and in what order they were written
nor who may read them here is told.
"""

from __future__ import annotations

import zipfile
from pathlib import Path

_DATE = (1980, 1, 1, 0, 0, 0)  # the first that an archive can tell
_MODE = 0o100644


def pack_folder(folder: Path, archive: Path) -> Path:
    """All files of a folder below its name; returns the archive, which only its owner can read."""
    archive.touch(mode=0o600)
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        for file in sorted(path for path in folder.rglob("*") if path.is_file()):
            entry = zipfile.ZipInfo(f"{folder.name}/{file.relative_to(folder).as_posix()}", _DATE)
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, _MODE << 16
            entry.file_size = file.stat().st_size  # so that large files get the form for them
            with file.open("rb") as content, packed.open(entry, "w") as member:
                while chunk := content.read(1 << 20):
                    member.write(chunk)
    return archive
