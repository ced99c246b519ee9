"""The report of a result as a document to sign: who answers for it, and the public and the private report."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import ui

from crypsis.errors import BadParameter
from crypsis.reports.about import HELP, LABELS, REQUIRED, About, report_language
from crypsis.translation import ENGLISH, LANGUAGES, _, language
from crypsis.web import theme
from crypsis.web.actions import done
from crypsis.web.declaration import Declaration
from crypsis.web.telling import error_sentence

TO_SIGN = "report.pdf"
LANGUAGE = "language"


class ReportCard:
    """A section of the page Evaluate. `address` is that of the result below `/api`."""

    def __init__(self, declaration: Declaration, address: str) -> None:
        self.declaration, self.address = declaration, address
        with theme.section(_("Report to sign"), _("What was published, under which guarantee, and who answers for it")):
            self.place = ui.column().style("width: 100%; gap: 12px")
        self.show()

    def show(self) -> None:
        about = self.declaration.about
        self.place.clear()
        with self.place:
            if about is None:
                theme.message(
                    "info",
                    _("Nobody answers for it yet"),
                    _(
                        "Declare title, controller, purpose, recipient, legal basis, author and approver "
                        "once; they stand in every report and release of this workspace."
                    ),
                )
            else:
                ui.label(
                    _(
                        "{title} · {controller} · approved by {approved_by}",
                        title=about.title,
                        controller=about.controller,
                        approved_by=about.approved_by,
                    )
                ).classes("strong")
            with ui.row().classes("actions"):
                words = _("Declare who answers for it") if about is None else _("Change the declaration")
                button = theme.primary if about is None else theme.secondary
                button(words, lambda: ask_declaration(self.declaration, self.show), "badge")
                theme.secondary(_("Public report (PDF)"), self._open(TO_SIGN), "picture_as_pdf")
                theme.secondary(_("Public report (page)"), self._open("report.html"), "description")
            with ui.row().classes("actions"):
                theme.secondary(_("Private report (PDF)"), self._open("report.pdf?private=true"), "lock")
                theme.secondary(_("Private report (page)"), self._open("report.html?private=true"), "lock")
            ui.label(
                _("The private report shows the original beside the release. It is for your own file, not for release.")
            ).classes("muted small")

    def _open(self, name: str) -> Callable[[], None]:
        """Open a report; the one to sign asks first who answers for it, once."""

        def open_report() -> None:
            about = self.declaration.about
            chosen = readers_language() if about is None else report_language(about)
            mark = "&" if "?" in name else "?"
            ui.navigate.to(f"{self.address}/{name}{mark}language={chosen}", new_tab=True)

        def declared() -> None:
            self.show()
            with self.place:
                open_report()

        def ask_first() -> None:
            if name == TO_SIGN and self.declaration.about is None:
                ask_declaration(self.declaration, declared)
            else:
                open_report()

        return ask_first


def ask_declaration(declaration: Declaration, after: Callable[[], None]) -> None:
    """The form in which the publisher declares; what is missing is said beside its field."""
    before = declaration.about
    with theme.named_dialog(_("Who answers for releases"), width=640) as dialog:
        ui.label(_("Asked once and kept in this workspace. It goes into every release, and nothing of it is guessed."))
        fields: dict[str, Any] = {}
        for name in REQUIRED:
            fields[name] = _field(name, before)
        fields[LANGUAGE] = _language_field(before)
        with ui.expansion(_("For a repository (may be left empty)")).props("dense").classes("fold"):
            for name in LABELS:
                if name not in REQUIRED and name != LANGUAGE:
                    fields[name] = _field(name, before)
        problem = ui.label().classes("bad").props("role=alert")

        def keep() -> None:
            for field in fields.values():
                field.error = None
            try:
                content = {name: str(field.value or "") for name, field in fields.items()}
                declaration.declare(content | ({LANGUAGE: ""} if content[LANGUAGE] == ENGLISH else {}))
            except BadParameter as error:
                missing = error.details.get("missing")
                for name in missing if isinstance(missing, list) else ():
                    fields[name].error = _("Not said yet.")
                problem.set_text(error_sentence(error))
                return
            dialog.close()
            done(_("Kept for this workspace"))
            after()

        with ui.row().classes("actions"):
            theme.primary(_("Keep"), keep, "check")
            ui.button(_("Close"), on_click=dialog.close).props("flat no-caps")
    dialog.open()


def _field(name: str, before: About | None) -> Any:
    value = getattr(before, name, None) or ""
    field = ui.input(_(LABELS[name]), value=value).props(f"outlined dense {theme.attribute('hint', _(HELP[name]))}")
    return field.style("width: 100%")


def _language_field(before: About | None) -> Any:
    """The declared language, or for somebody who declares the first time their own."""
    chosen = readers_language() if before is None else report_language(before)
    help = theme.attribute("hint", _(HELP[LANGUAGE]))
    field = ui.select(LANGUAGES, value=chosen, label=_(LABELS[LANGUAGE])).props(f"outlined dense {help}")
    return field.style("width: 100%")


def readers_language() -> str:
    """The language of whoever reads the page, if reports are written in it."""
    return language() if language() in LANGUAGES else ENGLISH


def report_address(experiment: str) -> str:
    """Where the report of an experiment is, in the reader's language."""
    return f"/api/experiments/{experiment}/report.html?language={readers_language()}"
