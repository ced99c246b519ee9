"""Entry point: split the arguments, run the command, turn every outcome into words and an exit code."""

from __future__ import annotations

import errno
import gc
import json
import os
import signal
import sys
from collections.abc import Sequence
from types import FrameType
from typing import Any

from crypsis.cli.completion import answer_shell, asked_by_shell
from crypsis.cli.idle_threads import let_idle_threads_sleep
from crypsis.cli.one_heap import share_one_heap
from crypsis.cli.printing import degrade_output, printable
from crypsis.cli.quick_end import QuickEnd
from crypsis.cli.quick_sorting import sort_without_slow_instructions
from crypsis.cli.settings import SETTINGS, Settings, read_settings
from crypsis.errors import CrypsisError, OptionWithoutEffect, describe_bug
from crypsis.places import COMMAND_LINE, speaking

_OBJECTS_BETWEEN_COLLECTIONS = 200_000
_CANNOT_WRITE = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO, errno.EFBIG)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one command and exit: 0 done, 1 unexpected, 2 bad input, 3 infeasible, 4 broken, 5 too large, 130 stopped."""
    if arguments is not None:
        with speaking(COMMAND_LINE):
            _main(list(arguments))
        return
    # a process of its own: what its imports make stays, and to look for waste there takes long
    gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS)
    share_one_heap()
    let_idle_threads_sleep()
    sort_without_slow_instructions()
    end = QuickEnd.expected()
    try:
        with speaking(COMMAND_LINE):
            _main(sys.argv[1:])
    except SystemExit as stop:
        end.code = stop.code if isinstance(stop.code, int) else None
        raise


def _main(given: list[str]) -> None:
    degrade_output()
    _clean_up_when_stopped()
    settings = Settings(debug="--debug" in given, json="--json" in given)
    try:
        settings, rest = read_settings(given)
        SETTINGS.set(settings)
        sys.exit(_run(rest or ["--help"]))
    except CrypsisError as refusal:
        error = _typed(refusal)
        sys.exit(_show_error(error.code, str(error), error.exit_code, settings, error.to_dict()))
    except KeyboardInterrupt:
        sys.exit(_show_error("cancelled", "stopped; nothing was left behind", 130, settings))
    except MemoryError:
        sys.exit(_show_error("too-large", "not enough memory for this data; use a larger machine", 5, settings))
    except BrokenPipeError:
        sys.stderr.close()  # whoever read our output has gone
        sys.exit(1)
    except OSError as error:
        if settings.debug:
            raise
        sys.exit(_show_error(*_system_words(error), settings))
    except Exception as error:
        if type(error).__name__ == "NoArgsIsHelpError":
            sys.exit(_show_help(error, settings))
        if hasattr(error, "format_message"):  # a usage error of the parser
            sys.exit(_show_error("bad-parameter", _usage_message(error), 2, settings))
        if settings.debug:
            raise
        words = f"This is a bug of Crypsis: {describe_bug(error)}. --debug shows more"
        sys.exit(_show_error("internal-error", words, 1, settings))


def _run(arguments: list[str]) -> int:
    if asked_by_shell():
        return answer_shell()
    from crypsis.cli.app import parser

    code = parser(arguments[0])(arguments, standalone_mode=False)
    if code == 130:  # the parser turns Ctrl-C into an exit code; it is reported like any other stop
        raise KeyboardInterrupt
    return code if isinstance(code, int) else 0


def _typed(error: CrypsisError) -> CrypsisError:
    """The error with the options that can be typed."""
    if not isinstance(error, OptionWithoutEffect):
        return error
    from crypsis.cli.reading.typed import in_typed_words

    return in_typed_words(error)


def _show_help(error: Any, settings: Settings) -> int:
    """A group of commands without one of them: its help, which is no error message."""
    if settings.json:
        return _show_error("bad-parameter", f"Say which command; see {error.ctx.command_path} --help", 2, settings)
    print(error.format_message(), file=sys.stderr)
    return 2


def _usage_message(error: Any) -> str:
    from crypsis.cli.settings import SETTINGS

    message = str(error.format_message()).rstrip(".")
    known = SETTINGS.get().parameter_names
    return f"{message}. {known}" if known and "option" in message else f"{message}. See crypsis COMMAND --help"


def _show_error(
    code: str, message: str, exit_code: int, settings: Settings, details: dict[str, Any] | None = None
) -> int:
    if settings.debug:
        import traceback

        traceback.print_exc()
    print(printable(f"{code}: {message}"), file=sys.stderr)
    if settings.json:
        content = details or {"code": code, "message": message}
        print(json.dumps({"error": content, "exit_code": exit_code}, default=str))
    return exit_code


def _system_words(error: OSError) -> tuple[str, str, int]:
    """What the operating system refused, for those few places that expect no refusal: code, words and exit code."""
    reason = os.strerror(error.errno) if error.errno else type(error).__name__
    name = "" if not isinstance(error.filename, (str, os.PathLike)) else f" {os.fspath(error.filename)[:100]!r}"
    if error.errno in _CANNOT_WRITE:
        return "write-failed", f"The system could not write{name}: {reason}. Free some space or choose another place", 1
    return "unreadable-file", f"The system refused a file{name}: {reason}. Check the path and its permissions", 2


def _clean_up_when_stopped() -> None:
    """Whoever ends the process, ends it as Ctrl-C does: scratch holds raw data. A terminal that is closed may do so,
    unless it was told not to (nohup)."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:  # as it was while the command was loaded
        signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, _terminate)
    if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is signal.SIG_DFL:
        signal.signal(signal.SIGHUP, _terminate)


def _terminate(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt  # clean up as after Ctrl-C
