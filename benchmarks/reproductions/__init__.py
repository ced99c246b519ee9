"""Experiments of articles, run again: one file each, one page in docs/reproductions each."""
