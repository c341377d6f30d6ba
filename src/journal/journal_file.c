/* SPDX-License-Identifier: BSD-3-Clause */
/* Journal files; see journal_file.h.
 *
 * No lock and no message is needed to share a file: all processes write the same head, extending a file never makes it
 * shorter, and pages are claimed by one atomic addition. */
#define _GNU_SOURCE 1 /* fallocate, syscall */
#include "journal/journal_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/spare_files.h"
#include "format/write_file.h"
#include "journal/journal_mappings.h"
#include "journal/process_state.h"

enum { ZEROS = 1 << 16, BLOCKS_LOOKED_AT = 1 << 16 };

/* Allocates the bytes from AT in the file. Where the file system cannot, zeros are written: into pages that nobody else
 * has claimed, but of the head, which another process may be using, only into the last byte. */
static bool allocate_unguarded(int file, off_t at, size_t length)
{
    static const char zeros[ZEROS];
    int done;
    const bool head = at == 0;
    do
        done = fallocate(file, 0, at, (off_t)length);
    while (done && errno == EINTR);
    if (!done)
        return true;
    if (errno != EOPNOTSUPP && errno != ENOSYS && errno != EINVAL)
        return false;
    if (head) {
        at = (off_t)length - 1;
        length = 1;
    }
    while (length) {
        size_t part = length < sizeof zeros ? length : sizeof zeros;
        ssize_t written = pwrite(file, zeros, part, at);
        if (written < 0 && errno != EINTR)
            return false;
        if (written > 0) {
            at += written;
            length -= (size_t)written;
        }
    }
    return true;
}

/* The same, without the signal that a file of the process's largest length raises. */
static bool allocate(int file, off_t at, size_t length)
{
    struct write_guard g;
    write_guard_begin(&g);
    bool good = allocate_unguarded(file, at, length);
    write_guard_end(&g);
    return good;
}

void *journal_map(void *at, size_t length, int flags, int file, uint64_t offset)
{
    return (void *)syscall(SYS_mmap, at, length, PROT_READ | PROT_WRITE, flags, file, (off_t)offset);
}

static void *map(int file, uint64_t page, uint32_t pages)
{
    size_t length = (size_t)pages * JOURNAL_PAGE;
    void *mapped = journal_map(NULL, length, MAP_SHARED, file, page * JOURNAL_PAGE);
    if (mapped == MAP_FAILED || journal_mapped(mapped, length))
        return mapped;
    (void)syscall(SYS_munmap, mapped, length);
    errno = ENOMEM;
    return MAP_FAILED;
}

void journal_unmap(void *mapped)
{
    size_t length = journal_unmapped(mapped);
    if (length)
        (void)syscall(SYS_munmap, mapped, length);
}

/* True if the file is this user's, an ordinary one, and nobody else may write to it. */
static bool is_own(int file, struct stat *found)
{
    if (fstat(file, found))
        return false;
    errno = EEXIST;
    return S_ISREG(found->st_mode) && found->st_uid == geteuid() && !(found->st_mode & (S_IWGRP | S_IWOTH)) &&
           found->st_nlink == 1;
}

/* True if FILE is a descriptor of F, which still has a name. */
static bool is_file(int file, const struct journal_file *f)
{
    struct stat found;
    return !fstat(file, &found) && found.st_dev == f->device && found.st_ino == f->inode && found.st_nlink;
}

/* Stores TEXT at MAGIC, which is aligned, behind all that was stored before. */
static void put_magic(char *magic, const char *text)
{
    uint64_t value;
    memcpy(&value, text, sizeof value);
    __atomic_store_n((uint64_t *)(void *)magic, value, __ATOMIC_RELEASE);
}

/* Writes the head, or finds that it is there. False: it is that of another run (EEXIST). */
static bool head_agrees(struct journal_head *h, const struct journal_identity *identity)
{
    static const char nothing[sizeof h->magic];
    struct journal_head wanted = {.version = JOURNAL_VERSION, .page_bytes = JOURNAL_PAGE, .run = identity->run};
    memcpy(wanted.magic, JOURNAL_MAGIC, sizeof wanted.magic);
    snprintf(wanted.tracer, sizeof wanted.tracer, "%s", identity->tracer);
    snprintf(wanted.host, sizeof wanted.host, "%s", identity->host);
    if (!memcmp(h->magic, nothing, sizeof nothing)) {
        h->version = wanted.version;
        h->page_bytes = wanted.page_bytes;
        h->run = wanted.run;
        memcpy(h->tracer, wanted.tracer, sizeof wanted.tracer);
        memcpy(h->host, wanted.host, sizeof wanted.host);
        put_magic(h->magic, JOURNAL_MAGIC);
    }
    errno = EEXIST;
    return h->run == wanted.run && h->version == wanted.version && !memcmp(h->magic, wanted.magic, sizeof wanted.magic);
}

