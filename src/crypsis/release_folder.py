"""A release folder as somebody received it. Nothing in it is believed before it was looked at.

The folder holds regular files only, each of them listed: in `release.json` with its checksum, and those with data in
`datapackage.json`. Links, folders, paths that lead elsewhere and files that nobody lists are refused. Both lists are
read strictly (`crypsis.strict_json`), and no value that is missing is replaced by a default.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crypsis.errors import BadParameter, BadRelease, ContradictoryRoles, LeavesFolder, OutputExists, UnlistedFile
from crypsis.publication import KIND_NAMES, kind_named
from crypsis.publication.deposit import DEPOSIT_FILES
from crypsis.publication.table_parts import MOST_PARTS, PART_ROWS, PARTS, is_part_name, part_files
from crypsis.reports.about import About
from crypsis.strict_json import read_json

SCHEMA = "crypsis-release/1"
WORKING_SCHEMA = "crypsis-working-copy/1"
MANIFEST = "release.json"
WORKING_COPY = "working_copy.json"
REPORT = "report.html"
DATA_PACKAGE = "datapackage.json"
SIGNATURE = "release.sig"
MOST_FILES = 64
_DESCRIPTIONS = (REPORT, DATA_PACKAGE)
_OTHER_FILES = frozenset([*_DESCRIPTIONS, *DEPOSIT_FILES])  # these hold no data
_ENTRIES = frozenset(
    [
        "schema",
        "created",
        "software",
        "about",
        "method",
        "scaling",
        "guarantee",
        "verdict",
        "review",
        "figures",
        "figures_against_original",
        "data",
        "provenance",
        "files",
    ]
)
_SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class ReleaseFolder:
    """What a folder says about itself, and which of its files are not the ones that were written."""

    path: Path
    manifest: dict[str, Any]
    damage: tuple[str, ...]
    digests: Mapping[str, str]  # of every file but the signature, as they are now

    def miscounted(self, rows: int) -> tuple[str, ...]:
        """What is wrong where the data have so many rows; nothing where the manifest says so, too."""
        described = self.manifest["data"]
        if rows == described["rows"]:
            return ()
        return (f"{described['file']} has {rows} rows, the manifest says {described['rows']}.",)


def open_release_folder(folder: Path, *, working_copy: bool = False) -> ReleaseFolder:
    """The manifest of a folder that is whole and closed in itself; raises `BadRelease` on any other.

    A working copy, as experiments keep it, has a manifest of another name and neither a report nor a data package.
    """
    own = WORKING_COPY if working_copy else MANIFEST
    _refuse_other_folders(folder, own)
    present = _files_of(folder)
    manifest = _read_manifest(folder, own)
    listed = _listed_files(manifest, folder)
    unlisted = sorted(present - set(listed) - {own, SIGNATURE})
    if unlisted:
        raise UnlistedFile(
            f"The folder holds {unlisted[0]!r}, which {own} does not list; remove what is not of the release.",
            where=str(folder),
        )
    missing = sorted(set(listed) - present)
    if missing:
        raise BadRelease(f"The release lacks its file {missing[0]}.", where=str(folder))
    if not working_copy:
        _check_data_package(folder, manifest, listed)
    digests = {name: sha256(folder / name) for name in sorted(present - {SIGNATURE})}
    damage = [
        f"{name} is not the file that was written: its checksum differs."
        for name, written in listed.items()
        if digests[name] != written["sha256"]
    ]
    return ReleaseFolder(folder, manifest, tuple(damage), digests)


def refuse_replacing(folder: Path, *, own: bool = True) -> None:
    """Refuse to replace a folder that holds anything else than a release, or with `own` false than rows in parts."""
    if folder.is_symlink() or not folder.is_dir():  # of a link nothing but the link is replaced
        return
    names = [path.name for path in folder.iterdir()]
    if names and not (MANIFEST in names if own else all(map(is_part_name, names))):
        raise OutputExists(f"{folder.name} holds other files than a release, so it is not replaced; choose another.")


def sha256(path: Path) -> str:
    """The checksum of a file."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def digest_list(digests: Mapping[str, str]) -> bytes:
    """The checksums of a folder in the form that `sha256sum -c` reads, by name: what a signature is made on."""
    return "".join(f"{digests[name]}  {name}\n" for name in sorted(digests)).encode()


