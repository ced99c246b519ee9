"""One door to numba: `njit` with an on-disk cache where one can be written, without one where not.

Numba raises at import when `cache=True` and no cache directory is writable (a read-only install, a home
that does not exist). The directory is therefore probed once: beside the package, then the user's cache,
and if neither can be written kernels are compiled again in each process.

Numba looks only at a kernel's own file to decide whether its cached code is still good, though kernels call
each other across files. A kernel's directory is therefore named after the content of its file and of every
file with kernels that it imports, directly or not: after a change everything that may be made of it is compiled
again, nothing else is, and no stale machine code can run. Numba also numbers the files of a kernel's machine code and
writes the index before them: after the index was lost, or when two processes compile one kernel for different types, it
can point to code for other types, which is then run. Here a file is named after what it is for, stands before the
index tells of it, and processes take turns; a damaged file is compiled again. Functions are named apart across
processes, see `_name_functions_apart`.
"""

from __future__ import annotations

import hashlib
import itertools
import os
import re
import secrets
import shutil
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache, update_wrapper
from pathlib import Path
from typing import Any, TypeVar, cast

from crypsis.kernel_linking import keep_machine_code_only, link_callees_into_callers
from crypsis.kernel_typing import compile_briefly, type_kernels_briefly

_PACKAGE = Path(__file__).parent
_FOLDERS_WITH_KERNELS = ("attacks", "kernels", "metrics", "noise", "verifiers")
_IMPORT = re.compile(r"^\s*from (crypsis[\w.]*) import (\([^)]*\)|.*)$", re.MULTILINE)
_GENERATION = b"5"  # code that was kept before the changes to numba below is not used again
_KNOWN_VERSIONS = (0, 64), (0, 68)  # of numba: the first and the last whose linking and typing are changed
_UNUSED_BY_KERNELS = ("cffi", "scipy", "scipy.linalg", "yaml")
_SECONDS_KEPT = 30 * 24 * 3600

Kernel = TypeVar("Kernel", bound=Callable[..., Any])

_FILES: set[Path] = set()
_HEARING: list[Callable[[], None]] = []
_ONE_AT_A_TIME = threading.RLock()


def njit(kernel: Kernel) -> Kernel:
    """Compile a kernel to machine code: without the interpreter lock, cached on disk where possible.

    Numba is imported when a kernel is first called, so that whoever only imports a file with kernels does not wait.
    """
    file = Path(kernel.__code__.co_filename)
    _FILES.add(file)
    with suppress(OSError):  # a notebook has no file
        _source(file)
    return cast(Kernel, LateKernel(kernel))


class LateKernel:
    """A kernel that becomes numba's own when it is first called, or when another kernel that calls it is compiled."""

    def __init__(self, kernel: Callable[..., Any]) -> None:
        update_wrapper(self, kernel)
        self._compiled: Any = None
        self._callee: Any = None

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        return (self._compiled or self.compiled())(*arguments, **named)

    def compiled(self) -> Any:
        """As numba knows it when Python calls it."""
        with _ONE_AT_A_TIME:
            if self._compiled is None:
                self._compiled = _compiled_late(self.__wrapped__)
            return self._compiled

    def callee(self) -> Any:
        """As numba knows it when another kernel calls it."""
        with _ONE_AT_A_TIME:
            if self._callee is None:
                self._callee = _compiled_late(self.__wrapped__, by_kernels=True)
            return self._callee

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.compiled(), name)

    def __reduce__(self) -> str:
        return str(self.__qualname__)


@cache
def _numba() -> Any:
    """Numba, with what no kernel uses left out."""
    with _without_unused():
        import numba
    return numba


def _is_known() -> bool:
    """Numba is made as it was when what this package changes in it was tried; any other compiles as it always does."""
    first, last = _KNOWN_VERSIONS
    return first <= tuple(_numba().version_info.short) <= last


@contextmanager
def _without_unused() -> Iterator[None]:
    """Let numba not find what it would load only to see whether it is there: linear algebra, foreign functions, files.

    Other threads import as ever.
    """
    finder = _NotForKernels(threading.get_ident())
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)


class _NotForKernels:
    """Refuses to find what kernels do not use, to one thread."""

    def __init__(self, thread: int) -> None:
        self._thread = thread

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> None:
        if name in _UNUSED_BY_KERNELS and threading.get_ident() == self._thread:
            raise ModuleNotFoundError(f"No kernel uses {name}.", name=name)


