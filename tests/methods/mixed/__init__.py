"""Tests of the methods for mixed data."""
