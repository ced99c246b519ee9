"""How numba links kernels: those that only kernels call become machine code as part of whoever calls them.

Numba makes machine code of every function that it meets, with two wrappers for callers that never come, optimizes
it alone and again in each caller. A kernel of thirty helpers is compiled thirty times so. Here a function without a
wrapper for Python is kept in the language of LLVM until a kernel that Python calls is linked, which is then optimized
once, as a whole. Functions of whoever else uses numba in this process have that wrapper and stay as they were.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from functools import cache, partial
from importlib import import_module
from typing import Any

_ENVIRONMENT = "_ZN08NumbaEnv"
_CALLED_BY_PYTHON_ONLY = "machine code"  # the kind of a kept library that is linked into no other


@cache
def link_callees_into_callers() -> None:
    """Change numba's libraries of code; what was linked before stays valid."""
    from numba.core import codegen, cpu
    from numba.core.typing.templates import _OverloadFunctionTemplate

    bitcode: Any = codegen
    library_class: Any = codegen.JITCodeLibrary
    pointer_to, unserialize = library_class.get_pointer_to_function, library_class._unserialize.__func__
    serialize = library_class.serialize_using_object_code

    def finalize(library: Any) -> None:
        library._raise_if_finalized()
        for other in dict.fromkeys(library._linking_libraries):
            library._reload_init.update(other._reload_init)
            library._final_module.link_in(other._get_module_for_linking(), preserve=True)
        library._finalize_dynamic_globals()
        library._finalized = True

    def get_pointer_to_function(library: Any, name: str) -> Any:
        library._ensure_finalized()
        _make_native(library)
        return pointer_to(library, name)

    def serialize_using_object_code(library: Any) -> Any:
        library._ensure_finalized()
        if not _is_native(library):
            return library.name, "bitcode", library._get_module_for_linking().as_bitcode()
        if getattr(library, "called_by_python_only", False):
            names = [value.name for value in _defined(library._final_module)]
            return library.name, _CALLED_BY_PYTHON_ONLY, (library._get_compiled_object(), names)
        return serialize(library)

    def unserialize_any(cls: Any, generator: Any, state: Any) -> Any:
        name, kind, data = state
        library = generator.create_library(name)
        if kind == "bitcode":
            library._final_module = library._shared_module = bitcode.ll.parse_bitcode(data)
            library._finalized = True
        elif kind == _CALLED_BY_PYTHON_ONLY:
            library.enable_object_caching()
            library._set_compiled_object(data[0])
            library._finalize_final_module()
            generator._engine._defined_symbols.update(data[1])
        else:
            return unserialize(cls, generator, state)
        return library

    def optimize_functions(library: Any, module: Any) -> None:
        module.data_layout = library._codegen._data_layout
        for function in module.functions:
            if not function.is_declaration:
                passes, builder = library._codegen._function_pass_manager()
                passes.run(function, builder)

    library_class.finalize = finalize
    library_class._optimize_functions = optimize_functions
    library_class.get_pointer_to_function = get_pointer_to_function
    library_class.serialize_using_object_code = serialize_using_object_code
    library_class._unserialize = classmethod(unserialize_any)

    dynfunc: Any = import_module("numba._dynfunc")  # compiled, without types
    context_class: Any = cpu.CPUContext
    executable = context_class.get_executable

    def get_executable(context: Any, library: Any, fndesc: Any, environment: Any) -> Any:
        library._ensure_finalized()
        if _stays_with_callers(library, fndesc):
            name = fndesc.qualname.split(".")[-1]
            return dynfunc.make_function(fndesc.lookup_module(), name, "", 0, environment, (library,))
        made = executable(context, library, fndesc, environment)
        for known in _environments_of(library._final_module):
            library.codegen.set_env(known.env_name, known)
        return made

    context_class.get_executable = get_executable

    generator_class: Any = codegen.JITCPUCodegen
    set_environment = generator_class.set_env

    def set_env(generator: Any, name: str, environment: Any) -> None:
        if generator._engine.is_symbol_defined(name):
            set_environment(generator, name, environment)

    generator_class.set_env = set_env

    template_class: Any = _OverloadFunctionTemplate
    jit_decorator = template_class._get_jit_decorator
    template_class._get_jit_decorator = lambda template: partial(jit_decorator(template), no_cfunc_wrapper=True)


def keep_machine_code_only(cache: Any) -> None:
    """Keep a kernel that Python calls without what other kernels would link: they have a form of their own."""
    save = cache.save_overload

    def save_overload(signature: Any, result: Any) -> None:
        result.library.called_by_python_only = True
        save(signature, result)

    cache.save_overload = save_overload


def _is_native(library: Any) -> bool:
    """Whether its module was given to the engine, which all modules are that say which library they belong to."""
    return hasattr(library._final_module, "_CPUCodeLibrary__library")


def _make_native(library: Any) -> None:
    if _is_native(library):
        return
    library._dynamic_globals.clear()  # they are looked for again
    library._codegen._check_llvm_bugs()
    library._optimize_final_module()
    library._final_module.verify()
    library._finalize_final_module()


def _stays_with_callers(library: Any, fndesc: Any) -> bool:
    """Nobody can call it but other kernels, and it does not call itself, which needs an address."""
    if _is_native(library) or any(map(_is_unresolved, library._final_module.global_variables)):
        return False
    for name in (fndesc.llvm_cpython_wrapper_name, fndesc.llvm_cfunc_wrapper_name):
        with suppress(NameError):
            if not library._final_module.get_function(name).is_declaration:
                return False
    return True


def _is_unresolved(variable: Any) -> bool:
    from numba.core.codegen import RuntimeLinker

    return bool(variable.name.startswith(RuntimeLinker.PREFIX))


def _defined(module: Any) -> Iterator[Any]:
    for values in (module.functions, module.global_variables):
        yield from (value for value in values if not value.is_declaration)


def _environments_of(module: Any) -> list[Any]:
    """What functions of a module look up at run time, by the name of each function."""
    from numba.core.environment import lookup_environment

    names = [variable.name for variable in module.global_variables if variable.name.startswith(_ENVIRONMENT)]
    return [known for known in map(lookup_environment, names) if known is not None]
