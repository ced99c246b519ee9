"""Benchmarks of the adversaries."""
