"""Colours and type of pictures and pages. Blue and orange stay apart for every kind of colour vision."""

from __future__ import annotations

LIGHT = {
    "paper": "#ffffff",
    "tint": "#f5f6f7",
    "ink": "#1c2126",
    "muted": "#5a646e",
    "rule": "#dde1e5",
    "grid": "#e8ebee",
    "intact": "#0b68a8",
    "generalized": "#c65b00",
    "neutral": "#6b7885",
    "good": "#0a6b52",
    "good-tint": "#edf6f3",
    "caution": "#8a5a00",
    "caution-tint": "#fbf4e4",
    "bad": "#a8331b",
    "bad-tint": "#fbefec",
}
DARK = {
    "paper": "#14181c",
    "tint": "#1c2126",
    "ink": "#e7eaed",
    "muted": "#9da8b3",
    "rule": "#313940",
    "grid": "#272e34",
    "intact": "#58aee8",
    "generalized": "#eb9a3c",
    "neutral": "#8e9aa6",
    "good": "#5cc7a5",
    "good-tint": "#16261f",
    "caution": "#e5b558",
    "caution-tint": "#29220f",
    "bad": "#f08a70",
    "bad-tint": "#2e1a16",
}

FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, "Liberation Sans", sans-serif'

PICTURE_STYLE = f"""
.picture text {{ font-family: {FONT}; font-size: 12.5px; fill: var(--muted); font-variant-numeric: tabular-nums; }}
.picture .value {{ fill: var(--ink); font-weight: 600; }}
.picture .note {{ fill: var(--ink); }}
.axis {{ stroke: var(--muted); stroke-width: 1; }}
.grid {{ stroke: var(--grid); stroke-width: 1; }}
.limit {{ stroke: var(--ink); stroke-width: 1.5; stroke-dasharray: 5 4; }}
.frame {{ fill: var(--tint); }}
.bar-intact, .dot-intact {{ fill: var(--intact); }}
.bar-generalized, .dot-generalized {{ fill: var(--generalized); }}
.bar-neutral {{ fill: var(--neutral); }}
.reach {{ stroke: var(--neutral); stroke-width: 3; stroke-opacity: .45; }}
.reached {{ fill: var(--intact); }}
.missed {{ fill: none; stroke: var(--bad); stroke-width: 3; stroke-linecap: round; }}
.hull {{ fill: var(--generalized); stroke: var(--generalized); stroke-linejoin: round; stroke-linecap: round;
  opacity: .26; }}
.spokes {{ fill: none; stroke: var(--generalized); stroke-width: 1; stroke-opacity: .6; }}
.whole {{ fill: var(--intact); fill-opacity: .82; stroke: var(--paper); stroke-width: 1; }}
.dots {{ fill: none; stroke-linecap: round; pointer-events: none; }}
.dots.intact {{ stroke: var(--intact); }}
.dots.rim {{ stroke: var(--generalized); }}
.dots.core {{ stroke: var(--paper); }}
.flow {{ fill: none; stroke: var(--generalized); stroke-opacity: .5; stroke-linecap: round; }}
.flow-head {{ fill: var(--generalized); fill-opacity: .85; }}
.move:hover .flow {{ stroke-opacity: 1; }}
.area {{ fill: var(--intact); stroke: var(--paper); stroke-width: 1; }}
.dots.centre {{ stroke: var(--ink); }}
.curve {{ fill: none; stroke-width: 2; stroke-linejoin: round; stroke-linecap: round; }}
.curve.intact {{ stroke: var(--intact); }}
.curve.generalized {{ stroke: var(--generalized); }}
.scale {{ stroke: var(--ink); stroke-width: 1.5; fill: none; }}
.size-key {{ fill: none; stroke: var(--muted); stroke-width: 1.2; }}
""".strip()
