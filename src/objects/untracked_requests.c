/* SPDX-License-Identifier: BSD-3-Clause */
/* Untracked requests; see untracked_requests.h. The last word of an entry tells whether the other two belong
 * together, because two threads may write an entry at the same time. */
#include "objects/untracked_requests.h"

#include <stdatomic.h>

enum { UNTRACKED_BITS = 8 };

static struct untracked_request {
    _Atomic uint64_t handle;
    _Atomic uint64_t meant; /* index of the rank base << 8 | kind + 1; 0: empty */
    _Atomic uint64_t check;
} table[1 << UNTRACKED_BITS];

static struct untracked_request *entry_of(uint64_t handle)
{
    return &table[(handle * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - UNTRACKED_BITS)];
}

static uint64_t get(_Atomic uint64_t *word)
{
    return atomic_load_explicit(word, memory_order_relaxed);
}

static void set(_Atomic uint64_t *word, uint64_t value)
{
    atomic_store_explicit(word, value, memory_order_relaxed);
}

static uint64_t check_of(uint64_t handle, uint64_t meant)
{
    return handle * 3 + meant;
}

/* True if statuses of KIND say nothing, as those of requests of unknown kind. */
static bool status_is_empty(enum request_kind kind)
{
    return kind != REQUEST_RECV && kind != REQUEST_IO && kind != REQUEST_GREQ;
}

void untracked_request_begun(uint64_t handle, enum request_kind kind, uint32_t base)
{
    struct untracked_request *u = entry_of(handle);
    if (status_is_empty(kind)) {
        if (get(&u->handle) == handle)
            set(&u->meant, 0);
        return;
    }
    uint64_t meant = (uint64_t)base << 8 | ((uint64_t)kind + 1);
    set(&u->handle, handle);
    set(&u->meant, meant);
    set(&u->check, check_of(handle, meant));
}

bool untracked_request_take(uint64_t handle, enum request_kind *kind, uint32_t *base)
{
    struct untracked_request *u = entry_of(handle);
    uint64_t meant = get(&u->meant);
    if (get(&u->handle) != handle || !meant || get(&u->check) != check_of(handle, meant))
        return false;
    set(&u->meant, 0);
    *kind = (enum request_kind)((meant & 0xff) - 1);
    *base = (uint32_t)(meant >> 8);
    return true;
}
