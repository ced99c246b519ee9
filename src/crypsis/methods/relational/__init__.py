"""Methods for relational tables."""
