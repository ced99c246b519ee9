"""Where work on parts of the data runs: in this process, in threads, or on a Dask cluster."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