def _files_of(folder: Path) -> set[str]:
    """The names of the files in a folder that holds nothing but regular files."""
    names: set[str] = set()
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.is_symlink():
                    raise LeavesFolder(
                        f"{entry.name!r} is a link; a release holds its files itself.", where=str(folder)
                    )
                if entry.name in KIND_NAMES and entry.is_dir(follow_symlinks=False):
                    names |= _parts_of(Path(entry.path), folder)
                    continue
                if not entry.is_file(follow_symlinks=False):
                    raise UnlistedFile(f"{entry.name!r} is not a regular file.", where=str(folder))
                names.add(entry.name)
                if sum("/" not in name for name in names) > MOST_FILES:
                    raise UnlistedFile(f"The folder holds more than {MOST_FILES} files.", where=str(folder))
    except OSError as error:
        raise BadRelease(f"{folder.name} is not a release: {error.strerror}.", where=str(folder)) from error
    return names


def _parts_of(parts: Path, folder: Path) -> set[str]:
    """The files of data in parts, as they are listed."""
    names: set[str] = set()
    with os.scandir(parts) as entries:
        for entry in entries:
            if entry.is_symlink():
                raise LeavesFolder(f"{entry.name!r} is a link; a release holds its files itself.", where=str(folder))
            if not entry.is_file(follow_symlinks=False) or not is_part_name(entry.name):
                raise UnlistedFile(f"'{parts.name}/{entry.name}' is no part of a {parts.name}.", where=str(folder))
            names.add(f"{parts.name}/{entry.name}")
            if len(names) > MOST_PARTS:
                raise UnlistedFile(f"There are more than {MOST_PARTS:,} parts.", where=str(folder))
    return names


def _refuse_other_folders(folder: Path, own: str) -> None:
    if not os.path.lexists(folder / own):
        if own == MANIFEST and (folder / WORKING_COPY).is_file():
            raise BadRelease(
                f"{folder.name} is the working copy of an experiment, which tells more than a release may; "
                "`crypsis export` makes a release of it.",
                where=str(folder),
            )
        results = "; it holds the results of an experiment; `crypsis export` makes a release from them"
        held = results if (folder / "experiment.toml").is_file() else ""
        raise BadRelease(f"{folder.name} is not a release: it has no {own}{held}.", where=str(folder))


def _read_manifest(folder: Path, name: str) -> dict[str, Any]:
    path, schema = folder / name, SCHEMA if name == MANIFEST else WORKING_SCHEMA
    try:
        manifest = read_json(path)
    except (ValueError, OSError) as error:
        raise BadRelease(f"{name} cannot be read: {error}.", where=str(path)) from error
    if not isinstance(manifest, dict) or manifest.get("schema") != schema:
        found = manifest.get("schema") if isinstance(manifest, dict) else None
        raise BadRelease(f"{name} must have the schema {schema}, it has {str(found)[:40]!r}.", where=str(path))
    wrong = [part for part in ("guarantee", "verdict", "data", "files") if not isinstance(manifest.get(part), dict)]
    if wrong:
        raise BadRelease(f"{name} lacks {', '.join(wrong)}.", where=str(path))
    unknown = min(set(manifest) - _ENTRIES, default=None)
    if unknown is not None and name == MANIFEST:
        raise BadRelease(f"{name} has the entry {unknown[:80]!r}, which no release has.", where=str(path))
    _check_optional_parts(manifest, path)
    described = manifest["data"]
    if not _is_described(described) or not kind_named(described["kind"]).is_sound(described):
        raise BadRelease(f"{name} describes its data in a way that is not understood.", where=str(path))
    _check_columns(described, path)
    return manifest


