/* SPDX-License-Identifier: BSD-3-Clause */
/* The threads of a generated program as C: which function each runs, and how they begin and end. */
#include <inttypes.h>
#include <string.h>

#include "generate.h"

void thread_text_add(struct thread_text *t, uint32_t number, const char *call)
{
    if (t->last_call && strcmp(t->last_call, call) == 0) {
        t->last = number;
        return;
    }
    thread_text_end(t);
    t->last_call = call;
    t->last = number;
}

void thread_text_end(struct thread_text *t)
{
    if (t->last_call)
        text_put(&t->text, "%sif (number <= %" PRIu32 ")\n        %s\n", t->text.length ? "    else " : "    ", t->last,
                 t->last_call);
    t->last_call = NULL;
}

void thread_text_write(const struct proxy *p, struct text *tables, struct thread_text *t, struct text *out)
{
    bool numbered = strstr(text_of(out), "thread_number") != NULL;
    int64_t *counts = generate_alloc(p->rank_count * sizeof *counts);
    bool *has = generate_alloc(p->rank_count);
    const struct column_use use = {.node = p->root, .argument = "the number of threads"};
    for (uint32_t rank = 0; rank < p->rank_count; rank++) {
        uint32_t count = pilgrim_thread_count(p->trace, rank);
        counts[rank] = count ? count - 1 : 0;
        has[rank] = true;
    }
    const char *count = column_expression(p, tables, &use, counts, has);
    thread_text_end(t);
    text_put(out,
             "static pthread_t thread[%" PRIu32 "]; /* besides the first */\n\n"
             "/* Makes the calls of one thread. */\n"
             "static void *run_thread(void *argument)\n{\n"
             "    const long number = (long)(intptr_t)argument;\n%s",
             p->thread_count - 1, numbered ? "    thread_number = (int)number;\n" : "");
    if (p->most_memory[2] >= 0)
        text_put(out, "    stack_of_thread();\n");
    if (p->request_count && !p->requests_shared)
        text_put(out, "    no_requests();\n");
    text_put(out, "%s    return NULL;\n}\n\n", text_of(&t->text));
    text_put(out,
             "static void begin_threads(void)\n{\n"
             "    const long count = %s;\n"
             "    for (long number = 1; number <= count; number++)\n"
             "        if (pthread_create(&thread[number - 1], NULL, run_thread, (void *)(intptr_t)number)) {\n"
             "            fprintf(stderr, \"cannot begin thread %%ld\\n\", number);\n"
             "            exit(1);\n"
             "        }\n}\n\n"
             "static void end_threads(void)\n{\n"
             "    const long count = %s;\n"
             "    for (long number = 1; number <= count; number++)\n"
             "        pthread_join(thread[number - 1], NULL);\n}\n\n",
             count, count);
}
