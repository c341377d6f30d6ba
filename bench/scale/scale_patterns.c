/* SPDX-License-Identifier: BSD-3-Clause */
/* The patterns. A rank's calls are: MPI_Init, MPI_Comm_rank, MPI_Comm_size, perhaps MPI_Cart_create; the loop's
 * body, once for each iteration; MPI_Finalize. There are four kinds of bodies: an exchange with neighbours; rounds
 * of MPI_Sendrecv; sends and receives along a tree; a collective call with an array entry for each rank.
 *
 * The file is longer than 400 lines: it is one short pattern after another. */
#include "scale_patterns.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scale_graph.h"

enum { HALO_MAX = 8, PAIRWISE_NEAR = 8, SITE_INIT = 1, SITE_RANK, SITE_SIZE, SITE_CART, SITE_FINALIZE, SITE_BODY };
enum { DOUBLE_BYTES = 8, BLOCK_SIDE = 10, RANKS_MIN = 64, ARRAY_RANKS_MAX = 4096 };

/* The neighbours of a rank. Message I to peer I has tag I; the neighbour receives it with the tag of its opposite
 * side. */
struct halo {
    unsigned count;
    int64_t peer[HALO_MAX]; /* negative: none on that side */
    unsigned side[HALO_MAX];
    unsigned sides; /* that some rank has */
    uint64_t elements[HALO_MAX];
    bool sites; /* each operation has a call site of its own, instead of a loop over the sides */
    bool tags;  /* opposite sides are I and I ^ 1; false: all messages have tag 0 */
};

/* The partners of a round of MPI_Sendrecv. */
struct round {
    int64_t dest;
    int64_t source;
};

struct pattern {
    const char *name;
    unsigned dims; /* of the process grid; 0: none */
    bool cart;     /* on a periodic Cartesian communicator */
    bool arrays;   /* keys grow with the number of ranks */
    bool graph;
    uint64_t (*length)(const struct world *, uint32_t rank);
    void (*call)(const struct world *, uint32_t rank, uint64_t place, struct made_call *);
    struct halo (*halo)(const struct world *, uint32_t rank);
    struct round (*round)(const struct world *, uint32_t rank, uint64_t i);
    uint64_t (*rounds)(const struct world *);
};

/* ---- what all patterns share ---- */

static int64_t view_of(const struct world *w)
{
    return w->pattern->cart;
}

static void make_comm(const struct world *w, struct made_call *c)
{
    if (w->pattern->cart)
        make_object(c, NAME_COMM, 0);
    else
        make_name(c, NAME_WORLD);
}

static void make_success(struct made_call *c)
{
    make_int(c, 0);
}

/* buffer, count, type, peer, tag, communicator */
static void make_message(const struct world *w, struct made_call *c, int64_t buffer, uint64_t elements, int64_t peer,
                         int64_t tag)
{
    make_heap(c, buffer, 0);
    make_int(c, (int64_t)elements);
    make_name(c, NAME_DOUBLE);
    make_rank(c, view_of(w), peer);
    make_int(c, tag);
    make_comm(w, c);
}

/* Makes the status of a receive from PEER, which may be MPI_PROC_NULL. */
static void make_received(const struct world *w, struct made_call *c, int64_t peer, int64_t tag, uint64_t elements)
{
    make_status(c, STATUS_IGNORED);
    make_rank(c, view_of(w), peer);
    if (peer < 0)
        make_name(c, NAME_ANY_TAG);
    else
        make_int(c, tag);
    make_int(c, peer < 0 ? 0 : (int64_t)elements * DOUBLE_BYTES);
    make_bool(c, 0);
}

static void make_cart_create(const struct world *w, struct made_call *c)
{
    make_name(c, NAME_WORLD);
    make_int(c, w->pattern->dims);
    make_array(c, w->pattern->dims);
    for (unsigned d = 0; d < w->pattern->dims; d++)
        make_int(c, w->dims[d]);
    make_array(c, w->pattern->dims);
    for (unsigned d = 0; d < w->pattern->dims; d++)
        make_bool(c, 1);
    make_bool(c, 1);
    make_object(c, NAME_COMM, 0);
    make_success(c);
}

static uint64_t calls_before(const struct world *w)
{
    return w->pattern->cart ? 4 : 3;
}

