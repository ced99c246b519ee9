"""Methods for live location streams."""
