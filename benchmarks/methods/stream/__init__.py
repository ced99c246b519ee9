"""Methods for streams, timed."""
