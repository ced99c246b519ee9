"""`python -m crypsis` is the command line."""

from crypsis.cli import main

main()
