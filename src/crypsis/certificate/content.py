"""What a certificate says, section by section: from the folder as a recipient reads it, and from what was declared.

Nothing here uses the original. Figures are those of the published data; the promise is recounted, and a release whose
promise is broken, or whose files were changed, gets no certificate.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crypsis.errors import OriginalRequired, VerificationFailed
from crypsis.release import Release, read_release
from crypsis.release_folder import digest_list, open_release_folder
from crypsis.reports.about import PEOPLE, STATEMENTS, About
from crypsis.reports.figure_titles import figure_title
from crypsis.reports.parameter_labels import parameter_entries
from crypsis.reports.promise_words import promise_in_words
from crypsis.signatures import PublicKey, Signature
from crypsis.translation import _, language, translated
from crypsis.translation.templates import localized


@dataclass(frozen=True)
class Section:
    """A heading, facts in two columns, and sentences."""

    title: str
    facts: tuple[tuple[str, str], ...] = ()
    sentences: tuple[str, ...] = ()


def certificate_sections(
    folder: str | Path, about: About, *, trusted: Iterable[str | Path | PublicKey] = ()
) -> list[Section]:
    """The content of the certificate of a release folder, in the reader's language."""
    release, keys = read_release(folder), list(trusted)
    if release.damage:
        raise VerificationFailed(f"No certificate was made: {release.damage[0]}")
    signature = release.signature.trusted_by(keys) if keys else release.signature
    return [
        Section(_("What was published"), _declared(about, people=False) + _described(release)),
        _method(release),
        _guarantee(release),
        Section(_("What the guarantee assumes"), sentences=_told(release, "assumptions")),
        Section(_("What the guarantee does not cover"), sentences=_told(release, "not_covered")),
        _disclosure(release),
        Section(_("Who answers for it"), _declared(about, people=True)),
        _identity(Path(folder), signature),
    ]


def _declared(about: About, *, people: bool) -> tuple[tuple[str, str], ...]:
    """What was declared on people, or on everything else, in order."""
    stated = about.to_dict()
    names = [name for name in STATEMENTS if name in stated and (name in PEOPLE) is people]
    return tuple((_(STATEMENTS[name]), stated[name]) for name in names)


def _described(release: Release) -> tuple[tuple[str, str], ...]:
    described = release.manifest["data"]
    return (
        (_("Kind of data"), translated(str(described["kind"]))),
        (_("Published rows"), _text(len(release.data))),
        (_("Release made on"), str(release.manifest.get("created", _("not stated")))),
    )


def _method(release: Release) -> Section:
    method = release.manifest.get("method") or {}
    facts = [(_("Method"), str(method.get("class") or method.get("name") or _("not stated")))]
    facts += parameter_entries(method, (release.manifest.get("data") or {}).get("crs"))
    software = release.manifest.get("software") or {}
    facts.append((_("Software"), f"{software.get('name', '?')} {software.get('version', '?')}"))
    summary = method.get("summary")
    return Section(_("How it was made"), tuple(facts), (translated(summary),) if isinstance(summary, str) else ())


def _guarantee(release: Release) -> Section:
    facts = [(_("Guarantee"), promise_in_words(translated(str(release.guarantee))))]
    try:
        verdict = release.verify()
    except OriginalRequired:
        facts.append((_("Recounted"), _("by the publisher with the original; the files alone do not tell")))
    else:
        if not verdict.holds:
            raise VerificationFailed(f"No certificate was made: {verdict}", **verdict.to_dict())
        facts.append((_("Recounted"), _("from the published files alone, when this certificate was made")))
        facts.append((_("Verdict"), promise_in_words(translated(str(verdict)))))
    trivial = (_("With these parameters the guarantee protects nothing."),) if release.guarantee.trivial else ()
    return Section(_("Guarantee"), tuple(facts), (translated(release.guarantee.scope), *trivial))


def _told(release: Release, name: str) -> tuple[str, ...]:
    """What the guarantee itself says, and what the manifest adds to it."""
    sentences = [*release.guarantee.to_dict()[name], *release.manifest["guarantee"].get(name, [])]
    return tuple(map(translated, dict.fromkeys(sentences))) or (_("Nothing is stated."),)


def _disclosure(release: Release) -> Section:
    figures = release.kind.figures(release.data)
    facts = [(figure_title(name), _text(value)) for name, value in figures.items()]
    try:
        light = release.review(public=True).disclosure
        facts.insert(0, (_("Disclosure"), translated(str(light.colour))))
        sentences = [translated(finding.sentence) for finding in light.findings]
    except OriginalRequired:
        sentences = [_("What is disclosed beside the guarantee cannot be counted from the files alone.")]
    return Section(
        _("Disclosure and residual risk"),
        tuple(facts),
        (_("As they follow from the published data alone."), *(sentences or [_("Nothing was found.")])),
    )


def _identity(folder: Path, signature: Signature) -> Section:
    digests = open_release_folder(folder).digests
    whole = hashlib.sha256(digest_list(digests)).hexdigest()
    words = translated(str(signature).removesuffix(" (--trusted KEY.pub)"))
    facts = [(_("Digest of the release"), whole), (_("Signature"), words)]
    facts += [(name, digest) for name, digest in sorted(digests.items())]
    return Section(_("Digest and signature"), tuple(facts), (_("Checksums are SHA-256."),))


def _text(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if isinstance(value, float):
        return localized(f"{value:.4g}", language())
    return localized(f"{value:,}", language()) if isinstance(value, int) else str(value)
