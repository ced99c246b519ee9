"""Methods for symbolic trajectories and GPS tracks."""