static void call_before(const struct world *w, uint32_t rank, uint64_t k, struct made_call *c)
{
    switch (k) {
    case 0:
        made_call_start(c, MADE_INIT, SITE_INIT);
        for (int out = 0; out < 2; out++) {
            make_int(c, 2);
            make_array(c, 2);
            make_string(c, "./application");
            make_string(c, "10");
        }
        break;
    case 1:
        made_call_start(c, MADE_COMM_RANK, SITE_RANK);
        make_name(c, NAME_WORLD);
        make_rank(c, 0, rank);
        break;
    case 2:
        made_call_start(c, MADE_COMM_SIZE, SITE_SIZE);
        make_name(c, NAME_WORLD);
        make_int(c, w->ranks);
        break;
    default:
        made_call_start(c, MADE_CART_CREATE, SITE_CART);
        make_cart_create(w, c);
        return;
    }
    make_success(c);
}

/* ---- an exchange with neighbours: receives, sends, one MPI_Waitall, one MPI_Allreduce ---- */

static uint64_t halo_length(const struct world *w, uint32_t rank)
{
    return 2 * (uint64_t)w->pattern->halo(w, rank).count + 2;
}

/* Returns the tag of message I; of a receive with its opposite side. */
static int64_t halo_tag(const struct halo *h, uint64_t i, bool receives)
{
    return h->tags ? h->side[i] ^ receives : 0;
}

/* Makes the request of operation I; the receives come first. Its class is its place in the order of the rank's
 * classes. */
static void make_halo_request(const struct world *w, const struct halo *h, uint64_t i, struct made_call *c)
{
    int64_t first = (int64_t)calls_before(w);
    if (h->sites)
        make_request(c, first + (int64_t)i, 0);
    else
        make_request(c, first + (i >= h->count), (int64_t)(i % h->count));
}

static void make_waitall(const struct world *w, const struct halo *h, struct made_call *c)
{
    uint32_t operations = 2 * h->count;
    make_int(c, operations);
    make_array(c, operations);
    for (uint32_t i = 0; i < operations; i++)
        make_halo_request(w, h, i, c);
    make_array(c, operations);
    for (uint32_t i = 0; i < operations; i++)
        make_name(c, NAME_REQUEST_NULL);
    make_array(c, operations);
    for (unsigned i = 0; i < h->count; i++)
        make_received(w, c, h->peer[i], halo_tag(h, i, true), h->elements[i]);
    for (unsigned i = 0; i < h->count; i++)
        make_none(c);
    make_success(c);
}

static void make_allreduce(const struct world *w, struct made_call *c)
{
    make_heap(c, 2 * HALO_MAX, 0);
    make_heap(c, 2 * HALO_MAX, DOUBLE_BYTES);
    make_int(c, 1);
    make_name(c, NAME_DOUBLE);
    make_name(c, NAME_SUM);
    make_comm(w, c);
    make_success(c);
}

static void halo_call(const struct world *w, uint32_t rank, uint64_t place, struct made_call *c)
{
    const struct halo h = w->pattern->halo(w, rank);
    uint64_t side = place % h.count, operations = 2 * h.count;
    if (place < operations) {
        bool sends = place >= h.count;
        made_call_start(c, sends ? MADE_ISEND : MADE_IRECV,
                        SITE_BODY + (h.sites ? h.side[side] + (sends ? h.sides : 0) : sends));
        make_message(w, c, (int64_t)place, h.elements[side], h.peer[side], halo_tag(&h, side, !sends));
        make_halo_request(w, &h, place, c);
        make_success(c);
    } else if (place == operations) {
        made_call_start(c, MADE_WAITALL, SITE_BODY + 2 * HALO_MAX);
        make_waitall(w, &h, c);
    } else {
        made_call_start(c, MADE_ALLREDUCE, SITE_BODY + 2 * HALO_MAX + 1);
        make_allreduce(w, c);
    }
}

/* Returns the rank one step along DIMENSION; negative: beyond the edge of a grid that is not periodic. */
static int64_t grid_step(const struct world *w, uint32_t rank, unsigned dimension, int step, bool periodic)
{
    int64_t stride = 1;
    for (unsigned d = w->pattern->dims; --d > dimension;)
        stride *= w->dims[d];
    int64_t size = w->dims[dimension], at = rank / stride % size, to = at + step;
    if (to < 0 || to >= size) {
        if (!periodic)
            return -1;
        to = (to + size) % size;
    }
    return rank + (to - at) * stride;
}

static struct halo grid_halo(const struct world *w, uint32_t rank, bool periodic)
{
    struct halo h = {.count = 2 * w->pattern->dims, .tags = true, .sites = w->pattern->dims == 2};
    h.sides = h.count;
    for (unsigned i = 0; i < h.count; i++) {
        h.side[i] = i;
        h.peer[i] = grid_step(w, rank, i / 2, i % 2 ? 1 : -1, periodic);
        h.elements[i] = w->pattern->dims == 2 ? BLOCK_SIDE : BLOCK_SIDE * BLOCK_SIDE;
    }
    return h;
}

