# SPDX-License-Identifier: BSD-3-Clause
"""Coded definitions of a Pilgrim trace, from docs/FORMAT.md (section 3, "Coded definitions") alone: the content of a definitions section out of
coded bits."""
import collections
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from second_coded import CONTENT_MAX, WHOLE, Coder, Content, Mixer, unzigzag, with_, zigzag  # noqa: E402
from second_parts import CODED_DEFINITIONS, CODED_DEFINITIONS_10, Cursor, Damage, dictionary, format_file  # noqa: E402

COUNT, WORD, BYTE, PROPERTY, MODULE, SYMBOL, START, FUNCTION, PATH, FRAME, KIND, OFFSET, TAG, OPERAND = range(14)
STRINGS, FUNCTIONS, SYMBOLS, PROPERTIES, MODULES, CLASSES, SHAPES = range(7)    # kinds of counts, and of texts
PATH_MAX, DEPTH_MAX, TAG_END, ITEMS_END, PLACE_BITS = 64, 32, 32, 4096, 12
STRING, ARRAY, FLAGS, STATUS, NAMED_FUNCTION, SERIES, EDITED, POSTED = 14, 15, 16, 17, 18, 20, 22, 24
OPERANDS = {2: 1, 8: 1, STRING: 1, ARRAY: 1, FLAGS: 1, STATUS: 1, NAMED_FUNCTION: 1, SERIES: 2, 21: 1, EDITED: 2, 23: 1, POSTED: 1}
LINES = list(dict.fromkeys(reversed(dictionary()[:-1].split(b"\0"))))
EXAMPLES = {CODED_DEFINITIONS_10: "example-10.hex", CODED_DEFINITIONS: "example.hex"}


class Source:
    """The content; what is put back is what was taken."""

    def __init__(self, content):
        self.cursor = Cursor(content)
        self.take, self.take_byte = self.cursor.varint, self.cursor.u8

    def put(self, v):
        pass

    put_byte = put

    def line_to_come(self):
        """The text that is to come, if it is a line of the dictionary."""
        end = self.cursor.data.find(b"\0", self.cursor.at)
        found = self.cursor.data[self.cursor.at:end]
        return found if end >= 0 and found in LINES else None

    def line(self, text):
        self.cursor.bytes(len(text) + 1)

    def shape_begins(self):
        """The content of the shape that is to come."""
        return Source(self.cursor.text())

    def shape_ends(self, shape):
        shape.cursor.end()

    def tag(self):
        return self.cursor.u8() if self.cursor.left() else 0


class Target(Content):
    """As second_coded.Content, for definitions."""

    def line_to_come(self):
        return None

    def line(self, text):
        for byte in text + b"\0":
            self.put_byte(byte)

    def shape_begins(self):
        return Target(self.raw - len(self.found))

    def shape_ends(self, shape):
        self.put(len(shape.found))
        for byte in shape.found:
            self.put_byte(byte)

    def tag(self):
        return 0


