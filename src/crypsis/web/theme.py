"""How everything looks: colours, type, spacing, the frame around a page, and the pieces that pages are made of.

The colours are those of reports, so a picture looks the same in both. Nothing is shown by colour alone: every
state also has a sign and a word.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass
from functools import partial
from typing import Any

from nicegui import ui

from crypsis.drawing.colours import DARK, LIGHT, PICTURE_STYLE
from crypsis.errors import CrypsisError
from crypsis.evaluate.plots import PLOT_SCRIPT, PLOT_STYLE
from crypsis.translation import LANGUAGES, _, language, marked
from crypsis.version import VERSION
from crypsis.web.reader import LANGUAGE_COOKIE
from crypsis.web.telling import error_words

THEME_COOKIE = "crypsis-theme"


@dataclass(frozen=True)
class PageLink:
    """A page as the navigation shows it."""

    path: str
    title: str
    icon: str
    group: str


NAVIGATION = (
    PageLink("/data", marked("Data"), "table_chart", marked("Prepare")),
    PageLink("/parts", marked("Data in parts"), "dynamic_feed", marked("Prepare")),
    PageLink("/hierarchies", marked("Hierarchies"), "account_tree", marked("Prepare")),
    PageLink("/policies", marked("Policies"), "policy", marked("Prepare")),
    PageLink("/queries", marked("Queries"), "manage_search", marked("Prepare")),
    PageLink("/warehouse", marked("Warehouse"), "hub", marked("Prepare")),
    PageLink("/evaluate", marked("Evaluate"), "science", marked("Anonymize")),
    PageLink("/compare", marked("Compare"), "stacked_line_chart", marked("Anonymize")),
    PageLink("/results", marked("Results"), "leaderboard", marked("Anonymize")),
    PageLink("/trajectories", marked("Trajectories"), "route", marked("Movement")),
    PageLink("/streams", marked("Streams"), "stream", marked("Movement")),
    PageLink("/query", marked("Query"), "query_stats", marked("Check")),
    PageLink("/verify", marked("Verify"), "verified_user", marked("Check")),
    PageLink("/methods", marked("Methods"), "menu_book", marked("Check")),
)
TITLES = {link.path: link.title for link in NAVIGATION}


def _properties(colours: Mapping[str, str]) -> str:
    return " ".join(f"--{name}: {colour};" for name, colour in colours.items())


STYLE = (
    "body { --q-positive: #1d6f42 !important; }\n"  # white words on it can be read
    f"body.body--light {{ {_properties(LIGHT)} --q-primary: #0b68a8 !important; --shade: #eef1f4; "
    "color-scheme: light; }\n"
    f"body.body--dark {{ {_properties(DARK)} --q-primary: #4fa3dd !important; --shade: #0f1316; --q-dark: #1c2126; "
    f"--q-dark-page: #14181c; color-scheme: dark; }}\n" + PICTURE_STYLE + PLOT_STYLE
)


@contextmanager
def page_frame(title: str, lead: str, *, dataset: str | None = None, heading: str | None = None) -> Iterator[ui.row]:
    """The frame of a page: navigation, heading, and the main column. Yields the row for actions beside the heading."""
    _speak()
    ui.add_head_html(f"<style>{STYLE}</style>")
    ui.add_body_html(f'<a class="skip" href="#main">{escaped(_("Skip to the content"))}</a>')
    ui.add_head_html('<link rel="stylesheet" href="/static/crypsis.css">')
    ui.add_head_html(f'<script src="/static/crypsis.js"></script><script>{PLOT_SCRIPT}</script>')
    ui.add_head_html(f"<script>crypsis.words = {script_words()};</script>")
    ui.page_title(f"{title} · Crypsis")
    chosen = ui.context.client.request.cookies.get(THEME_COOKIE, "")
    dark = ui.dark_mode({"dark": True, "light": False}.get(chosen))
    _navigation(title, dark, dataset)
    ui.html(_top_bar(), sanitize=False).classes("top-bar")
    with ui.column().classes("page") as main:
        main.props('id="main" tabindex=-1')  # where the skip link leads; it lies in <main>
        with ui.row().classes("page-head"):
            with ui.column().classes("page-title"):
                ui.html(f"<h1>{escaped(_(heading) if heading else title)}</h1>", sanitize=False)
                ui.label(_(lead)).classes("lead")
            actions = ui.row().classes("actions")
        try:
            yield actions
        except CrypsisError as error:  # what cannot be read must not take the page, and the way on, with it
            with fault(_("This cannot be shown"), error_words(error)):
                secondary(_("Load the page again"), ui.navigate.reload, "refresh")
                go_button(_("Go to Data"), "/data", "table_chart")


def _speak() -> None:
    """Let the widgets, too, speak the reader's language: what they say by themselves stands in catalogues of theirs."""
    page = copy(ui.context.client.page)
    page.language = "de" if language() == "de" else "en-US"
    ui.context.client.page = page
    # without a direction the rules of Quasar for left and right do not hold: indented trees, labels above fields
    root = f"const root = document.documentElement; root.lang = '{language()}'; root.dir = 'ltr';"
    ui.add_head_html(f"<script>{{ {root} }}</script>")


