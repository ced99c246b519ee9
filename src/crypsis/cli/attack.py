"""`crypsis attack`: what somebody who knows pieces of the original could still find out from a release."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from crypsis.atomic import write_file
from crypsis.cli.completion import offer_attacks
from crypsis.cli.output import note, note_compilation, show, show_table
from crypsis.cli.reading import Reader, read_original
from crypsis.cli.settings import SETTINGS, checked_from_settings
from crypsis.errors import NotApplicable

if TYPE_CHECKING:
    from crypsis.attacks import AttackResult
    from crypsis.guarantees import Guarantee

# what k^m-anonymity speaks of
COVERED = ("containment", "location-sequence", "location", "unique-location", "timed-visits", "itemset")


def attack(
    *,
    read: Reader,
    release: Annotated[Path, typer.Argument(help="A release folder.")],
    original: Annotated[Path, typer.Option("--original", help="The original data, which the adversary knows in part.")],
    attack: Annotated[
        str | None,
        typer.Option(
            "--attack",
            autocompletion=offer_attacks,
            help="Adversary (default: the first that fits). Set its parameters as options, such as --knowledge 3.",
        ),
    ] = None,
    private_report: Annotated[
        Path | None,
        typer.Option(
            "--private-report", help="The publisher's private report: whose rows are whose, and the cells of tracks."
        ),
    ] = None,
    picture: Annotated[Path | None, typer.Option("--picture", help="Also draw the curve into this SVG file.")] = None,
) -> None:
    """Attack a release with knowledge of the original and show the risk of being found.

    Tries everything that the adversary may know about everybody. Adversaries: containment, location-sequence,
    location, unique-location, location-frequency, home-work, reidentification, timed-visits; of tables, linkage;
    itemset on sets, and cover on disassociated data. Those on movement also take GPS tracks. People are counted where
    the original says who they are (--person). Shows aggregates only, never whose risk it is.
    """
    from crypsis import _api
    from crypsis.attacks import Attack, attack_named, fitting_attacks

    chosen = None if attack is None else checked_from_settings(attack_named(attack))
    published = _api.read_release(release, private_report=private_report)
    against = read_original(read, original, published)
    if chosen is None:
        fitting = fitting_attacks(published.data, against)
        if not fitting:
            raise NotApplicable(f"No adversary who knows pieces of {against.description} fits this release.")
        name, *others = fitting
        chosen = checked_from_settings(fitting[name])
        also = f"; others that fit: {', '.join(others)}" if others else ""
        note(f"The adversary is {name}, the first that fits{also} (--attack).")
    assert isinstance(chosen, Attack)
    note_compilation()
    result = chosen.run(published.data, against)
    if picture is not None:
        write_file(picture, _drawn(result, published.guarantee).encode())
    if SETTINGS.get().json:
        show(result.to_dict() | ({} if picture is None else {"picture": str(picture)}), "")
        return
    rows = [
        (point.knowledge, point.fewest_candidates, point.mean_risk, point.max_risk, point.share_unique)
        for point in result.curve
    ]
    headings = ("pieces known", "fewest candidates", "mean risk", "highest risk", "share unique")
    who = "people" if result.parameters.get("unit") == "owner" else "individuals"
    show_table(headings, rows, f"{chosen.help()} {result.individuals:,} {who}.")
    for words in getattr(result, "notes", ()):
        note(words)


def _drawn(result: AttackResult, guarantee: Guarantee) -> str:
    """The curve, with what the guarantee allows where it speaks of this adversary."""
    from crypsis.drawing.svg import standalone
    from crypsis.guarantees import ItemsetKmAnonymity, KmAnonymity
    from crypsis.reports.pictures.reidentification_curve import Risk, reidentification_curve

    risks = [Risk(point.knowledge, point.mean_risk, point.max_risk) for point in result.curve]
    if isinstance(guarantee, (KmAnonymity, ItemsetKmAnonymity)) and result.attack in COVERED:
        return standalone(reidentification_curve(risks, 1 / guarantee.k, guarantee.m))
    return standalone(reidentification_curve(risks))
