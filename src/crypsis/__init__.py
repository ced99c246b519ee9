"""Crypsis: publish data about people without publishing the people.

Names are loaded when first used, so that `import crypsis` costs nothing. The stub beside this file lists them once,
for Python and for type checkers.
"""

from lazy_loader import attach_stub

from crypsis.version import VERSION as __version__  # noqa: N811

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
__all__ += ["__version__"]