static enum pilgrim_status open_head(struct journal_file *f, const char *path, int file,
                                     const struct journal_identity *identity)
{
    struct stat found;
    if (!is_own(file, &found) || !allocate(file, 0, JOURNAL_PAGE))
        return PILGRIM_IO;
    struct journal_head *head = map(file, 0, 1);
    if (head == MAP_FAILED)
        return PILGRIM_IO;
    f->path = head_agrees(head, identity) ? strdup(path) : NULL; /* strdup sets ENOMEM */
    if (!f->path) {
        int error = errno;
        journal_unmap(head);
        errno = error;
        return error == ENOMEM ? PILGRIM_NOMEM : PILGRIM_IO;
    }
    f->device = found.st_dev;
    f->inode = found.st_ino;
    f->file = file;
    f->head = head;
    atomic_fetch_add(&head->processes, 1);
    return PILGRIM_OK;
}

static void close_file(int file)
{
    int error = errno;
    spare_close(file);
    errno = error;
}

/* Removes FILE, which has the name PATH and could not be used, if no process uses it. */
static void discard(int file, const char *path, const struct journal_identity *identity)
{
    struct journal_head h = {.version = 0};
    struct stat found;
    int error = errno;
    if (is_own(file, &found) && pread(file, &h, sizeof h, 0) >= 0 && (!h.run || h.run == identity->run) &&
        !atomic_load(&h.processes))
        unlink(path);
    errno = error;
}

enum pilgrim_status journal_open(struct journal_file *f, const char *path, const struct journal_identity *identity)
{
    _Static_assert(sizeof(struct journal_head) < JOURNAL_PAGE, "the last byte of the page is free");
    int file = spare_open(AT_FDCWD, path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    *f = (struct journal_file){.path = NULL, .file = -1};
    if (file < 0)
        return PILGRIM_IO;
    enum pilgrim_status status = open_head(f, path, file, identity);
    if (status != PILGRIM_OK) {
        discard(file, path, identity);
        close_file(file);
    }
    return status;
}

enum pilgrim_status journal_open_shared(struct journal_file *f, const char *path, int file,
                                        const struct journal_identity *identity)
{
    *f = (struct journal_file){.path = NULL, .file = -1};
    enum pilgrim_status status = open_head(f, path, file, identity);
    if (status != PILGRIM_OK)
        close_file(file);
    return status;
}

void journal_settle(struct journal_file *f)
{
    if (f->file >= 0)
        f->file = spare_raise(f->file);
}

bool journal_leave(struct journal_file *f)
{
    if (f->path && f->file >= 0 && is_file(f->file, f))
        close_file(f->file);
    f->file = -1;
    return f->path && atomic_fetch_sub(&f->head->processes, 1) == 1;
}

/* Returns the descriptor that is kept, or opens the file again. -1: it is gone, or another file has its name. */
static int reopen(const struct journal_file *f)
{
    if (f->file >= 0 && is_file(f->file, f))
        return f->file;
    int file = spare_open(AT_FDCWD, f->path, O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0);
    if (file < 0 || is_file(file, f))
        return file;
    spare_close(file);
    errno = ESTALE;
    return -1;
}

/* Closes FILE, which reopen has returned. */
static void give_back(const struct journal_file *f, int file)
{
    if (file >= 0 && file != f->file)
        close_file(file);
}

/* True if P, of the namespace of OWN, was killed: it has ended, and has said nothing. */
static bool was_killed(const struct journal_process *p, const struct journal_process *own)
{
    return atomic_load(&p->block.kind) == JOURNAL_PROCESS && atomic_load(&p->ranks) &&
           atomic_load(&p->ending) == JOURNAL_RUNNING && p->pid_space == own->pid_space && p->pid_space &&
           p->pid != own->pid && p->started && !process_state(p->pid, p->started);
}

long journal_find_killed(const struct journal_file *f, const struct journal_process *own)
{
    int error = errno, file = f->path ? reopen(f) : -1;
    struct journal_process p;
    long rank = -1;
    uint64_t page = 1;
    for (unsigned i = 0; file >= 0 && i < BLOCKS_LOOKED_AT; i++, page += p.block.pages) {
        if (pread(file, &p, sizeof p, (off_t)(page * JOURNAL_PAGE)) != (ssize_t)sizeof p ||
            memcmp(p.block.magic, JOURNAL_BLOCK_MAGIC, sizeof p.block.magic) || !p.block.pages)
            break;
        if (!was_killed(&p, own))
            continue;
        if (rank >= 0) { /* the launcher kills others because of one */
            rank = -1;
            break;
        }
        rank = (long)p.rank;
    }
    give_back(f, file);
    errno = error;
    return rank;
}

struct journal_block *journal_claim(struct journal_file *f, enum journal_kind kind, uint64_t owner, uint32_t pages)
{
    int file = f->path ? reopen(f) : -1;
    if (file < 0)
        return NULL;
    uint64_t page = 1 + atomic_fetch_add(&f->head->pages, pages);
    struct journal_block *b = MAP_FAILED;
    if (!journal_damaged() && /* or the number of pages may be too low */
        allocate(file, (off_t)(page * JOURNAL_PAGE), (size_t)pages * JOURNAL_PAGE))
        b = map(file, page, pages);
    give_back(f, file);
    if (b == MAP_FAILED)
        return NULL;
    b->pages = pages;
    b->page = page;
    b->process = f->process ? f->process : page;
    b->owner = owner ? owner : page;
    b->address = (uintptr_t)b;
    b->kind = kind;
    put_magic(b->magic, JOURNAL_BLOCK_MAGIC);
    return b;
}
