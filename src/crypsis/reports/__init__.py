"""Reports: what a release looks like to people. Pages are self-contained and drawn by small functions of our own."""
