"""Verify: drop a release, or any published file, and read the verdict of the independent verifier."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

from nicegui import ui

from crypsis.data.relational import PublishedTable
from crypsis.errors import CrypsisError, OriginalRequired
from crypsis.evaluate.first_look import suggested_roles_of
from crypsis.guarantees import GUARANTEES, AllOf, KAnonymity
from crypsis.guarantees.guarantee import Guarantee
from crypsis.methods import METHODS
from crypsis.parameters import Parameter, parameters_of
from crypsis.reports.parameter_labels import called, label_of, named_label, value_in_words
from crypsis.signatures import TRUSTED
from crypsis.translation import _, marked, translated
from crypsis.verifiers import VERIFIERS
from crypsis.web import theme
from crypsis.web.actions import in_thread, number, show_error_at
from crypsis.web.attack_card import AttackCard
from crypsis.web.lights_view import show_lights
from crypsis.web.remedies import Mending
from crypsis.web.telling import error_words, verdict_words
from crypsis.web.verification import Checked, Verification, promises
from crypsis.web.widgets import choose_file_button, drop_place
from crypsis.web.workbench import Workbench

PATH = "/verify"
LEAD = marked("Check a privacy guarantee independently of the method that produced it.")
_USUAL = {"k": "5", "m": "2", "l": "2"}  # to begin with, where a promise has no default


def register(workbench: Workbench) -> None:
    @ui.page(PATH, response_timeout=60)
    def verify() -> None:
        with theme.page_frame(_("Verify"), LEAD):
            page = VerifyPage(workbench)
            page.show()
            ui.context.client.on_delete(page.forget)


class VerifyPage:
    """The page that verifies a release."""

    def __init__(self, workbench: Workbench) -> None:
        self.workbench = workbench
        self.verification = Verification(workbench.workspace)
        self.known = {promise.model: promise for promise in promises()}
        self.fields: dict[str, Any] = {}
        self.upload: tuple[str, str] | None = None
        self.original: str | None = None  # the upload of the table that a release was made of
        self.private: str | None = None  # the upload of what only the publisher has
        self.trusted: list[str] = []  # uploads of public keys
        self.checked_person = ""
        self.roles: dict[str, str] = {}  # of the columns of a table that was dropped, as their names suggest

    def show(self) -> None:
        with ui.element("div").classes("split"):
            with ui.element("div").classes("stack"):
                with theme.section(_("What was published")):
                    self.release_place = drop_place(
                        self.workbench,
                        _("Drop the archive of a release, or a published file"),
                        _("A .zip of a release folder states its guarantee itself"),
                        self._received,
                    )
                    self.original_place = drop_place(
                        self.workbench,
                        _("Compare with the original table (optional)"),
                        _("Roles and columns are those of the release; nothing of it is kept"),
                        self._received_original,
                    )
                    self._beside_form()
                    if self.workbench.allow_paths:
                        self._path_field()
                self.answer = ui.element("div").classes("stack").props('aria-live="polite"')
                self._show_nothing()
            with theme.section(_("What it should keep"), _("A release says so itself; of any other file, say it here")):
                self._promise_form()

    def _beside_form(self) -> None:
        """What else a release can be checked with: its dataset, the private report, the person, a trusted key."""
        folded = ui.expansion(_("Check it with the data, the private report or a trusted key")).props("dense")
        with folded.classes("fold").style("width: 100%"):
            datasets = {"": _("none"), **{entry.number: entry.name for entry in self.workbench.datasets.entries()}}
            self.dataset = ui.select(datasets, value="", label=_("Dataset of this workspace that it was made of"))
            self.dataset.props("outlined dense options-dense").style("width: 100%")
            self.dataset.on_value_change(self._check_upload)
            self.person = ui.input(_("Column of the original table that names the person")).props("outlined dense")
            self.person.style("width: 100%").on("keydown.enter", self._check_upload).on("blur", self._check_person)
            self.private_place = drop_place(
                self.workbench,
                _("Private report of the publisher"),
                _("Tells whose the rows are; nothing of it is kept"),
                self._received_private,
                accept=".json",
            )
            self.key_place = drop_place(
                self.workbench,
                _("Public key of somebody you trust"),
                _("A .pub file; the release should be signed with it"),
                self._received_key,
                accept=".pub",
            )

    async def _received_private(self, upload: str, name: str) -> None:
        self._remove(self.private)
        self.private = upload
        await self._check_upload()

    async def _received_key(self, upload: str, name: str) -> None:
        self.trusted.append(upload)
        await self._check_upload()

    async def _check_person(self) -> None:
        """Typed and left: worth a check only where there is an original whose rows it speaks of."""
        if self.original is not None and (self.person.value or "") != self.checked_person:
            await self._check_upload()

    def _path_field(self) -> None:
        with ui.row().style("width: 100%; flex-wrap: wrap; align-items: flex-start"):
            field = ui.input(_("Or the path of a release folder or file on this machine")).props("outlined dense")
            field.style("flex: 1 1 220px")

            async def check() -> None:
                text = str(field.value or "").strip()
                path = Path(text).expanduser()
                if not path.is_absolute():
                    field.error = _("Give the whole path, from the root on.")
                    return
                field.error = None
                self._show_counting(path.name)
                self._offer(await in_thread(suggested_roles_of, path) if path.is_file() else {})
                try:
                    result = await in_thread(self.verification.of_path, path, self._promise(path.is_dir()))
                except CrypsisError as error:
                    self._show_nothing()
                    show_error_at(field, error)
                    return
                self._show_verdict(result, path.name)

            field.on("keydown.enter", check)
            theme.secondary(_("Check"), check, "fact_check").style("height: 40px")

    def _promise_form(self) -> None:
        models = {"": _("What the release says itself"), **{model: translated(model) for model in self.known}}
        self.model = ui.select(models, value="", label=_("Guarantee"), on_change=self._show_parameters)
        self.model.props("outlined dense options-dense").style("width: 100%")
        self.parameters = ui.column().style("width: 100%; gap: 10px")
        with self.parameters:
            ui.label(
                _(
                    "The archive of a release needs no choice. The k-anonymity of a table is counted at once. "
                    "For any other file, choose the guarantee to check."
                )
            ).classes("muted small")

    def _show_parameters(self) -> None:
        values = {name: field.value for name, field in self.fields.items() if name not in ("quasi", "sensitive")}
        self.parameters.clear()
        self.fields = {}
        if not self.model.value:
            return
        with self.parameters:
            ui.label(translated(GUARANTEES[self.model.value].protects_from)).classes("muted small")
            for parameter in parameters_of(GUARANTEES[self.model.value]):
                words, more = label_of(parameter)
                usual = (
                    _USUAL.get(parameter.name, "")
                    if parameter.required or parameter.default is None
                    else str(parameter.default)
                )
                default = values.get(parameter.name) or usual
                self.fields[parameter.name] = _field(words, parameter, more, default)
            if _is_of_tables(self.model.value):
                self.fields["quasi"] = self._columns_field(_("Columns that others may know"), "quasi")
                self.fields["sensitive"] = self._columns_field(_("Columns that must not be learned"), "sensitive")
            theme.primary(_("Check again"), self._check_upload, "fact_check").bind_enabled_from(self, "upload", bool)
            ui.label(_("Drop a file first, then check it against this guarantee.")).classes(
                "muted small"
            ).bind_visibility_from(self, "upload", lambda upload: upload is None)

    def _columns_field(self, words: str, role: str) -> Any:
        """Columns of what was dropped, to choose from; before that, their names with commas."""
        if not self.roles:
            return _field(words, None, _("With commas between them."))
        with _named_field(words):
            field = ui.select(
                list(self.roles),
                multiple=True,
                value=[name for name, suggested in self.roles.items() if suggested == role],
            )
            field.props("outlined dense options-dense use-chips hide-bottom-space").classes("wide")
            return field.props(theme.attribute("aria-label", words))

    def _promise(self, is_release: bool = False) -> dict[str, Any] | None:
        if not self.model.value:
            return None
        told: dict[str, Any] = {"model": self.model.value}
        for name, field in self.fields.items():
            text = str(field.value or "").strip()
            if name in ("quasi", "sensitive"):
                listed = field.value if isinstance(field.value, list) else text.split(",")
                columns = [part.strip() for part in listed if part.strip()]
                if columns and not is_release:
                    told[name] = columns
            elif text:
                told[name] = text
        return told

    async def _received(self, upload: str, name: str) -> None:
        self._remove(self.upload[0] if self.upload else None)
        self.upload = (upload, name)
        self._offer({} if _is_archive(name) else await in_thread(self.verification.roles_of_upload, upload))
        await self._check_upload()

    async def _received_original(self, upload: str, name: str) -> None:
        self._remove(self.original)
        self.original = upload
        if self.upload is None:
            ui.notify(_("Now drop the archive of the release that was made of it."))
        await self._check_upload()

    def _offer(self, roles: dict[str, str]) -> None:
        """The columns of a table to choose from; where no promise of tables is chosen, k-anonymity is."""
        if roles == self.roles:
            return
        self.roles = roles
        if roles and not _is_of_tables(self.model.value):
            self.model.set_value(KAnonymity.model)  # shows its parameters
        else:
            self._show_parameters()

    def forget(self) -> None:
        """Remove what was dropped."""
        self._remove(self.upload[0] if self.upload else None)
        self._remove(self.original)
        for one in (self.private, *self.trusted):
            self._remove(one)
        self.upload = self.original = self.private = None
        self.trusted = []

    def _remove(self, upload: str | None) -> None:
        if upload is not None:
            with suppress(CrypsisError):
                self.workbench.workspace.upload(upload).unlink(missing_ok=True)

    async def _check_upload(self) -> None:
        if self.upload is None:
            return
        upload, name = self.upload
        self._show_counting(name)
        released = _is_archive(name)
        self.checked_person = str(self.person.value or "").strip()
        chosen = str(self.dataset.value or "") if released else ""
        try:
            data = await in_thread(self.workbench.datasets.load, chosen) if chosen else None
            result = await in_thread(
                self.verification.of_upload,
                upload,
                self._promise(released),
                data,
                self.private if released else None,
                self.original if released and data is None else None,
                self.checked_person or None,
                self.trusted if released else (),
            )
            fitting = {} if data is None else await in_thread(self.verification.fitting_attacks, upload, data)
        except CrypsisError as error:
            self.answer.clear()
            with self.answer, theme.fault(_("{name} cannot be checked", name=name), error_words(error)):
                self._offer_files(str(error.code))
            return
        self._show_verdict(result, name)
        if data is not None:
            with self.answer:
                AttackCard(
                    fitting, lambda attack, told: self.verification.attack(upload, data, attack, told, self.private)
                )

    def _offer_files(self, code: str) -> None:
        """The files that a check lacks, or another one to check."""
        if code == OriginalRequired.code:
            choose_file_button(self.original_place, _("Choose the original table"))
            choose_file_button(self.private_place, _("Choose the private report"))
        if self.model.value:
            theme.secondary(_("Check what the release says itself"), self._check_own_promise, "fact_check")
        choose_file_button(self.release_place, _("Choose another file"))

    async def _check_own_promise(self) -> None:
        self.model.set_value("")
        await self._check_upload()

    def _offer_way_on(self, checked: Checked) -> None:
        """About what is not safe: the level that it does keep, data to anonymize, or another file."""
        fields = [name for name in ("k", "K") if name in self.fields]
        reached = checked.verdict.achieved
        if fields and isinstance(reached, int) and 1 < reached < checked.verdict.required:
            words = _("Check it with {parameter} = {value}", parameter=fields[0], value=reached)
            theme.secondary(words, partial(self._check_with, fields[0], reached), "fact_check")
        dataset = str(self.dataset.value or "")
        if dataset:
            theme.go_button(_("Create a new release"), f"/evaluate?dataset={dataset}", "science")
        else:
            theme.go_button(_("Go to Data"), "/data", "table_chart")
        choose_file_button(self.release_place, _("Choose another file"))

    async def _check_with(self, parameter: str, value: int) -> None:
        self.fields[parameter].set_value(str(value))
        await self._check_upload()

    def _show_nothing(self) -> None:
        self.answer.clear()
        with (
            self.answer,
            theme.empty_state(
                "verified_user",
                _("No verdict yet"),
                _("Drop something above. Nothing of it is kept after you leave this page."),
            ),
        ):
            pass

    def _show_counting(self, name: str) -> None:
        self.answer.clear()
        with self.answer, theme.section(_("Counting …"), name):
            ui.linear_progress(show_value=False, size="8px").props(
                f"indeterminate {theme.attribute('aria-label', _('Progress'))}"
            )

    def _show_verdict(self, checked: Checked, name: str) -> None:
        verdict, manifest, signature = checked.verdict, checked.manifest, checked.signature
        self.answer.clear()
        with self.answer:
            title = _("Verified") if verdict.holds else _("Not safe")
            way_on = (
                _("Lower what it should keep, or anonymize it first.") if self.roles else _("Create a new release.")
            )
            words = (
                verdict_words(str(verdict))
                if verdict.holds
                else _("{words}\nDo not publish it. {way_on}", words=verdict_words(str(verdict)), way_on=way_on)
            )
            if verdict.holds:
                theme.message("good", f"{title}: {name}", words)
            else:
                with theme.fault(f"{title}: {name}", words):
                    self._offer_way_on(checked)
            if self.trusted and (signature is None or signature.state != TRUSTED):
                words = _(
                    "{words}. Ask whoever published it for a signed release.",
                    words=translated(checked.signature_words) or _("It is not signed"),
                )
                with theme.fault(_("Nobody you trust has signed it"), words[:1].upper() + words[1:]):
                    choose_file_button(self.key_place, _("Choose another public key"))
                    choose_file_button(self.release_place, _("Choose another file"))
            named = [column for column, role in self.roles.items() if role == "identifier"]
            if named:
                theme.message(
                    "caution",
                    _("{named} may name people", named=", ".join(named)),
                    _("It was not looked at: what you publish must not have such a column, whatever the verdict is."),
                )
            if checked.review is not None:
                with theme.section(
                    _("Three lights"), _("Computed from {basis}", basis=translated(checked.review.basis))
                ):
                    show_lights(checked.review, mending=self._mending(checked.manifest))
            with theme.section(_("What was counted")), ui.element("div").classes("tiles"):
                model = verdict.promised.model
                theme.tile(_("Guarantee"), verdict_words(model))
                for words, value in _settings_of(verdict.promised):
                    theme.tile(words, value)
                theme.tile(
                    _("Reached"),
                    _figure(verdict.achieved),
                    _("required {figure}", figure=_figure(verdict.required)),
                )
                if manifest is not None and signature is not None:
                    data = manifest["data"]
                    theme.tile(_("Rows"), number(data["rows"]), translated(data["kind"]))
                    theme.tile(_("Signature"), _(signature.state), translated(checked.signature_words))
                    theme.tile(_("Made with"), _method(manifest.get("method")), str(manifest.get("created")))

    def _mending(self, manifest: Mapping[str, Any] | None) -> Mending | None:
        """What can be done about findings of a release from here; None where its method is not known."""
        method = (manifest or {}).get("method") or {}
        if str(method.get("name")) not in METHODS:
            return None
        return Mending(str(method["name"]), method.get("parameters") or {}, str(self.dataset.value or ""))


def _field(words: str, parameter: Parameter | None, more: str, value: str = "") -> Any:
    """A field below its words, as in the forms of methods; a list to choose from where there are choices."""
    with _named_field(words, "" if parameter is None else parameter.symbol):
        if parameter is not None and parameter.choices:
            choices = {choice: translated(label) for choice, label in parameter.choice_labels.items()}
            field: Any = ui.select({"": _("not set"), **choices} if parameter.optional else choices, value=value)
            field.props("outlined dense options-dense hide-bottom-space").classes("wide")
        else:
            field = ui.input(value=value).props("outlined dense hide-bottom-space").classes("wide")
        field.props(theme.attribute("aria-label", words if parameter is None else named_label(parameter)))
        if more:
            ui.label(more).classes("help")
    return field


@contextmanager
def _named_field(words: str, symbol: str = "") -> Iterator[None]:
    """The words above a field, and the letter that promises are written with."""
    with ui.element("div").classes("parameter"):
        with ui.element("div").classes("parameter-name"):
            ui.label(words).classes("name")
            if symbol:
                ui.label(symbol).classes("raw").props('aria-hidden="true" translate="no"')
        yield


def _settings_of(promised: Guarantee) -> Iterator[tuple[str, str]]:
    """Each parameter of a promise, or of those that it joins, and its value in words; what is not set is left out."""
    if isinstance(promised, AllOf):
        for one in promised.promises.listed:
            yield from _settings_of(one)
        return
    for parameter in parameters_of(type(promised)):
        value = getattr(promised, parameter.name)
        if value is not None and value is not False:
            yield called(parameter), value_in_words(parameter, value)


def _is_of_tables(model: str) -> bool:
    return model in GUARANTEES and (GUARANTEES[model], PublishedTable) in VERIFIERS


def _is_archive(name: str) -> bool:
    return name.lower().endswith(".zip")


def _method(told: dict[str, Any] | None) -> str:
    name = str((told or {}).get("name", "–"))
    return METHODS[name].__name__ if name in METHODS else name


def _figure(value: Any) -> str:
    return number(value) if isinstance(value, (int, float)) else "–" if value is None else str(value)
