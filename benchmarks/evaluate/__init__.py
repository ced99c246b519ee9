"""Benchmarks of experiments."""