# What crypsis.js says: by name, with values in braces.
_SCRIPT_WORDS = {
    "rows": marked("The rows cannot be read."),
    "bytes": marked("bytes"),
    "tooLarge": marked("This file has {size}; {limit} are allowed."),
    "left": marked(", about {seconds} s left"),
    "sending": marked("Sending {name}: {sent} of {size}{left}"),
    "sent": marked("{name}: all {size} sent, being checked …"),
    "failed": marked("The file could not be sent."),
    "received": marked("Received {name}, {size}"),
    "lost": marked("The connection was lost; try again."),
    "begun": marked("Sending {name} …"),
    "chosen": marked("{place}, chosen"),
    "days": marked("Mon Tue Wed Thu Fri Sat Sun"),
    "north": marked("N"),
    "south": marked("S"),
    "east": marked("E"),
    "west": marked("W"),
}


def script_words() -> str:
    """The words of the script in the reader's language, and how the language writes numbers."""
    words = {name: _(text) for name, text in _SCRIPT_WORDS.items()}
    return json.dumps({**words, "locale": "de" if language() == "de" else "en"}).replace("<", "\\u003c")


def _navigation(current: str, dark: Any, dataset: str | None) -> None:
    with ui.left_drawer(value=True, fixed=True, bordered=True).props("width=208 breakpoint=0 id=side").classes("side"):
        with ui.link(target="/").classes("brand").props(f"{attribute('aria-label', _('Crypsis, start page'))}"):
            ui.html(_LOGO, sanitize=False)
            ui.label(_("Crypsis"))
        group = ""
        with ui.element("nav").props(f"{attribute('aria-label', _('Pages'))}"):
            for page in NAVIGATION:
                if page.group != group:
                    group = page.group
                    ui.label(_(group)).classes("nav-group")
                target = f"{page.path}?dataset={dataset}" if dataset else page.path
                with ui.link(target=target).classes("nav-item") as link:
                    ui.icon(page.icon).props("aria-hidden=true")
                    ui.label(_(page.title))
                if _(page.title) == current:
                    link.classes("here").props("aria-current=page")
        with ui.row().classes("side-foot"):
            ui.label(_("version {version}", version=VERSION)).classes("muted small")
            button = ui.button(icon="contrast").props(f"flat round dense {attribute('aria-label', _('Light or dark'))}")
            button.tooltip(_("Light or dark"))
            button.on_click(lambda: _switch(dark))
            _language_menu()


def _language_menu() -> None:
    """The languages, each in its own words; the choice is kept in the browser."""
    with ui.button(icon="translate").props(f"flat round dense {attribute('aria-label', _('Language'))}") as button:
        button.tooltip(_("Language"))
        with ui.menu():
            for name, words in LANGUAGES.items():
                item = ui.menu_item(words, on_click=partial(_read_in, name)).props(f"role=menuitem lang={name}")
                if name == language():
                    item.props("aria-current=true")


def _read_in(name: str) -> None:
    ui.run_javascript(f"crypsis.keepTheme('{LANGUAGE_COOKIE}', '{name}'); location.reload()")


async def _switch(dark: Any) -> None:
    now_dark = await ui.run_javascript("document.body.classList.contains('body--dark')")
    dark.set_value(not now_dark)
    ui.run_javascript(f"crypsis.keepTheme('{THEME_COOKIE}', '{'light' if now_dark else 'dark'}')")


@contextmanager
def section(title: str = "", hint: str = "", *, classes: str = "") -> Iterator[ui.row]:
    """A box with a heading; yields the row for small actions beside it."""
    with ui.element("section").classes(f"box {classes}"):
        if title:
            with ui.row().classes("box-head"):
                with ui.column().classes("box-title"):
                    ui.html(f"<h2>{escaped(title)}</h2>", sanitize=False)
                    if hint:
                        ui.label(hint).classes("muted small")
                actions = ui.row().classes("actions")
        else:
            actions = ui.row()
            actions.set_visibility(False)
        yield actions


@contextmanager
def empty_state(icon: str, title: str, text: str) -> Iterator[None]:
    """What to do next, where there is nothing to show yet."""
    with ui.column().classes("empty"):
        ui.icon(icon).classes("empty-icon").props("aria-hidden=true")
        ui.html(f"<h2>{escaped(title)}</h2>", sanitize=False)
        ui.label(text).classes("muted")
        with ui.row().classes("actions"):
            yield


def tile(label: str, value: str, note: str = "", *, state: str = "", meaning: str = "") -> None:
    """One figure, large; what it means is shown on hover and focus."""
    with ui.column().classes(f"tile {state}") as box:
        if meaning:
            box.props("tabindex=0").tooltip(meaning)
        ui.label(label).classes("tile-label")
        ui.label(value).classes("tile-value words" if len(value) > 10 else "tile-value")
        if note:
            ui.label(note).classes("muted small")


