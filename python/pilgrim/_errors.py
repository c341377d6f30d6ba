# SPDX-License-Identifier: BSD-3-Clause
"""What can go wrong with a trace, as exceptions."""
import re

# enum pilgrim_status of pilgrim/status.h
_STATUS = ("ok", "end", "nomem", "limit", "io", "not_trace", "version", "damaged", "truncated", "invalid")


class Error(Exception):
    """A trace could not be read as it was asked for.

    path     of the trace
    status   a word of pilgrim/status.h: "damaged", "truncated", "version", ...
    section  of the file that is wrong ("calls", "times", ...); None where that does not apply
    offset   in the file, bytes; 0 where that does not apply
    """

    def __init__(self, message, path=None, status="invalid", section=None, offset=0):
        super().__init__(message if path is None else "%s: %s" % (path, message))
        self.message = message
        self.path = path
        self.status = status
        self.section = section
        self.offset = offset

    def __reduce__(self):
        return (type(self), (self.message, self.path, self.status, self.section, self.offset))


class DamagedError(Error):
    """The file is damaged or cut off: `section` and `offset` say where."""


class FormatError(Error):
    """The file is no Pilgrim trace, or of a version that this library does not read."""


class LimitError(Error):
    """The file asks for more memory than `pilgrim.open(..., memory=...)` allows."""


class FileError(Error, OSError):
    """The file cannot be opened or read."""


class InvalidError(Error, ValueError):
    """What was asked for is not in the trace, or is no such thing."""


class DamagedWarning(UserWarning):
    """Something of the trace is missing; the rest can be had."""


_CLASSES = {"limit": LimitError, "io": FileError, "not_trace": FormatError, "version": FormatError,
            "damaged": DamagedError, "truncated": DamagedError, "invalid": InvalidError}


def make(status, message, offset, path):
    """The exception for a status of the library."""
    word = _STATUS[status] if 0 <= status < len(_STATUS) else "unknown"
    if word == "nomem":
        return MemoryError(message)
    if word == "invalid":
        message = re.sub(r"(^|\s)--(?=[a-z])", r"\1", message)  # options of the tools
    named = re.search(r"\bsection (\w+)", message)
    at = re.search(r"\bat byte (\d+)", message)
    section = named.group(1) if named and named.group(1) != "at" else None
    return _CLASSES.get(word, Error)(message, path, word, section, offset or (int(at.group(1)) if at else 0))
