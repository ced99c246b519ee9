"""Benchmarks of whole commands, each in a process of its own."""
