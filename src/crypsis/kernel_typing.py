"""How numba finds out the types of kernels, without what it does over and over: most of compiling is this Python code.

What is found is what it was. Functions of whoever else uses numba in this process are typed as ever.
"""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

# Options that change only how Python calls a function, not what is compiled for kernels that call it.
_OF_WRAPPERS = frozenset({"no_cpython_wrapper", "no_cfunc_wrapper", "release_gil"})

_found: dict[Any, Any] = {}
_depth = 0


def compile_briefly(compiled: Any) -> None:
    """Let a kernel, and whatever is compiled for it, be compiled with what is remembered."""
    from numba.core.compiler_lock import global_compiler_lock

    compile_usually = compiled.compile

    def compile_with_memory(signature: Any) -> Any:
        with global_compiler_lock, _memory():
            return compile_usually(signature)

    compiled.compile = compile_with_memory


@contextmanager
def _memory() -> Iterator[None]:
    """Remember from the beginning to the end of the outermost kernel that is compiled, by one thread at a time.

    The garbage collector waits, because nearly everything that is made then stays until the end.
    """
    global _depth
    collects = gc.isenabled()
    gc.disable()
    _depth += 1
    try:
        yield
    finally:
        _depth -= 1
        if collects:
            gc.enable()


@cache
def type_kernels_briefly() -> None:
    """Change how numba compares options, lists variables, looks up functions, words errors and times itself."""
    _compare_options_briefly()
    _list_variables_briefly()
    _look_up_once()
    _leave_messages_plain()
    _skip_timing_of_locks()


def _compare_options_briefly() -> None:
    """Find options equal without listing all of them, which numba does for every operation of a kernel."""
    from numba.core.targetconfig import TargetConfig

    options_class: Any = TargetConfig
    equal_usually = options_class.__eq__

    def equal(options: Any, other: Any) -> Any:
        if type(options) is not type(other):
            return equal_usually(options, other)
        mine, others = options._values, other._values
        return mine == others or all(getattr(options, name) == getattr(other, name) for name in mine.keys() | others)

    options_class.__eq__ = equal
    options_class.__hash__ = lambda options: hash(len(options.options))  # as it was: of the names, not of the values


def _list_variables_briefly() -> None:
    """List the variables of a statement without a list for each of its parts."""
    from numba.core import ir

    intermediate: Any = ir
    variable, instruction = intermediate.Var, intermediate.Inst
    without_variables = {str, int, float, bool, type(None), type, type(len), intermediate.Loc}

    def add(parts: Iterable[Any], found: list[Any]) -> list[Any]:
        for part in parts:
            if type(part) in without_variables:
                continue
            if isinstance(part, variable):
                found.append(part)
            elif isinstance(part, instruction):
                found += part.list_vars()
            elif isinstance(part, list | tuple):
                add(part, found)
            elif isinstance(part, dict):
                add(part.values(), found)
        return found

    intermediate.Stmt.list_vars = lambda statement: add(statement.__dict__.values(), [])
    intermediate.Expr.list_vars = lambda expression: add(expression._kws.values(), [])


def _look_up_once() -> None:
    """Remember which form of numba's own functions goes with which types; it asks again whenever it learns a type.

    Numba notes the form that was found last, so all is forgotten when options change or somebody else compiles.
    """
    from numba.core.targetconfig import ConfigStack
    from numba.core.types.functions import BaseFunction
    from numba.core.typing.templates import _OverloadFunctionTemplate

    function_class: Any = BaseFunction
    template_class: Any = _OverloadFunctionTemplate
    stack: Any = ConfigStack
    find, implementation = function_class.get_call_type, template_class._get_impl
    last: Any = None

    def options() -> Any:
        top = stack.top_or_none()
        return top and frozenset(
            (name, repr(value))
            for name, value in top._values.items()
            if name not in _OF_WRAPPERS and value != top.options[name].default
        )

    def get_call_type(function: Any, context: Any, args: Any, kws: Any) -> Any:
        nonlocal last
        now = options() if _depth else None
        if now is None:
            _found.clear()
            return find(function, context, args, kws)
        if now != last:
            _found.clear()
            last = now
        key = id(function), context, tuple(args), tuple(kws.items())
        if key not in _found:
            signature = find(function, context, args, kws)
            if now != last:
                return signature
            _found[key] = signature, function  # kept, so that nothing else gets its number
        return _found[key][0]

    def get_impl(template: Any, args: Any, kws: Any) -> Any:
        now = options() if _depth else None
        if now is None:
            return implementation(template, args, kws)
        key = template.context, tuple(args), tuple(kws.items()), now
        found = template._impl_cache.get(key)
        return template._build_impl(key, args, kws) if found is None else found

    function_class.get_call_type = get_call_type
    template_class._get_impl = get_impl


def _leave_messages_plain() -> None:
    """Give no colours to messages: numba makes thousands for options that do not fit, and shows none of these."""
    from numba.core import errors

    scheme: Any = getattr(errors, "HighlightColorScheme", None)
    if scheme is None:  # without colorama there are no colours
        return
    mark_up = scheme._markup
    scheme._markup = lambda self, msg, *style, **styles: msg if _depth else mark_up(self, msg, *style, **styles)


def _skip_timing_of_locks() -> None:
    """Do not time how long each call of LLVM waits for its lock, which takes longer than most of these calls."""
    from numba.core import event

    numba_event: Any = event

    def unless_of_lock(tell: Any) -> Any:
        return lambda kind, *facts, **more: None if kind == "numba:llvm_lock" else tell(kind, *facts, **more)

    numba_event.start_event = unless_of_lock(numba_event.start_event)
    numba_event.end_event = unless_of_lock(numba_event.end_event)
