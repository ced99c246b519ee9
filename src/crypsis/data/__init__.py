"""The data model: five kinds of data as collected and as published, and everything that reads and writes them.

    relational    Table           PublishedTable           records with typed columns and declared roles
    transaction   Transactions    PublishedTransactions    sets of items; DisassociatedTransactions: pieces of them
    mixed         Mixed           PublishedMixed           a table with a set-valued column
    trajectory    Trajectories    PublishedTrajectories    sequences of locations; Tracks: GPS fixes (track)
    stream        Events          PublishedWindows         who was where when

All are immutable flat arrays with a vocabulary; none holds a Python object per record. Names are
loaded when first used.
"""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
