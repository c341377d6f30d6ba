/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI handles but requests; see handles.h.
 *
 * Each kind has a table that leads from the handle to its object. Predefined handles are put into it at the first
 * use, so one look-up answers for both. MPI is asked for ranks and sizes outside the lock. It is asked only about
 * objects that a call has just returned, or that the program uses in a call that needs the rank base: an error would
 * run the program's error handler.
 *
 * The file is longer than 400 lines: names and rank bases of objects share one lock and one table. */
#include "objects/handles.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#include "functions.h"
#include "journal/journal.h"
#include "mpi/mpi_library.h"
#include "objects/pages.h"
#include "objects/pool.h"
#include "objects/requests.h"
#include "objects/sharing.h"
#include "objects/hash_table.h"

struct object {
    struct object_name name;
    int64_t references;
    int32_t releasing; /* calls under way that may free it; the MPI library may give its handle to another thread before
                          they end */
    struct rank_base base;
    bool has_base;
    bool has_degrees;
    int indegree, outdegree;
    struct object *next_free;
};

const char *const object_kind_word[KIND_COUNT] = {
    [KIND_COMM] = "comm",
    [KIND_DATATYPE] = "datatype",
    [KIND_GROUP] = "group",
    [KIND_OP] = "op",
    [KIND_WIN] = "win",
    [KIND_FILE] = "file",
    [KIND_INFO] = "info",
    [KIND_ERRHANDLER] = "errhandler",
    [KIND_MESSAGE] = "message",
    [KIND_SESSION] = "session",
    [KIND_KEYVAL] = "keyval",
    [KIND_CVAR] = "cvar",
    [KIND_PVAR] = "pvar",
    [KIND_PVAR_SESSION] = "pvar_session",
    [KIND_ENUM] = "enum",
    [KIND_EVENT] = "event",
    [KIND_EVENT_INSTANCE] = "event_instance",
    [KIND_REQUEST] = "request",
};

_Atomic uint64_t objects_generation[KIND_COUNT] = {[0 ... KIND_COUNT - 1] = 1}; /* changed under the lock */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Under the lock: */
static bool prepared;
static struct hash_table objects[KIND_COUNT]; /* handle -> struct object */
static struct pool pools[KIND_COUNT];
static struct object *free_objects;
/* Rank bases never move, because they are read without the lock: they lie in pieces. The first is that of
 * MPI_COMM_WORLD; it has no rank until MPI is initialised. */
enum { RANK_BASE_SHIFT = 7, RANK_BASE_PIECES = 1 << 16 };
static struct rank_base *rank_bases[RANK_BASE_PIECES];
static size_t rank_base_count;
static struct hash_table rank_base_index; /* rank and size -> index + 1 */

void handles_set_null_request(void)
{
    request_null_handle = HANDLE(MPI_REQUEST_NULL);
}

/* True if AFTER, left by a call that releases an object of KIND, says that the object is released. */
static bool is_null(enum object_kind kind, uint64_t after)
{
    switch (kind) {
    case KIND_COMM:
        return after == HANDLE(MPI_COMM_NULL);
    case KIND_DATATYPE:
        return after == HANDLE(MPI_DATATYPE_NULL);
    case KIND_GROUP:
        return after == HANDLE(MPI_GROUP_NULL);
    case KIND_OP:
        return after == HANDLE(MPI_OP_NULL);
    case KIND_WIN:
        return after == HANDLE(MPI_WIN_NULL);
    case KIND_FILE:
        return after == HANDLE(MPI_FILE_NULL);
    case KIND_INFO:
        return after == HANDLE(MPI_INFO_NULL);
    case KIND_ERRHANDLER:
        return after == HANDLE(MPI_ERRHANDLER_NULL);
    case KIND_MESSAGE:
        return after == HANDLE(MPI_MESSAGE_NULL) || after == HANDLE(MPI_MESSAGE_NO_PROC);
    case KIND_KEYVAL:
        return after == HANDLE(MPI_KEYVAL_INVALID);
#ifdef MPI_SESSION_NULL
    case KIND_SESSION:
        return after == HANDLE(MPI_SESSION_NULL);
#endif
    case KIND_PVAR:
        return after == HANDLE(MPI_T_PVAR_HANDLE_NULL);
    case KIND_PVAR_SESSION:
        return after == HANDLE(MPI_T_PVAR_SESSION_NULL);
    case KIND_CVAR:
        return after == HANDLE(MPI_T_CVAR_HANDLE_NULL);
    default:
        return after == 0;
    }
}

