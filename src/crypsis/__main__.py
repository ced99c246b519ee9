"""`python -m crypsis` is the command line, and so is the command `crypsis`."""

import signal


def start() -> None:
    """Run the command that was typed; until it is there, Ctrl-C ends the process at once and in silence."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from crypsis.cli import main

    main()


if __name__ == "__main__":
    start()
