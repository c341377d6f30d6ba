# SPDX-License-Identifier: BSD-3-Clause
"""Calls of a trace, as batches of columns."""
import warnings

import numpy as np

from . import _pilgrim
from ._errors import DamagedWarning, Error
from ._table import Table, Texts, _Column

COLUMNS = ("rank", "thread", "seq", "func", "start", "end", "site", "comm", "peer", "tag", "count", "datatype", "bytes",
           "request", "ret")
_LETTERS = {"i": "i", "l": "l", "t": "u"}
_DTYPES = {"i": np.int32, "l": np.int64, "t": np.int32}
_SHOWN = 10


def _list_text(value):
    """Numbers and ranges as a selection has them: "0,3,8-15"."""
    if isinstance(value, str):
        return value
    if isinstance(value, range) and value.step == 1 and len(value):
        return "%d-%d" % (value[0], value[-1])
    if hasattr(value, "__iter__"):
        return ",".join(_list_text(item) for item in value)
    return "%d" % value


def _time_text(value):
    return value if isinstance(value, str) else "%dns" % value


def _names_text(value):
    return value if isinstance(value, str) else ",".join(value)


_CRITERIA = {"rank": _list_text, "thread": _list_text, "func": _names_text, "site": _names_text, "comm": str,
             "peer": _list_text, "tag": _list_text, "bytes": lambda value: value if isinstance(value, str) else "%d" % value,
             "phase": str, "loop": _list_text, "iteration": _list_text, "call": _list_text, "since": _time_text,
             "until": _time_text}


def selection_of(criteria):
    """Pairs (criterion, text) of keyword arguments."""
    pairs = []
    for name, value in criteria.items():
        if name == "failed":
            if value:
                pairs.append((name, None))
        elif name not in _CRITERIA:
            raise TypeError("no criterion is called %r; there are: %s" % (name, ", ".join([*_CRITERIA, "failed"])))
        elif value is not None:
            pairs.append((name, _CRITERIA[name](value)))
    return pairs


class Calls:
    """Calls of a trace that fit a selection: made by Trace.calls(). Nothing is read before it is asked for, and each
    iteration reads anew.

    for batch in calls:      batches, each a Table, in memory that does not grow with the number of calls
    calls.read()             all of them as one Table
    calls.to_pandas()        all of them as a DataFrame
    pyarrow.table(calls), polars.from_arrow(calls), duckdb.sql("... FROM calls")
                             batch by batch, by Arrow's C stream interface
    """

    def __init__(self, trace, names, pairs, by_time, batch, damaged):
        if batch < 1:
            raise ValueError("a batch has one row at least")
        if damaged not in ("raise", "warn"):
            raise ValueError("damaged is 'raise' or 'warn', not %r" % (damaged,))
        self._trace = trace
        self._names = [names] if isinstance(names, str) else list(names)
        self._pairs = pairs
        self._by_time = by_time
        self._batch = batch
        self._damaged = damaged
        stream = self._open()
        self._types = stream.types()
        stream.close()

    def _open(self):
        return self._trace.columns(self._names, self._pairs, self._by_time)

    def _fail(self, error, rows):
        if not isinstance(error, Error) or self._damaged == "raise":
            if isinstance(error, Error) and error.status in ("damaged", "truncated") and rows:
                text = "%s; %d calls before it can be had: calls(..., damaged=\"warn\")" % (error.message, rows)
                error = type(error)(text, error.path, error.status, error.section, error.offset)
            raise error
        warnings.warn("%s; it goes on without what follows" % error, DamagedWarning, stacklevel=3)

    def _tables(self, size):
        stream = self._open()
        texts = [Texts() for _ in self._names]
        rows = 0
        try:
            while True:
                arrays = [np.empty(size, dtype=_DTYPES[letter]) for letter in self._types]
                filled, what = stream.fill(arrays, size)
                rows += filled
                for i, letter in enumerate(self._types):
                    if letter == "t":
                        texts[i].list.extend(stream.texts(i, len(texts[i].list)))
                if filled:
                    yield Table({name: _Column(_LETTERS[letter], array if filled == size else array[:filled].copy(), text)
                                 for name, letter, array, text in zip(self._names, self._types, arrays, texts)})
                if what is True:
                    return
                if what is not None:
                    self._fail(what, rows)
                    return
        finally:
            stream.close()

    def __iter__(self):
        """Batches of rows. The loop may be left at any time: what was open is given back."""
        return self._tables(self._batch)

    @property
    def names(self):
        """The names of the columns."""
        return list(self._names)

    def read(self):
        """All calls as one Table."""
        tables = list(self)
        return Table.concat(tables) if tables else self._empty()

    def _empty(self):
        return Table({name: _Column(_LETTERS[letter], np.empty(0, dtype=_DTYPES[letter]), Texts() if letter == "t" else None)
                      for name, letter in zip(self._names, self._types)})

    def to_pandas(self):
        """All calls as a pandas.DataFrame: texts are categorical, missing numbers <NA>. Times are ns."""
        return self.read().to_pandas()

    def count(self):
        """How many calls there are; all are read."""
        names, self_types = ["seq"], ["l"]
        counting = Calls(self._trace, names, self._pairs, self._by_time, self._batch, self._damaged)
        assert counting._types == self_types
        return sum(len(batch) for batch in counting)

    def head(self, rows=_SHOWN):
        """The first ROWS calls, as a Table."""
        for table in self._tables(rows):
            return table
        return self._empty()

    # ---- Arrow ----

    def _fields(self):
        return self._empty()._fields()

    def __arrow_c_schema__(self):
        return _pilgrim.arrow_schema(self._fields())

    def __arrow_c_stream__(self, requested_schema=None):
        return _pilgrim.arrow_stream(self._fields(), (table._batch() for table in self))

    # ---- for people ----

    def _title(self):
        chosen = ", ".join(name if text is None else "%s=%s" % (name, text) for name, text in self._pairs)
        return "calls%s: %s" % (" with " + chosen if chosen else "", ", ".join(self._names))

    def __repr__(self):
        return "<pilgrim.%s>" % self._title()

    def _repr_html_(self):
        import html
        return "<p>The first of the %s</p>%s" % (html.escape(self._title().split(":")[0]), self.head()._repr_html_().split("<p>")[0])
