/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints what calls cost by the functions that lead to them (--stats --by=path). */
#ifndef DECODER_PATH_PROFILE_H
#define DECODER_PATH_PROFILE_H

#include "output.h"
#include "analysis/profile.h"
#include "analysis/source_lines.h"

enum path_format { PATH_TEXT, PATH_JSON, PATH_FOLDED };

struct path_options {
    enum path_format format;
    const char *function; /* a glob: only such MPI functions; NULL: all */
    uint64_t depth;       /* only so many functions of a path; what deeper ones call counts for the last of them */
};

/* Prints P, whose rows have whole paths. errors: PILGRIM_NOMEM */
enum pilgrim_status path_profile_print(struct output *o, const struct call_profile *p,
                                       const struct path_options *options, struct source_lines *lines,
                                       struct pilgrim_error *error);

#endif
