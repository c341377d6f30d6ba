/* SPDX-License-Identifier: BSD-3-Clause */
/* Criteria of a selection as options of tools: initializers of the members name, argument (absent: it takes none) and
 * help, which is without line ends. */
#ifndef ANALYSIS_SELECTION_OPTIONS_H
#define ANALYSIS_SELECTION_OPTIONS_H

#define OPTION_RANK   .name = "rank", .argument = "LIST", .help = "only these ranks of MPI_COMM_WORLD, such as 0,3,8-15"
#define OPTION_THREAD .name = "thread", .argument = "LIST", .help = "only these threads of each rank"
#define OPTION_FUNC                                                                                                    \
    .name = "func", .argument = "GLOBS",                                                                               \
    .help = "only functions whose name matches, such as 'MPI_I*'; with - before it: all others"
#define OPTION_SITE                                                                                                    \
    .name = "site", .argument = "PLACES",                                                                              \
    .help = "only calls from there: FILE:LINE, FILE, a function, or MODULE+0xOFFSET"
#define OPTION_COMM                                                                                                    \
    .name = "comm", .argument = "NAME", .help = "only calls with this communicator, such as MPI_COMM_WORLD or comm:3"
#define OPTION_PEER                                                                                                    \
    .name = "peer", .argument = "LIST",                                                                                \
    .help = "only calls that send to, receive from or access these ranks of MPI_COMM_WORLD"
#define OPTION_TAG .name = "tag", .argument = "LIST", .help = "only calls with such a tag, of their own or in a status"
#define OPTION_BYTES                                                                                                   \
    .name = "bytes", .argument = "SIZE", .help = "only calls that move at least so many bytes, such as 4096 or 64K"
#define OPTION_FAILED .name = "failed", .help = "only calls that returned an error"
#define OPTION_PHASE                                                                                                   \
    .name = "phase", .argument = "TEXT", .help = "only calls behind the marker TEXT, until the next other marker"
#define OPTION_LOOP                                                                                                    \
    .name = "loop", .argument = "LIST",                                                                                \
    .help = "only calls in these loops of their thread, which count from 1 as pilgrim-decode --loops prints them"
#define OPTION_ITERATION                                                                                               \
    .name = "iteration", .argument = "LIST",                                                                           \
    .help = "with --loop: only these iterations, from 1, each time that it is entered"
#define OPTION_CALL .name = "call", .argument = "LIST", .help = "of each thread, only the calls with these numbers"
#define OPTION_SINCE                                                                                                   \
    .name = "since", .argument = "TIME",                                                                               \
    .help = "only calls that end at this time on the common axis or later, such as 10s, 10.5s or 250ms"
#define OPTION_UNTIL                                                                                                   \
    .name = "until", .argument = "TIME", .help = "only calls that begin before this time on the common axis"

#endif
