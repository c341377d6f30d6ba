# SPDX-License-Identifier: BSD-3-Clause
"""An OTF2 archive as OTF2's own Python module reads it: in each location times never decrease; of each communicator, source, destination and tag the n-th
send has the bytes of the n-th receive, in the order of their posting. Prints how many calls and messages there are."""
import collections
import sys

import otf2
from otf2.events import Enter, MpiIrecv, MpiIrecvRequest, MpiIsend, MpiRecv, MpiSend

last, posted, enters = {}, {}, 0
sent, got = collections.defaultdict(list), collections.defaultdict(list)
with otf2.reader.open(sys.argv[1]) as trace:
    groups = {group: number for number, group in enumerate(trace.definitions.location_groups)}
    for number, (location, event) in enumerate(trace.events):
        if event.time < last.get(location, 0):
            sys.exit("times of %s go back" % location.name)
        last[location] = event.time
        enters += isinstance(event, Enter)
        own = groups[location.group]
        if isinstance(event, (MpiSend, MpiIsend)):
            sent[event.communicator, own, event.receiver, event.msg_tag].append(event.msg_length)
        elif isinstance(event, MpiIrecvRequest):
            posted[own, event.request_id] = number
        elif isinstance(event, MpiRecv):
            got[event.communicator, event.sender, own, event.msg_tag].append((number, event.msg_length))
        elif isinstance(event, MpiIrecv):
            got[event.communicator, event.sender, own, event.msg_tag].append((posted[own, event.request_id], event.msg_length))
if {channel: sizes for channel, sizes in sent.items()} != {channel: [size for _, size in sorted(list_)] for channel, list_ in got.items()}:
    sys.exit("sends and receives differ")
print(enters, sum(map(len, sent.values())))
