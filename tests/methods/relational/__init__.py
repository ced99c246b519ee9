"""Tests of the methods for tables."""