SIGNS = {
    "good": ("check_circle", "good"),
    "bad": ("error", "bad"),
    "caution": ("warning", "caution"),
    "info": ("info", "info"),
}


def message(state: str, title: str, text: str = "") -> Any:
    """A sentence that must be read: a sign, a heading, and words."""
    icon, name = SIGNS[state]
    with ui.row().classes(f"message {name}").props("role=status" if state != "bad" else "role=alert") as box:
        ui.icon(icon).props("aria-hidden=true")
        with ui.column().classes("message-text"):
            ui.label(title).classes("strong")
            if text:
                ui.label(text)
    return box


@contextmanager
def inside(box: Any) -> Iterator[None]:
    """The controls that mend what a message says stand in it, below its words."""
    with box.default_slot.children[-1], ui.row().classes("actions remedies"):
        yield


@contextmanager
def fault(title: str, text: str = "") -> Iterator[None]:
    """What went wrong. The controls that mend it are made inside; an error without one leaves its reader alone."""
    with inside(message("bad", title, text)):
        yield


STATES = {
    "waiting": ("schedule", marked("waiting"), ""),
    "running": ("autorenew", marked("running"), "info"),
    "done": ("check_circle", marked("done"), "good"),
    "infeasible": ("block", marked("not possible"), "caution"),
    "failed": ("error", marked("failed"), "bad"),
    "unsafe": ("gpp_bad", marked("not safe"), "bad"),
    "cancelled": ("cancel", marked("cancelled"), ""),
    "too_slow": ("timer_off", marked("too slow"), "caution"),
}


@contextmanager
def named_dialog(title: str, *, width: int = 560) -> Iterator[Any]:
    """A dialog with its heading, which is read aloud when it opens; whoever makes it opens it."""
    wide = f"width: {width}px; max-width: 92vw"
    with ui.dialog().props(attribute("aria-label", title)) as made, ui.card().classes("box").style(wide):
        ui.html(f"<h2>{escaped(title)}</h2>", sanitize=False)
        yield made


def primary(text: str, handler: Callable[..., Any], icon: str | None = None) -> Any:
    """The one thing to do next."""
    return ui.button(text, on_click=handler, icon=icon).props("unelevated no-caps color=primary text-color=on-primary")


def secondary(text: str, handler: Callable[..., Any], icon: str | None = None) -> Any:
    """Make a button beside the primary one."""
    return ui.button(text, on_click=handler, icon=icon).props("outline no-caps color=primary")


def go_button(text: str, address: str, icon: str) -> Any:
    """A button that opens another page."""
    return secondary(text, lambda: ui.navigate.to(address), icon)


def quiet(icon: str, label: str, handler: Callable[..., Any]) -> Any:
    """A small button that is only a sign; its name is read aloud and shown on hover."""
    button = ui.button(icon=icon, on_click=handler).props(f"flat dense round {attribute('aria-label', label)}")
    return button.tooltip(label)


class Announcer:
    """A place that is read aloud and not seen: one short sentence at a time, whatever else changes on the page."""

    def __init__(self) -> None:
        self.place = ui.label().classes("aloud").props("role=status aria-live=polite")

    def say(self, text: str) -> None:
        if text != self.place.text:
            self.place.set_text(text)


def keep_focus(target: Any, *leaving: Any) -> None:
    """Move the focus from controls that can no longer be used to one that can; elsewhere it stays."""
    ui.run_javascript(f"crypsis.keepFocus({target.id}, {[one.id for one in leaving]})")


def lead_to(target: Any) -> None:
    """Scroll to what lies below the screen; what can be seen already stays where it is."""
    ui.run_javascript(f"crypsis.leadTo({target.id})")


def escaped(text: str) -> str:
    """Escape a text for HTML."""

    import html

    return html.escape(text, quote=True)


def attribute(name: str, text: str) -> str:
    """An attribute whose text people hear or read, as `props` takes it."""
    return f"{name}={text!a}"


def markup_attribute(name: str, text: str) -> str:
    """The same as HTML takes it."""
    return f'{name}="{escaped(text)}"'


def picture(svg: str, description: str = "") -> Any:
    """A drawing of our own, whose texts were escaped when it was drawn."""
    return ui.html(svg, sanitize=False).classes("drawing").props(attribute("aria-label", description))


_LOGO = (
    '<svg width="26" height="26" viewBox="0 0 26 26" aria-hidden="true"><circle cx="9" cy="13" r="7" '
    'fill="var(--intact)" opacity=".9"/><circle cx="17" cy="13" r="7" fill="var(--generalized)" opacity=".75"/></svg>'
)


# On a narrow screen the style sheet folds the navigation away and shows this bar, whose button opens it.
def _top_bar() -> str:
    return (
        f'<button type="button" class="menu-button" {markup_attribute("aria-label", _("Menu"))} aria-expanded="false" '
        'aria-controls="side" onclick="crypsis.menu()">'
        '<span class="material-icons" aria-hidden="true">menu</span></button>'
        f'<a class="brand" href="/" {markup_attribute("aria-label", _("Crypsis, start page"))}>{_LOGO}'
        "<span>Crypsis</span></a>"
    )
