"""A page of ours as a PDF, without a browser: fonts and pictures are in the page, and nothing else is loaded."""

from __future__ import annotations

import base64
import logging
import re
from pathlib import Path
from typing import Any

from crypsis.drawing.colours import LIGHT, PICTURE_STYLE
from crypsis.drawing.interaction import PLOT_STYLE
from crypsis.errors import MissingExtra
from crypsis.translation import ENGLISH, _, reading
from crypsis.translation.languages import is_known

FONTS = Path(__file__).parent / "fonts"
_REGULAR, _BOLD = "report-font:regular", "report-font:bold"
_FONT_FILES = {_REGULAR: "DejaVuSans.ttf", _BOLD: "DejaVuSans-Bold.ttf"}
_SVG = re.compile(r"<svg\b([^>]*)>(.*?)</svg>", re.DOTALL)
_SCRIPT = re.compile(r"<script\b[^>]*>.*?</script>", re.DOTALL)
_VARIABLE = re.compile(r"var\((--[\w-]+)\)")
_SIGNAL = {"holds": LIGHT["good"], "idle": LIGHT["caution"], "broken": LIGHT["bad"]}

# Boxes beside each other cannot be cut by the end of a page, so they stand below each other here.
_STYLE = f"""
@font-face {{ font-family: Report; src: url({_REGULAR}); }}
@font-face {{ font-family: Report; font-weight: bold; src: url({_BOLD}); }}
@page {{ size: A4; margin: 18mm 16mm 20mm;
  @bottom-right {{ content: counter(page) " / " counter(pages); font: 8pt Report; color: {LIGHT["muted"]}; }}
  @bottom-left {{ content: string(title); font: 8pt Report; color: {LIGHT["muted"]}; }} }}
title {{ display: block; string-set: title content(); font-size: 0; }}
head {{ display: block; }} style, meta {{ display: none; }}
html, body, code, .picture text {{ font-family: Report; }}
body {{ font-size: 9pt; line-height: 1.45; }}
h1 {{ font-size: 17pt; }} h2 {{ font-size: 12.5pt; }} h3 {{ font-size: 9.5pt; }}
section {{ margin-top: 18pt; }} section > h2 {{ margin-bottom: 8pt; padding-bottom: 4pt; }}
section > h2 + p {{ margin-bottom: 8pt; break-inside: avoid; break-after: avoid; }}
p {{ max-width: none; }}
.small, .legend, figcaption, .tiles dt, .tiles .detail, .light ul, table, th, tbody th, dl.facts {{
  font-size: 8pt; }}
.tiles {{ display: block; }}
.tiles div {{ display: inline-block; width: 23%; margin: 0 1.5% 8pt 0; vertical-align: top; }}
.tiles .figure {{ font-size: 14pt; }}
.columns, .plots, .lights {{ display: block; }}
.columns, .plots {{ orphans: 1; widows: 1; }} .columns > *, .plots > * {{ orphans: 2; widows: 2; }}
.columns > * + *, .light + .light {{ margin-top: 10pt; }}
.private {{ margin-bottom: 10pt; }}
.columns h3:not(:first-child) {{ margin-top: 8pt; }}
.columns > figure, .plots > figure {{ display: inline-block; width: 48%; margin: 0 1% 10pt 0; vertical-align: top; }}
.columns figcaption, .plots figcaption {{ padding-right: 8pt; }}
img.chart {{ max-width: 88mm; }} img.chart.wide {{ max-width: none; }}
.legend span {{ display: inline-block; margin-right: 14pt; }}
.verdict {{ display: block; padding: 8pt 12pt; margin-top: 10pt; }}
.verdict img {{ float: left; width: 24pt; height: 24pt; margin: 0 10pt 20pt 0; }}
.verdict strong {{ font-size: 12pt; }}
.light {{ padding: 6pt 10pt; break-inside: avoid; }}
.legend {{ display: block; }} .legend li {{ display: inline-block; margin-right: 14pt; }}
.legend img, .bar img {{ height: 10pt; vertical-align: middle; }} .legend img {{ margin-right: 5pt; }}
dl.facts {{ display: table; width: 100%; table-layout: fixed; }}
dl.facts div {{ display: table-row; break-inside: avoid; }}
dl.facts div:first-child {{ break-before: avoid; }}
/* the last rows of a list or table stay together, and signatures stay below what is signed */
dl.facts div:nth-last-child(-n+2), tbody tr:nth-last-child(-n+2), .signed {{ break-before: avoid; }}
dl.facts dt, dl.facts dd {{ display: table-cell; padding-bottom: 3pt; vertical-align: top; }}
dl.facts dt {{ width: 42%; padding-right: 10pt; }}
.lights + p {{ break-before: avoid; }}
ul.plain li {{ padding: 3pt 0; }}
th, td {{ padding: 3pt 8pt 3pt 0; overflow-wrap: break-word; }}
pre {{ white-space: pre-wrap; break-before: avoid; }} .recheck {{ break-inside: avoid; }}
.scroll {{ overflow: visible; }}
.signatures {{ display: block; }}
.signatures > div {{ display: inline-block; width: 46%; margin-right: 3%; vertical-align: top; }}
footer, .only-screen {{ display: none; }}
"""
_PLOT_IN_PRINT = ".tip, .switch { display: none; } .crypsis-plot text { font-size: 11px; }"