@cache
def _prepare_to_compile() -> None:
    """Load what numba needs to compile, and change what this file changes. Code that was kept is run without."""
    with _without_unused():
        import numba.np.arraymath  # noqa: F401
    _return_without_interpreting()
    _refuse_slices_briefly()
    if _is_known():
        type_kernels_briefly()


def _compiled_late(kernel: Callable[..., Any], by_kernels: bool = False) -> Any:
    import numpy as np

    numba = _numba()

    if getattr(numba.config, "DISABLE_JIT", False):
        # Hashes wrap around on purpose: machine code does so in silence, the interpreter would warn.
        return np.errstate(over="ignore")(kernel)
    directory = directory_of(Path(kernel.__code__.co_filename))
    _tell_numba_of_late_kernels()
    _name_functions_apart()
    _take_arrays_as_writable()
    if directory is not None:
        setattr(numba.config, "CACHE_DIR", str(directory))  # noqa: B010 (a dynamic module)
    else:
        _tell_compiling()
        _prepare_to_compile()
    if _is_known():
        link_callees_into_callers()
    without_wrappers = {"no_cpython_wrapper": by_kernels, "no_cfunc_wrapper": True}
    compiled: Any = numba.njit(cache=directory is not None, nogil=True, **without_wrappers)(kernel)
    if by_kernels:
        _take_plain_numbers(compiled)
    if directory is not None:
        _keep_by_content(compiled._cache, directory, "-called" if by_kernels else "")
        _keep_safely(compiled._cache._cache_file, directory / "lock")
        _load_without_preparing(compiled._cache)
        if not by_kernels:
            keep_machine_code_only(compiled._cache)
    compile_briefly(compiled)
    return compiled


@cache
def _tell_numba_of_late_kernels() -> None:
    """To numba a kernel that another one calls is what it will be."""
    from numba.extending import typeof_impl

    @typeof_impl.register(LateKernel)
    def type_of(kernel: LateKernel, context: Any) -> Any:
        return typeof_impl(kernel.callee(), context)


def _keep_by_content(cache: Any, directory: Path, ending: str) -> None:
    """Find kept code by the source that it was compiled from, not by where the file lies and how old it is.

    The directory is named after the digest of the source. So a second clone, or a package that was installed again,
    uses what was compiled before.
    """
    from numba.core.caching import IndexDataCacheFile

    cache._cache_path = str(directory)
    make: Any = IndexDataCacheFile
    cache._cache_file = make(str(directory), cache._impl.filename_base + ending, directory.name)


def _load_without_preparing(cache: Any) -> None:
    """Run kept code without loading whatever numba needs to compile, which takes longer than anything else.

    Numba fills its tables of how to compile everything before it looks whether there is anything to compile.
    """
    from numba.core.runtime.nrt import rtsys

    _load_without_importing()

    def load_overload(sig: Any, target_context: Any) -> Any:
        rtsys.initialize(target_context)  # the memory of arrays
        with cache._guard_against_spurious_io_errors(), _without_unused():
            kept = cache._load_overload(sig, target_context)
            if kept is not None:
                return kept
        _tell_compiling()
        _prepare_to_compile()
        target_context.refresh()
        return None

    cache.load_overload = load_overload


@cache
def _load_without_importing() -> None:
    """Let kept code name the modules that it was made of without importing them: machine code does not use them."""
    from numba.core import environment

    def rebuild(module: str, constants: list[Any], name: str) -> Any:
        known = environment.Environment._memo.get(name)
        if known is not None:
            return known
        names = vars(sys.modules[module]) if module in sys.modules else {"__name__": module}
        made: Any = environment.Environment(names)
        made.consts[:] = constants
        made.env_name = name
        environment.Environment._memo[name] = made
        return made

    rebuild.__module__, rebuild.__qualname__ = environment.__name__, "_rebuild_env"  # as kept code names it
    environment._rebuild_env = rebuild


