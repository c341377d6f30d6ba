# SPDX-License-Identifier: BSD-3-Clause
"""What the program named objects, from the lines of its calls: "names" of a line has the name of each object in it, as it is when the
call begins. Another thread's name holds if no other object of the process has the same number and a name."""
import re

NUMBERS, EVENTS = 1024, 1 << 16     # objects with higher numbers have no names, nor what is named later in a rank
OBJECT = re.compile(rb'"((?:comm|datatype|win):(\d+))"')
STRING = rb'"((?:[^"\\]|\\.)*)"'
NAMED = re.compile(rb'"func":"MPI_(?:Comm|Type|Win)_set_name"(?:,"lang":"fortran")?,"args":{"\w+":"(\w+:\d+)","\w+":' + STRING + rb'},"ret":0\b')
MADE = re.compile(rb'"func":"MPI_(?:Comm_create_from_group|Intercomm_create_from_groups)","args":{.*"stringtag":' + STRING
                  + rb'.*"new(?:inter)?comm":"(comm:\d+)"},"ret":0\b')
ENDED = re.compile(rb'"func":"MPI_(?:Comm_free|Comm_disconnect|Type_free|Win_free)"(?:,"lang":"fortran")?,"args":{"\w+":{"in":"(\w+:\d+)"[^}]*}},"ret":0\b')


def event(text):
    """(object, its name from then on) of a call that names an object or ends it; b"" is no name. None: it does neither."""
    if not any(word in text for word in (b"_set_name", b"_free", b"_disconnect", b"_from_group")):
        return None
    found = NAMED.search(text) or MADE.search(text) or ENDED.search(text)
    if not found:
        return None
    item, name = found.group(2, 1) if found.re is MADE else found.group(1, 2) if found.re is NAMED else (found.group(1), b"")
    return (item, name) if int(item.split(b":")[1]) < NUMBERS else None


class Names:
    """Of the calls of one thread, which are given in their order. OTHERS: the names that hold from the beginning."""

    def __init__(self, others):
        self.now, self.left = dict(others), EVENTS

    def member(self, text):
        """The member of a line that says what the objects of the call TEXT are named; empty: they have no names."""
        found = event(text)
        shown = {}
        if self.now:
            for name, _ in OBJECT.findall(text.split(b',"ret":', 1)[0]):
                if self.now.get(name):
                    shown[name] = self.now[name]
        if found and self.left > 0:
            self.left -= 1
            self.now[found[0]] = found[1]
        return b',"names":{%s}' % b",".join(b'"%s":"%s"' % pair for pair in shown.items()) if shown else b""


def of_others(events, thread):
    """Names that threads but THREAD give. EVENTS: (thread, object, name) of all of the rank."""
    given = {}
    for _, item, name in events:
        if name:
            given[item] = given.get(item, 0) + 1
    return {item: name for owner, item, name in events if name and owner != thread and given[item] == 1}
