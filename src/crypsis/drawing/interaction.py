"""What makes plots in a page interactive: a style sheet and one script, both without any outside resource.

The script is written without < and &, so that it may stand in HTML and in SVG alike. It listens on the document, so
plots that are put into a page later need nothing more. Without it a plot still shows its values as tooltips.
"""

from __future__ import annotations

from crypsis.drawing.colours import DARK, FONT, LIGHT
from crypsis.drawing.palette import SIGNS

_NAMES = ("paper", "tint", "ink", "muted", "rule", "grid")


def _colours(theme: dict[str, str], dark: bool) -> str:
    plain = [f"--plot-{name}: {theme[name]};" for name in _NAMES]
    series = [f"--series-{index}: {sign.dark if dark else sign.light};" for index, sign in enumerate(SIGNS)]
    return " ".join([*plain, *series])


def _series_rules() -> str:
    rules = []
    for index, sign in enumerate(SIGNS):
        colour = f"var(--series-{index})"
        rules.append(f".crypsis-plot .fill-{index} {{ fill: {colour}; }}")
        rules.append(f".crypsis-plot .stroke-{index} {{ stroke: {colour}; }}")
        if sign.dash:
            dashes = " ".join(f"{length:g}" for length in sign.dash)
            rules.append(f".crypsis-plot .dash-{index} {{ stroke-dasharray: {dashes}; }}")
    return "\n".join(rules)


PLOT_STYLE = f"""
.crypsis-plot {{ {_colours(LIGHT, False)} display: block; width: 100%; height: auto; overflow: visible;
  font-family: {FONT}; }}
@media screen and (prefers-color-scheme: dark) {{ .crypsis-plot {{ {_colours(DARK, True)} }} }}
.body--light .crypsis-plot, [data-theme="light"] .crypsis-plot {{ {_colours(LIGHT, False)} }}
.body--dark .crypsis-plot, [data-theme="dark"] .crypsis-plot {{ {_colours(DARK, True)} }}
.crypsis-plot text {{ font-size: 12px; fill: var(--plot-muted); font-variant-numeric: tabular-nums; }}
.crypsis-plot .heading {{ font-size: 15px; font-weight: 600; fill: var(--plot-ink); }}
.crypsis-plot .axis-title, .crypsis-plot .name {{ fill: var(--plot-ink); }}
.crypsis-plot .axis {{ stroke: var(--plot-muted); stroke-width: 1; }}
.crypsis-plot .grid {{ stroke: var(--plot-grid); stroke-width: 1; }}
.crypsis-plot .limit {{ stroke: var(--plot-ink); stroke-width: 1.2; stroke-dasharray: 5 4; }}
.crypsis-plot .curve {{ fill: none; stroke-width: 2; stroke-linejoin: round; }}
.crypsis-plot .needles {{ fill: none; }}
.crypsis-plot .over {{ fill-opacity: .3; }}
.crypsis-plot .around {{ pointer-events: none; }}
.crypsis-plot .best {{ fill: none; stroke: var(--plot-muted); stroke-width: 1.4; stroke-dasharray: 6 4; }}
.crypsis-plot .piece {{ stroke: var(--plot-paper); stroke-width: .6; }}
.crypsis-plot .spread {{ stroke-width: 1.4; fill: none; }}
.crypsis-plot .gap {{ fill: none; stroke-width: 2; stroke-linecap: round; }}
.crypsis-plot .hit {{ fill: transparent; stroke: none; }}
.crypsis-plot .hatch {{ stroke: var(--plot-paper); stroke-width: 1.3; stroke-linecap: round; fill: none; }}
.crypsis-plot .mark {{ outline: none; }}
.crypsis-plot .mark:hover .shape, .crypsis-plot .mark:focus .shape {{ stroke: var(--plot-ink); stroke-width: 2; }}
.crypsis-plot .toggle {{ cursor: pointer; outline: none; }}
.crypsis-plot .toggle text {{ fill: var(--plot-ink); }}
.crypsis-plot .toggle .ring {{ fill: transparent; stroke: none; }}
.crypsis-plot .toggle:focus-visible .ring {{ stroke: var(--plot-ink); stroke-width: 1.5; }}
.crypsis-plot .toggle.switch .ring {{ stroke: var(--plot-rule); }}
.crypsis-plot .toggle.switch[aria-checked="true"] .ring {{ fill: var(--plot-tint); stroke: var(--plot-ink); }}
.crypsis-plot .toggle.switch[aria-checked="true"] text {{ font-weight: 600; }}
.crypsis-plot .toggle.series-key[aria-checked="false"] {{ opacity: .5; }}
.crypsis-plot .toggle.series-key[aria-checked="false"] text {{ text-decoration: line-through; }}
.crypsis-plot .tip {{ pointer-events: none; }}
.crypsis-plot .tip rect {{ fill: var(--plot-paper); stroke: var(--plot-muted); stroke-width: 1; }}
.crypsis-plot .tip text {{ fill: var(--plot-ink); }}
{_series_rules()}
""".strip()

