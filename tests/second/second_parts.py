# SPDX-License-Identifier: BSD-3-Clause
"""What a Pilgrim trace consists of, from docs/FORMAT.md alone: bytes, sections, rules, columns. Knows nothing of calls."""
import ctypes
import os
import struct

MAGIC = bytes.fromhex("89504c470d0a1a0a")
VERSION = 9
OLDEST_VERSION = 5
OLD_DEFINITIONS, CALLS, STATISTICS, TIMES, PROFILE, DEFINITIONS, CODED_CALLS_7, SHORT_PROFILE, SHARED_PROFILE = 1, 2, 3, 4, 5, 6, 7, 8, 9
CODED_DEFINITIONS_10, CODED_CALLS_11, CODED_DEFINITIONS, CODED_CALLS = 10, 11, 12, 13
KINDS = {CODED_CALLS_7: CALLS, CODED_CALLS_11: CALLS, CODED_CALLS: CALLS, SHORT_PROFILE: PROFILE, SHARED_PROFILE: PROFILE,
         CODED_DEFINITIONS_10: DEFINITIONS, CODED_DEFINITIONS: DEFINITIONS}
SECTION_NAMES = {0: "end", DEFINITIONS: "definitions", OLD_DEFINITIONS: "definitions", CALLS: "calls", STATISTICS: "statistics", TIMES: "times", PROFILE: "profile"}
PLACES = {DEFINITIONS: 1, CALLS: 2, STATISTICS: 3, PROFILE: 3, TIMES: 4}    # of sections in a shard


class Damage(Exception):
    """The trace is wrong; the text says where and how."""


# ---- bytes -------------------------------------------------------------------------------------------------------

def rotate(x, bits):
    return ((x << bits) | (x >> (32 - bits))) & 0xffffffff


def xxh32(data, seed=0):
    """XXH32 as its specification gives it (github.com/Cyan4973/xxHash, doc/xxhash_spec.md)."""
    p1, p2, p3, p4, p5 = 0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D, 0x27D4EB2F, 0x165667B1
    mask = 0xffffffff
    length = len(data)
    stripes = length // 16
    if stripes:
        a, b, c, d = (seed + p1 + p2) & mask, (seed + p2) & mask, seed, (seed - p1) & mask
        for w, x, y, z in struct.iter_unpack("<4I", data[:stripes * 16]):
            a = rotate((a + w * p2) & mask, 13) * p1 & mask
            b = rotate((b + x * p2) & mask, 13) * p1 & mask
            c = rotate((c + y * p2) & mask, 13) * p1 & mask
            d = rotate((d + z * p2) & mask, 13) * p1 & mask
        h = (rotate(a, 1) + rotate(b, 7) + rotate(c, 12) + rotate(d, 18)) & mask
    else:
        h = (seed + p5) & mask
    h = (h + length) & mask
    at = stripes * 16
    while at + 4 <= length:
        h = rotate((h + struct.unpack_from("<I", data, at)[0] * p3) & mask, 17) * p4 & mask
        at += 4
    for byte in data[at:]:
        h = rotate((h + byte * p5) & mask, 11) * p1 & mask
    h = (h ^ (h >> 15)) * p2 & mask
    h = (h ^ (h >> 13)) * p3 & mask
    return h ^ (h >> 16)


def format_file(name):
    """A file that is part of the format."""
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../src/format", name), "rb") as file:
        return file.read()


def dictionary():
    """What the frames of the definitions refer back to: the lines of the format's list, a 0 byte in place of each newline."""
    return format_file("dictionary.txt").replace(b"\n", b"\0")


def unzstd(stored, raw, known):
    """The RAW bytes that the zstd frames in STORED decompress to, with the dictionary KNOWN."""
    zstd = ctypes.CDLL("libzstd.so.1")
    zstd.ZSTD_createDCtx.restype = ctypes.c_void_p
    zstd.ZSTD_freeDCtx.argtypes = [ctypes.c_void_p]
    zstd.ZSTD_decompress_usingDict.restype = ctypes.c_size_t
    zstd.ZSTD_decompress_usingDict.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p,
                                               ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t]
    zstd.ZSTD_isError.argtypes = [ctypes.c_size_t]
    content = ctypes.create_string_buffer(max(raw, 1))
    context = zstd.ZSTD_createDCtx()
    size = zstd.ZSTD_decompress_usingDict(context, content, raw, stored, len(stored), known, len(known))
    zstd.ZSTD_freeDCtx(context)
    if zstd.ZSTD_isError(size) or size != raw:
        raise Damage("does not decompress to the %d bytes it announces" % raw)
    return content.raw[:raw]


def wrap(v):
    """V modulo 2^64, as a signed number."""
    return ((v + (1 << 63)) & ((1 << 64) - 1)) - (1 << 63)


