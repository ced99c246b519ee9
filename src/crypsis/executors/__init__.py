"""Where work on parts of the data runs: in this process, in threads, or on a Dask cluster."""
