"""Pages of the browser interface, one file each."""
