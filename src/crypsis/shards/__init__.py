"""Data in encoded parts: what is known of all of them, and one file of codes for each."""
