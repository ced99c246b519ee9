"""What handlers of pages share: work in threads, errors in words beside what caused them, revisions that were seen."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import wraps
from inspect import isawaitable
from typing import Any, Literal, ParamSpec, TypeVar

from nicegui import ui

from crypsis.errors import ChangedElsewhere, CrypsisError
from crypsis.translation import _, language, reading
from crypsis.translation.templates import localized
from crypsis.web.telling import error_sentence, error_words

Given = ParamSpec("Given")
Result = TypeVar("Result")


async def in_thread(action: Callable[..., Result], *given: Any, **named: Any) -> Result:
    """Work that takes longer than a blink, so that other tabs go on meanwhile."""
    chosen = language()

    def reads_on() -> Result:
        with reading(chosen):
            return action(*given, **named)

    return await asyncio.to_thread(reads_on)


def notify_errors(handler: Callable[Given, Any]) -> Callable[Given, Awaitable[Any]]:
    """A handler whose errors are shown to the user, and end nothing else."""

    @wraps(handler)
    async def safely(*given: Given.args, **named: Given.kwargs) -> Any:
        try:
            result = handler(*given, **named)
            return await result if isawaitable(result) else result
        except CrypsisError as error:
            notify_error(error)
            return None

    return safely


def notify_error(error: CrypsisError) -> None:
    """An error as a message that stays until it is read."""
    kind: Literal["warning", "negative"] = "warning" if isinstance(error, ChangedElsewhere) else "negative"
    ui.notify(
        error_words(error), type=kind, multi_line=True, close_button=_("Close"), timeout=8000, position="bottom-right"
    )


def done(text: str) -> None:
    """Tell for a moment that something was done."""
    ui.notify(text, type="positive", position="bottom-right", timeout=2500)


def show_error_at(field: Any, error: CrypsisError) -> None:
    """Show an error at the field that caused it."""
    field.error = error_sentence(error)


def number(value: float | None, digits: int = 3) -> str:
    """A figure as people read it."""
    if value is None:
        return "–"
    if isinstance(value, int) or float(value).is_integer():
        return localized(f"{int(value):,}", language())
    written = f"{value:,.{digits}g}" if abs(value) < 10**digits - 0.5 else f"{value:,.0f}"  # never 1.01e+03
    return localized(written, language())


def percent(share: float | None) -> str:
    """Write a share in percent, or a dash where there is none."""
    return "–" if share is None else localized(f"{100 * share:.3g} %", language())
