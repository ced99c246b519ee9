"""Methods for tables with a set-valued column."""