def _take_plain_numbers(compiled: Any) -> None:
    """Let a kernel that another one calls take whole numbers as they come, in one form.

    To numba 0, 1 and a variable are three types: it would compile the same kernel for each. Whether a number is known
    beforehand is for the optimizer to see, which has both kernels.
    """
    from numba.core import types

    template_for = compiled.get_call_template
    without_value: Any = types.unliteral

    def plain(kind: Any) -> Any:
        return without_value(kind) if isinstance(kind, types.IntegerLiteral) else kind

    def template_for_plain(args: Any, kws: Any) -> Any:
        return template_for(tuple(map(plain, args)), {name: plain(kind) for name, kind in kws.items()})

    compiled.get_call_template = template_for_plain


@cache
def _take_arrays_as_writable() -> None:
    """Compile one form of a kernel for arrays that may be written and for those that may not.

    Kernels leave their inputs untouched; run in the interpreter, one that does not is told so by numpy. Arrays that are
    constants of a kernel stay read-only.
    """
    import numpy as np
    from numba.core.typing.typeof import Purpose
    from numba.extending import typeof_impl

    usual = typeof_impl.dispatch(np.ndarray)

    @typeof_impl.register(np.ndarray)
    def type_of(array: Any, context: Any) -> Any:
        kind = usual(array, context)
        return kind.copy(readonly=False) if context.purpose is Purpose.argument and not kind.mutable else kind


@cache
def _refuse_slices_briefly() -> None:
    """Let an assignment to a slice of another size be refused without its sizes in words.

    Numba would compile the formatting of that message, half a second each time, into whatever assigns to slices.
    """
    from numba.extending import overload
    from numba.np import arrayobj

    def refuse(src_shapes: Any, index_shape: Any) -> None:
        raise ValueError("cannot assign slice from input of different size")

    @overload(refuse)
    def refuse_compiled(src_shapes: Any, index_shape: Any) -> Any:
        return refuse

    arrayobj.raise_with_shape_context = refuse


@cache
def _name_functions_apart() -> None:
    """Begin numba's numbering of functions at a random number: code of several processes is linked together.

    Numba tells functions that are made in other functions, such as those of `np.sort` and `np.argsort`, apart by these
    numbers alone. Each process counts from one, so kept code of two processes could have one name for both, and a
    kernel that sorts would call what was made for another.
    """
    from numba.core.bytecode import FunctionIdentity

    FunctionIdentity._unique_ids = itertools.count(secrets.randbits(60))


@cache
def _return_without_interpreting() -> None:
    """Let kernels return arrays and named tuples without running Python: a signal could interrupt it there.

    Numba looks up the class of a result with a function written in Python. A signal that arrived while the kernel ran
    is handled there; the exception of its handler becomes an empty slot of the tuple of results, and the process
    crashes when it unpacks that. Here the class is a constant of the kernel, and the signal is handled after the
    kernel has returned.
    """
    from numba.core import pythonapi

    api_class: Any = pythonapi.PythonAPI
    box = api_class.from_native_value

    def box_with_constants(api: Any, kind: Any, value: Any, env_manager: Any = None) -> Any:
        def constant(thing: Any) -> Any:
            stored = env_manager.read_const(env_manager.add_const(thing))
            api.incref(stored)
            return stored

        if env_manager is None:
            return box(api, kind, value)
        usual = api.serialize_object, api.unserialize
        api.serialize_object, api.unserialize = (lambda thing: thing), constant
        try:
            return box(api, kind, value, env_manager)
        finally:
            api.serialize_object, api.unserialize = usual

    api_class.from_native_value = box_with_constants


@cache
def cache_directory() -> Path | None:
    """Below which compiled kernels are kept, or None when no place can be written."""
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    for base in [Path(chosen)] if chosen else [_PACKAGE / "__pycache__", _user_cache()]:
        if _writable(base):
            _remove_unused(base)
            return base
    warnings.warn(
        "No directory for compiled kernels can be written, so every process compiles them again. "
        "Set NUMBA_CACHE_DIR to a writable directory.",
        RuntimeWarning,
        stacklevel=2,
    )
    return None


@cache
def directory_of(file: Path) -> Path | None:
    """Where the compiled kernels of a file are kept; its date tells when they were last asked for."""
    base = cache_directory()
    if base is None:
        return None
    directory = base / f"kernels-{_digest_of(file)}"
    try:
        directory.mkdir(exist_ok=True)
        os.utime(directory)
    except OSError:  # the disk filled up since the probe
        return None
    return directory