def _check_optional_parts(manifest: Mapping[str, Any], path: Path) -> None:
    """What a release need not say has its form where it is said."""
    method = manifest.get("method")
    if method is not None and not (
        isinstance(method, dict) and isinstance(method.get("name"), str) and isinstance(method.get("parameters"), dict)
    ):
        raise BadRelease(f"{MANIFEST} names no method with its parameters.", where=str(path))
    kinds = {
        "about": dict,
        "created": str,
        "software": dict,
        "figures": dict,
        "figures_against_original": dict,
        "utility": dict,
        "provenance": dict,
    }
    wrong = [name for name, kind in kinds.items() if name in manifest and not isinstance(manifest[name], kind)]
    if wrong:
        raise BadRelease(f"{MANIFEST} has {', '.join(wrong)} in a form that is not understood.", where=str(path))
    if "scaling" in manifest and not _is_scaling(manifest["scaling"]):
        raise BadRelease(f"{MANIFEST} has scaling in a form that is not understood.", where=str(path))
    if "about" in manifest:
        try:
            About.of(manifest["about"])
        except BadParameter as error:
            raise BadRelease(
                f"{MANIFEST} declares something that is not understood: {error}", where=str(path)
            ) from error


def _is_scaling(content: Any) -> bool:
    """Blocks of so many records were anonymized apart."""
    return (
        isinstance(content, dict)
        and set(content) == {"mode", "block_rows"}
        and content["mode"] == "blocks"
        and type(content["block_rows"]) is int
        and content["block_rows"] > 0
    )


def _is_described(described: Mapping[str, Any]) -> bool:
    """The entry on the data names its kind, file, format, order and rows, and they fit."""
    kind, format, rows = described.get("kind"), described.get("format"), described.get("rows")
    if not isinstance(kind, str) or not isinstance(format, str) or type(rows) is not int or rows < 0:
        return False
    if described.get("order") not in ("sorted", "input"):
        return False
    if format == PARTS and rows > MOST_PARTS * PART_ROWS:
        return False
    return kind_named(kind).files.get(format) == described.get("file")


def _check_columns(described: Mapping[str, Any], path: Path) -> None:
    """Every column is described once, and none of them names people."""
    columns = described.get("columns")
    if not isinstance(columns, list):
        return
    names = [column["name"] for column in columns]
    if described.get("items") is not None:
        names.append(described["items"])
    if described.get("scopes") is not None:
        names.append(described["scopes"])
    for name in names:
        if names.count(name) > 1:
            raise ContradictoryRoles(f"{MANIFEST} describes the column {name!r} twice.", where=str(path))
    for column in columns:
        if column["role"] == "identifier":
            raise ContradictoryRoles(
                f"{MANIFEST} gives column {column['name']!r} the role identifier; such columns are never published.",
                where=str(path),
            )


def _listed_files(manifest: Mapping[str, Any], folder: Path) -> dict[str, dict[str, Any]]:
    """The files of the manifest by name, each with its size and checksum."""
    listed: dict[str, dict[str, Any]] = manifest["files"]
    for name, written in listed.items():
        _refuse_leaving(name, folder)
        if (
            not isinstance(written, dict)
            or set(written) != {"bytes", "sha256"}
            or type(written["bytes"]) is not int
            or not isinstance(written["sha256"], str)
            or not _SHA256.fullmatch(written["sha256"])
        ):
            raise BadRelease(f"{MANIFEST} gives no size and checksum for {name}.", where=str(folder))
    for name in (MANIFEST, SIGNATURE):
        if name in listed:
            raise BadRelease(f"{MANIFEST} lists {name}, which cannot have its checksum there.", where=str(folder))
    own = data_files(manifest["data"])
    absent = [name for name in own if name not in listed]
    if absent:
        raise BadRelease(f"{MANIFEST} gives no checksum for {absent[0]}.", where=str(folder))
    beside = kind_named(manifest["data"]["kind"]).files_beside
    strange = min(set(listed) - {*own, *beside, *_OTHER_FILES}, default=None)
    if strange is not None:
        raise UnlistedFile(
            f"{MANIFEST} lists {strange!r}, which is no file of these data: nothing reads it, and no guarantee covers "
            "it.",
            where=str(folder),
        )
    return listed