/* ---- the tables; under the lock ---- */

static struct object *object_take(void)
{
    enum { SLAB_BYTES = 16 * 1024 };
    if (!free_objects) {
        struct object *slab = pages_take(SLAB_BYTES);
        for (size_t i = SLAB_BYTES / sizeof *slab; slab && i-- > 0;) {
            slab[i].next_free = free_objects;
            free_objects = &slab[i];
        }
    }
    struct object *o = free_objects;
    if (o) {
        free_objects = o->next_free;
        *o = (struct object){.references = 1};
    }
    return o;
}

static void object_give(struct object *o)
{
    o->next_free = free_objects;
    free_objects = o;
}

static struct object *find(enum object_kind kind, uint64_t handle)
{
    return (struct object *)(uintptr_t)hash_table_get(&objects[kind], handle);
}

static struct object *add(enum object_kind kind, uint64_t handle, struct object_name name)
{
    struct object *o = object_take();
    if (!o || !hash_table_set(&objects[kind], handle, (uint64_t)(uintptr_t)o)) {
        if (o)
            object_give(o);
        objects_fail();
        return NULL;
    }
    o->name = name;
    return o;
}

static struct rank_base *rank_base_at(size_t index)
{
    return &rank_bases[index >> RANK_BASE_SHIFT][index % (1u << RANK_BASE_SHIFT)];
}

struct rank_base rank_base_numbered(uint32_t index)
{
    return rank_bases[0] ? *rank_base_at(index) : (struct rank_base){.rank = -1, .size = 1, .local_size = 1};
}

static void tell_rank_base(size_t index)
{
    const struct rank_base *base = rank_base_at(index);
    const struct journal_rank_base told = {.index = (uint32_t)index, .rank = base->rank, .size = base->size};
    journal_put(JOURNAL_SHARED, JOURNAL_RANK_BASE, &told, sizeof told);
}

/* Returns the index of the rank base RANK of SIZE, which is added if it is new; 0 where memory is short. */
static uint32_t rank_base_add(int rank, int size)
{
    uint64_t key = (uint64_t)(uint32_t)rank << 32 | (uint32_t)size;
    uint64_t known = hash_table_get(&rank_base_index, key);
    if (known)
        return (uint32_t)(known - 1);
    size_t piece = rank_base_count >> RANK_BASE_SHIFT;
    if (piece < RANK_BASE_PIECES && !rank_bases[piece])
        rank_bases[piece] = pages_take(sizeof(struct rank_base) << RANK_BASE_SHIFT);
    if (piece == RANK_BASE_PIECES || !rank_bases[piece]) {
        objects_fail();
        return 0;
    }
    if (!hash_table_set(&rank_base_index, key, rank_base_count + 1)) {
        objects_fail();
        return 0;
    }
    *rank_base_at(rank_base_count) =
        (struct rank_base){.index = (uint32_t)rank_base_count, .rank = rank, .size = size, .local_size = size};
    tell_rank_base(rank_base_count);
    return (uint32_t)rank_base_count++;
}

/* Names the predefined handles and makes rank base 0, once. */
static void prepare(void)
{
    if (prepared)
        return;
    prepared = true;
    (void)rank_base_add(-1, 1);
    size_t count = 0;
    const struct predefined_handle *all = predefined_handles(&count);
    for (size_t i = 0; i < count; i++) {
        enum object_kind kind = (enum object_kind)all[i].kind;
        if (!find(kind, all[i].handle)) /* the first of several names counts */
            (void)add(kind, all[i].handle, (struct object_name){.predefined = true, .name = all[i].name});
    }
}

