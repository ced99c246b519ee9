"""What has changed since a run, in words: the file, how it is read, roles, edits, hierarchies, policies, the code."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from crypsis.data.sources import every_key
from crypsis.evaluate import Experiment, Store
from crypsis.evaluate.store import parts_of
from crypsis.methods import METHODS
from crypsis.parameters import parameters_of
from crypsis.reports.parameter_labels import called, value_in_words
from crypsis.translation import _, plural, translated
from crypsis.translation.wording import shown
from crypsis.web.data_labels import POLICY_LABELS, ROLE_LABELS, kind_labels
from crypsis.web.telling import option_labels

_SAID_APART = ("path", "kind", "columns", "edits", "name")


def changes_since(store: Store, now: Experiment) -> list[str]:
    """A sentence for each thing that is not what it was in the last run; the settings of methods are not looked at."""
    before, then, current = store.experiment(), store.parts(), parts_of(now)
    sentences = list(changed_section(before.dataset.section, now.dataset.section))
    if not sentences and then and then.data != current.data:
        sentences.append(_("The file holds other data now."))
    if then:
        sentences += [_hierarchy(name) for name in _differing(then.hierarchy, current.hierarchy)]
        sentences += [_policy(name) for name in _differing(then.policy, current.policy)]
    if not sentences and (then is None or then.code != current.code):
        sentences.append(_("Crypsis itself was changed."))
    return sentences


def changes_of_parts(made: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """What of section, method, settings and files is not what a release of data in parts was made with."""
    sentences = [*changed_section(made["section"], now["section"])]
    if made["method"] != now["method"]:
        names = (METHODS[one["method"]].__name__ if one["method"] in METHODS else None for one in (made, now))
        sentences.append(_was_is(_("Method"), *map(_value, names)))
    elif made["method"] in METHODS:
        sentences.append(settings_changed(made, now))
    if made.get("block_rows") != now.get("block_rows"):
        blocks = (_value(one.get("block_rows")) for one in (made, now))
        sentences.append(_was_is(_("Records worked on at once"), *blocks))
    if made.get("files") != now.get("files"):
        sentences.append(_("The files hold other data now."))
    return " ".join(filter(None, sentences))


def _differing(before: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    return [name for name in sorted({*before, *now}) if before.get(name) != now.get(name)]


def _hierarchy(name: str) -> str:
    return _("The hierarchy of {name} is another one now.", name=name)


def _policy(name: str) -> str:
    return _("{policy}: it is another one now.", policy=_(POLICY_LABELS.get(name, name)))


def settings_changed(before: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """What of the settings of a run is not what it was, in words."""
    former, current = before.get("params") or {}, now.get("params") or {}
    defaults = {parameter.name: parameter for parameter in parameters_of(METHODS[now["method"]])}

    def told_value(params: Mapping[str, Any], name: str) -> str:
        known = defaults.get(name)
        value = params.get(name, None if known is None or known.required else known.default)
        return _value(value) if known is None else value_in_words(known, value)

    names = [name for name in {**former, **current} if former.get(name) != current.get(name)]
    told_of = [
        (called(defaults[name]) if name in defaults else name, told_value(former, name), told_value(current, name))
        for name in names
    ]
    return " ".join(
        _("{name} was {was}, is {is_now} now.", name=name, was=was, is_now=is_now)
        for name, was, is_now in told_of
        if was != is_now
    )


def changed_section(before: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[str]:
    """What differs between two tables `[dataset]`."""
    if before.get("path") != now.get("path"):
        yield _("It is another file.")
    if before.get("kind") != now.get("kind"):
        yield _was_is(_("The kind of data"), *(_kind(section.get("kind")) for section in (before, now)))
    yield from _changed_columns(before.get("columns") or {}, now.get("columns") or {})
    if (before.get("edits") or []) != (now.get("edits") or []):
        more = len(now.get("edits") or []) - len(before.get("edits") or [])
        yield (
            plural("{count:,} edit was made.", "{count:,} edits were made.", more)
            if more > 0
            else _("Edits were undone or changed.")
        )
    for key in every_key():
        if key not in _SAID_APART and before.get(key) != now.get(key):
            yield _was_is(translated(option_labels().get(key, key)), _value(before.get(key)), _value(now.get(key)))


def _changed_columns(before: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[str]:
    for name in dict.fromkeys((*before, *now)):
        if name not in now:
            yield _("Column {name} is gone.", name=name)
        elif name not in before:
            yield _("Column {name} is new.", name=name)
        else:
            was, is_now = (section[name].get("role") for section in (before, now))
            if was != is_now:
                yield _was_is(name, _role(was), _role(is_now))
            was, is_now = (section[name].get("type") for section in (before, now))
            if was != is_now:
                yield _was_is(_("Type of {name}", name=name), _value(was), _value(is_now))


def _was_is(name: str, was: str, is_now: str) -> str:
    return _("{name} was {was}, is {is_now} now.", name=name, was=was, is_now=is_now)


def _kind(kind: Any) -> str:
    return kind_labels().get(kind) or _value(kind)


def _role(role: Any) -> str:
    """`quasi-identifier`: the name of a role without its explanation."""
    return _(ROLE_LABELS[role]).partition(" · ")[0] if role in ROLE_LABELS else _value(role)


def _value(value: Any) -> str:
    return _("not set") if value is None else shown(value)
