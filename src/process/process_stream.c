/* SPDX-License-Identifier: BSD-3-Clause */
/* The process stream; see process_stream.h. */
#include "process/process_stream.h"

#include <pthread.h>

#include "functions.h"
#include "journal/journal.h"
#include "record/stream.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Under `lock`: */
static struct stream *process;
static uint32_t class;
static struct bytes key;

static enum pilgrim_status begin_stream(void)
{
    process = stream_new(&vocabulary, NULL);
    return process ? stream_class(process, FUNCTION_pilgrim_communicator, NULL, false, &class) : PILGRIM_NOMEM;
}

struct bytes *process_stream_begin(void)
{
    pthread_mutex_lock(&lock);
    key.length = 0;
    return &key;
}

enum pilgrim_status process_stream_add(void)
{
    enum pilgrim_status status = process ? PILGRIM_OK : begin_stream();
    if (status == PILGRIM_OK)
        status = bytes_status(&key);
    if (status == PILGRIM_OK)
        status = stream_append(process, class, false, key.data, key.length, 0, 0);
    if (status == PILGRIM_OK)
        journal_put(JOURNAL_SHARED, JOURNAL_COMMUNICATOR, key.data, key.length);
    pthread_mutex_unlock(&lock);
    return status;
}

const struct stream *process_stream_so_far(void)
{
    pthread_mutex_lock(&lock);
    if (!process && begin_stream() != PILGRIM_OK) {
        pthread_mutex_unlock(&lock);
        return NULL;
    }
    return process;
}

void process_stream_resume(void)
{
    pthread_mutex_unlock(&lock);
}

struct stream *process_stream_end(void)
{
    pthread_mutex_lock(&lock);
    struct stream *s = process ? process : stream_new(&vocabulary, NULL);
    process = NULL;
    bytes_free(&key);
    pthread_mutex_unlock(&lock);
    return s;
}
