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
from crypsis.reports.about import LABELS, PEOPLE, About
from crypsis.signatures import PublicKey, Signature


@dataclass(frozen=True)
class Section:
    """A heading, facts in two columns, and sentences."""

    title: str
    facts: tuple[tuple[str, str], ...] = ()
    sentences: tuple[str, ...] = ()


def certificate_sections(
    folder: str | Path, about: About, *, trusted: Iterable[str | Path | PublicKey] = ()
) -> list[Section]:
    """The content of the certificate of a release folder."""
    release, keys = read_release(folder), list(trusted)
    if release.damage:
        raise VerificationFailed(f"No certificate was made: {release.damage[0]}")
    signature = release.signature.trusted_by(keys) if keys else release.signature
    return [
        Section("What was published", _declared(about, people=False) + _described(release)),
        _method(release),
        _guarantee(release),
        Section("What the guarantee assumes", sentences=_told(release, "assumptions")),
        Section("What the guarantee does not cover", sentences=_told(release, "not_covered")),
        _disclosure(release),
        Section("Who answers for it", _declared(about, people=True)),
        _identity(Path(folder), signature),
    ]


def _declared(about: About, *, people: bool) -> tuple[tuple[str, str], ...]:
    """What was declared on people, or on everything else, in order."""
    said = about.to_dict().items()
    return tuple((LABELS[name], value) for name, value in said if (name in PEOPLE) is people)


def _described(release: Release) -> tuple[tuple[str, str], ...]:
    described = release.manifest["data"]
    return (
        ("Kind of data", str(described["kind"])),
        ("Published rows", f"{len(release.data):,}"),
        ("Release made on", str(release.manifest.get("created", "not stated"))),
    )


def _method(release: Release) -> Section:
    method = release.manifest.get("method") or {}
    facts = [("Method", str(method.get("class") or method.get("name") or "not stated"))]
    parameters = method.get("parameters") or {}
    facts += [(str(name), _text(value)) for name, value in parameters.items()]
    software = release.manifest.get("software") or {}
    facts.append(("Software", f"{software.get('name', '?')} {software.get('version', '?')}"))
    summary = method.get("summary")
    return Section("How it was made", tuple(facts), (summary,) if isinstance(summary, str) else ())


def _guarantee(release: Release) -> Section:
    facts = [("Guarantee", str(release.guarantee))]
    try:
        verdict = release.verify()
    except OriginalRequired:
        facts.append(("Recounted", "by the publisher with the original; the files alone do not tell"))
    else:
        if not verdict.holds:
            raise VerificationFailed(f"No certificate was made: {verdict}", **verdict.to_dict())
        facts.append(("Recounted", "from the published files alone, when this certificate was made"))
        facts.append(("Verdict", str(verdict)))
    trivial = ("With these parameters the guarantee protects nothing.",) if release.guarantee.trivial else ()
    return Section("Guarantee", tuple(facts), (release.guarantee.scope, *trivial))


def _told(release: Release, name: str) -> tuple[str, ...]:
    """What the guarantee itself says, and what the manifest adds to it."""
    told = [*release.guarantee.to_dict()[name], *release.manifest["guarantee"].get(name, [])]
    return tuple(dict.fromkeys(told)) or ("Nothing is stated.",)


def _disclosure(release: Release) -> Section:
    figures = release.kind.figures(release.data)
    facts = [(name.replace("_", " "), _text(value)) for name, value in figures.items()]
    try:
        light = release.review(public=True).disclosure
        facts.insert(0, ("Disclosure", str(light.colour)))
        sentences = [finding.sentence for finding in light.findings]
    except OriginalRequired:
        sentences = ["What is disclosed beside the guarantee cannot be counted from the files alone."]
    return Section(
        "Disclosure and residual risk",
        tuple(facts),
        ("As they follow from the published data alone.", *(sentences or ["Nothing was found."])),
    )


def _identity(folder: Path, signature: Signature) -> Section:
    digests = open_release_folder(folder).digests
    whole = hashlib.sha256(digest_list(digests)).hexdigest()
    facts = [("Digest of the release", whole), ("Signature", str(signature).removesuffix(" (--trusted KEY.pub)"))]
    facts += [(name, digest) for name, digest in sorted(digests.items())]
    return Section("Digest and signature", tuple(facts), ("Checksums are SHA-256.",))


def _text(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.4g}"
    return f"{value:,}" if isinstance(value, int) else str(value)