static struct halo open_halo(const struct world *w, uint32_t rank)
{
    return grid_halo(w, rank, false);
}

static struct halo periodic_halo(const struct world *w, uint32_t rank)
{
    return grid_halo(w, rank, true);
}

/* Ranks at the edge leave out the sides where they have no neighbour. */
static struct halo edge_halo(const struct world *w, uint32_t rank)
{
    struct halo h = grid_halo(w, rank, false);
    unsigned count = 0;
    h.sites = true;
    for (unsigned i = 0; i < h.count; i++) {
        if (h.peer[i] < 0)
            continue;
        h.peer[count] = h.peer[i];
        h.elements[count] = h.elements[i];
        h.side[count++] = i;
    }
    h.count = count;
    return h;
}

/* A box that the process grid does not divide evenly: the first blocks of each dimension are one cell longer. */
static struct halo blocks_halo(const struct world *w, uint32_t rank)
{
    struct halo h = grid_halo(w, rank, false);
    uint64_t side[3], at[3] = {rank / (w->dims[1] * w->dims[2]), rank / w->dims[2] % w->dims[1], rank % w->dims[2]};
    for (unsigned d = 0; d < 3; d++) {
        uint64_t cells = (uint64_t)w->dims[d] * BLOCK_SIDE + w->dims[d] / 3 + 1;
        side[d] = cells / w->dims[d] + (at[d] < cells % w->dims[d]);
    }
    for (unsigned i = 0; i < h.count; i++)
        h.elements[i] = side[(i / 2 + 1) % 3] * side[(i / 2 + 2) % 3];
    return h;
}

static struct halo graph_halo(const struct world *w, uint32_t rank)
{
    struct halo h = {.count = GRAPH_DEGREE, .sides = GRAPH_DEGREE};
    for (unsigned i = 0; i < h.count; i++) {
        h.peer[i] = w->neighbours[(size_t)rank * GRAPH_DEGREE + i];
        h.elements[i] = BLOCK_SIDE;
    }
    return h;
}

/* ---- rounds of MPI_Sendrecv in a loop ---- */

static uint64_t rounds_length(const struct world *w, uint32_t rank)
{
    (void)rank;
    return w->pattern->rounds(w);
}

static void rounds_call(const struct world *w, uint32_t rank, uint64_t place, struct made_call *c)
{
    const struct round r = w->pattern->round(w, rank, place);
    made_call_start(c, MADE_SENDRECV, SITE_BODY);
    make_heap(c, 0, 0);
    make_int(c, BLOCK_SIDE);
    make_name(c, NAME_DOUBLE);
    make_rank(c, view_of(w), r.dest);
    make_int(c, 7);
    make_message(w, c, 1, BLOCK_SIDE, r.source, 7);
    make_received(w, c, r.source, 7, BLOCK_SIDE);
    make_success(c);
}

static uint64_t ring_rounds(const struct world *w)
{
    (void)w;
    return 1;
}

static struct round ring_round(const struct world *w, uint32_t rank, uint64_t i)
{
    (void)i;
    return (struct round){.dest = (rank + 1) % w->ranks, .source = (rank + w->ranks - 1) % w->ranks};
}

static uint64_t butterfly_rounds(const struct world *w)
{
    uint64_t rounds = 0;
    while (UINT64_C(1) << rounds < w->ranks)
        rounds++;
    return rounds;
}

static struct round butterfly_round(const struct world *w, uint32_t rank, uint64_t i)
{
    (void)w;
    int64_t partner = rank ^ (UINT32_C(1) << i);
    return (struct round){.dest = partner, .source = partner};
}

/* The pairwise exchange has a round for each other rank, in which rank R meets R xor I: on 2^20 ranks 2^40 calls. So
 * only the rounds with the nearest and some with the farthest ranks are made: I = 1..8 and multiples of an eighth of
 * the ranks. */
static uint64_t pairwise_rounds(const struct world *w)
{
    (void)w;
    return 2 * PAIRWISE_NEAR - 1;
}

static struct round pairwise_round(const struct world *w, uint32_t rank, uint64_t i)
{
    uint64_t far = i < PAIRWISE_NEAR ? 0 : i + 1 - PAIRWISE_NEAR;
    int64_t partner = rank ^ (uint32_t)(far ? far * (w->ranks / PAIRWISE_NEAR) : i + 1);
    return (struct round){.dest = partner, .source = partner};
}

