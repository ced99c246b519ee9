"""Benchmarks, in the same tree as the package."""
