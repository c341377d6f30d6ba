# SPDX-License-Identifier: BSD-3-Clause
"""Codes the content of a calls section, with docs/FORMAT.md in hand. See random_trace.py."""
from random_profile import BitWriter
from second_coded import Walk
from second_parts import Cursor


class Source:
    """The content; what is put back is what was taken."""

    def __init__(self, content):
        self.cursor = Cursor(content)
        self.take, self.take_byte = self.cursor.varint, self.cursor.u8

    def put(self, v):
        pass

    put_byte = put


def coded(content, shapes, classes):
    """CONTENT, coded. shapes, classes: as in second_coded.Walk."""
    writer, source = BitWriter(), Source(content)

    def bit(value, guess):
        writer.bit(value, guess)
        return value

    Walk(source, bit, shapes, classes).all()
    source.cursor.end()
    return writer.bytes()
