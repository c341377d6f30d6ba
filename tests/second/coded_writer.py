# SPDX-License-Identifier: BSD-3-Clause
"""Codes the content of a calls section, or of definitions, with docs/FORMAT.md in hand. See random_trace.py."""
from random_profile import BitWriter
from second_coded import Walk
from second_definitions import DefinitionsWalk, Source, learnt_mixer


def bits_of(writer):
    def bit(value, guess):
        writer.bit(value, guess)
        return value
    return bit


def coded(content, shapes, classes, old=False):
    """CONTENT, coded. shapes, classes, old: as in second_coded.Walk."""
    writer, source = BitWriter(), Source(content)
    Walk(source, bits_of(writer), shapes, classes, old).all()
    source.cursor.end()
    return writer.bytes()


def coded_definitions(content):
    """CONTENT, coded."""
    writer, source = BitWriter(), Source(content)
    DefinitionsWalk(source, learnt_mixer(bits_of(writer))).all()
    source.cursor.end()
    return writer.bytes()
