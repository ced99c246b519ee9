"""Section: how the release was made, and how to check it again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from crypsis.drawing.markup import Markup, element, join
from crypsis.reports.manifest_facts import ManifestFacts
from crypsis.reports.page import columns, facts_list, paragraph, section
from crypsis.reports.parameter_labels import parameter_entries
from crypsis.translation import _, marked, translated
from crypsis.translation.wording import shown

_FORMATS = {
    "csv": "CSV",
    "json": "JSON",
    "jsonl": marked("JSON Lines"),
    "parquet": "Parquet",
    "parts": marked("Parquet in parts"),
}


def provenance(facts: ManifestFacts) -> Markup:
    """Method, parameters and software on one side, the recheck on the other."""
    made = element("div", element("h3", _("How it was made")), facts_list(_origin(facts)))
    check = element("div", element("h3", _("How to check it again")), *_recheck(facts), class_="recheck")
    files = facts.section("files")
    listing = (
        [element("h3", _("Files"), class_="files"), element("div", _files(files), class_="scroll")] if files else []
    )
    return section(_("How it was made, and how to check it"), columns(made, check), *listing)


def _origin(facts: ManifestFacts) -> list[tuple[str, str]]:
    method, software, data = facts.section("method"), facts.section("software"), facts.section("data")
    entries: list[tuple[str, str]] = []
    if method:
        entries.append((_("Method"), str(method.get("class") or method.get("name") or "")))
        if method.get("summary"):
            entries.append((_("What it does"), translated(str(method["summary"]))))
        entries += parameter_entries(method, facts.crs) or [(_("Parameters"), _("none"))]
        if method.get("assured") is False:
            entries.append((_("Assured"), _("not by the method itself; the verifier alone vouches for this release")))
    if software:
        entries.append((_("Software"), f"{software.get('name', '')} {software.get('version', '')}".strip()))
    if facts.manifest.get("created"):
        entries.append((_("Created"), str(facts.manifest["created"])))
    if data:
        described = [str(data["file"])] if data.get("file") else []
        if data.get("format"):
            described.append(_FORMATS.get(str(data["format"]), str(data["format"])))
        entries.append((_("Data"), ", ".join(described)))
        if data.get("order") == "sorted":
            entries.append((_("Row order"), _("sorted by content, so that it says nothing about the people")))
        elif data.get("order"):
            entries.append(
                (_("Row order"), _("{order}: for evaluation only, the order may identify people", order=data["order"]))
            )
    return entries + [(translated(name), _plain(value)) for name, value in _flat(facts.section("provenance"))]


def _flat(values: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Entries of entries get a name of two words."""
    flat: list[tuple[str, Any]] = []
    for name, value in values.items():
        title = str(name).replace("_", " ").capitalize()
        if isinstance(value, Mapping):
            flat += [(f"{title}: {str(inner).replace('_', ' ')}", content) for inner, content in value.items()]
        else:
            flat.append((title, value))
    return flat


def _plain(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, (list, Mapping)) else shown(value)


def _recheck(facts: ManifestFacts) -> list[Markup]:
    command = "crypsis verify FOLDER"
    words = translated(facts.recheck_words)
    if facts.needs_original:
        command += " --original FILE"
        words = _(
            "The guarantee is counted in the original, too. Only the publisher, who has the original, can check it."
        )
    elif not facts.counts_rows:
        command += " --original FILE"
        words = _(
            "The guarantee counts {units}, whom published rows do not name; so only the publisher, who has "
            "the original, can recount it.",
            units=_(facts.units),
        )
    elif facts.original_helps and "private" in facts.manifest:
        command += " --original FILE"
        if facts.partly_in_original:
            words = _(
                "The verifier shares no code with the method. It needs the original to check the whole guarantee."
            )
        if facts.truthful:
            words = _(
                "{words} With the original it also checks that every published record is true of its original.",
                words=words,
            )
    return [paragraph(words), element("pre", element("code", command)), paragraph(_ends(facts))]


def _ends(facts: ManifestFacts) -> Markup:
    """What the report rests on, which the private one also has from the original, and how a failed check ends."""
    if "private" in facts.manifest:
        return Markup(_("A broken guarantee, or a file that was changed, ends with exit code 4."))
    return join(
        [
            _("Everything in this report comes from the files of the release: the data and "),
            element("code", "release.json"),
            _(". A broken guarantee, or a file that was changed, ends with exit code 4."),
        ]
    )


def _files(files: Mapping[str, Any]) -> Markup:
    head = element(
        "tr",
        element("th", _("File"), scope="col"),
        element("th", _("Bytes"), scope="col", class_="numeric"),
        element("th", "SHA-256", scope="col"),
    )
    rows = [
        element(
            "tr",
            element("td", str(name)),
            element("td", shown(entry.get("bytes")), class_="numeric"),
            element("td", element("code", str(entry.get("sha256", "")))),
        )
        for name, entry in files.items()
    ]
    return element("table", element("thead", head), element("tbody", *rows))