static void enter(void)
{
    objects_lock(&lock);
    prepare();
}

static void leave(void)
{
    objects_unlock(&lock);
}

static struct object *find_or_add(enum object_kind kind, uint64_t handle)
{
    struct object *o = find(kind, handle);
    if (o)
        return o;
    int64_t id = pool_take(&pools[kind]);
    if (id < 0)
        objects_fail();
    else if (!(o = add(kind, handle, (struct object_name){.id = id})))
        pool_give(&pools[kind], id);
    return o;
}

static struct object_name name_of(const struct object *o)
{
    return o ? o->name : (struct object_name){.id = 0};
}

bool object_see(enum object_kind kind, uint64_t handle, bool adding, struct object_seen *seen)
{
    /* Read first: what changes during the look-up makes the answer out of date. */
    uint64_t now = atomic_load_explicit(&objects_generation[kind], memory_order_acquire);
    enter();
    const struct object *o = adding ? find_or_add(kind, handle) : find(kind, handle);
    if (o)
        *seen = (struct object_seen){now, o->name, o->has_base, o->base};
    leave();
    if (o && o->name.predefined && (o->has_base || (kind != KIND_COMM && kind != KIND_WIN)))
        seen->generation = UINT64_MAX; /* it is never released */
    return o;
}

/* Makes what threads know of objects of KIND out of date. Under the lock. */
static void outdate(enum object_kind kind)
{
    atomic_fetch_add_explicit(&objects_generation[kind], 1, memory_order_release);
}

struct object_name object_name_of(enum object_kind kind, uint64_t handle)
{
    struct object_seen seen;
    return object_see(kind, handle, true, &seen) ? seen.name : (struct object_name){.id = 0};
}

/* ---- rank bases ---- */

static struct rank_base rank_base_of_comm(MPI_Comm comm)
{
    struct rank_base base = {.rank = -1, .size = 1, .local_size = 1};
    int inter = 0;
    PMPI_Comm_rank(comm, &base.rank);
    PMPI_Comm_size(comm, &base.local_size);
    PMPI_Comm_test_inter(comm, &inter);
    base.size = base.local_size;
    base.inter = inter;
    if (inter)
        PMPI_Comm_remote_size(comm, &base.size);
    return base;
}

static struct rank_base rank_base_of_win(MPI_Win win)
{
    struct rank_base base = {.rank = -1, .size = 1, .local_size = 1};
    MPI_Group group;
    if (PMPI_Win_get_group(win, &group) != MPI_SUCCESS)
        return base;
    PMPI_Group_rank(group, &base.rank);
    if (base.rank == MPI_UNDEFINED)
        base.rank = -1;
    PMPI_Group_size(group, &base.size);
    PMPI_Group_free(&group);
    base.local_size = base.size;
    return base;
}

/* Back from HANDLE: a handle is an int in some MPI libraries, a pointer in others. */
#define COMM(handle) ((MPI_Comm)(uintptr_t)(handle))
#define WIN(handle)  ((MPI_Win)(uintptr_t)(handle))

static bool mpi_runs(void)
{
    int initialized = 0, finalized = 0;
    PMPI_Initialized(&initialized);
    PMPI_Finalized(&finalized);
    return initialized && !finalized;
}

static void set_rank_base(enum object_kind kind, struct object *o, struct rank_base base, bool world)
{
    if (world && rank_bases[0] && rank_bases[0]->rank < 0) {
        (void)hash_table_remove(&rank_base_index, (uint64_t)UINT32_MAX << 32 | 1);
        *rank_bases[0] = (struct rank_base){.rank = base.rank, .size = base.size, .local_size = base.size};
        (void)hash_table_set(&rank_base_index, (uint64_t)(uint32_t)base.rank << 32 | (uint32_t)base.size, 1);
        tell_rank_base(0);
    }
    base.index = base.rank < 0 ? 0 : rank_base_add(base.rank, base.size);
    o->base = base;
    o->has_base = true;
    outdate(kind);
}

