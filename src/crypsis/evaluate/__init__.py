"""Evaluating and comparing methods: experiments as files, their cells, the store of results, and the runner."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
