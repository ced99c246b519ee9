"""Tests of the methods for sets of items."""
