# SPDX-License-Identifier: BSD-3-Clause
"""Reads Pilgrim's traces of MPI programs.

    import pilgrim

    t = pilgrim.open("app.pilgrim")
    t.calls(func="MPI_Send", columns=["rank", "peer", "bytes", "start", "end"]).to_pandas()
    t.stats(by="func"), t.messages(), t.matrix(), t.loops(), t.waits(), t.ranks(), t.system(), t.endings()
    t.diff("other.pilgrim")

Times are nanoseconds, sizes bytes, ranks those of MPI_COMM_WORLD. NumPy is needed; pandas, SciPy and libraries of Arrow
only by those who ask for them. docs/python.md has a gallery.
"""
from ._calls import COLUMNS, Calls
from ._errors import (DamagedError, DamagedWarning, Error, FileError, FormatError, InvalidError, LimitError)
from ._pilgrim import version as __version__
from ._table import MISSING, Table
from ._trace import Diff, Node, Programs, System, Tables, Trace, duration, open

__all__ = ["COLUMNS", "Calls", "DamagedError", "DamagedWarning", "Diff", "Error", "FileError", "FormatError",
           "InvalidError", "LimitError", "MISSING", "Node", "Programs", "System", "Table", "Tables", "Trace", "duration",
           "open"]
