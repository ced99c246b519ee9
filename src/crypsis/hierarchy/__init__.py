"""Generalization hierarchies: build, read, check, look up."""
