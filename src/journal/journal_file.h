/* SPDX-License-Identifier: BSD-3-Clause */
/* A journal file, as the processes that write it see it. All processes of a machine share one (journal_format.h). A
 * process adds blocks and stores into them, and nothing has to be written: the file's pages are the memory, whatever
 * becomes of the process.
 *
 * Pages are allocated in the file before they are mapped, so that a store into them never fails for lack of room. */
#ifndef PILGRIM_JOURNAL_FILE_H
#define PILGRIM_JOURNAL_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "journal/journal_format.h"
#include "pilgrim/status.h"

/* A file that this process writes. It stays open where spare_files.h keeps descriptors, so that blocks are claimed
 * without a question to the file system that has the folder. The program may close descriptors that it does not know
 * and use their numbers for its own files; then it is opened again for each claim. Used by one thread at a time. */
struct journal_file {
    char *path; /* absolute; NULL: no file */
    uint64_t device, inode;
    int file; /* a descriptor of it, if that is still the file; -1: none */
    struct journal_head *head;
    uint64_t process; /* page of this process's process block; 0: none yet */
};

/* mmap for reading and writing, past the functions that follow the program's memory: this is none of it, and their lock
 * may be held by a thread that a fork has left behind. */
void *journal_map(void *at, size_t length, int flags, int file, uint64_t offset);

/* Unmaps a block, or the head. What it has stays in the file. */
void journal_unmap(void *mapped);

/* What all processes that share a file agree on. */
struct journal_identity {
    uint64_t run;
    const char *tracer;
    const char *host;
};

/* Maps the head of the file PATH, which is absolute. Makes the file if there is none. Any number of processes may do it
 * at once. errors: PILGRIM_NOMEM, PILGRIM_IO (errno: what the file system says; EEXIST: it is the file of another run
 * or of another user), in which case F has no file */
enum pilgrim_status journal_open(struct journal_file *f, const char *path,
                                 const struct journal_identity *identity) PILGRIM_CHECKED;

/* The same for a file that another process of this machine has opened as PATH, with its descriptor FILE, which becomes
 * F's, or is closed. errors: as journal_open; PILGRIM_IO also if it is no file of this run, or not this user's */
enum pilgrim_status journal_open_shared(struct journal_file *f, const char *path, int file,
                                        const struct journal_identity *identity) PILGRIM_CHECKED;

/* The first blocks have been claimed: the descriptor, which may have a number that the program's own files would get,
 * becomes one that is kept, or is closed. */
void journal_settle(struct journal_file *f);

/* Says that this process has ended well and needs no journal. True if it was the last one: the file may be removed, and
 * F->path is its name. Blocks stay mapped, because threads may still store into them. */
bool journal_leave(struct journal_file *f);

/* Returns the rank of the process in F, other than OWN, that has ended without a word; -1: there is none, there are
 * several, or it is not known. Async-signal-safe. */
long journal_find_killed(const struct journal_file *f, const struct journal_process *own);

/* Claims PAGES pages for a block of KIND that belongs to the block at page OWNER. The block is 0 behind its
 * head. NULL: the file has no room, is gone, or the process has no address space; errno says why. */
struct journal_block *journal_claim(struct journal_file *f, enum journal_kind kind, uint64_t owner, uint32_t pages);

#endif
