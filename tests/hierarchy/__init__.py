"""Tests of hierarchies."""
