# SPDX-License-Identifier: BSD-3-Clause
"""Reads a file in Arrow's IPC format into columns, as the format's specification says: Columnar.rst, and the field numbers of Message.fbs, Schema.fbs and File.fbs.
It knows what tables of calls need: integers and dictionaries of texts."""
import struct

MAGIC = b"ARROW1"


class Table:
    """A FlatBuffers table at a position of BYTES."""

    def __init__(self, data, at):
        self.data, self.at = data, at
        self.vtable = at - struct.unpack_from("<i", data, at)[0]
        self.size = struct.unpack_from("<H", data, self.vtable)[0]

    def field(self, i):
        offset = struct.unpack_from("<H", self.data, self.vtable + 4 + 2 * i)[0] if 4 + 2 * i < self.size else 0
        return self.at + offset if offset else None

    def number(self, i, kind, default=0):
        at = self.field(i)
        if at is None:
            return default
        if at % struct.calcsize(kind):
            raise ValueError("a field is not aligned")
        return struct.unpack_from("<" + kind, self.data, at)[0]

    def refer(self, i):
        at = self.field(i)
        return None if at is None else at + struct.unpack_from("<I", self.data, at)[0]

    def table(self, i):
        at = self.refer(i)
        return None if at is None else Table(self.data, at)

    def text(self, i):
        at = self.refer(i)
        length = struct.unpack_from("<I", self.data, at)[0]
        if self.data[at + 4 + length]:
            raise ValueError("a text does not end")
        return self.data[at + 4:at + 4 + length].decode()

    def tables(self, i):
        at = self.refer(i)
        count = struct.unpack_from("<I", self.data, at)[0] if at is not None else 0
        found = [at + 4 + 4 * k for k in range(count)]
        return [Table(self.data, p + struct.unpack_from("<I", self.data, p)[0]) for p in found]

    def structs(self, i, layout):
        at = self.refer(i)
        count = struct.unpack_from("<I", self.data, at)[0]
        if count and (at + 4) % 8:
            raise ValueError("structs are not aligned")
        return [struct.unpack_from("<" + layout, self.data, at + 4 + k * struct.calcsize("<" + layout)) for k in range(count)]


def root(data):
    return Table(data, struct.unpack_from("<I", data)[0])


def fields(schema):
    """[(name, nullable, bits or None, dictionary's id or None)]"""
    found = []
    for field in schema.tables(1):
        dictionary, kind = field.table(4), field.number(2, "B")
        if kind not in (2, 5) or (kind == 5) != (dictionary is not None) or field.tables(5):
            raise ValueError("a type that calls do not have")
        number = dictionary.table(1) if dictionary else field.table(3)
        if not number.number(1, "B"):
            raise ValueError("unsigned")
        found.append((field.text(0), bool(field.number(1, "B")), number.number(0, "i"), dictionary.number(0, "q") if dictionary else None))
    return found


def message(data, block):
    offset, head, _, body = block
    mark, size = struct.unpack_from("<II", data, offset)
    if mark != 0xffffffff or size + 8 != head or offset % 8 or head % 8 or body % 8:
        raise ValueError("a message that does not fit its block")
    found = root(data[offset + 8:offset + head])
    if found.number(0, "h") != 4 or found.number(3, "q") != body:
        raise ValueError("version, or length of the body")
    return found, data[offset + head:offset + head + body]


def buffers(batch, body):
    found = []
    for offset, length in batch.structs(2, "qq"):
        if offset % 8 or offset + length > len(body):
            raise ValueError("a buffer outside of its body")
        found.append(body[offset:offset + length])
    return found


def read(path):
    """({name: [values]}, {key: value})"""
    with open(path, "rb") as file:
        data = file.read()
    if data[:8] != MAGIC + b"\0\0" or data[-6:] != MAGIC:
        raise ValueError("no Arrow file")
    size = struct.unpack_from("<I", data, len(data) - 10)[0]
    footer = root(data[len(data) - 10 - size:len(data) - 10])
    schema = footer.table(1)
    first, _ = message(data, (8, struct.unpack_from("<I", data, 12)[0] + 8, 0, 0))
    if first.number(1, "B") != 1 or fields(first.table(2)) != fields(schema):
        raise ValueError("two schemas")
    dictionaries = {}
    for block in footer.structs(2, "qiiq"):
        found, body = message(data, block)
        dictionary = found.table(2)
        batch = dictionary.table(1)
        (count, missing), = batch.structs(1, "qq")
        _, offsets, texts = buffers(batch, body)
        ends = struct.unpack("<%di" % (count + 1), offsets)
        if found.number(1, "B") != 2 or missing or ends[0] or ends[-1] != len(texts) or batch.number(0, "q") != count:
            raise ValueError("a dictionary")
        dictionaries[dictionary.number(0, "q")] = [texts[a:b].decode() for a, b in zip(ends, ends[1:])]
    columns = {name: [] for name, _, _, _ in fields(schema)}
    for block in footer.structs(3, "qiiq"):
        found, body = message(data, block)
        batch = found.table(2)
        parts, nodes, rows = buffers(batch, body), batch.structs(1, "qq"), batch.number(0, "q")
        if found.number(1, "B") != 3 or len(nodes) != len(columns) or len(parts) != 2 * len(columns):
            raise ValueError("a batch")
        for i, (name, nullable, bits, dictionary) in enumerate(fields(schema)):
            valid, values = parts[2 * i], struct.unpack("<%d%s" % (rows, "i" if bits == 32 else "q"), parts[2 * i + 1])
            there = [not valid or bool(valid[k // 8] >> k % 8 & 1) for k in range(rows)]
            if nodes[i] != (rows, there.count(False)) or (not nullable and not all(there)):
                raise ValueError("missing values of " + name)
            columns[name] += [(dictionaries[dictionary][v] if dictionary is not None else v) if t else None for v, t in zip(values, there)]
    return columns, {pair.text(0): pair.text(1) for pair in schema.tables(2)}