/* Asks MPI for the rank base of a communicator or window whose creation was not seen (by PMPI, by an extension). The
 * handle may be invalid. Asking must not run the program's error handler; the call itself will. Open MPI and MPICH
 * raise such errors on MPI_COMM_WORLD or MPI_COMM_SELF. False: the handle is invalid. */
static bool ask_rank_base(enum object_kind kind, uint64_t handle, struct rank_base *base)
{
    const MPI_Comm raised_on[] = {MPI_COMM_WORLD, MPI_COMM_SELF};
    MPI_Errhandler handlers[2];
    int size = 0;
    MPI_Group group = MPI_GROUP_NULL;
    for (int i = 0; i < 2; i++) {
        PMPI_Comm_get_errhandler(raised_on[i], &handlers[i]);
        PMPI_Comm_set_errhandler(raised_on[i], MPI_ERRORS_RETURN);
    }
    bool good = kind == KIND_COMM ? PMPI_Comm_size(COMM(handle), &size) == MPI_SUCCESS
                                  : PMPI_Win_get_group(WIN(handle), &group) == MPI_SUCCESS;
    for (int i = 0; i < 2; i++) {
        PMPI_Comm_set_errhandler(raised_on[i], handlers[i]);
        if (handlers[i] != MPI_ERRORS_ARE_FATAL && handlers[i] != MPI_ERRORS_RETURN &&
            handlers[i] != MPI_ERRHANDLER_NULL)
            PMPI_Errhandler_free(&handlers[i]);
    }
    if (group != MPI_GROUP_NULL)
        PMPI_Group_free(&group);
    if (good)
        *base = kind == KIND_COMM ? rank_base_of_comm(COMM(handle)) : rank_base_of_win(WIN(handle));
    return good;
}

struct rank_base object_rank_base(enum object_kind kind, uint64_t handle)
{
    bool world = kind == KIND_COMM && handle == HANDLE(MPI_COMM_WORLD);
    bool self = kind == KIND_COMM && handle == HANDLE(MPI_COMM_SELF);
    struct object_seen seen;
    if (object_see(kind, handle, false, &seen) && seen.has_base)
        return seen.base;
    struct rank_base base;
    struct object *o;
    enter();
    base = rank_bases[0] ? *rank_bases[0] : (struct rank_base){.rank = -1, .size = 1, .local_size = 1};
    leave();
    bool null = is_null(kind, handle);
    if (null)
        base.size = base.local_size = 0; /* so arrays with an element for each rank have none */
    if (null || !mpi_runs() || (kind != KIND_COMM && kind != KIND_WIN))
        return base;
    if (self) {
        base = (struct rank_base){.rank = 0, .size = 1, .local_size = 1};
    } else if (world) {
        base = rank_base_of_comm(MPI_COMM_WORLD);
    } else if (!ask_rank_base(kind, handle, &base)) {
        base.size = base.local_size = 0;
        return base;
    }
    enter();
    o = find_or_add(kind, handle);
    if (o) {
        set_rank_base(kind, o, base, world);
        base = o->base;
    }
    leave();
    return base;
}

size_t objects_rank_bases(struct rank_base *copy, size_t capacity)
{
    enter();
    size_t count = rank_base_count;
    for (size_t i = 0; i < count && i < capacity; i++)
        copy[i] = *rank_base_at(i);
    leave();
    return count;
}

/* ---- creation and release ---- */

/* True if MPI may return the handle of a live object once more, to be freed once more. */
static bool counts_references(enum object_kind kind)
{
    return kind == KIND_DATATYPE || kind == KIND_GROUP || kind == KIND_ERRHANDLER;
}

/* Names HANDLE, or counts a reference. A known handle of a kind without reference counts has one of two reasons.
 * Another thread is about to free the object: then this is a new object with the same name. Or the object was freed
 * by a call that was not seen: then the new one keeps its id. */