class Cursor:
    def __init__(self, data, at=0):
        self.data = data
        self.at = at

    def left(self):
        return len(self.data) - self.at

    def bytes(self, length):
        if length > self.left():
            raise Damage("%d bytes announced, %d left" % (length, self.left()))
        self.at += length
        return self.data[self.at - length:self.at]

    def u8(self):
        return self.bytes(1)[0]

    def fixed(self, length):
        return int.from_bytes(self.bytes(length), "little")

    def varint(self):
        v = shift = 0
        try:
            byte = self.data[self.at]
            while byte > 127 and shift < 63:
                v |= (byte & 127) << shift
                shift += 7
                self.at += 1
                byte = self.data[self.at]
        except IndexError:
            raise Damage("a varint without an end")
        self.at += 1
        v |= byte << shift
        if byte > 127 or v >= 1 << 64 or (byte == 0 and shift):
            raise Damage("a varint that is too large or not in its shortest form")
        return v

    def svarint(self):
        v = self.varint()
        return (v >> 1) ^ -(v & 1)

    def count(self):
        n = self.varint()
        if n > self.left():
            raise Damage("a count of %d with %d bytes left" % (n, self.left()))
        return n

    def index(self, size, what):
        i = self.varint()
        if i >= size:
            raise Damage("%s %d of %d" % (what, i, size))
        return i

    def text(self):
        return self.bytes(self.varint())

    def line(self):
        """A text with a 0 byte at its end, without that."""
        end = self.data.find(b"\0", self.at)
        if end < 0:
            raise Damage("a text without an end")
        return self.bytes(end + 1 - self.at)[:-1]

    def end(self):
        if self.left():
            raise Damage("%d bytes too many" % self.left())


# ---- the file ----------------------------------------------------------------------------------------------------

class Section:
    """type: as it stands in the file; kind: what it is, whatever its form; coded: it has coded calls."""

    def __init__(self, cursor):
        self.start = cursor.at
        try:
            self.type, self.raw, stored = cursor.u8(), cursor.varint(), cursor.varint()
            self.coded = self.type in (CODED_CALLS_7, CODED_CALLS_11, CODED_CALLS)
            self.kind = KINDS.get(self.type, self.type)
            self.head = cursor.data[self.start:cursor.at]
            self.checksum = cursor.fixed(4)
            self.stored = cursor.bytes(stored)
        except Damage as damage:
            raise Damage("truncated in the section at byte %d: %s" % (self.start, damage))
        self.name = SECTION_NAMES.get(self.kind, str(self.kind))

    def content(self, decode=None):
        """decode(stored, raw, old): the content of coded calls. old: of type 7."""
        if xxh32(self.head + self.stored) != self.checksum:
            raise Damage("wrong checksum")
        most = 32 if self.coded else 64 if self.type in (CODED_DEFINITIONS_10, CODED_DEFINITIONS) else 256
        if self.raw > most * len(self.stored):
            raise Damage("announces more than %d times its stored bytes" % most)
        if self.coded:
            return decode(self.stored, self.raw, self.type)
        if self.type in (CODED_DEFINITIONS_10, CODED_DEFINITIONS):
            from second_definitions import definitions_content    # which needs this module
            return definitions_content(self.stored, self.raw, self.type)
        if self.raw == len(self.stored):
            return self.stored
        return unzstd(self.stored, self.raw, dictionary() if self.kind in (DEFINITIONS, OLD_DEFINITIONS) else b"")

    def read(self, reader, decode=None):
        """Calls READER with a cursor, which it must use up."""
        try:
            cursor = Cursor(self.content(decode))
            reader(cursor)
            cursor.end()
        except Damage as damage:
            raise Damage("section %s at byte %d: %s" % (self.name, self.start, damage))


def shards_read(data):
    """The shards, each {type: Section}, but a list of those of type TIMES, if there are some, and the damage that stops what comes
    after them or None. Definitions of any version are in the place of DEFINITIONS."""
    if data[:8] != MAGIC[:min(8, len(data))] or not data:
        raise Damage("not a trace: no magic at byte 0")
    if len(data) < 10:
        raise Damage("truncated in the head at byte %d" % len(data))
    version = struct.unpack_from("<H", data, 8)[0]
    if not OLDEST_VERSION <= version <= VERSION:
        raise Damage("version %d at byte 8; this decoder reads versions %d to %d" % (version, OLDEST_VERSION, VERSION))
    cursor = Cursor(data, 10)
    shards, last = [], CALLS
    try:
        while cursor.left():
            section = Section(cursor)
            if section.kind == 0:
                section.read(Cursor.end)
                if not shards or CALLS not in shards[-1]:
                    raise Damage("no section calls before the end section at byte %d" % section.start)
                if cursor.left():
                    raise Damage("bytes after the end section at byte %d" % section.start)
                return shards, None
            if section.kind >= 64:
                continue
            if section.kind in (DEFINITIONS, OLD_DEFINITIONS) and last != DEFINITIONS:
                last = DEFINITIONS
                shards.append({last: section})
                continue
            if section.kind == TIMES and last != DEFINITIONS and shards:
                shards[-1].setdefault(TIMES, []).append(section)
                last = TIMES
                continue
            if (section.kind not in PLACES or not shards or (section.kind == CALLS) != (last == DEFINITIONS)
                  or PLACES[section.kind] <= PLACES[last]):
                raise Damage("section %s at byte %d is unknown or not in order" % (section.name, section.start))
            last = section.kind
            shards[-1][last] = section
        raise Damage("truncated: no end section at byte %d" % cursor.at)
    except Damage as damage:
        return shards, damage


def sections_of(shard):
    """The sections of a shard, as they stand in the file."""
    return [section for those in shard.values() for section in (those if isinstance(those, list) else [those])]


class Table:
    """Entries that references are to."""

    def __init__(self, entries, what):
        self.entries, self.what, self.next = entries, what, 0

    def at(self, v):
        """The entry that the reference V is to."""
        i = v - 1 if v else self.next
        if i >= len(self.entries):
            raise Damage("%s %d of %d" % (self.what, i, len(self.entries)))
        self.next = max(self.next, i + 1)
        return self.entries[i]

    def read(self, c):
        return self.at(c.varint())
