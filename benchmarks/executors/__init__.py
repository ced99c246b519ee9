"""Clusters: what work on parts costs, and that it gives the same release."""
