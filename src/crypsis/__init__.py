"""Crypsis: publish data about people without publishing the people."""