static struct object_name created(enum object_kind kind, uint64_t handle, const struct rank_base *base)
{
    enter();
    struct object *o = find(kind, handle);
    if (!o)
        o = find_or_add(kind, handle);
    else if (!o->name.predefined && (counts_references(kind) || o->releasing))
        o->references++;
    if (o && !o->name.predefined) {
        o->has_degrees = false;
        if (base)
            set_rank_base(kind, o, *base, false);
    }
    struct object_name name = name_of(o);
    leave();
    return name;
}

struct object_name object_created(enum object_kind kind, uint64_t handle)
{
    struct rank_base base;
    if ((kind != KIND_COMM && kind != KIND_WIN) || is_null(kind, handle))
        return created(kind, handle, NULL);
    base = kind == KIND_COMM ? rank_base_of_comm(COMM(handle)) : rank_base_of_win(WIN(handle));
    return created(kind, handle, &base);
}

struct object_name object_created_like(enum object_kind kind, uint64_t handle, const struct rank_base *base)
{
    return created(kind, handle, is_null(kind, handle) ? NULL : base);
}

uint64_t object_releasing(enum object_kind kind, uint64_t handle)
{
    enter();
    struct object *o = find(kind, handle);
    if (o)
        o->releasing++;
    leave();
    return handle;
}

void object_released(enum object_kind kind, uint64_t before, uint64_t after)
{
    enter();
    struct object *o = find(kind, before);
    if (o && o->releasing)
        o->releasing--;
    bool gone = is_null(kind, after) && o && !o->name.predefined && --o->references == 0;
    if (gone) {
        (void)hash_table_remove(&objects[kind], before);
        outdate(kind);
        /* Before another thread can take the handle or the id. */
        objects_tell_released(object_kind_word[kind], o->name.id);
        pool_give(&pools[kind], o->name.id);
        object_give(o);
    }
    leave();
}

/* ---- neighbours ---- */

static void ask_degrees(MPI_Comm comm, int *indegree, int *outdegree)
{
    int topology = MPI_UNDEFINED, dimensions = 0, rank = 0, neighbours = 0, weighted;
    *indegree = *outdegree = 0;
    if (PMPI_Topo_test(comm, &topology) != MPI_SUCCESS)
        return;
    if (topology == MPI_CART) {
        PMPI_Cartdim_get(comm, &dimensions);
        *indegree = *outdegree = 2 * dimensions;
    } else if (topology == MPI_GRAPH) {
        PMPI_Comm_rank(comm, &rank);
        PMPI_Graph_neighbors_count(comm, rank, &neighbours);
        *indegree = *outdegree = neighbours;
    } else if (topology == MPI_DIST_GRAPH) {
        PMPI_Dist_graph_neighbors_count(comm, indegree, outdegree, &weighted);
    }
}

/* True if O is a communicator that a call made or that was there from the start. A handle that was only passed may
 * be invalid. Under the lock. */
static bool may_ask(const struct object *o, uint64_t comm)
{
    return o && !is_null(KIND_COMM, comm) && (o->has_base || o->name.predefined);
}

bool comm_may_ask(uint64_t comm)
{
    enter();
    bool may = may_ask(find(KIND_COMM, comm), comm);
    leave();
    return may && mpi_runs();
}

static int degree(uint64_t comm, bool in)
{
    int indegree = 0, outdegree = 0;
    enter();
    struct object *o = find(KIND_COMM, comm);
    bool usable = may_ask(o, comm), known = usable && o->has_degrees;
    if (known) {
        indegree = o->indegree;
        outdegree = o->outdegree;
    }
    leave();
    if (usable && !known && mpi_runs()) {
        ask_degrees(COMM(comm), &indegree, &outdegree);
        enter();
        o->indegree = indegree;
        o->outdegree = outdegree;
        o->has_degrees = true;
        leave();
    }
    return in ? indegree : outdegree;
}

int comm_indegree(uint64_t comm)
{
    return degree(comm, true);
}

int comm_outdegree(uint64_t comm)
{
    return degree(comm, false);
}
