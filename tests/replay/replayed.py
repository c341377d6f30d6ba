# SPDX-License-Identifier: BSD-3-Clause
"""Compares the trace of a replay with the trace that was replayed: for each thread the sequence of calls with all arguments, but for
what docs/pilgrim-replay.1 lists.

It reads what `pilgrim-decode --format=json --no-polls` prints, and shares no code with the replay."""
import json
import re

# Made by the replay itself, or not replayed: they are left out of both traces. The rest of the list is in the build's coverage.txt.
OWN = ("MPI_Init", "MPI_Init_thread", "MPI_Finalize", "pilgrim_marker")
# These take a request that is there already; elsewhere an argument `request` that only goes out begins one.
TAKES_REQUEST = ("MPI_Cancel", "MPI_Request_get_status", "MPI_Grequest_complete", "MPI_Pready", "MPI_Pready_list", "MPI_Pready_range",
                 "MPI_Parrived")
CHOOSES = ("MPI_Waitany", "MPI_Waitsome", "MPI_Testany", "MPI_Testsome")
# Their results are of the run: times, addresses, numbers that others' messages decide, texts that MPI makes.
RESULTS = {
    "MPI_Get_address": ("location",), "MPI_Address": ("location",), "MPI_Get_processor_name": ("name", "resultlen"),
    "MPI_Get_library_version": ("version", "resultlen"), "MPI_Open_port": ("port_name",), "MPI_Lookup_name": ("port_name",),
    "MPI_Error_string": ("string", "resultlen"), "MPI_Attr_get": ("attribute_val",), "MPI_Comm_get_attr": ("attribute_val",),
    "MPI_Win_get_attr": ("attribute_val",), "MPI_Type_get_attr": ("attribute_val",), "MPI_Query_thread": ("provided",),
    "MPI_Is_thread_main": ("flag",), "MPI_Buffer_detach": ("buffer_addr",), "MPI_Session_get_nth_pset": ("pset_name", "pset_len"),
    "MPI_Add_error_class": ("errorclass",), "MPI_Add_error_code": ("errorcode",),
    "MPI_Type_get_contents": ("array_of_addresses",), "MPI_Type_get_contents_c": ("array_of_addresses",),
    "MPI_Initialized": ("flag",), "MPI_Finalized": ("flag",),
    "MPI_Status_set_elements": ("status",), "MPI_Status_set_elements_x": ("status",), "MPI_Status_set_cancelled": ("status",),
    "MPI_Comm_get_errhandler": ("errhandler",), "MPI_Errhandler_get": ("errhandler",),
}
# Names of files and ports: never the recorded ones.
NAMES = {"MPI_File_open": ("filename",), "MPI_File_delete": ("filename",), "MPI_Comm_connect": ("port_name",),
         "MPI_Comm_accept": ("port_name",), "MPI_Close_port": ("port_name",), "MPI_Publish_name": ("port_name",),
         "MPI_Unpublish_name": ("port_name",)}
# Where static data and callbacks lie: of the process.
PLACE = re.compile(r'(?<!\\)"(static|stack|fn|device):[^"\\]*"')
REQUEST = re.compile(r"request:-?\d+\.\d+$")


def not_replayed(coverage):
    """The functions that a row of coverage.txt says are not replayed."""
    return set(re.findall(r"^(MPI_\w+) +wrapped +not replayed", coverage, re.M))


class Requests:
    """The requests of a thread, by the number of the call that began them."""

    def __init__(self):
        self.live, self.begun, self.general = {}, 0, set()

    def begin(self, name, general):
        self.begun += 1
        self.general.add("request#%d" % self.begun) if general else None
        self.live[name] = "request#%d" % self.begun

    def named(self, value):
        if isinstance(value, list):
            return [self.named(item) for item in value]
        if isinstance(value, str) and REQUEST.match(value):
            return self.live.get(value, "request#?")
        return value

    def end(self, before, after):
        pairs = zip(before, after) if isinstance(before, list) and isinstance(after, list) else ((before, after),)
        for old, new in pairs:
            if new == "MPI_REQUEST_NULL" and isinstance(old, str):
                self.live.pop(old, None)


def plain(value):
    """A value without what is of the process or of one MPI."""
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items() if key != "error"}
    if isinstance(value, str):
        return re.sub(r"^MPI_(\w+_)?NULL_(COPY|DELETE)_FN$", "NULL", value)
    return value


def chosen(args):
    """The indices of the requests that ended, or None."""
    index, indices = args.get("index"), args.get("array_of_indices")
    if isinstance(indices, list):
        return indices
    return [index] if isinstance(index, int) and not isinstance(index, bool) else None


def at(array, indices):
    return [array[i] for i in indices if i < len(array)] if isinstance(array, list) else array


