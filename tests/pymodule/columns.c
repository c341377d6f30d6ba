/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints the rank, function, start and root of each call of a trace by pilgrim/columns.h, and tries what it refuses. */
#include <pilgrim/columns.h>
#include <stdio.h>
#include <string.h>

enum { ROWS = 37 };

static int refuses(const struct pilgrim_trace *trace)
{
    const char *const no[] = {"no_such"}, *const twice[] = {"seq", "seq"}, *const ending[] = {"count:what"};
    const char *const null[] = {NULL}, *const good[] = {"seq"};
    struct pilgrim_columns *c;
    enum pilgrim_column_type type = PILGRIM_COLUMN_TEXT;
    size_t filled = 9;
    int64_t seq[1];
    void *arrays[1], *nothing[1];
    arrays[0] = seq;
    nothing[0] = NULL;
    if (pilgrim_columns_open(trace, NULL, PILGRIM_BY_RANK, no, 1, &c, NULL) != PILGRIM_INVALID || c)
        return 11;
    if (pilgrim_columns_open(trace, NULL, PILGRIM_BY_RANK, twice, 2, &c, NULL) != PILGRIM_INVALID || c)
        return 12;
    if (pilgrim_columns_open(trace, NULL, PILGRIM_BY_RANK, ending, 1, &c, NULL) != PILGRIM_INVALID || c)
        return 13;
    if (pilgrim_columns_open(trace, NULL, PILGRIM_BY_RANK, null, 1, &c, NULL) != PILGRIM_INVALID || c)
        return 14;
    if (pilgrim_columns_open(NULL, NULL, PILGRIM_BY_RANK, good, 1, &c, NULL) != PILGRIM_INVALID || c)
        return 15;
    if (pilgrim_columns_open(trace, NULL, PILGRIM_BY_RANK, NULL, 1, &c, NULL) != PILGRIM_INVALID || c)
        return 16;
    if (pilgrim_columns_open(trace, NULL, PILGRIM_BY_RANK, good, 1, NULL, NULL) != PILGRIM_INVALID)
        return 17;
    if (pilgrim_columns_fill(NULL, arrays, 1, &filled, NULL) != PILGRIM_INVALID || filled != 0)
        return 18;
    if (pilgrim_columns_at(NULL, 0, &type) || pilgrim_columns_texts(NULL, 0) || pilgrim_columns_text(NULL, 0, 0, NULL))
        return 19;
    pilgrim_columns_close(NULL);
    if (pilgrim_columns_open(trace, NULL, PILGRIM_BY_RANK, good, 1, &c, NULL) != PILGRIM_OK)
        return 20;
    if (pilgrim_columns_fill(c, NULL, 1, &filled, NULL) != PILGRIM_INVALID ||
        pilgrim_columns_fill(c, nothing, 1, &filled, NULL) != PILGRIM_INVALID ||
        pilgrim_columns_fill(c, arrays, 0, &filled, NULL) != PILGRIM_INVALID ||
        pilgrim_columns_fill(c, arrays, 1, NULL, NULL) != PILGRIM_INVALID)
        return 21;
    if (pilgrim_columns_fill(c, arrays, 1, &filled, NULL) != PILGRIM_OK || filled != 1 || seq[0] != 0)
        return 22;
    if (!pilgrim_columns_at(c, 0, &type) || type != PILGRIM_COLUMN_INT64 || pilgrim_columns_at(c, 1, &type) ||
        pilgrim_columns_at(c, 0, NULL) || pilgrim_columns_texts(c, 0) || pilgrim_columns_text(c, 0, 0, NULL))
        return 23;
    pilgrim_columns_close(c);
    return 0;
}

int main(int argc, char **argv)
{
    const char *const names[] = {"rank", "func", "start", "root"};
    static int32_t rank[ROWS], func[ROWS];
    static int64_t start[ROWS], root[ROWS];
    void *arrays[4];
    struct pilgrim_trace *trace;
    struct pilgrim_columns *columns;
    struct pilgrim_error error;
    size_t rows = 0, length = 0, i;
    arrays[0] = rank;
    arrays[1] = func;
    arrays[2] = start;
    arrays[3] = root;
    if (argc < 2 || pilgrim_open(argv[1], &trace, &error) != PILGRIM_OK)
        return 2;
    const int wrong = refuses(trace);
    if (wrong)
        return wrong;
    if (pilgrim_columns_open(trace, NULL, PILGRIM_BY_RANK, names, 4, &columns, &error) != PILGRIM_OK)
        return 3;
    enum pilgrim_status status;
    while ((status = pilgrim_columns_fill(columns, arrays, ROWS, &rows, &error)) == PILGRIM_OK)
        for (i = 0; i < rows; i++) {
            const char *name = pilgrim_columns_text(columns, 1, func[i], &length);
            if (!name || strlen(name) != length)
                return 4;
            printf("%d %s %lld ", rank[i], name, (long long)start[i]);
            if (root[i] == PILGRIM_MISSING)
                printf("-\n");
            else
                printf("%lld\n", (long long)root[i]);
        }
    if (status != PILGRIM_END || rows != 0 || pilgrim_columns_fill(columns, arrays, ROWS, &rows, &error) != PILGRIM_END)
        return 5;
    if (pilgrim_columns_text(columns, 1, -1, NULL) || pilgrim_columns_text(columns, 1, 1 << 20, NULL))
        return 6;
    pilgrim_columns_close(columns);
    pilgrim_close(trace);
    return 0;
}
