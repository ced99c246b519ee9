"""Sweeps and comparisons of methods over ranges of parameters."""
