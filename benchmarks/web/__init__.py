"""Benchmarks of the browser interface."""
