# SPDX-License-Identifier: BSD-3-Clause
"""Codes the content of a calls section, or of definitions, with docs/FORMAT.md in hand. See random_trace.py."""
from second_coded import Coder, Walk
from second_definitions import DefinitionsWalk, Source, learnt_mixer
from second_parts import CODED_CALLS, CODED_DEFINITIONS


def coded(content, shapes, classes, kind=CODED_CALLS):
    """CONTENT, coded. shapes, classes, kind: as in second_coded.Walk."""
    writer, source = Coder(), Source(content)
    Walk(source, writer, shapes, classes, kind).all()
    source.cursor.end()
    return writer.bytes()


def coded_definitions(content, kind=CODED_DEFINITIONS):
    """CONTENT, coded, for a section of type KIND."""
    writer, source = Coder(), Source(content)
    DefinitionsWalk(source, learnt_mixer(writer, kind)).all()
    source.cursor.end()
    return writer.bytes()