class DefinitionsWalk:
    def __init__(self, content, mixer):
        self.content, self.mixer = content, mixer
        self.last_line, self.was_line = 0, 0
        self.before, self.operands = collections.defaultdict(int), collections.defaultdict(int)

    def all(self):
        self.texts(STRINGS)
        self.properties()
        self.function_count = self.texts(FUNCTIONS)
        self.modules()
        self.symbols()
        self.classes()
        for _ in range(self.count(SHAPES)):
            self.shape()

    def itself(self, field, kind=0, a=0, b=0, c=0):
        v = self.mixer.number(self.content.take(), field, kind, a, b, c)
        self.content.put(v)
        return v

    def byte(self, field, kind, a, b, c):
        v = self.mixer.number(self.content.take_byte(), field, kind, a, b, c)
        self.content.put_byte(v)
        return v

    def difference(self, field, kind, base):
        v = base + unzigzag(self.mixer.number(zigzag(self.content.take() - base), field, kind, 0, 0, 0)) & WHOLE
        self.content.put(v)
        return v

    def count(self, kind):
        return self.itself(COUNT, kind)

    # Texts.

    def text(self, kind):
        line = self.content.line_to_come()
        coded = 0 if line is None else 1 + zigzag(LINES.index(line) - self.last_line)
        coded = self.mixer.number(coded, WORD, kind, self.was_line, 0, 0)
        self.was_line = int(coded > 0)
        if not coded:
            self.spelled()
            return
        self.last_line = self.last_line + unzigzag(coded - 1) & WHOLE
        if self.last_line >= len(LINES):
            raise Damage("line %d of %d" % (self.last_line, len(LINES)))
        self.content.line(LINES[self.last_line])

    def spelled(self, length=None):
        """Without a length: up to a 0 byte."""
        p, i = (0,) * 5, 0
        while length is None or i < length:
            v = self.byte(BYTE, p[0], p[1], p[1] << 8 | p[2], p[2] << 16 | p[3] << 8 | p[4])
            if length is None and not v:
                return
            p, i = (v, *p[:4]), i + 1

    def texts(self, kind):
        count = self.count(kind)
        for _ in range(count):
            self.text(kind)
        return count

    # Properties, modules, symbols.

    def properties(self):
        following = 0
        for _ in range(self.count(PROPERTIES)):
            following = max(self.difference(PROPERTY, 0, following), self.difference(PROPERTY, 1, following)) + 1 & WHOLE

    def modules(self):
        for _ in range(self.count(MODULES)):
            self.itself(MODULE, 0)
            length = self.itself(MODULE, 1)
            if length == 33:
                self.itself(MODULE, 2)
                continue
            for _ in range(length):
                byte, v = self.content.take_byte(), 0
                for i in range(7, -1, -1):
                    v = 2 * v + self.mixer.bit(byte >> i & 1)
                self.content.put_byte(v)

    def symbols(self):
        count, module = self.count(SYMBOLS), 0
        for _ in range(count):
            module = self.difference(SYMBOL, 0, module)
        for _ in range(count):
            self.itself(START)
        for _ in range(count):
            self.text(SYMBOLS)

    # Classes.

    def classes(self):
        functions = self.class_functions(self.count(CLASSES))
        paths = self.class_paths(functions)
        addresses = self.frames(functions, paths)
        kinds, last = [], 0
        for function, has_elder in addresses:
            last = self.itself(KIND, has_elder, last, function)
            if not last:
                self.itself(KIND, 2)
            kinds.append(min(last, 2))
        offsets = collections.defaultdict(lambda: (0, 0))
        for (function, _), kind in zip(addresses, kinds):
            offsets[kind] = self.itself(OFFSET, kind, function, *offsets[kind]), offsets[kind][0]

    def class_functions(self, count):
        functions, following, last = [], 0, (0, 0, 0)
        for _ in range(count):
            v = self.content.take()
            coded = (0 if v >> 1 == following else 1 + (v >> 1)) << 1 | v & 1
            coded = self.mixer.number(coded & WHOLE, FUNCTION, 0, last[0], last[0] << 32 | last[1], last[2])
            function = (coded >> 1) - 1 if coded >> 1 else following
            self.content.put(function << 1 & WHOLE | coded & 1)
            if function >= self.function_count:
                raise Damage("function %d of %d" % (function, self.function_count))
            following, last = max(following, function + 1), (function + 1, *last[:2])
            functions.append(function)
        return functions

    def class_paths(self, functions):
        paths, depth, before, dropped, added = [], 0, 0, 0, 0
        for function in functions:
            both, last = function << 32 | before, dropped << 8 | added
            dropped = self.itself(PATH, 0, last, both, depth)
            added = self.itself(PATH, 1, dropped, both, last)
            if dropped > depth or depth - dropped + added > PATH_MAX:
                raise Damage("%d frames, %d fewer, %d more" % (depth, dropped, added))
            depth, before = depth - dropped + added, function
            paths.append((dropped, added))
        return paths

    def frames(self, functions, paths):
        """By address: the function that it calls, + 1, or 0; 1 if it has an elder, or 0."""
        addresses, path, parents, of_function, number, last = [], [], set(), {}, 0, (0, 0)
        for class_function, (dropped, added) in zip(functions, paths):
            del path[len(path) - dropped:]
            for left in range(added, 0, -1):
                function = class_function + 1 if left == 1 else 0
                v, following, known = self.content.take(), number + 1, of_function.get(function, 0)
                coded = 0 if not v else 1 if v - 1 == following else 2 if v == known else 3 + zigzag(v - 1 - following)
                coded = self.mixer.number(coded, FRAME, 0, last[0] << 2 & WHOLE | (function > 0) << 1 | (following < len(addresses)),
                                          function << 8 | min(last[0], 255), last[1])
                number = len(addresses) if not coded else following if coded == 1 else known - 1 if coded == 2 else following + unzigzag(coded - 3) & WHOLE
                self.content.put(number + 1 & WHOLE if coded else 0)
                if not 0 <= number < len(addresses) + (not coded):
                    raise Damage("address %d of %d" % (number, len(addresses)))
                parent = path[-1] if path else None
                if not coded:
                    addresses.append((function, int(parent in parents)))
                parents.add(parent)
                path.append(number)
                last, of_function[function] = (coded, last[0]), number + 1
        return addresses

    # Shapes.

    def shape(self):
        content, self.items, self.has_array = self.content, [], False
        shape = self.content = content.shape_begins()
        index, last, token = 0, (0, 0), True
        while token:
            token = self.value(with_(1, index), 0, 0, index, last)
            index, last = index + 1, (token, last[0])
        content.shape_ends(shape)
        self.content = content

    def value(self, path, parent, depth, index, last):
        """What is known of its token; 0 for the end of the shape."""
        place = path >> 64 - PLACE_BITS
        before, item = self.before[place], self.items[index] if depth == 1 and self.has_array and index < len(self.items) else 0
        tag = self.mixer.number(self.content.tag(), TAG, 2 * parent + (depth == 0), with_(before, last[0]), with_(item, last[0]),
                                with_(before, item, last[1]))
        if not tag and not depth:
            return 0
        if not tag or tag >= TAG_END or depth >= DEPTH_MAX:
            raise Damage("a token %d" % tag)
        self.content.put_byte(tag)
        token, operands = with_(0, tag), []
        for i in range(OPERANDS.get(tag, 0)):
            coded = self.byte if tag in (STATUS, POSTED) else self.itself
            operands.append(coded(OPERAND, 4 * tag + i, before, self.operands[tag, i], with_(token, last[0], parent)))
            self.operands[tag, i] = operands[i]
            token = with_(token, operands[i])
        self.before[place] = token
        if tag in (STRING, NAMED_FUNCTION):
            self.spelled(operands[0])
        first, inside = tag == ARRAY and not depth and not self.has_array, (0, 0)
        for i in range(self.following(tag, operands)):
            inside = self.value(with_(path, i), tag, depth + 1, i, inside), inside[0]
            if first and i < ITEMS_END:
                self.items.append(inside[0])
        self.has_array |= first
        return token

    @staticmethod
    def following(tag, operands):
        if tag in (ARRAY, FLAGS):
            return operands[0]
        if tag in (SERIES, EDITED):
            return (2 if tag == EDITED else 1) * operands[1] & WHOLE
        if tag == STATUS:
            return 5 if operands[0] & 2 else 4
        return int(tag in (7, 21, 23))


LEARNT = {}     # by type: the mixer that has walked through the example, as soon as it was asked for


def learnt_mixer(coder, kind=CODED_DEFINITIONS):
    """A mixer that has walked through the example of this type of section, and codes with CODER from now on."""
    sets = 3 if kind == CODED_DEFINITIONS else 1
    if kind not in LEARNT:
        LEARNT[kind] = Mixer(None, sets)
        DefinitionsWalk(Source(bytes.fromhex(format_file(EXAMPLES[kind]).decode())), LEARNT[kind]).all()
    return Mixer(coder, former=LEARNT[kind])


def definitions_content(stored, raw, kind=CODED_DEFINITIONS):
    """The RAW bytes that the coded definitions STORED are. kind: the type of the section."""
    if raw > CONTENT_MAX:
        raise Damage("coded definitions of %d bytes" % raw)
    target, reader = Target(raw), Coder(stored)
    DefinitionsWalk(target, learnt_mixer(reader, kind)).all()
    if len(target.found) < raw:
        raise Damage("coded definitions of %d bytes, not %d" % (len(target.found), raw))
    if reader.at < len(stored):
        raise Damage("%d bytes of coded definitions left over" % (len(stored) - reader.at))
    return bytes(target.found)
