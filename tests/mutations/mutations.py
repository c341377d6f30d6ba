# SPDX-License-Identifier: BSD-3-Clause
"""Twenty small mistakes in src/, decoder/ and gen/, spread over all that happens to a call on its way.

Each is (area, what breaks, pattern, replacement). The pattern is a regular expression and must have exactly one match in all files of these
folders, so that it does not depend on a file's name. A mutation must compile: the tests are to find it, not the compiler.
"""

MUTATIONS = [
    ("recorder", "a poll that succeeds is recorded as one that fails, where the structure is predicted",
     r"(predicted->terminal != class->terminal) \|\| class->failed_poll != failed_poll\)", r"\1)"),
    ("recorder", "a rank base with a smaller number than the one before is not written",
     r"if \(base->index != c->current_base\)( \{\s*\*at = VALUE_RANK_BASE)", r"if (base->index > c->current_base)\1"),
    ("grammar", "two runs of one symbol that meet lose repetitions",
     r"(symbols\[left\]\.exponent) \+= g->symbols\[right\]\.exponent;", r"\1 += 1;"),
    ("grammar", "two blocks of nested runs that meet lose repetitions",
     r"(exponent) \+= last->exponent & ~NESTED_RUN_END;", r"\1 += 1;"),
    ("signatures", "two calls with arguments of the same length are the same",
     r"(only->length == length) && equal_bytes\(only->key, key, length\)", r"\1"),
    ("requests", "a queue of operations with one handle loses its end when the first is removed",
     r"(r->table\[at\] = second;)\s*second->previous = second->next \? first->previous : 0;", r"\1"),
    ("requests", "a persistent request stays active when it has completed",
     r"request_set_active\(&c->operations\[index\], false\);", r"request_set_active(&c->operations[index], true);"),
    ("memory", "the nearest allocation below an address is looked for one leaf too low",
     r"(leaf_numbers\[middle\]) <= (address >> LEAF_BITS)", r"\1 < \2"),
    ("merge", "threads of several ranks are numbered by the count of ranks",
     r"g->process \? into->rank_count : into->thread_total", r"into->rank_count"),
    ("merge", "members of a group that joins another are numbered from 0 again",
     r"(uint64_t \w+ = )into->groups\[number\]\.member_count;", r"\g<1>0;"),
    ("merge", "a ring's column (x + c) mod n is believed for ranks that the offsets refute",
     r"return high == low \|\| c->most < high - low;", r"return true;"),
    ("writer", "a list of strings is not counted among the strings",
     r"count \+= stored_deltas_text_count\(list, length\);", r"count += stored_deltas_text_count(list, length) != 0;"),
    ("reader", "a value of a series with the first shape that there is not is read",
     r"if \(number >= s\.shape_count\)", r"if (number > s.shape_count)"),
    ("reader", "a negative value mod n is not reduced",
     r"return \(int64_t\)\(rest \? n - rest : 0\);", r"return (int64_t)rest;"),
    ("printing", "two digits of a time's nanoseconds are swapped",
     r"'0' \+ ns / 100 % 10\)\);(\s*out_char\(o, \(char\)\('0' \+ ns /) 10 % 10", r"'0' + ns / 10 % 10));\1 100 % 10"),
    ("printing", "the matrix shows what a get brings as if it had been sent to the target",
     r"back \? other : open->rank, back \? open->rank : other", r"open->rank, other"),
    ("timing", "a bin's slots lead to the bin after it",
     r"(add_slots\(b, bound, b->count) - 1\)", r"\1)"),
    ("threads", "all threads that have ended are thread 0",
     r"ended_add\(ended, t->index, ", r"ended_add(ended, 0, "),
    ("fortran", "calls of the Fortran layer by way of a table of addresses are not seen",
     r"if \(type != SLOT_CALL && type != SLOT_TABLE\)", r"if (type != SLOT_CALL)"),
    ("generator", "what a call that failed would have given back is recorded",
     r"p->direction == DIRECTION_OUT && !f->returns_value \? \"c\.ok\" : NULL", r"NULL"),
]
