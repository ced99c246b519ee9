"""Who looks at a page: in which language, which was chosen in this browser or is what it prefers, and on a phone?"""

from __future__ import annotations

from fastapi import Request
from nicegui import context
from nicegui.slot import Slot

from crypsis.translation import ask_language, best_language
from crypsis.translation.languages import is_known

LANGUAGE_COOKIE = "crypsis-language"
SCREEN_COOKIE = "crypsis-screen"  # kept by crypsis.js


def language_of(request: Request) -> str:
    """The language of a request."""
    chosen = request.cookies.get(LANGUAGE_COOKIE)
    if chosen is not None and is_known(chosen):
        return chosen
    return best_language(request.headers.get("accept-language", ""))


def on_a_phone() -> bool:
    """Whether the page in whose place the code runs is shown on a narrow screen."""
    request = _request()
    return request is not None and request.cookies.get(SCREEN_COOKIE) == "narrow"


def _request() -> Request | None:
    """What asked for the page in whose place the code runs; None outside of pages."""
    if not Slot.get_stack():  # asking further would open a page of its own before the server runs
        return None
    try:
        return context.client.request
    except (RuntimeError, AttributeError):
        return None


def _language_of_client() -> str | None:
    """The language of the page in whose place the code runs; None outside of pages."""
    request = _request()
    return None if request is None else language_of(request)


ask_language(_language_of_client)