PLOT_SCRIPT = """
(function () {
  "use strict";
  if (window.crypsisPlots) { return; }
  window.crypsisPlots = true;
  var SVG = "http://www.w3.org/2000/svg";
  function above(node, selector) {
    if (node) { if (node.closest) { return node.closest(selector); } }
    return null;
  }
  function plotOf(node) { return above(node, ".crypsis-plot"); }
  function words(mark) {
    var title = mark.querySelector("title");
    if (title) { mark.setAttribute("aria-label", title.textContent); title.remove(); }
    return mark.getAttribute("aria-label") || "";
  }
  function hide(plot) { plot.querySelector(".tip").setAttribute("display", "none"); }
  function show(mark) {
    var plot = plotOf(mark), tip = plot.querySelector(".tip"), box = plot.viewBox.baseVal;
    var text = tip.querySelector("text"), frame = tip.querySelector("rect");
    var shape = mark.querySelector(".shape") || mark, seen = shape.getBoundingClientRect();
    var point = plot.createSVGPoint(), back = plot.getScreenCTM().inverse();
    while (text.firstChild) { text.removeChild(text.firstChild); }
    words(mark).split("\\n").forEach(function (line, place) {
      var span = document.createElementNS(SVG, "tspan");
      span.setAttribute("x", 10);
      span.setAttribute("y", 18 + 16 * place);
      if (place === 0) { span.setAttribute("font-weight", "600"); }
      span.textContent = line;
      text.appendChild(span);
    });
    tip.removeAttribute("display");
    var size = text.getBBox(), width = size.width + 20, height = size.height + 14;
    frame.setAttribute("width", width);
    frame.setAttribute("height", height);
    point.x = (seen.left + seen.right) / 2;
    point.y = seen.top;
    var at = point.matrixTransform(back);
    var x = Math.max(box.x, Math.min(at.x - width / 2, box.x + box.width - width));
    var y = at.y - height - 8;
    if (box.y > y) {
      point.y = seen.bottom;
      y = Math.min(point.matrixTransform(back).y + 8, box.y + box.height - height);
    }
    tip.setAttribute("transform", "translate(" + x + " " + Math.max(y, box.y) + ")");
  }
  function marks(plot) {
    return Array.prototype.filter.call(plot.querySelectorAll(".mark"), function (mark) {
      return above(mark, "[display=none]") === null;
    });
  }
  function first(plot) {
    plot.querySelectorAll(".mark[tabindex='0']").forEach(function (mark) { mark.setAttribute("tabindex", "-1"); });
    var left = marks(plot);
    if (left.length) { left[0].setAttribute("tabindex", "0"); }
  }
  function toggle(button) {
    var plot = plotOf(button), on = button.getAttribute("aria-checked") !== "true";
    button.setAttribute("aria-checked", String(on));
    if (button.hasAttribute("data-series")) {
      var series = button.getAttribute("data-series");
      plot.querySelectorAll("g.series[data-series='" + series + "']").forEach(function (group) {
        if (on) { group.removeAttribute("display"); } else { group.setAttribute("display", "none"); }
      });
    } else {
      var panel = button.getAttribute("data-panel"), state = { x: null, y: null };
      plot.querySelectorAll(".switch[data-panel='" + panel + "']").forEach(function (other) {
        state[other.getAttribute("data-axis")] = other.getAttribute("aria-checked") === "true" ? "log" : "linear";
      });
      plot.querySelectorAll("g.view[data-panel='" + panel + "']").forEach(function (view) {
        var fits = ["x", "y"].every(function (axis) {
          return state[axis] === null || view.getAttribute("data-" + axis) === state[axis];
        });
        if (fits) { view.removeAttribute("display"); } else { view.setAttribute("display", "none"); }
      });
    }
    hide(plot);
    first(plot);
  }
  document.addEventListener("pointerover", function (event) {
    var mark = above(event.target, ".crypsis-plot .mark");
    if (mark) { show(mark); }
  });
  document.addEventListener("pointerout", function (event) {
    var mark = above(event.target, ".crypsis-plot .mark");
    if (mark) { hide(plotOf(mark)); }
  });
  document.addEventListener("focusin", function (event) {
    var mark = above(event.target, ".crypsis-plot .mark");
    if (mark) { show(mark); }
  });
  document.addEventListener("focusout", function (event) {
    var plot = plotOf(event.target);
    if (plot) { hide(plot); }
  });
  document.addEventListener("click", function (event) {
    var button = above(event.target, ".crypsis-plot .toggle");
    if (button) { toggle(button); }
  });
  document.addEventListener("keydown", function (event) {
    var button = above(event.target, ".crypsis-plot .toggle");
    if (button) {
      if (event.key === "Enter" || event.key === " ") { event.preventDefault(); toggle(button); }
      return;
    }
    var mark = above(event.target, ".crypsis-plot .mark");
    if (mark) {
      var plot = plotOf(mark), all = marks(plot), place = all.indexOf(mark);
      var steps = { ArrowRight: place + 1, ArrowDown: place + 1, ArrowLeft: place - 1, ArrowUp: place - 1,
        Home: 0, End: all.length - 1 };
      if (event.key === "Escape") { hide(plot); }
      if (event.key in steps) {
        event.preventDefault();
        var next = all[Math.max(0, Math.min(all.length - 1, steps[event.key]))];
        mark.setAttribute("tabindex", "-1");
        next.setAttribute("tabindex", "0");
        next.focus();
      }
    }
  });
})();
""".strip()
