# SPDX-License-Identifier: BSD-3-Clause
"""Tables: columns of equal length."""
import html
import json

import numpy as np

from . import _pilgrim

MISSING = -(2 ** 63)
_SHOWN_ROWS = 10
_LETTERS = {"i": np.int32, "l": np.int64, "g": np.float64, "u": np.int32}


class Texts:
    """Different texts, to which more may be added; those that are there stay."""

    def __init__(self, texts=()):
        self.list = list(texts)
        self._array = None
        self._arrow = None

    def array(self):
        """As an array of objects; behind the last one None, for number -1."""
        if self._array is None or len(self._array) != len(self.list) + 1:
            array = np.empty(len(self.list) + 1, dtype=object)
            array[:-1] = self.list
            self._array = array
        return self._array

    def arrow(self):
        """(how many, their offsets, their bytes)"""
        if self._arrow is None or self._arrow[0] != len(self.list):
            encoded = [text.encode("utf-8", "surrogatepass") for text in self.list]
            offsets = np.zeros(len(encoded) + 1, dtype=np.int64)
            np.cumsum([len(text) for text in encoded], out=offsets[1:])
            if offsets[-1] > 0x7fffffff:
                raise OverflowError("the texts of a column have more than 2 GiB")
            self._arrow = (len(encoded), offsets.astype(np.int32), b"".join(encoded))
        return self._arrow


class _Column:
    """Values, and what they are: "i" int32, "l" int64, "g" float64, "u" numbers of texts."""

    __slots__ = ("letter", "values", "texts")

    def __init__(self, letter, values, texts=None):
        self.letter = letter
        self.values = values
        self.texts = texts

    def missing(self):
        if self.letter == "l":
            return self.values == MISSING
        if self.letter == "g":
            return np.isnan(self.values)
        if self.letter == "u":
            return self.values < 0
        return np.zeros(len(self.values), dtype=bool)

    def array(self):
        return self.texts.array()[self.values] if self.letter == "u" else self.values

    def part(self, index):
        return _Column(self.letter, self.values[index], self.texts)

    def arrow(self):
        missing = self.missing()
        count = int(np.count_nonzero(missing))
        bits = np.packbits(~missing, bitorder="little") if count else None
        return (np.ascontiguousarray(self.values), bits, count, self.texts.arrow() if self.letter == "u" else None)

    def pandas(self):
        import pandas
        if self.letter == "u":
            return pandas.Categorical.from_codes(self.values, categories=list(self.texts.list))
        missing = self.missing() if self.letter == "l" else None
        if missing is not None and missing.any():
            return pandas.arrays.IntegerArray(np.where(missing, 0, self.values), missing)
        return self.values


def _column_of(values):
    """A column of values of Python's; None: missing."""
    known = [value for value in values if value is not None]
    if all(isinstance(value, (bool, int)) for value in known):
        if all(-(2 ** 63) < value < 2 ** 63 for value in known):
            return _Column("l", np.array([MISSING if value is None else int(value) for value in values], dtype=np.int64))
    if all(isinstance(value, (bool, int, float)) for value in known):
        return _Column("g", np.array([np.nan if value is None else value for value in values], dtype=np.float64))
    numbers = {}
    codes = np.empty(len(values), dtype=np.int32)
    for i, value in enumerate(values):
        text = value if value is None or isinstance(value, str) else json.dumps(value)
        codes[i] = -1 if text is None else numbers.setdefault(text, len(numbers))
    return _Column("u", codes, Texts(numbers))


