"""A look at a page for those who do not see it, or not well: what a machine can check of WCAG AA, run in the page.

`AUDIT` is a function for `page.evaluate`; it gives a sentence for each problem.
"""

from __future__ import annotations

AUDIT = r"""() => {
  const problems = [];
  const short = (element) => element.outerHTML.slice(0, 160).replace(/\s+/g, " ");
  const visible = (element) => {
    const box = element.getBoundingClientRect(), style = getComputedStyle(element);
    return box.width > 0 && box.height > 0 && style.visibility !== "hidden" && !element.closest("[aria-hidden=true]");
  };

  // Names
  const silent = "[aria-hidden=true], .material-icons";
  const said = (node) => node.nodeType === 3 ? node.textContent
    : node.nodeType === 1 && !node.matches(silent) ? [...node.childNodes].map(said).join(" ") : "";
  const name = (element) => {
    const by = (element.getAttribute("aria-labelledby") ?? "").split(/\s+/).filter(Boolean);
    const labels = [...by.map((id) => document.getElementById(id)), ...(element.labels ?? [])].filter(Boolean);
    return [element.getAttribute("aria-label"), ...labels.map(said), said(element), element.title]
      .map((text) => (text ?? "").trim()).find(Boolean);
  };
  const controls = "button, a[href], input:not([type=hidden]), textarea, select, svg[role=group]," +
    "[role=button], [role=slider], [role=switch], [role=checkbox], [role=combobox], [role=img]";
  for (const element of document.querySelectorAll(controls))
    if (visible(element) && !name(element)) problems.push("no name: " + short(element));

  // Structure
  const ids = [...document.querySelectorAll("[id]")].map((element) => element.id);
  for (const id of new Set(ids))
    if (ids.filter((one) => one === id).length > 1) problems.push("the id is there twice: " + id);
  if (!document.documentElement.lang) problems.push("the page has no language");
  if (!document.title) problems.push("the page has no title");
  if (document.querySelectorAll("h1").length !== 1) problems.push("there is not one h1");
  if (document.querySelectorAll("main, [role=main]").length !== 1) problems.push("there is not one main part");
  if (!document.querySelector("nav[aria-label]")) problems.push("there is no navigation with a name");
  let above = 0;
  for (const heading of document.querySelectorAll("h1, h2, h3, h4")) {
    if (!visible(heading)) continue;
    const level = Number(heading.tagName[1]);
    if (level > above + 1) problems.push(`the heading ${heading.textContent} skips a level`);
    above = level;
  }
  for (const element of document.querySelectorAll("[tabindex]"))
    if (element.tabIndex > 0) problems.push("the order of the keyboard is changed: " + short(element));
  for (const table of document.querySelectorAll("table"))
    if (visible(table) && !table.querySelector("th")) problems.push("a table has no heads: " + short(table));

  // Contrast of text with what is behind it
  const brush = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const colour = (text) => {
    brush.clearRect(0, 0, 1, 1);
    brush.fillStyle = text;
    brush.fillRect(0, 0, 1, 1);
    const [red, green, blue, alpha] = brush.getImageData(0, 0, 1, 1).data;
    return [red, green, blue, alpha / 255];
  };
  const over = (top, below) => [0, 1, 2].map((i) => top[i] * top[3] + below[i] * (1 - top[3])).concat(1);
  const around = (element) => element ? [element, ...around(element.parentElement)] : [];
  const ground = (element) => around(element).map((one) => colour(getComputedStyle(one).backgroundColor))
    .reverse().reduce((below, top) => over(top, below), [255, 255, 255, 1]);
  const light = (one) => {
    const [red, green, blue] = one.slice(0, 3).map((value) => value / 255)
      .map((value) => value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const exempt = "svg, script, style, noscript, [disabled], [aria-disabled=true], .disabled, .aloud, .q-slider__text";
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const text = texts.currentNode.textContent.trim(), element = texts.currentNode.parentElement;
    if (!text || !element || !visible(element) || element.closest(exempt)) continue;
    const style = getComputedStyle(element), below = ground(element), ink = colour(style.color);
    ink[3] *= around(element).reduce((product, one) => product * Number(getComputedStyle(one).opacity), 1);
    const [brighter, darker] = [light(over(ink, below)), light(below)].sort((a, b) => b - a);
    const ratio = (brighter + 0.05) / (darker + 0.05), size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    if (ratio < (large ? 3 : 4.5)) problems.push(`contrast ${ratio.toFixed(2)}: ${text.slice(0, 60)}`);
  }
  return problems;
}"""
