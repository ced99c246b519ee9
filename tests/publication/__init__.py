"""Tests of the kinds of published data."""
