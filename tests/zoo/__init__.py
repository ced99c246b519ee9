"""Awkward files as people have them, made by generators and never kept."""
