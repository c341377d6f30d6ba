/* datatypes: derived datatypes of every kind, described, taken apart and used.
 *
 * Exercises: contiguous, vector, hvector, indexed, hindexed, indexed_block, hindexed_block, struct, subarray,
 * darray, resized and duplicated types; sizes and extents; MPI_Type_get_envelope and get_contents; pack and
 * unpack, also external32; matching Fortran types; messages whose two ends use different types of the same
 * signature.
 *
 * Every type selects integers out of a field; they are sent to the neighbour and must arrive in that order.
 */
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIELD = 64, TYPES = 12 };

static int world_rank, world_size, failures;

static void expect(int holds, const char *what) {
    if (holds)
        return;
    failures++;
    fprintf(stderr, "datatypes: rank %d: %s\n", world_rank, what);
}

struct selection {
    const char *name;
    MPI_Datatype type;
    int count;     /* of integers selected */
    int at[FIELD]; /* their places */
    int combiner;
};

static MPI_Aint int_bytes(int ints) {
    return (MPI_Aint)ints * (MPI_Aint)sizeof(int);
}

static void build_simple(struct selection *s) {
    const int lengths[3] = {2, 0, 1}, places[3] = {5, 9, 1};
    const MPI_Aint byte_places[3] = {int_bytes(8), int_bytes(0), int_bytes(2)};

    s[0] = (struct selection){"contiguous", 0, 4, {0, 1, 2, 3}, MPI_COMBINER_CONTIGUOUS};
    MPI_Type_contiguous(4, MPI_INT, &s[0].type);
    s[1] = (struct selection){"vector", 0, 6, {0, 1, 5, 6, 10, 11}, MPI_COMBINER_VECTOR};
    MPI_Type_vector(3, 2, 5, MPI_INT, &s[1].type);
    s[2] = (struct selection){"hvector", 0, 3, {0, 7, 14}, MPI_COMBINER_HVECTOR};
    MPI_Type_create_hvector(3, 1, int_bytes(7), MPI_INT, &s[2].type);
    s[3] = (struct selection){"indexed", 0, 3, {5, 6, 1}, MPI_COMBINER_INDEXED};
    MPI_Type_indexed(3, lengths, places, MPI_INT, &s[3].type);
    s[4] = (struct selection){"hindexed", 0, 3, {8, 9, 2}, MPI_COMBINER_HINDEXED};
    MPI_Type_create_hindexed(3, lengths, byte_places, MPI_INT, &s[4].type);
    s[5] = (struct selection){"indexed_block", 0, 6, {5, 6, 9, 10, 1, 2}, MPI_COMBINER_INDEXED_BLOCK};
    MPI_Type_create_indexed_block(3, 2, places, MPI_INT, &s[5].type);
    s[6] = (struct selection){"hindexed_block", 0, 3, {8, 0, 2}, MPI_COMBINER_HINDEXED_BLOCK};
    MPI_Type_create_hindexed_block(3, 1, byte_places, MPI_INT, &s[6].type);
}

static void build_composed(struct selection *s, MPI_Datatype inner) {
    const int lengths[3] = {1, 2, 1};
    const MPI_Aint places[3] = {0, int_bytes(20), int_bytes(40)};
    const MPI_Datatype types[3] = {MPI_INT, MPI_INT, inner};
    const int whole[2] = {4, 5}, part[2] = {2, 3}, start[2] = {1, 1};
    const int sizes[1] = {8}, distributions[1] = {MPI_DISTRIBUTE_CYCLIC}, arguments[1] = {2}, grid[1] = {2};

    /* inner is the vector of build_simple: places 0 1 5 6 10 11 */
    s[0] = (struct selection){"struct", 0, 9, {0, 20, 21, 40, 41, 45, 46, 50, 51}, MPI_COMBINER_STRUCT};
    MPI_Type_create_struct(3, lengths, places, types, &s[0].type);
    s[1] = (struct selection){"subarray", 0, 6, {6, 7, 8, 11, 12, 13}, MPI_COMBINER_SUBARRAY};
    MPI_Type_create_subarray(2, whole, part, start, MPI_ORDER_C, MPI_INT, &s[1].type);
    s[2] = (struct selection){"darray", 0, 4, {2, 3, 6, 7}, MPI_COMBINER_DARRAY};
    MPI_Type_create_darray(2, 1, 1, sizes, distributions, arguments, grid, MPI_ORDER_C, MPI_INT, &s[2].type);
    s[3] = (struct selection){"resized", 0, 1, {0}, MPI_COMBINER_RESIZED};
    MPI_Type_create_resized(MPI_INT, -int_bytes(1), int_bytes(3), &s[3].type);
    s[4] = (struct selection){"dup", 0, 6, {0, 1, 5, 6, 10, 11}, MPI_COMBINER_DUP};
    MPI_Type_dup(inner, &s[4].type);
}

/* Asks the type what it is made of, and frees the types that the answer contains. */
static void describe(const struct selection *s) {
    int integers, addresses, types, combiner, size;
    int *integer_list;
    MPI_Aint *address_list, low, extent, true_low, true_extent;
    MPI_Datatype *type_list;

    MPI_Type_get_envelope(s->type, &integers, &addresses, &types, &combiner);
    expect(combiner == s->combiner, "combiner");
    integer_list = calloc((size_t)integers + 1, sizeof *integer_list);
    address_list = calloc((size_t)addresses + 1, sizeof *address_list);
    type_list = calloc((size_t)types + 1, sizeof *type_list);
    MPI_Type_get_contents(s->type, integers, addresses, types, integer_list, address_list, type_list);
    for (int i = 0; i < types; i++) {
        int named;

        MPI_Type_get_envelope(type_list[i], &integers, &addresses, &size, &named);
        if (named != MPI_COMBINER_NAMED)
            MPI_Type_free(&type_list[i]);
    }
    free(integer_list);
    free(address_list);
    free(type_list);

    MPI_Type_size(s->type, &size);
    MPI_Type_get_extent(s->type, &low, &extent);
    MPI_Type_get_true_extent(s->type, &true_low, &true_extent);
    expect(size == s->count * (int)sizeof(int), "size");
    expect(s->combiner != MPI_COMBINER_RESIZED || (low == -int_bytes(1) && extent == int_bytes(3)), "extent");
    if (world_rank == 0)
        printf("%-14s size %2d, extent %3ld from %3ld, true extent %3ld from %3ld\n", s->name, size, (long)extent,
               (long)low, (long)true_extent, (long)true_low);
}

