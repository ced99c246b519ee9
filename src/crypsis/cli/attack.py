"""`crypsis attack`: what somebody who knows pieces of the original could still find out from a release."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from crypsis.atomic import write_file
from crypsis.cli.completion import offer_attacks
from crypsis.cli.output import note, note_compilation, show, show_table
from crypsis.cli.reading import Reader, read_original
from crypsis.cli.reading.input_place import Place
from crypsis.cli.settings import SETTINGS, checked_from_settings
from crypsis.cli.where_to_run import OnParts, WhereToRun, at_work, refuse_without_parts
from crypsis.errors import NotApplicable, OptionWithoutEffect

if TYPE_CHECKING:
    from crypsis.attacks.attack import Attack, AttackFigures
    from crypsis.guarantees import Guarantee

# what k^m-anonymity speaks of
COVERED = ("containment", "location-sequence", "location", "unique-location", "timed-visits", "itemset")


@dataclass(frozen=True, kw_only=True)
class AttackCommand(OnParts):
    """Attack a release with knowledge of the original and show the risk of being found.

    Tries everything that the adversary may know about everybody. Adversaries: containment, location-sequence,
    location, unique-location, location-frequency, home-work, reidentification, timed-visits; of tables, linkage;
    itemset on sets, and cover on disassociated data. Those on movement also take GPS tracks. People are counted where
    the original says who they are (--person). Shows aggregates only, never whose risk it is. With --executor a release
    in parts is attacked without reading it into memory: by containment, location-sequence, location, unique-location,
    itemset and linkage.
    """

    read: Reader
    release: Annotated[Path, typer.Argument(help="A release folder.")]
    original: Annotated[
        Place,
        typer.Option("--original", parser=Place.named, help="The original data, which the adversary knows in part."),
    ]
    attack: Annotated[
        str | None,
        typer.Option(
            "--attack",
            autocompletion=offer_attacks,
            help="Adversary (default: the first that fits). Set its parameters as options, such as --knowledge 3.",
        ),
    ] = None
    private_report: Annotated[
        Path | None,
        "The publisher's private report: whose rows are whose, and the cells of tracks.",
    ] = None
    picture: Annotated[Path | None, "Also draw the curve into this SVG file."] = None

    def execute(self) -> None:
        from crypsis.attacks import Attack, attack_named

        chosen = None if self.attack is None else checked_from_settings(attack_named(self.attack))
        assert chosen is None or isinstance(chosen, Attack)
        where = WhereToRun.of(self)
        if self.executor is None:
            refuse_without_parts(where)
            chosen, result, guarantee = self._attack_in_memory(chosen)
        else:
            chosen, result, guarantee = self._attack_parts(chosen, where)
        if self.picture is not None:
            write_file(self.picture, _drawn(result, guarantee).encode())
        if SETTINGS.get().json:
            show(result.to_dict() | ({} if self.picture is None else {"picture": str(self.picture)}), "")
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

    def _attack_in_memory(self, chosen: Attack | None) -> tuple[Attack, AttackFigures, Guarantee]:
        from crypsis import _api
        from crypsis.attacks import fitting_attacks

        published = _api.read_release(self.release, private_report=self.private_report)
        against = read_original(self.read, self.original.on_disk, published)
        if chosen is None:
            fitting = fitting_attacks(published.data, against)
            if not fitting:
                raise NotApplicable(f"No adversary who knows pieces of {against.description} fits this release.")
            chosen = _first_of(fitting)
        note_compilation()
        return chosen, chosen.run(published.data, against), published.guarantee

    def _attack_parts(self, chosen: Attack | None, where: WhereToRun) -> tuple[Attack, AttackFigures, Guarantee]:
        """The same of a release in parts, in bounded memory."""
        from crypsis.cli.reading.scanned_original import scan_original
        from crypsis.guarantees import guarantee_from_dict
        from crypsis.parts_attack import attack_release_parts, attacks_on_parts, kind_of_parts
        from crypsis.parts_release import open_parts

        if self.private_report is not None:
            raise OptionWithoutEffect(
                "--private-report is for releases that are read into memory; leave --executor out.",
                parameter="private_report",
            )
        if chosen is not None and not chosen.works_on_parts():
            raise chosen.not_on_parts()
        kind = kind_of_parts(self.release)
        fitting = attacks_on_parts(self.release)
        if not fitting:
            raise NotApplicable(f"Attacks on {kind} are not measured on parts; leave --executor out.")
        chosen = chosen or _first_of(fitting)
        original = scan_original(self.read, self.release, self.original.files)
        note_compilation()
        with at_work(where) as (executor, _):
            result = attack_release_parts(self.release, original, chosen, executor)
        return chosen, result, guarantee_from_dict(open_parts(self.release)[0].manifest["guarantee"])


def _first_of(fitting: Mapping[str, type[Attack]]) -> Attack:
    """The first adversary that fits, which is said."""
    name, *others = fitting
    chosen = checked_from_settings(fitting[name])
    assert isinstance(chosen, fitting[name])
    also = f"; others that fit: {', '.join(others)}" if others else ""
    note(f"The adversary is {name}, the first that fits{also} (--attack).")
    return chosen


def _drawn(result: AttackFigures, guarantee: Guarantee) -> str:
    """The curve, with what the guarantee allows where it speaks of this adversary."""
    from crypsis.drawing.svg import standalone
    from crypsis.guarantees import ItemsetKmAnonymity, KmAnonymity
    from crypsis.reports.pictures.reidentification_curve import Risk, reidentification_curve

    risks = [Risk(point.knowledge, point.mean_risk, point.max_risk) for point in result.curve]
    if isinstance(guarantee, (KmAnonymity, ItemsetKmAnonymity)) and result.attack in COVERED:
        return standalone(reidentification_curve(risks, 1 / guarantee.k, guarantee.m))
    return standalone(reidentification_curve(risks))