/* ---- trees ---- */

static void make_tree_call(const struct world *w, struct made_call *c, bool sends, int64_t peer, int64_t tag)
{
    made_call_start(c, sends ? MADE_SEND : MADE_RECV, SITE_BODY + sends);
    make_message(w, c, 0, BLOCK_SIDE, peer, tag);
    if (!sends)
        make_received(w, c, peer, tag, BLOCK_SIDE);
    make_success(c);
}

/* Returns the lowest set bit of RANK: its distance to its parent; for the root the number of ranks. */
static uint32_t binomial_span(const struct world *w, uint32_t rank)
{
    return rank ? rank & -rank : w->ranks;
}

static uint64_t binomial_length(const struct world *w, uint32_t rank)
{
    uint64_t length = rank > 0;
    for (uint32_t mask = binomial_span(w, rank) / 2; mask; mask /= 2)
        length++;
    return length;
}

/* A broadcast from rank 0: each rank receives from its parent, then sends to its children, the farthest first. */
static void binomial_call(const struct world *w, uint32_t rank, uint64_t place, struct made_call *c)
{
    uint32_t span = binomial_span(w, rank);
    if (rank > 0 && place == 0)
        make_tree_call(w, c, false, rank - span, 3);
    else
        make_tree_call(w, c, true, rank + (span >> (place + (rank == 0))), 3);
}

static uint64_t master_length(const struct world *w, uint32_t rank)
{
    return rank ? 2 : 2 * (uint64_t)(w->ranks - 1);
}

/* Rank 0 serves its workers in turn. */
static void master_call(const struct world *w, uint32_t rank, uint64_t place, struct made_call *c)
{
    bool first = place % 2 == 0;
    if (rank == 0)
        make_tree_call(w, c, first, 1 + (int64_t)(place / 2), first ? 1 : 2);
    else
        make_tree_call(w, c, !first, 0, first ? 1 : 2);
}

/* ---- collectives with arrays of all ranks ---- */

static uint64_t array_length(const struct world *w, uint32_t rank)
{
    (void)w, (void)rank;
    return 1;
}

/* Returns how many of N rows of a matrix RANK has. The first ranks have one more if the ranks do not divide N. */
static uint64_t descriptors_of(const struct world *w, uint64_t n, uint32_t rank)
{
    return n / w->ranks + (rank < n % w->ranks);
}

/* Makes counts and displacements for each rank: SCALE x the rank's part of N. */
static void make_parts(const struct world *w, struct made_call *c, uint64_t n, uint64_t scale)
{
    make_array(c, w->ranks);
    for (uint32_t r = 0; r < w->ranks; r++)
        make_int(c, (int64_t)(scale * descriptors_of(w, n, r)));
    make_array(c, w->ranks);
    uint64_t displacement = 0;
    for (uint32_t r = 0; r < w->ranks; r++) {
        make_int(c, (int64_t)displacement);
        displacement += scale * descriptors_of(w, n, r);
    }
}

/* The transpose of a matrix of which the ranks divide neither side. */
static void alltoallv_call(const struct world *w, uint32_t rank, uint64_t place, struct made_call *c)
{
    (void)place;
    uint64_t rows = 3 * (uint64_t)w->ranks + w->ranks / 3, columns = 2 * (uint64_t)w->ranks + w->ranks / 5;
    made_call_start(c, MADE_ALLTOALLV, SITE_BODY);
    make_heap(c, 0, 0);
    make_parts(w, c, columns, descriptors_of(w, rows, rank));
    make_name(c, NAME_DOUBLE);
    make_heap(c, 1, 0);
    make_parts(w, c, rows, descriptors_of(w, columns, rank));
    make_name(c, NAME_DOUBLE);
    make_comm(w, c);
    make_success(c);
}

/* On a process grid: one element of a derived type to each rank of the own row (sending) or column (receiving),
 * nothing to the others. */
static void make_side(const struct world *w, struct made_call *c, uint32_t rank, unsigned dimension)
{
    for (int part = 0; part < 3; part++) {
        make_array(c, w->ranks);
        for (uint32_t r = 0; r < w->ranks; r++) {
            bool same = dimension ? r % w->dims[1] == rank % w->dims[1] : r / w->dims[1] == rank / w->dims[1];
            uint32_t place = dimension ? r / w->dims[1] : r % w->dims[1];
            if (part < 2)
                make_int(c, !same ? 0 : part ? (int64_t)place * DOUBLE_BYTES * BLOCK_SIDE : 1);
            else if (same)
                make_object(c, NAME_DATATYPE, dimension);
            else
                make_name(c, NAME_BYTE);
        }
    }
}

