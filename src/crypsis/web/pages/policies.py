"""Policies: which items must not identify anybody, which may be generalized together; which places belong together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from nicegui import ui

from crypsis.errors import CrypsisError
from crypsis.translation import _, marked
from crypsis.translation.wording import counted
from crypsis.web import theme
from crypsis.web.actions import done, in_thread, notify_errors
from crypsis.web.dataset_page import DatasetPage, show_dataset_page
from crypsis.web.files import side_inputs_text, take_text
from crypsis.web.sample_offer import offer_samples
from crypsis.web.side_inputs import POLICIES
from crypsis.web.telling import error_sentence, error_words
from crypsis.web.unsaved import Unsaved
from crypsis.web.widgets import confirm, drop_place, show_as_file
from crypsis.web.workbench import Workbench
from crypsis.web.workspace import Entry

PATH = "/policies"
LEAD = marked("Say which items together must single nobody out, and which items may stand for each other.")
KINDS = ("mixed", "transactions", "trajectories")
RECIPES = {
    "privacy": {
        "all:2": marked("all sets of up to two items"),
        "items": marked("all single items"),
        "rare:20:2": marked("sets of the 20 rarest items"),
        "random:100:2:1": marked("100 random sets"),
    },
    "utility": {
        "single": marked("all items may be joined"),
        "frequency:5": marked("five sets of equally frequent items"),
        "cooccurrence:5": marked("five sets of items that occur together"),
        "hierarchy:1": marked("the subtrees of the hierarchy"),
        "fixed": marked("no item may be joined"),
    },
    "constraints": {},
}
TITLES = {
    "privacy": (
        marked("Privacy policy"),
        marked("Sets of items that somebody may know; at least k records must share each"),
    ),
    "utility": (
        marked("Utility policy"),
        marked("Items that may be published as one: for instance all kinds of milk; no overlaps"),
    ),
    "constraints": (
        marked("Places that may be joined"),
        marked("Groups of locations that may be generalized together"),
    ),
}
_SHOWN = 300
_MOST_ITEMS = 20_000  # that can be searched


def register(workbench: Workbench) -> None:
    page = DatasetPage(PATH, marked("Policies"), LEAD, KINDS, _empty)

    async def show(entry: Entry, actions: Any, _loaded: None) -> None:
        with actions:
            theme.secondary(_("Show as file"), lambda: _as_file(workbench, entry), "code")
        names = ("constraints",) if entry.content["section"]["kind"] == "trajectories" else ("privacy", "utility")
        with ui.element("div").classes("halves"):
            for name in names:
                PolicyEditor(workbench, entry, name).show()

    @ui.page(PATH, response_timeout=60)
    async def policies(dataset: str | None = None) -> None:
        await show_dataset_page(workbench, page, dataset, show)


def _empty(workbench: Workbench) -> None:
    offer_samples(
        workbench,
        PATH,
        "policy",
        _("Policies are about items"),
        _("Load transactions, or a table with sets of items, on the page Data."),
        {_("Load the sample baskets"): "baskets"},
    )


def _as_file(workbench: Workbench, entry: Entry) -> None:
    async def take(text: str) -> None:
        taken = await in_thread(take_text, workbench.datasets, workbench.side_inputs, entry.number, text)
        ui.navigate.to(f"{PATH}?dataset={taken.number}")

    show_as_file(lambda: side_inputs_text(workbench.side_inputs, entry), take)


def _words_of(recipe: str) -> str:
    """A recipe with other numbers than the usual ones, in words; one that is not known here as it is."""
    kind, *numbers = recipe.split(":")
    words = {
        "all": _("all sets of up to {} items"),
        "rare": _("sets of up to {1} of the {0} rarest items"),
        "random": _("{} random sets of up to {} items"),
        "frequency": _("{} sets of equally frequent items"),
        "cooccurrence": _("{} sets of items that occur together"),
    }.get(kind)
    try:
        return words.format(*numbers) if words else recipe
    except IndexError:
        return recipe


@dataclass(frozen=True)
class _Kept:
    """A policy as it was kept: by its recipe, or set by set; neither where there was none."""

    auto: str | None = None
    sets: list[list[str]] | None = None


class PolicyEditor:
    """One policy as a recipe, or as lines of labels."""

    def __init__(self, workbench: Workbench, dataset: Entry, name: str) -> None:
        self.workbench, self.side_inputs, self.dataset, self.name = workbench, workbench.side_inputs, dataset, name
        self.workspace = workbench.workspace
        self.shown = ""  # the lines that are kept
        self.past: list[_Kept] = []  # what was kept before, the last at the end

    @property
    def entry(self) -> Entry | None:
        return self.side_inputs.policy(self.dataset.number, self.name)

    def show(self) -> None:
        title, hint = map(_, TITLES[self.name])
        with theme.section(title, hint):
            entry = self.entry
            recipes = RECIPES[self.name]
            if recipes:
                with ui.row().style("width: 100%; flex-wrap: wrap; align-items: flex-start"):
                    known = {name: _(words) for name, words in recipes.items()}
                    current = (
                        entry.content["auto"] if entry is not None and entry.content["auto"] else next(iter(recipes))
                    )
                    known.setdefault(current, _words_of(current))
                    self.recipe = ui.select(known, value=current, label=_("Make it from the data"), with_input=False)
                    self.recipe.props("outlined dense options-dense").style("flex: 1 1 200px; min-width: 0")
                    theme.secondary(_("Derive"), notify_errors(self._derive), "auto_awesome").style("height: 40px")
            self._picker()
            self.lines = ui.textarea(_("One set on each line, items with ; between them")).props(
                'outlined input-style="font-family: ui-monospace, monospace; height: 240px"'
            )
            self.lines.style("width: 100%")
            self.note = ui.column().style("width: 100%")
            with ui.row().classes("actions"):
                self.keep = theme.primary(_("Save"), notify_errors(self._save), "save")
                self.unsaved = Unsaved()
                self.drop = theme.secondary(_("Remove"), notify_errors(self._ask_to_remove), "delete")
                theme.secondary(_("Export"), self._export, "download")
                self.back = theme.quiet("undo", _("Undo: {title}", title=title), notify_errors(self._undo))
                self.back.set_enabled(False)
            self.lines.on_value_change(lambda: self.unsaved.tell(str(self.lines.value or "") != self.shown))
            drop_place(
                self.workbench,
                _("Or drop a file: {title}", title=title),
                _("labels with ; on each line"),
                self._received,
            )
        ui.timer(0.05, self._fill, once=True)

    def _picker(self) -> None:
        """Items to search and choose; those that are chosen become a set."""
        title = _(TITLES[self.name][0])
        with ui.row().style("width: 100%; flex-wrap: wrap; align-items: flex-start"):
            self.items = ui.select([], multiple=True, with_input=True, label=_("Search items: {title}", title=title))
            self.items.props("outlined dense options-dense use-chips").style("flex: 1 1 200px; min-width: 0")
            self.add = theme.secondary(_("Add set"), notify_errors(self._add_set), "add").style("height: 40px")

    def _add_set(self) -> None:
        """One more line with the items that are chosen; nothing is kept before it is saved."""
        chosen = [str(item) for item in self.items.value or ()]
        if not chosen:
            self.items.error = _("Choose at least one item.")
            return
        self.items.error = None
        lines = [line for line in str(self.lines.value or "").splitlines() if line.strip()]
        line = "; ".join(chosen)
        if line not in lines:
            self.lines.set_value("\n".join([*lines, line]))
        self.items.set_value([])

    async def _fill_items(self) -> None:
        try:
            labels = await in_thread(self.side_inputs.labels, self.dataset.number)
        except CrypsisError:  # told where the policy is shown
            labels = []
        self.items.set_options(labels[:_MOST_ITEMS])
        self.items.set_enabled(bool(labels))

    async def _fill(self) -> None:
        if not self.items.options:
            await self._fill_items()
        entry = self.entry
        self.note.clear()
        self._keep_shown("" if entry is None else str(self.lines.value or ""))
        self.drop.set_enabled(entry is not None)
        self._lock(False)
        if entry is None:
            with self.note:
                theme.message(
                    "info",
                    _("Not set"),
                    _("Methods use their own default until you make one from the data or write one."),
                )
            return
        try:
            sets = await in_thread(self.side_inputs.policy_sets, entry)
        except CrypsisError as error:
            with self.note, theme.fault(_("It cannot be derived from these data"), error_words(error)):
                theme.secondary(_("Remove"), notify_errors(self._ask_to_remove), "delete")
                columns = _("Look at the columns on the page Data")
                theme.go_button(columns, f"/data?dataset={self.dataset.number}", "table_chart")
            return
        self._keep_shown("\n".join("; ".join(one) for one in sets[:_SHOWN]))
        self._lock(len(sets) > _SHOWN)
        with self.note:
            words = counted(len(sets), "set") + (
                _(", the first {shown} are shown", shown=_SHOWN) if len(sets) > _SHOWN else ""
            )
            recipe = entry.content["auto"]
            known = _(RECIPES[self.name].get(recipe) or _words_of(recipe)) if recipe else _("written by hand")
            theme.message("good", _("In use"), f"{words} · {known}")
            if len(sets) > _SHOWN:
                ui.label(_("It is too long to change here; take it as a file, or remove it first.")).classes(
                    "muted small"
                )

    def _keep_shown(self, text: str) -> None:
        """Show what is kept; from here on, other text is not saved yet."""
        self.shown = text
        self.lines.set_value(text)
        self.unsaved.tell(False)

    def _lock(self, locked: bool) -> None:
        """What is shown in part must not be saved as if it were the whole."""
        self.lines.props("readonly" if locked else "", remove="" if locked else "readonly")
        self.keep.set_enabled(not locked)
        self.add.set_enabled(not locked)

    def _kept(self) -> _Kept:
        entry = self.entry
        if entry is None:
            return _Kept()
        if entry.content["auto"]:
            return _Kept(auto=str(entry.content["auto"]))
        return _Kept(sets=[[*one] for one in self.side_inputs.policy_sets(entry)])

    async def _remember(self, before: _Kept) -> None:
        """What was kept can be brought back, as long as the page is open."""
        if before != await in_thread(self._kept):
            self.past.append(before)
        self.back.set_enabled(bool(self.past))

    async def _undo(self) -> None:
        before, entry = self.past.pop(), self.entry
        if before.auto is not None:
            await in_thread(self.side_inputs.keep_policy, self.dataset.number, self.name, auto=before.auto)
        elif before.sets is not None:
            await in_thread(self.side_inputs.keep_policy, self.dataset.number, self.name, sets=before.sets)
        elif entry is not None:
            await in_thread(self.workspace.remove, POLICIES, entry.number)
        self.lines.error = None
        self.back.set_enabled(bool(self.past))
        await self._fill()
        done(_("Undone"))

    async def _derive(self) -> None:
        before = await in_thread(self._kept)
        await in_thread(self.side_inputs.keep_policy, self.dataset.number, self.name, auto=str(self.recipe.value))
        await self._remember(before)
        self.lines.error = None
        await self._fill()

    async def _save(self) -> None:
        sets = [
            [label.strip() for label in line.split(";") if label.strip()]
            for line in str(self.lines.value or "").splitlines()
            if line.strip()
        ]
        before = await in_thread(self._kept)
        try:
            await in_thread(self.side_inputs.keep_policy, self.dataset.number, self.name, sets=sets)
        except CrypsisError as error:
            self.lines.error = error_words(error)
            return
        await self._remember(before)
        self.lines.error = None
        unknown = await in_thread(self.side_inputs.unknown_labels, self.dataset.number, sets)
        await self._fill()
        done(_("Saved"))
        if unknown:
            with self.note:
                shown = ", ".join(unknown[:8]) + (" …" if len(unknown) > 8 else "")
                way_on = _("\nPut ; between items, not a comma.") if any("," in name for name in unknown) else ""
                title = _("{labels_are} not in the data", labels_are=counted(len(unknown), "label is", "labels are"))
                theme.message("caution", title, shown + way_on)

    async def _received(self, upload: str, name: str) -> None:
        before = await in_thread(self._kept)
        try:
            sets = await in_thread(self.side_inputs.policy_of_upload, self.name, upload)
            await in_thread(self.side_inputs.keep_policy, self.dataset.number, self.name, sets=sets)
        except CrypsisError as error:
            self.lines.error = f"{name}: {error_sentence(error)}"
            return
        await self._remember(before)
        self.lines.error = None
        await self._fill()
        done(_("Saved"))

    def _export(self) -> None:
        if self.entry is None:
            ui.notify(_("Derive or write a policy first."), position="bottom-right")
        else:
            ui.download.from_url(f"/api/policies/{self.entry.number}/policy.txt", f"{self.name}.txt")

    async def _ask_to_remove(self) -> None:
        """What was made from the data is made again; what somebody wrote is gone."""
        if self.entry is not None and self.entry.content["auto"]:
            await self._remove()
        else:
            title = _(TITLES[self.name][0])
            confirm(
                _("Remove the {title}?", title=title),
                _("It was written by hand; Undo brings it back while this page is open."),
                self._remove,
                _("Remove"),
            )

    async def _remove(self) -> None:
        before, entry = await in_thread(self._kept), self.entry
        if entry is not None:
            await in_thread(self.workspace.remove, POLICIES, entry.number)
        await self._remember(before)
        await self._fill()
