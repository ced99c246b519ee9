"""`crypsis report`: of a release, as a summary, a page or single pictures; of an experiment, made again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from crypsis.cli.output import show
from crypsis.errors import BadParameter, BadRelease, OptionWithoutEffect, OriginalRequired, did_you_mean
from crypsis.translation.languages import LANGUAGES

if TYPE_CHECKING:
    from crypsis.evaluate import Store
    from crypsis.release import Release
    from crypsis.reports.report import Report


def report(
    release: Annotated[
        Path,
        typer.Argument(help="A release folder, the results of an experiment, or a report (.html) that Crypsis wrote."),
    ],
    out: Annotated[Path | None, "Write the page here (default: print where the report is)."] = None,
    pdf: Annotated[
        Path | None,
        "Write the report as a PDF for signing and filing.",
    ] = None,
    pictures: Annotated[Path | None, "Also write each picture as an SVG file into this folder."] = None,
    language: Annotated[
        str | None,
        f"Language of the report: {', '.join(LANGUAGES)} (default: that of the folder, which keeps its own).",
    ] = None,
) -> None:
    """Show where the report of a release is, or create it again; for an experiment, create it from current results.

    With --pdf also as a document to sign. Every page of a private report (RELEASE.private.html) says that it is not for
    release.
    """
    from crypsis._api import read_release
    from crypsis.evaluate import Store

    _check_pdf(pdf, release)
    check_language(language)
    if language is not None and out is None and pdf is None and pictures is None:
        raise OptionWithoutEffect(
            "--language is for a report that is written: give --out, --pdf or --pictures.", parameter="language"
        )
    if release.suffix == ".html" and release.is_file():
        if language is not None:
            raise OptionWithoutEffect(
                "A report that was written already keeps its language. Give --language with the release folder; a "
                'private report is written in the one that --about declares (language = "de").',
                parameter="language",
            )
        _of_page(release, out, pictures, pdf)
        return
    if Store(release).exists():
        if pdf is not None:
            raise OptionWithoutEffect("--pdf is for reports of releases; export a cell first.", parameter="pdf")
        _of_experiment(Store(release), out, pictures)
        return
    read_back = read_release(release)
    page = release / "report.html"
    if pdf is not None and read_back.damage:
        raise BadRelease(f"{read_back.damage[0]} A damaged release has no report to sign.", where=str(release))
    path = page if out is None else _in_language(read_back, language).save(out)
    printed = [] if pdf is None else [_to_sign(read_back, page, language).save(pdf)]
    drawn = [] if pictures is None else _in_language(read_back, language).save_pictures(pictures)
    data, guarantee = read_back.manifest["data"], read_back.guarantee
    show(
        {
            "report": str(path),
            "pdf": [str(one) for one in printed],
            "pictures": [str(picture) for picture in drawn],
            "manifest": read_back.manifest,
        },
        f"{guarantee}\n{_counts(data)}\nreport   {path}"
        + "".join(f"\npdf      {one}" for one in printed)
        + "".join(f"\npicture  {picture}" for picture in drawn),
    )


def _to_sign(found: Release, page: Path, language: str | None) -> Report:
    """The page of the folder, or the same page in another language."""
    from crypsis.reports.about import report_language
    from crypsis.reports.report import Report

    own = language is None or language == report_language(found.about)
    return Report(page.read_text(encoding="utf-8")) if own else _in_language(found, language)


def _in_language(found: Release, language: str | None) -> Report:
    """The report made again; where only the publisher can count, with the verdict that the unchanged folder tells."""
    from crypsis.reports.about import report_language
    from crypsis.reports.report import Report
    from crypsis.translation import reading

    try:
        return found.report(language)
    except OriginalRequired:
        if found.damage:
            raise
    with reading(language or report_language(found.about)):
        parts = (found.manifest, found.data, found.side_file)
        return Report(found.kind.report.render(*parts), found.kind.report.draw(*parts))


def check_language(language: str | None) -> None:
    """Refuse one that there is no translation into."""
    if language is not None and language not in LANGUAGES:
        raise BadParameter(
            f"--language is one of {', '.join(LANGUAGES)}, got {language!r}.{did_you_mean(language, LANGUAGES)}",
            parameter="language",
        )


def _check_pdf(pdf: Path | None, release: Path) -> None:
    """A PDF is named so, and lies outside: a release folder holds its own files only."""
    if pdf is not None and pdf.suffix.lower() != ".pdf":
        raise BadParameter(f"--pdf names a file that ends in .pdf, got {pdf.name!r}.", parameter="pdf")
    if pdf is not None and release.is_dir() and pdf.resolve().is_relative_to(release.resolve()):
        raise BadParameter("The PDF must lie outside the release folder, which holds its own files only.")


def _of_page(page: Path, out: Path | None, pictures: Path | None, pdf: Path | None) -> None:
    """A report that was written before, as a PDF."""
    from crypsis.reports.release_page import is_private_page
    from crypsis.reports.report import Report

    if pdf is None or out is not None or pictures is not None:
        raise BadParameter("A report that was written already is made a PDF: give --pdf FILE, and nothing else.")
    html = page.read_text(encoding="utf-8")
    written = Report(html, private=is_private_page(html)).save(pdf)
    show({"pdf": [str(written)]}, f"pdf      {written}")


def _of_experiment(store: Store, out: Path | None, pictures: Path | None) -> None:
    from crypsis.atomic import write_file
    from crypsis.evaluate.report import ExperimentReport, write_report

    if pictures is not None:
        raise BadParameter("--pictures is for releases; `crypsis plot` draws those of an experiment.")
    page = ExperimentReport.of_store(store)
    if out is None:
        written = [*write_report(store)]
    else:
        write_file(out, page.to_html().encode())
        written = [out]
    states = ", ".join(f"{count:,} {state.replace('_', ' ')}" for state, count in page.counts.items())
    stale = f", {len(page.stale):,} stale" if page.stale else ""
    lines = "".join(f"\nreport   {path}" for path in written)
    show({"report": str(written[0]), **page.to_dict()}, f"{page.name}: {states or 'no cells'}{stale}{lines}")


def _counts(data: dict[str, Any]) -> str:
    """The counts of a manifest in words: rows first, then whatever else this kind of data counts."""
    counted = ("rows", "visits", "occurrences", "symbols", "clusters", "terms", "empty_records")
    return ", ".join(f"{data[name]:,} {name.replace('_', ' ')}" for name in counted if isinstance(data.get(name), int))
