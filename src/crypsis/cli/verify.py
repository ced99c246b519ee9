"""`crypsis verify`: recheck a release, or any published file, with the independent verifier."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from crypsis.cli.completion import offer_guarantees
from crypsis.cli.disassociated_input import disassociated_input, is_disassociated_file, own_promise
from crypsis.cli.levels import show_levels
from crypsis.cli.output import review_words, show, verdict_words
from crypsis.cli.reading import Reader, read_original
from crypsis.cli.reviewing import strict_exit_code
from crypsis.cli.settings import checked_from_settings
from crypsis.cli.where_to_run import OnParts, WhereToRun, refuse_without_parts, started
from crypsis.errors import BadParameter, MissingFile, OptionWithoutEffect

if TYPE_CHECKING:
    from crypsis.review import Review

TABLE_MODELS = ("k-anonymity", "l-diversity", "t-closeness", "kkm-anonymity", "klm-diversity")


@dataclass(frozen=True, kw_only=True)
class Verify(OnParts):
    """Check a release again; exit with 4 if its guarantee does not hold or, with --trusted, nobody trusted signed it.

    The verifier shares no code with the methods and works from the published files alone; with --original it also
    checks that they are an honest recoding of the original. Of any table, told its columns by --quasi and --sensitive,
    it shows the level reached under each model.
    """

    read: Reader
    published: Annotated[Path, typer.Argument(help="A release folder, or a published file with --model or --quasi.")]
    original: Annotated[
        Path | None,
        "Also check that the rows recode this original honestly.",
    ] = None
    model: Annotated[
        str | None,
        typer.Option(
            "--model",
            help="Check this guarantee instead, e.g. km-anonymity with -k 5 -m 2.",
            autocompletion=offer_guarantees,
        ),
    ] = None
    private_report: Annotated[
        Path | None,
        "The publisher's private report. With --original it shows which row is whose. Tracks need it.",
    ] = None
    longest: Annotated[
        int | None,
        "For a file with --original: visits its trajectories were cut to.",
    ] = None
    suppressed: Annotated[
        list[str] | None,
        "For a file: a location or item that was left out. Repeat for several.",
    ] = None
    strict: Annotated[bool, "For a release: exit with 6 when a light is amber, with 7 when one is red."] = False
    trusted: Annotated[
        list[Path] | None,
        "Public key (.pub) of somebody you trust; the release must be signed by one of them.",
    ] = None

    def execute(self) -> None:
        from dataclasses import replace

        from crypsis import _api
        from crypsis.guarantees import Guarantee, guarantee_named
        from crypsis.publication import kind_promised
        from crypsis.signatures import TRUSTED
        from crypsis.verifiers import VERIFIERS

        existing(self.published)
        if self.published.is_dir():
            self._refuse_for_folders()
        where = WhereToRun.of(self)
        if self.executor is not None:
            refused = {
                "original": self.original,
                "model": self.model,
                "private_report": self.private_report,
                "strict": self.strict or None,
            }
            for name, value in (refused | {"trusted": self.trusted}).items():
                if value is not None:
                    raise OptionWithoutEffect(
                        f"--{name.replace('_', '-')} is for releases that are read into memory; leave --executor out.",
                        parameter=name,
                    )
            raise typer.Exit(code=verify_in_parts(self.published, where))
        refuse_without_parts(where)
        if self.strict and not self.published.is_dir():
            raise BadParameter("--strict heeds the lights of a release; a file has none.", parameter="strict")
        review: Review | None = None
        if self.trusted and not self.published.is_dir():
            raise OptionWithoutEffect("--trusted is for release folders; a file has no signature.", parameter="trusted")
        signature = None
        chosen = None if self.model is None else checked_from_settings(guarantee_named(self.model))
        if chosen is None and is_disassociated_file(self.published):
            chosen = own_promise(disassociated_input(self.published))
        if self.published.is_dir():
            release = _api.read_release(self.published, private_report=self.private_report)
            against = None if self.original is None else read_original(self.read, self.original, release)
            if isinstance(chosen, Guarantee):
                release = replace(release, guarantee=chosen)
            signature = release.signature.trusted_by(self.trusted) if self.trusted else release.signature
            verdict = release.verify(against)
            review = release.review(against)
        elif self.read.typed["quasi"] is not None or self.model in TABLE_MODELS:
            if self.original is not None:
                raise BadParameter(
                    "--original is for releases, which say what their cells stand for. Of any other table the texts "
                    "are counted as they are written, so leave --original out.",
                    parameter="original",
                )
            raise typer.Exit(code=show_levels(self.read, self.published, self.model, chosen))
        elif isinstance(chosen, Guarantee):
            data = self._declared(kind_promised(chosen).read_file(self.published))
            kind = VERIFIERS[type(chosen), type(data)][1]
            verdict = _api.verify(data, chosen, None if self.original is None else self.read(self.original, kind))
        else:
            raise BadParameter(
                f"{self.published} is not a release folder; for a file say what to check, e.g. --model km-anonymity "
                f"-k 5 -m 2, or for a table --quasi {','.join(_quasi_identifiers(self.published)) or 'age,zip'} "
                "--model k-anonymity -k 5."
            )
        content = {"guarantee": verdict.promised.to_dict(), "verdict": verdict.to_dict()}
        words = verdict_words(verdict)
        if signature is not None:
            content["signature"] = signature.to_dict()
            words += f"\nsignature: {signature}"
        if review is not None:
            content["review"] = review.to_dict()
            words += f"\n\n{review_words(review)}"
        show(content, words)
        vouched = not self.trusted or (signature is not None and signature.state == TRUSTED)
        if not verdict.holds or not vouched:
            raise typer.Exit(code=4)
        if self.strict and review is not None:
            raise typer.Exit(code=strict_exit_code(review))

    def _refuse_for_folders(self) -> None:
        """A release says itself how it is read, and what was cut."""
        for name in ("longest", "suppressed"):
            if getattr(self, name) is not None:
                raise OptionWithoutEffect(f"--{name} is for a file; a release is read as it says.", parameter=name)
        if self.original is None and not self.read.own_only:
            self.read.typed.refuse_all("a release is read as it says itself, and there is no --original to read")

    def _declared(self, published: Any) -> Any:
        """The data of a file with what was said about them: `--longest`, `--suppressed`."""
        from dataclasses import fields, replace

        known = {field.name for field in fields(published)}
        for name in ("longest", "suppressed"):
            if getattr(self, name) is not None and name not in known:
                raise OptionWithoutEffect(
                    f"--{name} says nothing about {type(published).__name__}; leave it out.", parameter=name
                )
        given = {"longest": self.longest, "suppressed": tuple(self.suppressed or ())}
        return replace(published, **{name: value for name, value in given.items() if name in known})


def verify_in_parts(folder: Path, where: WhereToRun) -> int:
    """Recount a release of parts in bounded memory; the exit code."""
    from crypsis.parts_release import verify_signed_parts

    running = started(where)
    try:
        verdict, signature = verify_signed_parts(folder, running)
    finally:
        running.close()
    show(
        {
            "guarantee": verdict.promised.to_dict(),
            "verdict": verdict.to_dict(),
            "signature": signature.to_dict(),
        },
        f"{verdict_words(verdict)}\nsignature: {signature}",
    )
    return 0 if verdict.holds else 4


def _quasi_identifiers(path: Path) -> list[str]:
    """The columns of a table that others may know, as far as their names and counts tell; none of other files."""
    from crypsis.evaluate.first_look import suggested_roles_of

    return [shlex.quote(name) for name, role in suggested_roles_of(path).items() if role == "quasi"]


def existing(path: Path) -> None:
    """Refuse a path at which there is nothing."""
    if not path.exists():
        raise MissingFile(f"There is nothing at {path}; check the path.", where=str(path))
