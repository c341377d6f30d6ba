/* What one thread did: its structure grammar, its call classes, their signatures and value grammars.
 *
 * The recording end of the data model; fragment.h makes it mergeable. Used by one thread at a time. */
#ifndef PILGRIM_STREAM_H
#define PILGRIM_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/descriptor.h"
#include "base/site.h"
#include "pilgrim/status.h"

struct stream;

/* Where a site lies: fills in FRAMES, which has room for SITE_FRAMES_MAX, innermost first, and returns how many there
 * are; 0: unknown. Modules are borrowed, live as long as the stream. */
typedef size_t site_resolver(const void *site, struct code_frame *frames);

/* From the site that stream_class is given to the one that its class is known by, and that is resolved: the stack that the
 * calling thread is on. NULL: no memory. */
typedef const void *site_locator(const void *site);

/* VOCABULARY and RESOLVE are borrowed. NULL where memory is short. */
struct stream *stream_new(const struct vocabulary *vocabulary, site_resolver *resolve);

/* Before the first class; without a locator, sites are what they are. */
void stream_set_locator(struct stream *s, site_locator *locate);
void stream_free(struct stream *s);

/* The number of the call class (FUNCTION, SITE, FORTRAN: called from there) in *CLASS: order of first appearance in
 * this stream, from 0. An unchanged class costs one comparison with the class that followed last time. Polls that fail are
 * a class beside those of the same site that do not: which of the two *CLASS is has no meaning.
 * errors: PILGRIM_NOMEM */
enum pilgrim_status stream_class(struct stream *s, uint32_t function, const void *site, bool fortran,
                                 uint32_t *class) PILGRIM_CHECKED;

/* Records a call of class CLASS with the values KEY (base/value.h, copied if new), LENGTH bytes. FAILED_POLL: it asked whether
 * something had happened, and nothing had.
 * errors: PILGRIM_NOMEM, PILGRIM_LIMIT (a key of 2^31 bytes): the stream has lost this call, record no more */
enum pilgrim_status stream_append(struct stream *s, uint32_t class, bool failed_poll, const void *key, size_t length,
                                  uint64_t duration_ns) PILGRIM_CHECKED;

/* A number that its user may set, 0 at first: that of CLASS and of the failed polls, or other calls, of the same site. Valid until
 * the next call. */
uint32_t *stream_class_register(struct stream *s, uint32_t class);

/* Something was unloaded: from now on a site that no longer lies where its class says is another class. */
void stream_forget_moved(struct stream *s);

uint64_t stream_calls(const struct stream *s);
uint64_t stream_plain_bytes(const struct stream *s); /* what plain records would take: 18 bytes and the key, a call */
size_t stream_memory_bytes(const struct stream *s);

/* Prints the table and the grammars as they are now, for people. */
void stream_dump(const struct stream *s, FILE *to);

#endif
