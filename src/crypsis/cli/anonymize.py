"""`crypsis anonymize`: from a file to a verified release."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from crypsis.cli.keys import Sign
from crypsis.cli.output import note, progress, review_words, show, shown_value, verdict_words
from crypsis.cli.reading import Reader, reads_data, words_on
from crypsis.cli.reviewing import FIGURES_HIDDEN, FIGURES_NOT_COVERED, Confirm, Strict
from crypsis.cli.settings import checked_from_settings
from crypsis.errors import BadParameter, OutputExists


@reads_data
def anonymize(
    *,
    read: Reader,
    input: Annotated[
        Path, typer.Argument(help="The data: CSV, Parquet, JSON Lines or FIMI/SPMF text, compressed or not.")
    ],
    method: Annotated[str, typer.Option("--method", help="Method by name; `crypsis methods` lists them.")],
    out: Annotated[Path, typer.Option("--out", help="Folder to write the release to.")],
    format: Annotated[
        str | None, typer.Option("--format", help="Format of the published data; which ones there are depends on them.")
    ] = None,
    order: Annotated[
        str, typer.Option("--order", help="'sorted' by published values; 'input' for evaluation only.")
    ] = "sorted",
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an existing release.")] = False,
    private_report: Annotated[
        Path | None,
        typer.Option("--private-report", help="Also write merges, row mapping and timings, readable by you alone."),
    ] = None,
    confirm: Confirm = None,
    strict: Strict = False,
    figures: Annotated[
        bool,
        typer.Option(
            "--figures",
            help="Of a differentially private release, also show figures against the original; acting on them is not "
            "covered by the guarantee.",
        ),
    ] = False,
    sign: Sign = None,
) -> None:
    """Anonymize a file, prove the result, and write a release.

    The method's own parameters are options too, e.g. -k 5 -m 2; `crypsis methods NAME` lists them. Nothing is
    written unless the independent verifier confirms the guarantee. Three lights say whether the guarantee holds, what
    the release discloses beside it, and what is left; with --strict nothing is written unless all are green.
    """
    from crypsis import _api
    from crypsis.guarantees import DifferentialPrivacy
    from crypsis.methods import Method, method_named
    from crypsis.publication import KINDS
    from crypsis.signatures import check_private_key

    formats = {known for kind in KINDS.values() for known in kind.files}
    if format is not None and format not in formats:
        raise BadParameter(f"--format must be one of {', '.join(sorted(formats))}, got {format!r}.")
    chosen = checked_from_settings(method_named(method))
    assert isinstance(chosen, Method)
    if os.path.lexists(out) and not overwrite:
        raise OutputExists(f"{out} exists already; choose another folder or add --overwrite.")
    if sign is not None:
        check_private_key(sign)
    data = read(input, chosen.accepts, for_method=chosen)
    if not chosen.by_record:  # how much a private method was given is told to nobody
        note(words_on(data))
    with progress() as listener:
        release = _api.anonymize(data, chosen, listener=listener)
        verdict = release.verify()
        folder = release.write(
            out,
            format=format,
            order=order,
            overwrite=overwrite,
            private_report=private_report,
            confirm=confirm or (),
            strict=strict,
            sign=sign,
        )
        review = release.review()
    for warning in release.journal.warnings:
        note(warning)
    if release.guarantee.trivial:
        note("no protection was requested: with these parameters the guarantee says nothing")
    for words in release.kind.notes(release.data):
        note(words)
    hidden = isinstance(release.guarantee, DifferentialPrivacy) and not figures
    utility = {} if hidden else release.utility()
    told = "\n".join(f"  {name.replace('_', ' '):<38}{shown_value(value)}" for name, value in utility.items())
    left = f"what is left\n{told}\n\n" if told else ""
    if isinstance(release.guarantee, DifferentialPrivacy):
        note(FIGURES_HIDDEN if hidden else FIGURES_NOT_COVERED)
    show(
        {
            "folder": str(folder),
            "report": str(folder / "report.html"),
            "verdict": verdict.to_dict(),
            "review": review.to_dict(),
            "utility": utility,
            "timings": release.journal.timings,
        },
        f"{verdict_words(verdict)}\n\n{review_words(review)}\n\n{left}"
        f"release  {folder}\nreport   {folder / 'report.html'}",
    )
