"""Methods for set-valued data."""
