"""What holds for every method of the table, whatever its parameters: it keeps its promise and explains itself."""

from __future__ import annotations

import inspect
import pydoc
import re
from contextlib import suppress

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from crypsis.errors import BadParameter, Infeasible, InputError, NotApplicable, OriginalRequired, UnknownMethod
from crypsis.methods import METHODS, Method, method_named
from crypsis.parameters import parameters_of
from crypsis.run_context import RunContext
from crypsis.verifiers import verify
from tests.strategies import methods, settings_with_data

every_method = pytest.mark.parametrize("method", METHODS.values(), ids=lambda method: method.__name__)


@every_method
@given(data=st.data())
def test_release_keeps_its_promise(method: type[Method], data: st.DataObject) -> None:
    setting, original = data.draw(settings_with_data(method))
    try:
        published = setting.anonymize(original, RunContext())
    except (Infeasible, InputError):
        assume(False)  # refused in words; that the refusal is right is tested with each method
        raise
    promised = setting.guarantee_of(original, published)
    with suppress(OriginalRequired):  # where the promise cannot be told from the published rows alone
        assert verify(published, promised).holds
    verdict = verify(published, promised, original=original)
    assert verdict.holds, verdict


@every_method
@given(data=st.data())
def test_parameters_come_back_from_what_a_method_says_about_itself(method: type[Method], data: st.DataObject) -> None:
    setting = data.draw(methods(method))
    described = method.describe()
    assert [schema["name"] for schema in described["parameters"]] == list(setting.parameters())
    assert method_named(described["name"])(**setting.parameters()) == setting
    typed = {
        parameter.name: parameter.parse(str(setting.parameters()[parameter.name]), method.__name__)
        for parameter in parameters_of(method)
    }
    assert method(**typed) == setting
    defaults = {
        parameter.name: parameter.parse(str(schema["default"]), method.__name__)
        for parameter, schema in zip(parameters_of(method), described["parameters"], strict=True)
        if not schema["required"]
    }
    assert method(**defaults, **required_of(method, setting)).parameters() == {**setting.parameters(), **defaults}


def required_of(method: type[Method], setting: Method) -> dict[str, object]:
    return {
        parameter.name: setting.parameters()[parameter.name]
        for parameter in parameters_of(method)
        if parameter.required
    }


@every_method
def test_the_docstring_says_what_it_does_shows_an_example_and_cites_its_source(method: type[Method]) -> None:
    text = method.__doc__ or ""
    assert re.fullmatch(r"[A-Z].{20,110}\.", method.summary())
    assert ">>> " in text
    *_, citation = text.strip().split("\n\n")
    assert re.search(r"\b(19|20)\d\d\b", citation), "the last paragraph names the paper and its year"


@every_method
def test_help_tells_every_parameter_and_leaves_the_machinery_out(method: type[Method]) -> None:
    told = pydoc.render_doc(method, renderer=pydoc.plaintext)
    words = " ".join(told.replace("\n |", "\n").split()).replace("- ", "-")
    for parameter in parameters_of(method):
        assert f"{parameter.name}: {parameter.describe()}".replace("- ", "-") in words
        assert parameter.help.replace("- ", "-") in words
    assert "Annotated[" not in told
    assert "__dataclass" not in told
    assert "__setattr__" not in told
    assert len(told.splitlines()) < 140
    assert [*inspect.signature(method).parameters] == [parameter.name for parameter in parameters_of(method)]
    assert "crypsis." not in str(inspect.signature(method))  # types by their names, not by where they are defined


@every_method
def test_every_parameter_has_help_that_is_a_sentence(method: type[Method]) -> None:
    for parameter in parameters_of(method):
        assert re.fullmatch(r"[A-Z].+\.", parameter.help), parameter.name


@every_method
def test_a_method_names_its_kind_of_data_its_promise_and_its_stages(method: type[Method]) -> None:
    described = method.describe()
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", described["name"])
    assert described["name"].replace("-", "") == method.__name__.lower()
    assert described["family"] in method.__module__.split(".")
    assert described["accepts"] == method.accepts.__name__
    assert described["guarantee"] == method.promises.model
    assert described["stages"]


@every_method
def test_another_kind_of_data_is_refused_in_words(method: type[Method]) -> None:
    setting = method()
    with pytest.raises(NotApplicable, match=f"{method.__name__} anonymizes {method.accepts.__name__}, got list"):
        setting.check_applicable([["a"]])


@every_method
def test_a_method_cannot_be_changed_once_made(method: type[Method]) -> None:
    setting = method()
    with pytest.raises(AttributeError):
        setting.k = 1  # type: ignore[attr-defined]
    assert hash(setting) == hash(method())


@every_method
def test_the_guarantee_has_the_methods_parameters(method: type[Method]) -> None:
    setting = method()
    assert type(setting.guarantee) is method.promises
    shared = setting.parameters().keys() & setting.guarantee.parameters().keys()
    assert shared
    for name in shared:
        assert setting.parameters()[name] in (setting.guarantee.parameters()[name], None)


@every_method
def test_numbers_outside_their_bounds_are_refused_by_name(method: type[Method]) -> None:
    for parameter in parameters_of(method):
        if parameter.type is int and parameter.bounds:
            with pytest.raises(BadParameter, match=rf"^{method.__name__}: {parameter.name} must be an int") as raised:
                method(**{parameter.name: -1})
            assert raised.value.details["parameter"] == parameter.name


def test_a_wrong_name_is_answered_with_the_nearest() -> None:
    with pytest.raises(UnknownMethod, match="Did you mean 'seq-anon'"):
        method_named("seqanon")
