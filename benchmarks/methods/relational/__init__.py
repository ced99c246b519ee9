"""Benchmarks of methods for tables."""
