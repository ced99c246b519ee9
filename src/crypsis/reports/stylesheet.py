"""Type, colours and spacing of reports, in light and dark."""

from __future__ import annotations

from crypsis.drawing.colours import DARK, FONT, LIGHT


def _properties(colours: dict[str, str]) -> str:
    return " ".join(f"--{name}: {colour};" for name, colour in colours.items())


PAGE_STYLE = f"""
:root {{ color-scheme: light dark; {_properties(LIGHT)} }}
@media screen and (prefers-color-scheme: dark) {{ :root {{ {_properties(DARK)} }} }}
* {{ box-sizing: border-box; }}
html {{ -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }}
body {{ margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.55 {FONT}; }}
main, footer {{ max-width: 1024px; margin: 0 auto; padding: 0 32px; }}
h1, h2, h3 {{ line-height: 1.25; margin: 0; font-weight: 600; text-wrap: balance; }}
h1 {{ font-size: 30px; letter-spacing: -.012em; }}
h2 {{ font-size: 21px; letter-spacing: -.006em; }}
h3 {{ font-size: 15px; }}
p {{ margin: 0; max-width: 68ch; }}
sup {{ font-size: .7em; line-height: 0; }}
code {{ font: .9em ui-monospace, "SF Mono", Menlo, Consolas, "Liberation Mono", monospace; overflow-wrap: anywhere; }}
.muted {{ color: var(--muted); }}
.small {{ font-size: 14px; }}

header {{ padding: 40px 0 0; }}
.eyebrow {{ color: var(--muted); font-size: 14px; margin-bottom: 4px; }}
.verdict {{ display: grid; grid-template-columns: 44px 1fr; gap: 2px 18px; margin-top: 24px; padding: 20px 24px;
  border-left: 4px solid var(--signal); background: var(--signal-tint); }}
.verdict svg {{ width: 44px; height: 44px; grid-row: span 2; }}
.verdict .sign {{ fill: none; stroke: var(--signal); stroke-width: 2.5; stroke-linecap: round;
  stroke-linejoin: round; }}
.verdict strong {{ color: var(--signal); font-size: 20px; font-weight: 600; line-height: 1.3; }}
.verdict p + p {{ margin-top: 6px; }}
.holds {{ --signal: var(--good); --signal-tint: var(--good-tint); }}
.idle {{ --signal: var(--caution); --signal-tint: var(--caution-tint); }}
.broken {{ --signal: var(--bad); --signal-tint: var(--bad-tint); }}

.lights {{ display: grid; grid-template-columns: repeat(auto-fit, minmax(260px, 1fr)); gap: 16px;
  margin-bottom: 12px; }}
.light {{ border-left: 4px solid var(--signal); background: var(--signal-tint); padding: 14px 18px; }}
.light h3 {{ color: var(--signal); margin-bottom: 6px; }}
.light ul {{ margin: 0; padding-left: 18px; font-size: 14px; }}
.light li + li {{ margin-top: 6px; }}

.private {{ margin-top: 24px; padding: 12px 18px; border: 2px solid var(--bad); color: var(--bad);
  max-width: none; }}
.strong {{ font-weight: 600; }}
.signatures {{ display: grid; grid-template-columns: 1fr 1fr; gap: 40px; }}
.signatures .line {{ margin-top: 56px; padding-top: 6px; border-top: 1px solid var(--ink); }}

section {{ margin-top: 56px; }}
section > h2 {{ padding-bottom: 10px; border-bottom: 1px solid var(--rule); margin-bottom: 20px; }}
section > h2 + p {{ margin-bottom: 24px; }}
.glance {{ margin-top: 32px; }}
.glance h2 {{ position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }}
.tiles {{ display: grid; grid-template-columns: repeat(4, 1fr); gap: 24px 32px; margin: 0; }}
.tiles div {{ border-top: 1px solid var(--rule); padding-top: 10px; }}
.tiles dt {{ font-size: 14px; color: var(--muted); }}
.tiles dd {{ margin: 0; }}
.tiles .figure {{ font-size: 26px; line-height: 1.3; font-weight: 600; letter-spacing: -.01em;
  font-variant-numeric: tabular-nums; }}
.tiles .detail {{ font-size: 14px; color: var(--muted); line-height: 1.4; }}

.columns {{ display: grid; grid-template-columns: 1fr 1fr; gap: 40px; align-items: start; }}
.columns > * {{ min-width: 0; }}
.columns h3 {{ margin-bottom: 8px; }}
.columns h3:not(:first-child) {{ margin-top: 24px; }}
ul.plain {{ margin: 0; padding: 0; list-style: none; }}
ul.plain li {{ padding: 8px 0; border-top: 1px solid var(--rule); }}
ul.plain li:first-child {{ border-top: 0; padding-top: 0; }}

figure {{ margin: 0; break-inside: avoid; }}
section > figure + figure {{ margin-top: 36px; }}
h3.files {{ margin: 36px 0 8px; }}
p.note {{ margin-top: 12px; }}
figure h3 {{ margin-bottom: 12px; }}
figcaption {{ margin-top: 12px; font-size: 14px; color: var(--muted); max-width: 72ch; }}
.picture {{ display: block; width: 100%; height: auto; }}
.legend {{ display: flex; flex-wrap: wrap; gap: 6px 24px; margin: 12px 0 0; padding: 0; list-style: none;
  font-size: 14px; }}
.legend li {{ display: flex; align-items: center; gap: 8px; }}
.legend svg {{ height: 18px; flex: none; }}
.symbol:hover .hull {{ opacity: .5; }}
.symbol:hover .spokes {{ stroke-opacity: 1; stroke-width: 1.6; }}

.scroll {{ overflow-x: auto; }}
table {{ border-collapse: collapse; width: 100%; font-size: 15px; }}
th {{ text-align: left; font-weight: 600; font-size: 14px; color: var(--muted); vertical-align: bottom; }}
th, td {{ padding: 9px 20px 9px 0; border-bottom: 1px solid var(--rule); }}
td {{ vertical-align: top; overflow-wrap: anywhere; }}
tbody th {{ color: var(--ink); font-size: 15px; font-weight: 500; vertical-align: top; }}
th:last-child, td:last-child {{ padding-right: 0; }}
.numeric {{ text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }}
.bar {{ width: 112px; }}
.bar svg {{ display: block; width: 112px; height: 10px; margin-top: 7px; }}
.bar svg .track {{ fill: var(--grid); }}
.direction {{ white-space: nowrap; color: var(--muted); }}
dl.facts {{ display: grid; grid-template-columns: fit-content(50%) 1fr; gap: 8px 24px; margin: 0; font-size: 15px; }}
dl.facts div {{ display: contents; }}
dl.facts dt {{ color: var(--muted); }}
dl.facts dd {{ margin: 0; overflow-wrap: anywhere; }}
pre {{ margin: 12px 0; padding: 14px 16px; background: var(--tint); overflow-x: auto; font-size: 14px;
  line-height: 1.5; }}
footer {{ margin-top: 56px; padding-top: 20px; padding-bottom: 40px; font-size: 14px; color: var(--muted); }}

@media screen and (max-width: 760px) {{
  main, footer {{ padding-left: 20px; padding-right: 20px; }}
  header {{ padding-top: 28px; }}
  h1 {{ font-size: 25px; }}
  .columns, .signatures {{ grid-template-columns: 1fr; gap: 36px; }}
  .tiles {{ grid-template-columns: 1fr 1fr; gap: 20px 24px; }}
  .tiles .figure {{ font-size: 23px; }}
  .verdict {{ grid-template-columns: 32px 1fr; gap: 2px 14px; padding: 16px 18px; }}
  .verdict svg {{ width: 32px; height: 32px; }}
  .picture text {{ font-size: 14px; }}
  .map text {{ font-size: 26px; }}
  .bar {{ display: none; }}
  .utility tr {{ display: grid; grid-template-columns: 1fr auto; padding: 10px 0;
    border-bottom: 1px solid var(--rule); }}
  .utility th, .utility td {{ border: 0; padding: 0; }}
  .utility thead {{ display: none; }}
  .utility td.meaning {{ grid-column: 1 / -1; }}
  .utility td.direction {{ grid-column: 1 / -1; }}
  .utility td.direction:empty {{ display: none; }}
  dl.facts {{ grid-template-columns: 1fr; gap: 0; }}
  dl.facts dd {{ margin-bottom: 10px; }}
}}
@media print {{
  @page {{ margin: 16mm; }}
  :root {{ color-scheme: light; }}
  body {{ font-size: 10.5pt; }}
  main, footer {{ max-width: none; padding: 0; }}
  header {{ padding-top: 0; }}
  section {{ margin-top: 28pt; }}
  h2, h3 {{ break-after: avoid; }}
  tr, .verdict, .tiles div, .signatures {{ break-inside: avoid; }}
  .verdict, .frame, .picture {{ print-color-adjust: exact; -webkit-print-color-adjust: exact; }}
}}
""".strip()
