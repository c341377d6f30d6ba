/* SPDX-License-Identifier: BSD-3-Clause */
/* Persistent receives with wildcards. Each time that one is started, it gets the message that it got when it was
 * recorded: before the start it is made again with that message's source and tag. Otherwise it could take the message
 * of another receive, whose wildcards have been replaced, and which would wait for ever. */
#ifndef REPLAY_PERSISTENT_H
#define REPLAY_PERSISTENT_H

struct replay_persistent;
struct replay_step;

/* Notes what the call made, if it is such a receive. */
void persistent_made(struct replay_step *s);

/* Prepares the requests that the call is going to start. */
void persistent_start(struct replay_step *s);

#endif
