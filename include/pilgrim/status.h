/* The one set of error codes of Pilgrim's libraries. */
#ifndef PILGRIM_STATUS_H
#define PILGRIM_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define PILGRIM_CHECKED __attribute__((warn_unused_result))
#define PILGRIM_API __attribute__((visibility("default")))
#else
#define PILGRIM_CHECKED
#define PILGRIM_API
#endif

enum pilgrim_status {
    PILGRIM_OK = 0,
    PILGRIM_END,       /* no more calls: not an error, returned by cursors */
    PILGRIM_NOMEM,     /* out of memory; the object is as it was before the call */
    PILGRIM_LIMIT,     /* an input is larger than the format or the library allows */
    PILGRIM_IO,        /* a system call failed; errno says why */
    PILGRIM_NOT_TRACE, /* the file does not begin with Pilgrim's magic */
    PILGRIM_VERSION,   /* the file needs a newer reader */
    PILGRIM_DAMAGED,   /* a checksum, a count or a reference in the file is wrong */
    PILGRIM_TRUNCATED, /* the file ends too early */
    PILGRIM_INVALID    /* the caller asked for something that does not exist */
};

#ifdef __cplusplus
}
#endif

#endif
