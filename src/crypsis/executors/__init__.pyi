from .dask import Dask as Dask
from .serial import Serial as Serial
