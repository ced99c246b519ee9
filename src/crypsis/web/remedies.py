"""Remedies as controls: what a page offers to do about a finding of a light, or about a run that came to nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from crypsis.methods import METHODS
from crypsis.parameters import parameters_of
from crypsis.reports.parameter_labels import called_in
from crypsis.review import Finding, Remedy
from crypsis.translation import _
from crypsis.web import theme
from crypsis.web.parameter_form import COMPANION_PAGES

_USUAL_SIZES = (2, 3, 5, 10, 20, 50, 100, 200, 500, 1000)
_MOST = 3  # controls of one finding
# What would help, the most direct first. By the code of a finding, or the state of a run.
_STEPS = {
    "information-loss": ("smaller:k", "smaller:m", "hierarchies", "columns", "methods"),
    "suppressed": ("smaller:k", "smaller:m", "methods"),
    "still-tracks": ("smaller:k", "methods"),
    "empty-release": ("larger:epsilon", "smaller:k", "smaller:m", "hierarchies", "methods"),
    "constant-column": ("larger:epsilon", "smaller:k", "smaller:m", "hierarchies", "methods"),
    "count-errors": ("smaller:k", "smaller:m", "hierarchies", "methods"),
    "counts-below-noise": ("larger:epsilon", "columns"),
    "revealed-values": ("columns", "methods"),
    "known-pairs": ("larger:k", "methods"),
    "reidentification-risk": ("larger:k",),
    "repeated-people": ("columns", "methods"),
    "unique-by-unchanged-columns": ("columns",),
    "direct-identifier": ("columns",),
    "exact-dates": ("columns",),
    "free-text": ("columns",),
    "missing-values": ("columns",),
    "verdict": ("methods",),
    "infeasible": ("smaller:k", "smaller:m", "hierarchies", "columns", "methods"),
    "failed": ("columns", "methods"),
    "too_slow": ("methods",),
    "unsafe": ("methods",),
}


@dataclass(frozen=True)
class Mending:
    """What can be mended from a page: a run by `apply`, which sets a parameter, and what belongs to its dataset.

    The dataset is empty where a page does not know it, as of a release that was dropped.
    """

    method: str
    values: Mapping[str, Any]
    dataset: str
    apply: Callable[[Remedy], Any] | None = None

    def offer(self, finding: Finding, offered: set[str]) -> None:
        """The controls for a finding: the setting that it names, or else what helps against such findings.

        What was `offered` beside another finding is not offered again.
        """
        remedy = finding.remedy
        if self.apply is not None and remedy is not None and remedy.parameter in self._parameters:
            self._set(remedy)
        else:
            self.offer_for(finding.code, offered)

    def offer_for(self, code: str, offered: set[str] | None = None) -> None:
        """The controls for a kind of finding, or for the state of a run."""
        known = set() if offered is None else offered
        steps = {name: step for name in _STEPS.get(code, ()) if (step := self._step(name)) is not None}
        for name in [*steps][:_MOST]:
            if name not in known:
                steps[name]()
        known.update([*steps][:_MOST])

    @property
    def _parameters(self) -> dict[str, Any]:
        return {parameter.name: parameter for parameter in parameters_of(METHODS[self.method])}

    def _step(self, name: str) -> Callable[[], None] | None:
        """A control, or None where it would do nothing."""
        if name == "hierarchies":
            pages = {COMPANION_PAGES.get(one.type.__name__, ("", ""))[0] for one in self._parameters.values()}
            return (
                self._link("/hierarchies", _("Build a hierarchy"), "account_tree") if "/hierarchies" in pages else None
            )
        if name == "columns":
            return self._link("/data", _("Look at the columns on the page Data"), "table_chart")
        if name == "methods":
            return self._link("/compare", _("Compare methods"), "stacked_line_chart")
        direction, parameter = name.split(":")
        value = self._moved(direction, parameter)
        if value is None or self.apply is None:
            return None
        return lambda: self._set(Remedy("", parameter, value))

    def _moved(self, direction: str, parameter: str) -> Any:
        """The next smaller or larger value that is usual; None where there is no such parameter or value."""
        known = self._parameters.get(parameter)
        now = None if known is None else self.values.get(parameter, None if known.required else known.default)
        if not isinstance(now, (int, float)) or isinstance(now, bool):
            return None
        if parameter == "epsilon":
            return 2 * now
        if parameter == "m":
            return now - 1 if now > 1 else None
        others = [size for size in _USUAL_SIZES if (size < now if direction == "smaller" else size > now)]
        if not others:
            return None
        return others[-1] if direction == "smaller" else others[0]

    def _set(self, remedy: Remedy) -> None:
        apply = self.apply
        assert apply is not None
        parameter = called_in(self.method, str(remedy.parameter))
        words = _("Set {parameter} = {value}", parameter=parameter, value=remedy.value)
        theme.secondary(words, lambda: apply(remedy), "build")

    def _link(self, path: str, words: str, icon: str) -> Callable[[], None]:
        return lambda: theme.go_button(words, f"{path}?dataset={self.dataset}" if self.dataset else path, icon)
