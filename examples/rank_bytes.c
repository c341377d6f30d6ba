/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums the bytes that each rank of a trace sends and receives. Knows no MPI:
 * cc rank_bytes.c $(pkg-config --cflags --libs pilgrim-analysis) && ./a.out app.pilgrim [CRITERION VALUE]... */
#include <pilgrim/analysis.h>
#include <stdio.h>

int main(int argc, char **argv) {
    struct pilgrim_trace *trace = NULL;
    struct pilgrim_selection *selection = NULL;
    struct pilgrim_calls *calls = NULL;
    struct pilgrim_call call;
    struct pilgrim_volume volume;
    struct pilgrim_error error = {0};
    unsigned long long rank = 0, sent = 0, received = 0;
    enum pilgrim_status status = argc < 2 ? PILGRIM_INVALID : pilgrim_open(argv[1], &trace, &error);
    status = status == PILGRIM_OK ? pilgrim_selection_new(&selection) : status;
    for (int i = 2; i + 1 < argc && status == PILGRIM_OK; i += 2)
        status = pilgrim_selection_add(selection, argv[i], argv[i + 1], &error);
    status = status == PILGRIM_OK ? pilgrim_calls_open(trace, selection, PILGRIM_BY_RANK, &calls, &error) : status;
    while (status == PILGRIM_OK && (status = pilgrim_calls_next(calls, &call, &error)) == PILGRIM_OK) {
        for (; rank < call.rank; rank++, sent = received = 0)
            printf("%llu %llu %llu\n", rank, sent, received);
        status = pilgrim_calls_volume(calls, &volume, &error);
        sent += volume.sent, received += volume.received;
    }
    if (status == PILGRIM_END)
        printf("%llu %llu %llu\n", rank, sent, received);
    else
        fprintf(stderr, "%s: %s\n", pilgrim_status_text(status), error.message);
    pilgrim_calls_close(calls);
    pilgrim_selection_free(selection);
    pilgrim_close(trace);
    return status != PILGRIM_END;
}