def _check_data_package(folder: Path, manifest: Mapping[str, Any], listed: Mapping[str, Any]) -> None:
    """The data package and the manifest list the same files, and describe the same columns."""
    path = folder / DATA_PACKAGE
    absent = [name for name in _DESCRIPTIONS if name not in listed]
    if absent:
        raise BadRelease(f"The release lacks its file {absent[0]}.", where=str(folder))
    try:
        content = read_json(path)
    except (ValueError, OSError) as error:
        raise BadRelease(f"{DATA_PACKAGE} cannot be read: {error}.", where=str(path)) from error
    resources = content.get("resources") if isinstance(content, dict) else None
    if not isinstance(resources, list) or not all(isinstance(resource, dict) for resource in resources):
        raise BadRelease(f"{DATA_PACKAGE} lists no resources.", where=str(path))
    paths = [name for resource in resources for name in _listed_paths(resource.get("path"), manifest["data"]["format"])]
    for name in paths:
        if not isinstance(name, str):
            raise BadRelease(f"{DATA_PACKAGE} has a resource without one path.", where=str(path))
        _refuse_leaving(name, folder)
        if paths.count(name) > 1:
            raise BadRelease(f"{DATA_PACKAGE} lists {name!r} twice.", where=str(path))
    expected = set(listed) - _OTHER_FILES
    if set(paths) - expected:
        name = min(set(paths) - expected)
        raise UnlistedFile(f"{DATA_PACKAGE} lists {name!r}, which is no data file of {MANIFEST}.", where=str(path))
    if expected - set(paths):
        name = min(expected - set(paths))
        raise UnlistedFile(f"{name!r} is not among the resources of {DATA_PACKAGE}.", where=str(path))
    first = data_files(manifest["data"])[0]
    own = next(one for one in resources if first in _listed_paths(one.get("path"), manifest["data"]["format"]))
    _compare_fields(own, manifest["data"], path)


def data_files(described: Mapping[str, Any]) -> list[str]:
    """The files that hold the published records: one, or one for each part."""
    if described["format"] != PARTS:
        return [described["file"]]
    return part_files(described)


def _listed_paths(path: Any, format: str) -> list[Any]:
    """The path of a resource, or those of its parts."""
    return path if format == PARTS and isinstance(path, list) and path else [path]


def _compare_fields(resource: Mapping[str, Any], described: Mapping[str, Any], path: Path) -> None:
    columns = described.get("columns")
    if not isinstance(columns, list):
        return
    schema = resource.get("schema")
    fields = schema.get("fields") if isinstance(schema, dict) else None
    named = [field.get("name") for field in fields if isinstance(field, dict)] if isinstance(fields, list) else []
    expected = [column["name"] for column in columns]
    expected += [described[name] for name in ("items", "scopes") if described.get(name) is not None]
    if named != expected:
        raise ContradictoryRoles(
            f"{DATA_PACKAGE} and {MANIFEST} describe different columns of {described['file']}.", where=str(path)
        )


def _refuse_leaving(name: str, folder: Path) -> None:
    """A file of a release is named without any path, but for parts of its data."""
    above, _, part = name.partition("/")
    if above in KIND_NAMES and is_part_name(part):
        return
    if name in ("", ".", "..") or "/" in name or "\\" in name or "\0" in name or os.path.isabs(name):  # noqa: PTH117
        raise LeavesFolder(f"The path {name[:80]!r} leads out of the release folder.", where=str(folder))
