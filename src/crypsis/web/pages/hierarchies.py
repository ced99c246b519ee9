"""Hierarchies: what values may be generalized to. A tree to browse, drag, rename or type, or made with a preview."""

from __future__ import annotations

import re
from typing import Any

from nicegui import ui

from crypsis.errors import CrypsisError, NotApplicable
from crypsis.hierarchy.hierarchies import recipe_words
from crypsis.translation import _, marked, translated
from crypsis.translation.wording import counted
from crypsis.web import theme
from crypsis.web.actions import done, in_thread, notify_errors, number, show_error_at
from crypsis.web.dataset_page import DatasetPage, show_dataset_page
from crypsis.web.files import side_inputs_text, take_text
from crypsis.web.level_losses import level_losses, losses_table
from crypsis.web.recipe_form import RecipeForm
from crypsis.web.sample_offer import offer_samples
from crypsis.web.side_inputs import TreeNode, nested
from crypsis.web.telling import error_sentence, error_words
from crypsis.web.widgets import (
    choose_file_button,
    drop_place,
    show_as_file,
)
from crypsis.web.workbench import Workbench
from crypsis.web.workspace import Entry

PATH = "/hierarchies"
LEAD = marked("Say what a value may be replaced with: a town by its county, an age by a range.")
KINDS = ("table", "mixed", "transactions", "trajectories")
_LINES = "hierarchy-lines"
_USUAL = dict.fromkeys(("int", "float"), "equi_width:16")
_LONGEST_TEXT = 2_000_000  # characters that a page edits at once


def register(workbench: Workbench) -> None:
    page = DatasetPage(PATH, marked("Hierarchies"), LEAD, KINDS, _empty)

    @ui.page(PATH, response_timeout=60)
    async def hierarchies(dataset: str | None = None, column: str | None = None) -> None:
        async def show(entry: Entry, actions: Any, columns: list[str]) -> None:
            chosen = column if column in columns else next(iter(columns), None)
            page = HierarchyPage(workbench, entry, columns, chosen)
            with actions:
                theme.secondary(_("Show as file"), page.as_file, "code")
            await page.show()

        await show_dataset_page(workbench, page, dataset, show, workbench.side_inputs.columns)


def _empty(workbench: Workbench) -> None:
    offer_samples(
        workbench,
        PATH,
        "account_tree",
        _("No columns yet"),
        _("Load a table on the page Data, or begin with sample patients."),
        {_("Load the sample patients"): "patients"},
    )


