"""SPARQL endpoints as sources: CONSTRUCT queries, page by page, with retries, a file to resume from and a fallback."""

from __future__ import annotations

import re
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable
from pathlib import Path

from crypsis.errors import BadWarehouse, SourceUnreachable

PAUSES = (0.5, 2.0, 5.0)  # seconds before each retry


def fetch_endpoint(
    url: str,
    query: str,
    folder: Path,
    *,
    page: int = 10_000,
    retries: int = 3,
    timeout: float = 60.0,
    pause: Callable[[float], None] = time.sleep,
) -> list[Path]:
    """The pages of a CONSTRUCT query as N-Triples files; pages that are there already are not asked for again.

    The query must have an ORDER BY, so that pages neither overlap nor leave gaps.
    """
    if not re.search(r"\bORDER\s+BY\b", query, re.IGNORECASE):
        raise BadWarehouse("A query that is fetched in pages needs an ORDER BY; without it pages may overlap.")
    folder.mkdir(parents=True, exist_ok=True)
    pages: list[Path] = []
    while True:
        path = folder / f"page-{len(pages):06d}.nt"
        if not path.exists():
            asked = f"{query}\nLIMIT {page} OFFSET {len(pages) * page}"
            content = _ask(url, asked, retries, timeout, pause)
            partial = path.with_suffix(".partial")
            partial.write_bytes(content)
            partial.replace(path)
        if not path.read_bytes().strip():
            path.unlink()
            return pages
        pages.append(path)


def _ask(url: str, query: str, retries: int, timeout: float, pause: Callable[[float], None]) -> bytes:
    body = urllib.parse.urlencode({"query": query}).encode()
    headers = {"Content-Type": "application/x-www-form-urlencoded", "Accept": "application/n-triples"}
    for attempt in range(retries + 1):
        try:
            with urllib.request.urlopen(urllib.request.Request(url, body, headers), timeout=timeout) as answer:
                content: bytes = answer.read()
                return content
        except urllib.error.HTTPError as error:
            if error.code < 500 and error.code != 429:
                raise SourceUnreachable(f"The endpoint refused the query: {error.code} {error.reason}.") from error
            reason = f"{error.code} {error.reason}"
        except (urllib.error.URLError, TimeoutError, OSError) as error:
            reason = str(getattr(error, "reason", error))
        if attempt < retries:
            pause(PAUSES[min(attempt, len(PAUSES) - 1)])
    raise SourceUnreachable(f"The endpoint does not answer after {retries + 1} attempts: {reason}.")