def _language_of(html: str) -> str:
    match = re.search(r'<html[^>]* lang="([\w-]+)"', html)
    return match[1] if match and is_known(match[1]) else ENGLISH


def _not_for_release(language: str) -> str:
    with reading(language):
        words = _("Private: not for release")
    return f"""
@page {{ @top-center {{ content: "{words}"; font: bold 8pt Report; color: {LIGHT["bad"]}; }} }}
"""


def pdf_of(html: str, *, private: bool = False) -> bytes:
    """The PDF of a page; on every page of a private one stands that it is not for release."""
    return bytes(laid_out(html, private=private).write_pdf(pdf_identifier=b"crypsis"))


def laid_out(html: str, *, private: bool = False) -> Any:
    """The pages with everything at its place, before they are written."""
    weasyprint = _weasyprint()
    text = _SVG.sub(_as_image, _SCRIPT.sub("", html))
    rules = _STYLE + (
        _not_for_release(_language_of(html)) if private else ""
    )  # after those of the page, which they overrule
    text = text.replace("</head>", f"<style>{rules}</style></head>", 1)
    document = weasyprint.HTML(string=text, url_fetcher=_fetcher(weasyprint))
    fonts = weasyprint.text.fonts.FontConfiguration()
    return document.render(font_config=fonts)


def _as_image(found: re.Match[str]) -> str:
    """A drawing as a picture of its own: its colours stand in it, since it no longer sees those of the page."""
    attributes, content = found.groups()
    label = re.search(r'aria-label="([^"]*)"', attributes)
    if 'class="sign"' in content:
        state = re.findall(r'class="verdict (\w+)"', found.string)
        colour = _SIGNAL.get(state[0] if state else "", LIGHT["ink"])
        style = f".sign {{ fill: none; stroke: {colour}; stroke-width: 2.5; }}"
    else:
        style = _resolved(f"{PICTURE_STYLE}\n.track {{ fill: var(--grid); }}\n{PLOT_STYLE}\n{_PLOT_IN_PRINT}")
    space = "" if "xmlns=" in attributes else ' xmlns="http://www.w3.org/2000/svg"'
    picture = f"<svg{space}{attributes}><style>{style}</style>{content}</svg>"
    data = base64.b64encode(picture.encode()).decode()
    words = f' alt="{label.group(1)}"' if label else ' alt=""'
    shown = re.search(r'class="([^"]*)"', attributes)
    kind = f' class="{shown.group(1)}"' if shown else ""
    return f'<img{words}{kind} src="data:image/svg+xml;base64,{data}">'


def _resolved(style: str) -> str:
    """The same with colours in place of their names, on white paper."""
    light = {f"--{name}": colour for name, colour in LIGHT.items()}
    first = style.partition("@media")[0]
    plots = dict(re.findall(r"(--(?:plot|series)-[\w-]+): ([^;]+);", first))
    kept = "\n".join(line for line in style.splitlines() if not line.startswith(("@media", ".body--", "[data-theme")))
    return _VARIABLE.sub(lambda named: {**light, **plots}.get(named.group(1), LIGHT["ink"]), kept)


def _fetcher(weasyprint: Any) -> Any:
    """Gives out the two fonts and what stands in the page itself; nothing else is ever loaded."""

    class Inside(weasyprint.urls.URLFetcher):  # type: ignore[misc]
        def fetch(self, url: str, headers: Any = None) -> Any:
            if url in _FONT_FILES:
                content = (FONTS / _FONT_FILES[url]).read_bytes()
                return weasyprint.urls.URLFetcherResponse(url, content, {"Content-Type": "font/ttf"})
            return super().fetch(url, headers)

    return Inside(allowed_protocols={"data"})


def _weasyprint() -> Any:
    try:
        import weasyprint
        import weasyprint.text.fonts
    except (ImportError, OSError) as error:  # OSError: Pango, which it draws letters with, is not there
        raise MissingExtra(
            "A report as PDF needs the package weasyprint: pip install 'crypsis[pdf]', and the system library Pango.",
            extra="pdf",
        ) from error
    logging.getLogger("weasyprint").setLevel(logging.CRITICAL)  # it warns of every rule that is for screens
    return weasyprint
