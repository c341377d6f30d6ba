# SPDX-License-Identifier: BSD-3-Clause
"""Codes the content of a calls section, or of definitions, with docs/FORMAT.md in hand. See random_trace.py."""
from random_profile import BitWriter
from second_coded import Walk
from second_definitions import DefinitionsWalk, Source, learnt_mixer
from second_parts import CODED_CALLS, CODED_DEFINITIONS


def bits_of(writer):
    def bit(value, guess):
        writer.bit(value, guess)
        return value
    return bit


def coded(content, shapes, classes, kind=CODED_CALLS):
    """CONTENT, coded. shapes, classes, kind: as in second_coded.Walk."""
    writer, source = BitWriter(), Source(content)
    Walk(source, bits_of(writer), shapes, classes, kind).all()
    source.cursor.end()
    return writer.bytes()


def coded_definitions(content, kind=CODED_DEFINITIONS):
    """CONTENT, coded, for a section of type KIND."""
    writer, source = BitWriter(), Source(content)
    DefinitionsWalk(source, learnt_mixer(bits_of(writer), kind)).all()
    source.cursor.end()
    return writer.bytes()
