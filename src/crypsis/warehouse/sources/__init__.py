"""Readers of sources: each turns what an organisation has into triples."""