static void alltoallw_call(const struct world *w, uint32_t rank, uint64_t place, struct made_call *c)
{
    (void)place;
    made_call_start(c, MADE_ALLTOALLW, SITE_BODY);
    for (unsigned dimension = 0; dimension < 2; dimension++) {
        make_heap(c, dimension, 0);
        make_side(w, c, rank, dimension);
    }
    make_comm(w, c);
    make_success(c);
}

/* ---- the table ---- */

#define HALO(f)      .length = halo_length, .call = halo_call, .halo = f
#define ROUNDS(r, n) .length = rounds_length, .call = rounds_call, .round = r, .rounds = n

static const struct pattern patterns[] = {
    {"stencil2d", .dims = 2, HALO(open_halo)},
    {"torus2d", .dims = 2, HALO(periodic_halo)},
    {"torus3d", .dims = 3, .cart = true, HALO(periodic_halo)},
    {"ring", ROUNDS(ring_round, ring_rounds)},
    {"butterfly", ROUNDS(butterfly_round, butterfly_rounds)},
    {"binomial", .length = binomial_length, .call = binomial_call},
    {"master", .length = master_length, .call = master_call},
    {"pairwise", ROUNDS(pairwise_round, pairwise_rounds)},
    {"blocks3d", .dims = 3, HALO(blocks_halo)},
    {"edges2d", .dims = 2, HALO(edge_halo)},
    {"edges3d", .dims = 3, HALO(edge_halo)},
    {"graph", .graph = true, HALO(graph_halo)},
    {"alltoallv", .arrays = true, .length = array_length, .call = alltoallv_call},
    {"alltoallw", .dims = 2, .arrays = true, .length = array_length, .call = alltoallw_call},
};

const struct pattern *pattern_at(size_t i)
{
    return i < sizeof patterns / sizeof patterns[0] ? &patterns[i] : NULL;
}

const struct pattern *pattern_find(const char *name)
{
    const struct pattern *p;
    for (size_t i = 0; (p = pattern_at(i)); i++)
        if (strcmp(p->name, name) == 0)
            break;
    return p;
}

const char *pattern_name(const struct pattern *p)
{
    return p->name;
}

bool pattern_fits(const struct pattern *p, uint64_t ranks)
{
    return ranks >= RANKS_MIN && (ranks & (ranks - 1)) == 0 &&
           ranks <= (p->arrays ? ARRAY_RANKS_MAX : UINT64_C(1) << 30);
}

/* ---- a run ---- */

/* Finds nearly equal factors of RANKS, the smallest first. */
static void divide(uint32_t ranks, unsigned count, uint32_t *dims)
{
    for (unsigned d = 0; d < count; d++) {
        uint32_t factor = 1;
        for (uint32_t f = 2; f <= ranks; f *= 2) {
            uint64_t power = f;
            for (unsigned i = d + 1; i < count; i++)
                power *= f;
            if (power <= ranks)
                factor = f;
        }
        dims[d] = factor;
        ranks /= factor;
    }
}

void world_init(struct world *w, const struct pattern *p, uint32_t ranks, uint32_t iterations)
{
    *w = (struct world){.pattern = p, .ranks = ranks, .iterations = iterations, .dims = {1, 1, 1}};
    divide(ranks, p->dims, w->dims);
    if (p->graph)
        w->neighbours = graph_random(ranks);
}

void world_free(struct world *w)
{
    free(w->neighbours);
}

uint64_t world_calls(const struct world *w, uint32_t rank)
{
    return calls_before(w) + w->iterations * w->pattern->length(w, rank) + 1;
}

void world_call(const struct world *w, uint32_t rank, uint64_t k, struct made_call *c)
{
    uint64_t before = calls_before(w), length = w->pattern->length(w, rank);
    if (k < before) {
        call_before(w, rank, k, c);
    } else if (k - before < w->iterations * length) {
        w->pattern->call(w, rank, (k - before) % length, c);
    } else {
        made_call_start(c, MADE_FINALIZE, SITE_FINALIZE);
        make_none(c);
    }
}

unsigned world_communicators(const struct world *w)
{
    return w->pattern->cart;
}

int64_t world_place(const struct world *w, uint32_t rank, char *name)
{
    uint32_t host = rank / HOST_RANKS;
    snprintf(name, HOST_NAME_BYTES, "nid%06" PRIu32, host);
    return 4000 + (w->odd_pids ? host * UINT32_C(2654435761) >> 12 : 0) + rank % HOST_RANKS;
}
