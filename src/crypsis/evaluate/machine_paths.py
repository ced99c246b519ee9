"""Folders of this machine, which no report repeats: they tell names of people and projects."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePath, PureWindowsPath
from typing import Any

_BETWEEN = re.compile(r"[=,:;\n]")


def machine_folders(content: Any, *more: Path) -> tuple[str, ...]:
    """The folders of all absolute paths in the texts of an experiment, and these, the longest first."""
    folders = {str(folder.resolve()) for folder in more}
    for text in _texts(content):
        for part in (text, *_BETWEEN.split(text)):
            path: PurePath = PureWindowsPath(part) if "\\" in part else PurePath(part)
            if path.is_absolute() or part.startswith("~"):
                folders.add(str(path.parent))
    return tuple(sorted((folder for folder in folders if len(folder) > 1), key=lambda folder: (-len(folder), folder)))


def without_folders(text: str, folders: tuple[str, ...]) -> str:
    """The text with files by their names alone, as it stands, in HTML and in JSON."""
    for folder in folders:
        for written in {folder, html.escape(folder), json.dumps(folder, ensure_ascii=False)[1:-1]}:
            text = re.sub(rf"{re.escape(written)}(?:[/\\]+|(?![\w.-]))", "", text)
    return text


def _texts(content: Any) -> Iterator[str]:
    if isinstance(content, str):
        yield content
    elif isinstance(content, Mapping):
        for value in content.values():
            yield from _texts(value)
    elif isinstance(content, (list, tuple)):
        for value in content:
            yield from _texts(value)