def compiled_before() -> bool:
    """Kernels of the files loaded by now have been compiled and kept, by this run or an earlier one."""
    directories = filter(None, map(directory_of, _FILES))
    return any(next(directory.rglob("*.nbi"), None) is not None for directory in directories)


@contextmanager
def when_compiling(hear: Callable[[], None]) -> Iterator[None]:
    """Call this whenever a kernel has to be compiled while the block runs, before that is done, in whatever thread."""
    _HEARING.append(hear)
    try:
        yield
    finally:
        _HEARING.remove(hear)


def _tell_compiling() -> None:
    for hear in tuple(_HEARING):
        hear()


def _keep_safely(files: Any, lock: Path) -> None:
    """Let the files of a kernel's machine code never be taken for others, nor a damaged one stop anybody."""
    load, load_index = files.load, files._load_index

    def undamaged_index() -> Any:
        return _unless_damaged(load_index) or {}

    def loaded(key: Any) -> Any:
        return _unless_damaged(lambda: load(key))

    def save(key: Any, data: Any) -> None:
        name = files._index_name.removesuffix("nbi") + hashlib.sha256(repr(key).encode()).hexdigest()[:16] + ".nbc"
        with _locked(lock):
            files._save_data(name, data)
            files._save_index({**undamaged_index(), key: name})

    files._load_index, files.load, files.save = undamaged_index, loaded, save


def _unless_damaged(read: Callable[[], Any]) -> Any:
    """What is read; None where it cannot be: then it is made again."""
    try:
        return read()
    except FileNotFoundError:
        return None
    except (OSError, MemoryError):
        raise
    except Exception:  # unpickling garbage raises whatever it stumbles over
        return None


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    try:
        import fcntl
    except ImportError:  # not on this system; there two processes that compile for the first time must not overlap
        yield
        return
    with path.open("wb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _digest_of(file: Path) -> str:
    digest = hashlib.sha256(_GENERATION)
    for path in sorted(_made_of(file)):
        digest.update(_source(path).encode())
    return digest.hexdigest()[:16]


@cache
def _source(file: Path) -> str:
    """What a file says as this process knows it: a change while it runs is no part of the code that it compiles."""
    return file.read_text(encoding="utf-8")


def _made_of(file: Path) -> set[Path]:
    """The file and all files with kernels that it imports, directly or through others."""
    found, waiting = set[Path](), [file]
    while waiting:
        path = waiting.pop()
        if path not in found:
            found.add(path)
            waiting += _imported(path)
    return found


@cache
def digest_of_kernels() -> str:
    """Changes with any file in the folders that are made for kernels."""
    digest = hashlib.sha256(_GENERATION)
    for folder in _FOLDERS_WITH_KERNELS:
        for path in sorted((_PACKAGE / folder).rglob("*.py")):
            digest.update(_source(path).encode())
    return digest.hexdigest()[:16]


@cache
def _imported(file: Path) -> list[Path]:
    """The files with kernels, or in folders made for them, that a file's own import lines name."""
    named = []
    for module, names in _IMPORT.findall(_source(file)):
        for dotted in (module, *(f"{module}.{name}" for name in re.findall(r"\w+", names))):
            _, *parts = dotted.split(".")
            path = _PACKAGE.joinpath(*parts).with_suffix(".py")
            if parts and path.is_file() and (parts[0] in _FOLDERS_WITH_KERNELS or _holds_kernels(path)):
                named.append(path)
    return named


def _holds_kernels(file: Path) -> bool:
    return "\n@njit\n" in _source(file)


def _remove_unused(base: Path) -> None:
    """Delete what no process has asked for in a long time: older versions of the kernels."""
    for directory in base.glob("kernels-*"):
        with suppress(FileNotFoundError):  # another process was faster
            if time.time() - directory.stat().st_mtime > _SECONDS_KEPT:
                shutil.rmtree(directory, ignore_errors=True)


def _user_cache() -> Path:
    base = os.environ.get("XDG_CACHE_HOME")
    home = os.path.expanduser("~")  # noqa: PTH111 (without a home this stays "~", pathlib raises)
    return (Path(base) if base else Path(home) / ".cache") / "crypsis"


def _writable(directory: Path) -> bool:
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=directory):
            return True
    except OSError:
        return False