class HierarchyPage:
    """The page that shows and edits a hierarchy."""

    def __init__(self, workbench: Workbench, dataset: Entry, columns: list[str], column: str | None) -> None:
        self.workbench, self.dataset, self.columns, self.column = workbench, dataset, columns, column
        self.side_inputs = workbench.side_inputs
        self.selected: str | None = None
        self.ticked: list[str] = []  # nodes that are to be grouped

    def as_file(self) -> None:
        async def take(text: str) -> None:
            entry = await in_thread(take_text, self.workbench.datasets, self.side_inputs, self.dataset.number, text)
            ui.navigate.to(f"{PATH}?dataset={entry.number}&column={self.column or ''}")

        show_as_file(lambda: side_inputs_text(self.side_inputs, self.dataset), take)

    async def show(self) -> None:
        if self.column is None:
            theme.message(
                "info", _("Nothing to generalize"), _("Give a column the role of a quasi-identifier on the page Data.")
            )
            return
        self.dialogs = ui.element("div").style(
            "display: contents"
        )  # what asks to open one may be gone before it is answered
        with ui.element("div").classes("split left"):
            with ui.element("div").classes("stack"):
                with theme.section(_("Columns")):
                    self.names = ui.column().style("width: 100%; gap: 0")
                    self._list()
                with theme.section(_("Build it"), _("Each change is shown at once, and kept when you use it")):
                    self._recipes()
                with theme.section(_("Or load a file")):
                    self.dropped = drop_place(
                        self.workbench,
                        _("Drop a hierarchy file"),
                        _("value;…;root on each line, or child;parent"),
                        self._received,
                    )
            with (
                ui.element("div").classes("stack"),
                theme.section(_("Hierarchy of {column}", column=self.column)) as head,
            ):
                with head:
                    self._tools()
                self.note = ui.column().style("width: 100%")
                self.place = ui.column().style("width: 100%; max-height: 520px; overflow: auto")
        await self._show_tree()

    def _list(self) -> None:
        self.names.clear()
        with self.names:
            self._links()

    def _links(self) -> None:
        for name in self.columns:
            known = self.side_inputs.hierarchy(self.dataset.number, name)
            link = ui.link(target=f"{PATH}?dataset={self.dataset.number}&column={name}").classes("nav-item")
            link.style("width: 100%")
            with link:
                ui.icon("check_circle" if known else "radio_button_unchecked").props("aria-hidden=true")
                ui.label(name)
                made = "" if known is None else str(known.content["auto"] or "")
                words = _("automatic") if known is None else recipe_words(made) if made else _("edited")
                ui.label(words).classes("muted small").style("margin-left: auto")
            if name == self.column:
                link.classes("here").props("aria-current=true")

    # Making

    def _recipes(self) -> None:
        assert self.column is not None
        known = self.side_inputs.hierarchy(self.dataset.number, self.column)
        recipe = str((known and known.content["auto"]) or self._usual_recipe())
        declared = self.dataset.content["section"].get("columns")
        of_table = declared is None or self.column in declared
        self.recipe = RecipeForm(self._type(), recipe, of_table and not self._is_set(), notify_errors(self._preview))
        with ui.row().classes("actions"):
            theme.secondary(_("Preview"), notify_errors(self._preview), "visibility")
            theme.primary(_("Use it"), self._use, "check")
        ui.label(_("Then drag values between groups, or tick some and group them.")).classes("muted small")

    def _type(self) -> str:
        columns = self.dataset.content["section"].get("columns", {})
        return str(columns.get(self.column, {}).get("type") or "")

    def _is_set(self) -> bool:
        return self._type() == "items" or self.dataset.content["section"]["kind"] in ("transactions", "trajectories")

    def _usual_recipe(self) -> str:
        """Ranges for numbers, a tree for everything else."""
        type = self._type()
        return "dates:months" if type in ("date", "timestamp") else _USUAL.get(type, "balanced:5")

    async def _preview(self) -> None:
        """What the settings at hand would give, with what it covers and costs; nothing is kept."""
        assert self.column is not None
        asked = self.recipe.recipe
        try:
            tree = await in_thread(self.side_inputs.made, self.dataset.number, self.column, asked)
            covered, total = await in_thread(self.side_inputs.coverage, self.dataset.number, self.column, tree)
            losses = await in_thread(level_losses, tree)
            root = nested(tree)
        except CrypsisError as error:
            self.recipe.problem(error_sentence(error))
            return
        if asked != self.recipe.recipe:  # another preview is under way
            return
        self.recipe.problem(None)
        self.note.clear()
        with self.note:
            words = _("{words}: nothing is kept until you use it", words=self.recipe.words)
            theme.message(
                "info",
                _("Preview"),
                _("{words}. Covers {covered:,} of {total:,} values.", words=words, covered=covered, total=total),
            )
            ui.html(losses_table(losses), sanitize=False).classes("scroll").props(_scrolled())
        self._draw(root, editable=False)

    async def _use(self) -> None:
        await self._keep(self.recipe.recipe)

    async def _keep(self, recipe: str) -> None:
        try:
            await in_thread(self.side_inputs.keep_recipe, self.dataset.number, self.column, recipe)
        except CrypsisError as error:
            self.recipe.problem(error_sentence(error))
            return
        ui.navigate.to(f"{PATH}?dataset={self.dataset.number}&column={self.column}")

    async def _received(self, upload: str, name: str) -> None:
        assert self.column is not None
        try:
            await in_thread(self.side_inputs.keep_upload, self.dataset.number, self.column, upload)
        except CrypsisError as error:
            self._refused(upload, name, error)
            return
        ui.navigate.to(f"{PATH}?dataset={self.dataset.number}&column={self.column}")

    def _refused(self, upload: str, name: str, error: CrypsisError) -> None:
        """A file that is no tree: what is wrong with it, and its lines to mend them here. The old tree stays."""
        try:
            text = self.side_inputs.text_of_upload(upload)
        except CrypsisError:
            text = None
        self.note.clear()
        title = _("{name} is no hierarchy; the one below stays as it was", name=name)
        with self.note, theme.fault(title, error_sentence(error)):
            choose_file_button(self.dropped, _("Choose another file"))
            if text is not None and len(text) <= _LONGEST_TEXT:
                theme.secondary(_("Mend it as text"), lambda: self._edit_lines(text, error), "edit_note")

    # As text

    async def _edit_text(self) -> None:
        assert self.column is not None
        text = await in_thread(self.side_inputs.tree_text, self.dataset.number, self.column)
        if len(text) > _LONGEST_TEXT:
            raise NotApplicable("This hierarchy is too long to be edited here; export it, edit the file, and drop it.")
        self._edit_lines(text)

    def _edit_lines(self, text: str, problem: CrypsisError | None = None) -> None:
        """The lines of the file. They are checked as they are saved; nothing is kept until they are one tree."""
        assert self.column is not None
        column = self.column
        title = _("Hierarchy of {column} as text", column=column)
        with self.dialogs, theme.named_dialog(title, width=640) as dialog:
            ui.label(_("child;parent on each line under that heading, or value;…;root without one.")).classes(
                "muted small"
            )
            field = ui.textarea(_("Lines of the hierarchy"), value=text).props(
                f'outlined for="{_LINES}" '
                'input-style="font-family: ui-monospace, monospace; font-size: 12.5px; height: 44vh"'
            )
            field.style("width: 100%")

            def tell_problem(error: CrypsisError) -> None:
                show_error_at(field, error)
                line = re.search(r"line (\d+)", str(error))
                if line is not None:
                    ui.timer(0.1, lambda: ui.run_javascript(f"crypsis.showLine('{_LINES}', {int(line[1])})"), once=True)

            async def save() -> None:
                try:
                    await in_thread(self.side_inputs.keep_text, self.dataset.number, column, str(field.value or ""))
                except CrypsisError as error:
                    tell_problem(error)
                    return
                dialog.close()
                self.selected = None
                await self._show_tree()
                self._list()
                done(_("Changed and saved"))

            with ui.row().classes("actions"):
                theme.primary(_("Save"), save, "save")
                ui.button(_("Cancel"), on_click=dialog.close).props("flat no-caps")
            if problem is not None:
                tell_problem(problem)
        dialog.on("hide", dialog.delete)
        dialog.open()

    # The tree

    async def _show_tree(self) -> None:
        assert self.column is not None
        entry = self.side_inputs.hierarchy(self.dataset.number, self.column)
        self.note.clear()
        self.place.clear()
        if entry is None:
            with (
                self.place,
                theme.empty_state(
                    "account_tree",
                    _("Made automatically when a method runs"),
                    _("Build one to see it, or to change it."),
                ),
            ):
                theme.primary(
                    _("Build it: {recipe_words}", recipe_words=recipe_words(self._usual_recipe())),
                    self._use,
                    "auto_awesome",
                )
            return
        try:
            tree = await in_thread(self.side_inputs.tree, entry)
            problems = await in_thread(self.side_inputs.problems_of_tree, entry)
            nodes = nested(tree)
        except CrypsisError as error:
            with self.note, theme.fault(_("This hierarchy cannot be used"), error_words(error)):
                self._offer_new_tree()
            return
        with self.note:
            for problem in problems:
                with theme.fault(_("It does not fit the data"), translated(problem)):
                    self._offer_new_tree()
            if not problems:
                above = len(tree.names) - tree.n_leaves
                words = _(
                    "{n_leaves} values, {above} nodes above them, {height} levels",
                    n_leaves=number(tree.n_leaves),
                    above=number(above),
                    height=tree.height,
                )
                theme.message("good", _("Fits the data"), words)
                ui.html(losses_table(level_losses(tree)), sanitize=False).classes("scroll").props(_scrolled())
        self._draw(nodes, editable=True)

    def _offer_new_tree(self) -> None:
        """Instead of a tree that does not do: the usual one, its lines to mend, or another file."""
        usual = recipe_words(self._usual_recipe())
        theme.secondary(
            _("Build it: {recipe_words}", recipe_words=usual), notify_errors(self._use_usual), "auto_awesome"
        )
        theme.secondary(_("Mend it as text"), notify_errors(self._edit_text), "edit_note")
        choose_file_button(self.dropped, _("Choose another file"))

    async def _use_usual(self) -> None:
        await self._keep(self._usual_recipe())

    def _draw(self, root: TreeNode, *, editable: bool) -> None:
        self.ticked = []
        self.place.clear()
        with self.place:
            tree = ui.tree([dict(root)], node_key="id", label_key="label", on_select=self._select).props(
                "dense no-transition"
            )
            tree.style("width: 100%")
            tree.expand([root["id"], *(child["id"] for child in root["children"][:12])])
            if editable:
                slot = r"""
                    <input type="checkbox" class="tick" :aria-label="TICK.replace('{name}', props.node.label)"
                      @click.stop @keydown.stop
                      @change="(e) => $parent.$emit('tick', {node: props.node.id, on: e.target.checked})">
                    <span draggable="true" :title="VALUES.replace('{count}', props.node.leaves)"
                      @dragstart="(e) => e.dataTransfer.setData('text/plain', props.node.id)"
                      @dragover.prevent
                      @drop.prevent.stop="(e) => $parent.$emit('moved',
                        {node: e.dataTransfer.getData('text/plain'), parent: props.node.id})">
                      {{ props.node.label }}
                      <span v-if="props.node.children.length" class="muted small">&nbsp;{{ props.node.leaves }}</span>
                    </span>
                    """
                slot = slot.replace("TICK", _in_script(_("Tick {name}"))).replace(
                    "VALUES", _in_script(_("{count} values"))
                )
                tree.add_slot("default-header", slot)
                tree.on("tick", self._tick)
                tree.on("moved", notify_errors(lambda event: self._change({"edit": "move", **event.args})))

    def _select(self, event: Any) -> None:
        self.selected = event.value

    def _tick(self, event: Any) -> None:
        others = [node for node in self.ticked if node != event.args["node"]]
        self.ticked = [*others, str(event.args["node"])] if event.args["on"] else others

    def _tools(self) -> None:
        theme.quiet("drive_file_rename_outline", _("Rename the selected node"), lambda: self._ask("rename"))
        theme.quiet("drive_file_move", _("Move the selected node"), lambda: self._ask("move"))
        theme.quiet("add", _("Add a value below the selected node"), lambda: self._ask("add"))
        theme.quiet("account_tree", _("Add a level above the selected node"), lambda: self._ask("group"))
        theme.quiet("group_work", _("Group the ticked nodes"), lambda: self._ask("group-ticked"))
        theme.quiet("delete", _("Remove the selected node"), notify_errors(self._remove))
        theme.quiet("undo", _("Undo the last edit"), notify_errors(self._undo))
        theme.secondary(_("Edit as text"), notify_errors(self._edit_text), "edit_note")
        theme.quiet("download", _("Export this hierarchy"), self._export)

    def _export(self) -> None:
        assert self.column is not None
        entry = self.side_inputs.hierarchy(self.dataset.number, self.column)
        if entry is None:
            ui.notify(_("Build a hierarchy first, or load one."), position="bottom-right")
        else:
            ui.download(f"/api/hierarchies/{entry.number}/hierarchy.csv", f"{self.column}.csv")

    async def _undo(self) -> None:
        assert self.column is not None
        entry = self.side_inputs.hierarchy(self.dataset.number, self.column)
        if entry is None:
            raise NotApplicable("There is nothing to undo.")
        await in_thread(self.side_inputs.undo_tree, entry.number)
        self.selected = None
        await self._show_tree()
        self._list()
        done(_("Undone"))

    async def _remove(self) -> None:
        if self._needs_selection():
            await self._change({"edit": "remove", "node": self.selected})

    def _needs_selection(self) -> bool:
        if self.selected is None:
            ui.notify(_("Click a node first; it is then the selected one."), position="bottom-right")
        return self.selected is not None

    def _needs_ticks(self) -> bool:
        if not self.ticked:
            ui.notify(_("Tick the values first that belong together."), position="bottom-right")
        return bool(self.ticked)

    def _ask(self, edit: str) -> None:
        ticked = edit == "group-ticked"
        if not (self._needs_ticks() if ticked else self._needs_selection()):
            return
        node = str(self.selected)
        titles = {
            "rename": _("Rename {node}", node=node),
            "move": _("Move {node}", node=node),
            "add": _("Add a value below {node}", node=node),
        }
        titles["group"] = _("Add a level above {node}", node=node)
        titles["group-ticked"] = _("Group {nodes}", nodes=counted(len(self.ticked), "node"))
        labels = {
            "group": _("Name of the new node"),
            "group-ticked": _("Name of the group"),
            "rename": _("New name"),
            "move": _("Name of the new parent"),
            "add": _("Name of the value"),
        }
        with theme.named_dialog(titles[edit], width=420) as dialog:
            field = ui.input(labels[edit], value=node if edit == "rename" else "").props("outlined dense autofocus")
            field.style("width: 100%")

            async def go() -> None:
                text = str(field.value or "").strip()
                changes: dict[str, dict[str, Any]] = {
                    "rename": {"edit": "rename", "node": node, "to": text},
                    "move": {"edit": "move", "node": node, "parent": text},
                    "add": {"edit": "add", "node": text, "parent": node},
                    "group": {"edit": "group", "nodes": [node], "to": text},
                    "group-ticked": {"edit": "group", "nodes": self.ticked, "to": text},
                }
                try:
                    await self._change(changes[edit])
                except CrypsisError as error:
                    show_error_at(field, error)
                    instead.clear()
                    if edit == "add" and "parent" in error.details:
                        self._offer_to_move(instead, dialog, text, node)
                    return
                dialog.close()

            instead = ui.row().classes("actions")
            field.on("keydown.enter", go)
            with ui.row().classes("actions"):
                theme.primary(_("Change"), go)
                ui.button(_("Cancel"), on_click=dialog.close).props("flat no-caps")
        dialog.open()

    def _offer_to_move(self, place: Any, dialog: Any, node: str, parent: str) -> None:
        async def move() -> None:
            await self._change({"edit": "move", "node": node, "parent": parent})
            dialog.close()

        with place:
            theme.secondary(
                _("Move {node} below {parent}", node=node, parent=parent), notify_errors(move), "drive_file_move"
            )

    async def _change(self, change: dict[str, Any]) -> None:
        assert self.column is not None
        entry = self.side_inputs.hierarchy(self.dataset.number, self.column)
        if entry is None:
            return
        await in_thread(self.side_inputs.edit_tree, entry.number, change)
        self.selected = None
        await self._show_tree()
        self._list()
        done(_("Changed and saved"))


def _scrolled() -> str:
    """A table that scrolls inside its box, by keyboard too."""
    return f"tabindex=0 role=region {theme.attribute('aria-label', _('What each level costs'))}"


def _in_script(words: str) -> str:
    """Words as a text of a script inside an attribute."""
    quoted = words.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{theme.escaped(quoted).replace('&#x27;', chr(39))}'"
