# SPDX-License-Identifier: BSD-3-Clause
"""A consumer of Arrow's C stream interface, written from its specification with ctypes alone
(https://arrow.apache.org/docs/format/CDataInterface.html, CStreamInterface.html, CDataInterface/PyCapsuleInterface.html)."""
import ctypes


class Schema(ctypes.Structure):
    pass


class Array(ctypes.Structure):
    pass


class Stream(ctypes.Structure):
    pass


Schema._fields_ = [("format", ctypes.c_char_p), ("name", ctypes.c_char_p), ("metadata", ctypes.c_char_p), ("flags", ctypes.c_int64),
                   ("n_children", ctypes.c_int64), ("children", ctypes.POINTER(ctypes.POINTER(Schema))), ("dictionary", ctypes.POINTER(Schema)),
                   ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(Schema))), ("private_data", ctypes.c_void_p)]
Array._fields_ = [("length", ctypes.c_int64), ("null_count", ctypes.c_int64), ("offset", ctypes.c_int64), ("n_buffers", ctypes.c_int64),
                  ("n_children", ctypes.c_int64), ("buffers", ctypes.POINTER(ctypes.c_void_p)), ("children", ctypes.POINTER(ctypes.POINTER(Array))),
                  ("dictionary", ctypes.POINTER(Array)), ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(Array))), ("private_data", ctypes.c_void_p)]
Stream._fields_ = [("get_schema", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Stream), ctypes.POINTER(Schema))),
                   ("get_next", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Stream), ctypes.POINTER(Array))),
                   ("get_last_error", ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.POINTER(Stream))),
                   ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(Stream))), ("private_data", ctypes.c_void_p)]

pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
pointer_of.restype = ctypes.c_void_p
pointer_of.argtypes = [ctypes.py_object, ctypes.c_char_p]
TYPES = {b"i": ctypes.c_int32, b"l": ctypes.c_int64, b"g": ctypes.c_double}


class StreamError(Exception):
    pass


def is_released(thing):
    return ctypes.cast(thing.release, ctypes.c_void_p).value is None


def taken(capsule, name, kind):
    """The struct of a capsule, moved as the interface has it: the capsule's own is marked as released."""
    address = pointer_of(capsule, name)
    moved = kind.from_buffer_copy((ctypes.c_char * ctypes.sizeof(kind)).from_address(address))
    kind.from_address(address).release = type(moved.release)(0)
    return moved


def formats(schema):
    assert schema.format == b"+s" and not schema.dictionary
    found = []
    for i in range(schema.n_children):
        child = schema.children[i].contents
        assert child.n_children == 0
        text = child.format.decode()
        if child.dictionary:
            text += ":" + child.dictionary.contents.format.decode()
        found.append((child.name.decode(), text))
    return found


def is_valid(bits, i):
    return bits is None or ctypes.c_uint8.from_address(bits + i // 8).value >> (i % 8) & 1


def texts(array):
    """A dictionary: utf8 without missing ones."""
    assert array.n_buffers == 3 and array.null_count == 0 and array.offset == 0
    count = array.length
    offsets = (ctypes.c_int32 * (count + 1)).from_address(array.buffers[1])
    data = ctypes.string_at(array.buffers[2], offsets[count]) if offsets[count] else b""
    assert offsets[0] == 0 and list(offsets) == sorted(offsets)
    return [data[offsets[i]:offsets[i + 1]].decode("utf-8") for i in range(count)]


def values(array, text):
    assert array.n_buffers == 2 and array.offset == 0
    count = array.length
    data = (TYPES[text[:1].encode()] * count).from_address(array.buffers[1]) if count else []
    known = texts(array.dictionary.contents) if array.dictionary else None
    found = []
    for i in range(count):
        value = data[i] if is_valid(array.buffers[0], i) else None
        found.append(value if value is None or known is None else known[value])
    assert found.count(None) == array.null_count, "null_count is wrong"
    assert bool(array.buffers[0]) == bool(array.null_count)
    return found


def opened(producer):
    return taken(producer.__arrow_c_stream__(), b"arrow_array_stream", Stream)


def next_batch(stream):
    array = Array()
    if stream.get_next(ctypes.byref(stream), ctypes.byref(array)) != 0:
        raise StreamError(stream.get_last_error(ctypes.byref(stream)).decode())
    return array


def read(producer, batches=None):
    """All that a producer gives: the first BATCHES of it."""
    stream = opened(producer)
    schema_of = Schema()
    try:
        if stream.get_schema(ctypes.byref(stream), ctypes.byref(schema_of)) != 0:
            raise StreamError(stream.get_last_error(ctypes.byref(stream)).decode())
        fields = formats(schema_of)
        schema_of.release(ctypes.byref(schema_of))
        assert is_released(schema_of)
        columns = {name: [] for name, _ in fields}
        count = 0
        while batches is None or count < batches:
            array = next_batch(stream)
            if is_released(array):
                break
            count += 1
            assert array.n_buffers == 1 and array.n_children == len(fields) and not array.buffers[0]
            for i, (name, text) in enumerate(fields):
                assert array.children[i].contents.length == array.length
                columns[name] += values(array.children[i].contents, text)
            array.release(ctypes.byref(array))
            assert is_released(array)
    finally:
        stream.release(ctypes.byref(stream))
        assert is_released(stream)
    return {"names": [name for name, _ in fields], "formats": [text for _, text in fields], "columns": columns, "batches": count}


def schema(producer):
    found = taken(producer.__arrow_c_schema__(), b"arrow_schema", Schema)
    fields = formats(found)
    found.release(ctypes.byref(found))
    return fields


def drop(producer):
    """Takes nothing: the capsules free what is theirs."""
    producer.__arrow_c_stream__()
    producer.__arrow_c_schema__()


def hold(producer):
    """Keeps the first batch, and gives back the stream."""
    stream = opened(producer)
    fields = schema(producer)
    array = next_batch(stream)
    stream.release(ctypes.byref(stream))
    return fields, array


def held_values(held, name):
    fields, array = held
    i = [field for field, _ in fields].index(name)
    return values(array.children[i].contents, fields[i][1])


def let_go(held):
    held[1].release(ctypes.byref(held[1]))
