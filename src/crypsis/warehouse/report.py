"""The report of a build as a page: sources, what they share as a heat map, competence queries, conflicts."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

from crypsis.translation import _

_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem;color:#1b2733}"
    "table{border-collapse:collapse;margin:1rem 0;display:block;overflow-x:auto}"
    "th,td{border:1px solid #cdd6df;padding:.3rem .6rem;text-align:right}th:first-child,td:first-child{text-align:left}"
    ".yes{color:#12633a}.no{color:#a3261c;font-weight:600}"
)


def report_page(report: Mapping[str, Any]) -> str:
    """The report as one HTML page."""
    metrics, sources = report["metrics"], list(report["sources"])
    title = f"Warehouse {escape(str(report['title']))}"
    parts = [f"<!doctype html><html lang='en'><meta charset='utf-8'><title>{title}</title><style>{_STYLE}</style>"]
    state = "is active" if report["active"] else "was not activated: a competence query failed"
    parts.append(f"<h1>{title}</h1><p>This build {state}. It holds {metrics['triples']:,} triples of its sources.</p>")
    parts += [f"<p class='no'>{escape(alarm)}</p>" for alarm in report["alarms"]]
    parts.append(
        "<h2>Sources</h2><table><tr><th>Source<th>Triples<th>Only here<th>Facts per entity<th>In the warehouse</tr>"
    )
    for name in sources:
        each = metrics["sources"][name]
        parts.append(
            f"<tr><td>{escape(name)}<td>{each['triples']:,}<td>{each['unique']:,}"
            f"<td>{each['degree_in_source']:.2f}<td>{each['degree_in_warehouse']:.2f}</tr>"
        )
    parts.append("</table>")
    for heading, key in (("Entities in common", "common_iris"), ("Texts in common", "common_literals")):
        parts.append(f"<h2>{heading}</h2>{heat_map(sources, metrics[key])}")
    parts.append(
        "<h2>Competence queries</h2><table><tr><th>Query<th>Rows<th>Needed<th>Sources that answer alone<th>Result</tr>"
    )
    for each in report["competence"]:
        alone = ", ".join(name for name, rows in each["rows_per_source"].items() if rows) or "none"
        mark = "<td class='yes'>passed" if each["passed"] else "<td class='no'>failed"
        parts.append(
            f"<tr><td>{escape(each['title'])}<td>{each['rows']:,}<td>{each['minimum_rows']:,}<td>{escape(alone)}{mark}</tr>"
        )
    parts.append("</table>")
    if report["conflicts"]:
        parts.append("<h2>Conflicts</h2><ul>")
        for each in report["conflicts"]:
            members = ", ".join(escape(member) for member in each["members"])
            parts.append(
                f"<li>{members}: {escape(each['source'])} has no duplicates, so these cannot all be one. "
                f"The weakest rule is {escape(each['weakest_rule'])}.</li>"
            )
        parts.append("</ul>")
    return "".join(parts) + "</html>"


def heat_map(sources: list[str], overlaps: Mapping[str, list[float]]) -> str:
    """A table of what each two sources share; darker is a larger share of the smaller one."""
    rows = ["<table class=heat><tr><td>" + "".join(f"<th scope=col>{escape(name)}" for name in sources) + "</tr>"]
    for a in sources:
        cells = []
        for b in sources:
            overlap = overlaps.get(f"{a}|{b}") or overlaps.get(f"{b}|{a}")
            if overlap is None:
                cells.append("<td>")
            else:
                count, share = int(overlap[0]), float(overlap[1])
                of_smaller = _("{share:.0%} of the smaller", share=share)
                ink = f"background:rgba(31,95,168,{0.08 + 0.6 * share:.2f})"
                cells.append(f"<td style='{ink}' title='{escape(of_smaller)}'>{count:,}")
        rows.append(f"<tr><th scope=row>{escape(a)}{''.join(cells)}</tr>")
    return "".join(rows) + "</table>"
