"""Which language whoever looks at a page reads: what was chosen in this browser, else what the browser prefers."""

from __future__ import annotations

from fastapi import Request
from nicegui import context

from crypsis.translation import ask_language, best_language
from crypsis.translation.languages import is_known

LANGUAGE_COOKIE = "crypsis-language"


def language_of(request: Request) -> str:
    """The language of a request."""
    chosen = request.cookies.get(LANGUAGE_COOKIE)
    if chosen is not None and is_known(chosen):
        return chosen
    return best_language(request.headers.get("accept-language", ""))


def _language_of_client() -> str | None:
    """The language of the page in whose place the code runs; None outside of pages."""
    try:
        request = context.client.request
    except (RuntimeError, AttributeError):
        return None
    return None if request is None else language_of(request)


ask_language(_language_of_client)
