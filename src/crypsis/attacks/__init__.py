"""Adversaries, one file each. They look at published data only, with no code of the methods."""
