"""PrivateFacts: what the reports of differentially private releases have in common, their budget above all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from crypsis.reports.manifest_facts import ManifestFacts
from crypsis.translation import marked


def rechecked(form: str) -> str:
    """What the verifier checks of a private release, in English; `form` is what it checks of the rows."""
    words = marked(
        "From the files the verifier checks {form} and that no more was spent than allowed; with the "
        "publisher's private report it adds up the ledger of the run again. That the noise was large "
        "enough follows from the proof of the method; no file can show it."
    )
    return words.format(form=form)


@dataclass(frozen=True, eq=False)
class PrivateFacts(ManifestFacts):
    """The manifest of a private release."""

    level_words = ("spent", "allowed")
    recheck_words = rechecked(marked("the form of the rows"))

    manifest: Mapping[str, Any]

    @property
    def counts_rows(self) -> bool:
        return True  # the original adds nothing to the check

    @property
    def original_helps(self) -> bool:
        return False

    @property
    def budget(self) -> Mapping[str, Any]:
        budget: Mapping[str, Any] = self.section("data").get("budget") or {}
        return budget