class Table:
    """Columns of equal length, by name.

    table["func"]         a NumPy array: numbers as they are (those that are missing are pilgrim.MISSING), texts as an
                          array of str (None where there is none)
    table.missing(name)   where a value is missing
    table.codes(name)     texts as numbers, and table.texts(name) what they stand for; -1: none
    table.to_pandas()     a DataFrame: texts are categorical, missing numbers <NA>
    pyarrow.table(table), polars.from_arrow(table), duckdb.sql("... FROM table")
                          the same without a copy, by Arrow's C data interface
    """

    def __init__(self, columns):
        self._columns = columns
        self._length = len(next(iter(columns.values())).values) if columns else 0

    @classmethod
    def from_rows(cls, rows, names=None):
        """Makes one of dictionaries; what one lacks is missing."""
        if names is None:
            names = list(dict.fromkeys(name for row in rows for name in row))
        return cls({name: _column_of([row.get(name) for row in rows]) for name in names})

    @classmethod
    def concat(cls, tables):
        """One table of those of equal columns, in their order."""
        tables = list(tables)
        return tables[0]._join(tables[1:]) if tables else cls({})

    def _join(self, others):
        if not others:
            return self
        joined = {}
        for name, first in self._columns.items():
            columns = [first] + [other._columns[name] for other in others]
            if first.letter == "u" and any(column.texts is not first.texts for column in columns):
                texts = Texts()
                known = {}
                parts = []
                for column in columns:
                    for text in column.texts.list:
                        known.setdefault(text, len(known))
                    here = np.array([known[text] for text in column.texts.list] + [-1], dtype=np.int32)
                    parts.append(here[column.values])
                texts.list = list(known)
            else:
                texts = first.texts
                parts = [column.values for column in columns]
            joined[name] = _Column(first.letter, np.concatenate(parts), texts)
        return Table(joined)

    # ---- what is in it ----

    @property
    def names(self):
        """The names of the columns."""
        return list(self._columns)

    def keys(self):
        return self._columns.keys()

    def __len__(self):
        return self._length

    def __contains__(self, name):
        return name in self._columns

    def _column(self, name):
        try:
            return self._columns[name]
        except KeyError:
            raise KeyError("no column is called %r; there are: %s" % (name, ", ".join(self._columns))) from None

    def __getitem__(self, name):
        """A column by its name, or some rows: a slice, an array of numbers, or one of bools."""
        if isinstance(name, str):
            return self._column(name).array()
        if isinstance(name, (int, np.integer)):
            return self.row(name)
        return Table({key: column.part(name) for key, column in self._columns.items()})

    def __iter__(self):
        """Rows, as dictionaries."""
        return self.rows()

    def codes(self, name):
        """The numbers of a column of texts, int32; -1: none."""
        column = self._column(name)
        if column.letter != "u":
            raise TypeError("column %r has numbers" % name)
        return column.values

    def texts(self, name):
        """What the numbers of a column of texts stand for."""
        if self._column(name).letter != "u":
            raise TypeError("column %r has numbers" % name)
        return list(self._column(name).texts.list)

    def missing(self, name):
        """A NumPy array of bools: where the column has no value."""
        return self._column(name).missing()

    def row(self, i):
        """Row I as a dictionary; what is missing is None."""
        if not -self._length <= i < self._length:
            raise IndexError("there are %d rows" % self._length)
        found = {}
        for name, column in self._columns.items():
            value = column.values[i].item()
            if column.letter == "u":
                value = None if value < 0 else column.texts.list[value]
            elif value == MISSING or value != value:
                value = None
            found[name] = value
        return found

    def rows(self):
        """Iterates over rows as dictionaries; what is missing is None."""
        for i in range(self._length):
            yield self.row(i)

    # ---- for others ----

    def to_pandas(self):
        """Returns a pandas.DataFrame. Texts are categorical; a column of numbers of which some are missing is Int64."""
        import pandas
        return pandas.DataFrame({name: column.pandas() for name, column in self._columns.items()}, copy=False)

    def _fields(self):
        return [(name, column.letter, column.letter != "i") for name, column in self._columns.items()]

    def _batch(self):
        return (self._length, [column.arrow() for column in self._columns.values()])

    def __arrow_c_schema__(self):
        return _pilgrim.arrow_schema(self._fields())

    def __arrow_c_stream__(self, requested_schema=None):
        return _pilgrim.arrow_stream(self._fields(), iter([self._batch()]))

    # ---- for people ----

    def _shown(self):
        if self._length <= 2 * _SHOWN_ROWS:
            return list(range(self._length)), None
        return list(range(_SHOWN_ROWS)) + list(range(self._length - _SHOWN_ROWS, self._length)), _SHOWN_ROWS

    def _cells(self):
        rows, gap = self._shown()
        cells = [[_cell(value) for value in self.row(i).values()] for i in rows]
        if gap is not None:
            cells.insert(gap, ["..."] * len(self._columns))
        return cells

    def _is_number(self):
        return [column.letter != "u" for column in self._columns.values()]

    def __repr__(self):
        if not self._columns:
            return "<pilgrim.Table: empty>"
        cells = [self.names] + self._cells()
        widths = [max(len(row[i]) for row in cells) for i in range(len(self._columns))]
        numbers = self._is_number()
        lines = ["  ".join(cell.rjust(width) if number else cell.ljust(width)
                           for cell, width, number in zip(row, widths, numbers)).rstrip() for row in cells]
        return "\n".join(lines + ["[%s, %d columns]" % (_rows(self._length), len(self._columns))])

    def _repr_html_(self):
        return table_html(self.names, self._cells(), self._is_number(), "%s, %d columns" % (_rows(self._length), len(self._columns)))


def _rows(count):
    return "1 row" if count == 1 else "%d rows" % count


def _cell(value):
    if value is None:
        return ""
    if isinstance(value, float):
        return ("%.0f" if abs(value) >= 1e5 else "%.6g") % value
    text = str(value)
    return text if len(text) <= 60 else text[:57] + "..."


def table_html(names, cells, numbers, below=None):
    """A table of HTML; all texts are escaped."""
    def line(tag, row):
        return "<tr>%s</tr>" % "".join(
            '<%s style="text-align:%s;padding:0 .5em">%s</%s>' % (tag, "right" if number else "left", html.escape(cell), tag)
            for cell, number in zip(row, numbers))
    text = "<table><thead>%s</thead><tbody>%s</tbody></table>" % (line("th", names), "".join(line("td", row) for row in cells))
    return text + ("<p>%s</p>" % html.escape(below) if below else "")