def call_text(call, requests, any_source, any_tag):
    """The call as a text that is equal in both traces. ANY_SOURCE, ANY_TAG: these arguments were wildcards."""
    func, args = call["func"], dict(call["args"])
    if func in CHOOSES and chosen(args) is not None:
        pair = args["array_of_requests"]
        args["array_of_requests"] = {"in": at(pair["in"], chosen(args)), "out": at(pair["out"], chosen(args))}
    shown = {}
    ends = args.get("request")
    if isinstance(ends, dict) and requests.named(ends.get("in")) in requests.general:
        args.pop("status", None)  # the program's own function filled it in
    if func.endswith("probe") and isinstance(args.get("status"), dict):
        args["status"].pop("cancelled", None)  # MPICH leaves it as it was
    for name, value in args.items():
        if func in CHOOSES and args.get("index") == "MPI_UNDEFINED" and name == "status":
            continue
        if name in RESULTS.get(func, ()) or name in NAMES.get(func, ()):
            continue
        if name.endswith("_fn") and call.get("lang"):
            continue  # Open MPI has other functions for Fortran behind the same names
        if (name == "source" and any_source) or (name in ("tag", "recvtag") and any_tag):
            continue
        inout = isinstance(value, dict) and set(value) == {"in", "out"}
        if name == "request" and isinstance(value, str) and REQUEST.match(value) and func not in TAKES_REQUEST:
            requests.begin(value, func == "MPI_Grequest_start")
        if inout:
            shown[name] = [plain(requests.named(value["in"])), plain(requests.named(value["out"]))]
        else:
            shown[name] = plain(requests.named(value))
    for name in ("request", "array_of_requests"):
        value = call["args"].get(name)
        if isinstance(value, dict) and set(value) == {"in", "out"}:
            requests.end(value["in"], value["out"])
    place = [call.get(key) for key in ("site", "stack", "lang")]
    return "%s %s at %s" % (func, json.dumps(shown, sort_keys=True), place)


def threads(lines, left_out):
    """rank.thread -> its calls, without those that are left out."""
    found, dynamic = {}, set()
    for line in lines:
        call = json.loads(PLACE.sub(r'"\1"', line))
        kept = found.setdefault((call["rank"], call["thread"]), [])
        window = call["rank"], str(call["args"].get("win"))
        if call["func"] in ("MPI_Win_create", "MPI_Win_allocate", "MPI_Win_allocate_shared"):
            dynamic.discard(window)
        if call["func"] == "MPI_Win_create_dynamic":
            dynamic.add(window)
        if window in dynamic and "target_disp" in call["args"]:
            continue  # its displacement is an address of that run
        if call["func"] not in OWN and call["func"] not in left_out:
            kept.append(call)
    return found


def failed(call):
    if call["ret"] is None and not call["func"].startswith(("MPI_Wtime", "MPI_Wtick")):
        return True  # it never returned
    return isinstance(call["ret"], int) and call["ret"] != 0 or isinstance(call["ret"], str) and \
        call["ret"].startswith("MPI_ERR")


OBJECT = re.compile(r'"(comm|datatype|group|op|win|info|errhandler|keyval|heap):[^"]*"')


def as_traced(call):
    """What call_text shows of a call, as the trace has it."""
    return [call.get(key) for key in ("func", "args", "site", "stack", "lang")]


def differences(original, replay, left_out, threaded=False):
    """The first difference of each thread, as texts. ORIGINAL, REPLAY: lines of JSON. THREADED: names of objects and memory depend on
    the order between threads, and are not compared."""
    one, other = threads(original, left_out), threads(replay, left_out)
    found, compared = [], 0
    for key in sorted(set(one) | set(other)):
        ours, theirs = [call for call in one.get(key, []) if not failed(call)], [call for call in other.get(key, []) if not failed(call)]
        first, second = Requests(), Requests()
        # Calls that are equal as they are, with nothing but such before them, are texts that are equal.
        both = list(zip(ours, theirs))
        as_is = next((number for number, (a, b) in enumerate(both) if as_traced(a) != as_traced(b)), len(both))
        compared += as_is
        for number, (a, b) in enumerate(both if as_is < len(both) else ()):
            wild = a["args"].get("source") == "MPI_ANY_SOURCE", "MPI_ANY_TAG" in (a["args"].get("tag"), a["args"].get("recvtag"))
            x, y = call_text(a, first, *wild), call_text(b, second, *wild)
            if threaded:
                x, y = OBJECT.sub(r"\1", x), OBJECT.sub(r"\1", y)
            compared += number >= as_is
            if x != y:
                found.append("%s.%s #%d\n  trace:  %s\n  replay: %s" % (key + (a["seq"], x[:1500], y[:1500])))
                break
        else:
            if len(ours) != len(theirs):
                more = (ours if len(ours) > len(theirs) else theirs)[min(len(ours), len(theirs))]
                found.append("%s.%s: %d calls in the trace, %d in the replay; the next one: %s"
                             % (key + (len(ours), len(theirs), json.dumps(more)[:1500])))
    return found, compared
