"""`crypsis certificate`: a PDF that says what a release guarantees, and who answers for it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from crypsis.cli.command import Command
from crypsis.cli.declaring import AboutFile
from crypsis.cli.output import show
from crypsis.cli.report import check_language
from crypsis.reports.about import HELP
from crypsis.translation.languages import LANGUAGES


@dataclass(frozen=True, kw_only=True)
class Certificate(Command):
    """Write the certificate of a release as a PDF; what only you can say is asked for, never guessed.

    What the release declares already (`crypsis anonymize --about`) is not asked for again.

    The promise is recounted first: a release that does not keep it gets no certificate (exit code 4).
    """

    folder: Annotated[Path, typer.Argument(help="A release folder.")]
    out: Annotated[Path, "The PDF to write, outside the folder."]
    about: AboutFile = None
    title: Annotated[str | None, HELP["title"]] = None
    controller: Annotated[str | None, HELP["controller"]] = None
    purpose: Annotated[str | None, HELP["purpose"]] = None
    recipient: Annotated[str | None, HELP["recipient"]] = None
    legal_basis: Annotated[str | None, HELP["legal_basis"]] = None
    made_by: Annotated[str | None, HELP["made_by"]] = None
    approved_by: Annotated[str | None, HELP["approved_by"]] = None
    trusted: Annotated[list[Path] | None, "Public key (.pub) by which the signer is named."] = None
    font: Annotated[Path | None, "TrueType font for letters that the built-in one lacks."] = None
    language: Annotated[
        str | None,
        f"Language of the certificate: {', '.join(LANGUAGES)} (default: as declared).",
    ] = None
    overwrite: Annotated[bool, "Replace an existing file."] = False

    def execute(self) -> None:
        from crypsis.certificate import About, read_about, write_certificate
        from crypsis.release_folder import open_release_folder

        check_language(self.language)
        given = {
            "title": self.title,
            "controller": self.controller,
            "purpose": self.purpose,
            "recipient": self.recipient,
            "legal_basis": self.legal_basis,
            "made_by": self.made_by,
            "approved_by": self.approved_by,
        }
        declared = dict(open_release_folder(self.folder).manifest.get("about") or {})
        declared |= {} if self.about is None else read_about(self.about)
        declared |= {name: value for name, value in given.items() if value is not None}
        path = write_certificate(
            self.folder,
            self.out,
            About.of(declared),
            trusted=self.trusted or (),
            font=self.font,
            overwrite=self.overwrite,
            language=self.language,
        )
        show({"certificate": str(path)}, f"certificate  {path}")
