"""The plots of experiments."""
