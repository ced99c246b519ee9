"""Hot loops over flat integer arrays, one file each, compiled by numba."""