/* Sends the selection round the ring; it arrives as plain integers. And the other way: plain integers are
 * scattered. */
static void transfer(const struct selection *s) {
    const int next = (world_rank + 1) % world_size, previous = (world_rank + world_size - 1) % world_size;
    int out[FIELD], in[FIELD], scattered[FIELD];
    MPI_Status status;
    int count;

    for (int i = 0; i < FIELD; i++)
        out[i] = world_rank * FIELD + i;
    memset(scattered, -1, sizeof scattered);
    MPI_Sendrecv(out, 1, s->type, next, 0, in, FIELD, MPI_INT, previous, 0, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    expect(count == s->count, "number of integers received");
    for (int i = 0; i < s->count; i++)
        expect(in[i] == previous * FIELD + s->at[i], "integers received");

    MPI_Sendrecv(in, s->count, MPI_INT, next, 1, scattered, 1, s->type, previous, 1, MPI_COMM_WORLD, &status);
    MPI_Get_elements(&status, s->type, &count);
    expect(count == s->count, "elements received");
    for (int i = 0; i < s->count; i++)
        expect(scattered[s->at[i]] == (previous + world_size - 1) % world_size * FIELD + s->at[i], "scattered");
}

static void pack_and_unpack(const struct selection *s) {
    int out[FIELD], in[FIELD], room, position = 0;
    char packed[1024];
    MPI_Aint external_room, external_position = 0;

    for (int i = 0; i < FIELD; i++)
        out[i] = 3 * i;
    memset(in, -1, sizeof in);
    MPI_Pack_size(1, s->type, MPI_COMM_WORLD, &room);
    expect(room >= s->count * (int)sizeof(int) && room <= (int)sizeof packed, "pack size");
    MPI_Pack(out, 1, s->type, packed, (int)sizeof packed, &position, MPI_COMM_WORLD);
    position = 0;
    MPI_Unpack(packed, (int)sizeof packed, &position, in, 1, s->type, MPI_COMM_WORLD);
    for (int i = 0; i < s->count; i++)
        expect(in[s->at[i]] == 3 * s->at[i], "unpacked");

    memset(in, -1, sizeof in);
    MPI_Pack_external_size("external32", 1, s->type, &external_room);
    expect(external_room == 4 * s->count, "size in external32");
    MPI_Pack_external("external32", out, 1, s->type, packed, external_room, &external_position);
    external_position = 0;
    MPI_Unpack_external("external32", packed, external_room, &external_position, in, 1, s->type);
    for (int i = 0; i < s->count; i++)
        expect(in[s->at[i]] == 3 * s->at[i], "unpacked from external32");
}

/* A struct of mixed members with padding, as programs have them, and types chosen by size. */
static void mixed_struct(void) {
    struct particle {
        char kind;
        double place[3];
        int charge;
    } out[2] = {{'e', {1, 2, 3}, -1}, {'p', {4, 5, 6}, 1}}, in[2];
    const int lengths[3] = {1, 3, 1};
    const MPI_Aint places[3] = {offsetof(struct particle, kind), offsetof(struct particle, place),
                                offsetof(struct particle, charge)};
    const MPI_Datatype members[3] = {MPI_CHAR, MPI_DOUBLE, MPI_INT};
    MPI_Datatype packed, particle, real, decimal;
    int size;

    MPI_Type_create_struct(3, lengths, places, members, &packed);
    MPI_Type_create_resized(packed, 0, (MPI_Aint)sizeof(struct particle), &particle);
    MPI_Type_free(&packed);
    MPI_Type_commit(&particle);
    MPI_Sendrecv(out, 2, particle, world_rank, 0, in, 2, particle, world_rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    expect(in[1].kind == 'p' && in[1].charge == 1 && in[1].place[2] > 5.9 && in[0].kind == 'e', "particles");
    MPI_Type_free(&particle);

    MPI_Type_match_size(MPI_TYPECLASS_REAL, 8, &real);
    MPI_Type_size(real, &size);
    expect(size == 8, "match_size");
    MPI_Type_create_f90_real(15, 307, &decimal);
    MPI_Type_size(decimal, &size);
    expect(size == 8, "create_f90_real");
}

int main(int argc, char **argv) {
    static struct selection selections[TYPES];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &world_size);
    build_simple(selections);
    build_composed(selections + 7, selections[1].type);
    for (int i = 0; i < TYPES; i++) {
        MPI_Type_commit(&selections[i].type);
        describe(&selections[i]);
        transfer(&selections[i]);
        pack_and_unpack(&selections[i]);
    }
    mixed_struct();
    for (int i = 0; i < TYPES; i++)
        MPI_Type_free(&selections[i].type);

    MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (world_rank == 0)
        printf("datatypes: %d failures\n", failures);
    MPI_Finalize();
    return failures != 0;
}
/* SPDX-License-Identifier: BSD-3-Clause */
