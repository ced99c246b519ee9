"""Tests, in the tree of the package; a package itself, so that files in different folders may share a name."""
