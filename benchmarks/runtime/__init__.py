"""Benchmarks of the stream runtime: ingest and soak."""
