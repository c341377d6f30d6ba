/* SPDX-License-Identifier: BSD-3-Clause */
/* The status codes that Pilgrim's functions return, and the text of each. */
#ifndef PILGRIM_STATUS_H
#define PILGRIM_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

/* PILGRIM_CHECKED: the compiler warns if the result is not used. PILGRIM_API: the shared library shows this name. */
#if defined(__GNUC__)
#define PILGRIM_CHECKED __attribute__((warn_unused_result))
#define PILGRIM_API     __attribute__((visibility("default")))
#else
#define PILGRIM_CHECKED
#define PILGRIM_API
#endif

/* What a function says about its success. Values do not change; a later version may add some. */
enum pilgrim_status {
    PILGRIM_OK = 0,    /* done */
    PILGRIM_END,       /* nothing is left to return: not an error */
    PILGRIM_NOMEM,     /* out of memory */
    PILGRIM_LIMIT,     /* the file asks for more memory or steps than its size or the caller of pilgrim_open_limited
                        * allows, or has more than can be counted */
    PILGRIM_IO,        /* a system call failed; the error's message says which and why */
    PILGRIM_NOT_TRACE, /* the file does not begin as a Pilgrim trace does */
    PILGRIM_VERSION,   /* the file's format is of a version that this library does not read */
    PILGRIM_DAMAGED,   /* a checksum, a count or a reference in the file is wrong */
    PILGRIM_TRUNCATED, /* the file ends too early */
    PILGRIM_INVALID    /* the caller's mistake: an argument is NULL, or it names what does not exist */
};

/* Returns what STATUS means, in a few words of English: "out of memory". A number that is no status has a text, too.
 * In the reader library (-lpilgrim-reader).
 * memory:  static.  threads: any number at once.  since: 0.1.0 */
PILGRIM_API const char *pilgrim_status_text(enum pilgrim_status status);

#ifdef __cplusplus
}
#endif

#endif
