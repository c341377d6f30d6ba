/* SPDX-License-Identifier: BSD-3-Clause */
/* What stands around the calls of a generated program: its head, variables and helpers, each only if it is used. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "generate.h"

/* ---- which words are used ---- */

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static bool mentions(struct text *t, const char *word)
{
    size_t length = strlen(word);
    const char *text = text_of(t);
    for (const char *at = text; (at = strstr(at, word)); at++)
        if ((at == text || !is_word(at[-1])) && !is_word(at[length]))
            return true;
    return false;
}

/* ---- helpers ---- */

/* Later ones may use earlier ones: they are looked at from the last to the first. */
static const struct {
    const char *word, *text;
} helpers[] = {
    {"arena", "static char *arena(void)\n"
              "{\n"
              "    char *memory = calloc(1, (size_t)ARENA_BYTES);\n"
              "    if (!memory) {\n"
              "        fprintf(stderr, \"no memory: -DARENA_BYTES= makes buffers smaller\\n\");\n"
              "        exit(1);\n"
              "    }\n"
              "    return memory + (size_t)ARENA_BYTES / 4 / 64 * 64; /* datatypes may begin before their buffer */\n"
              "}\n"},
    {"compute", "#ifndef SCALE\n"
                "#define SCALE 1.0 /* how long computing takes, of what it took */\n"
                "#endif\n"
                "#ifndef COMPUTE\n"
                "#define COMPUTE spin /* void COMPUTE(double ns) */\n"
                "static void spin(double ns)\n"
                "{\n"
                "    const double end = PMPI_Wtime() + ns * 1e-9;\n"
                "    while (PMPI_Wtime() < end)\n"
                "        ;\n"
                "}\n"
                "#else\n"
                "void COMPUTE(double ns);\n"
                "#endif\n"
                "static void compute(double ns)\n"
                "{\n"
                "    COMPUTE(ns * SCALE);\n"
                "}\n"},
    {"any_source", "#ifdef FREE_ORDER /* what a receive gets is left to MPI, as the program left it */\n"
                   "#define any_source(...) MPI_ANY_SOURCE\n"
                   "#else\n"
                   "#define any_source(...) (__VA_ARGS__)\n"
                   "#endif\n"},
    {"any_tag", "#ifdef FREE_ORDER\n"
                "#define any_tag(...) MPI_ANY_TAG\n"
                "#else\n"
                "#define any_tag(...) (__VA_ARGS__)\n"
                "#endif\n"},
    {"torus", "/* The rank that is SHIFT further on an axis of EXTENT ranks, which are STRIDE apart. */\n"
              "static int torus(int stride, int extent, int shift)\n"
              "{\n"
              "    const int at = rank / stride % extent;\n"
              "    return rank + ((at + shift + extent) % extent - at) * stride;\n"
              "}\n"},
    {"keep", "/* Returns a copy of an array that lives on, as MPI reads it until the call's request has ended. */\n"
             "static void *keep(size_t bytes, const void *array)\n"
             "{\n"
             "    void *copy = malloc(bytes);\n"
             "    if (!copy)\n"
             "        exit(1);\n"
             "    return memcpy(copy, array, bytes);\n"
             "}\n"},
    {"chosen", "/* Returns copies of some requests: -1 is MPI_REQUEST_NULL. */\n"
               "static MPI_Request *chosen(int count, const int *list)\n"
               "{\n"
               "    for (int c = 0; c < count; c++)\n"
               "        some_requests[c] = list[c] < 0 ? MPI_REQUEST_NULL : request[list[c]];\n"
               "    return some_requests;\n"
               "}\n"},
    {"under_way",
     "/* Returns COUNT requests: those of a list that are under way, in its order, then MPI_REQUEST_NULL. */\n"
     "static MPI_Request *under_way(int count, int length, const int *list)\n"
     "{\n"
     "    int n = 0;\n"
     "    for (int c = 0; c < length; c++) {\n"
     "        if (request[list[c]] != MPI_REQUEST_NULL)\n"
     "            some_requests[n++] = request[list[c]];\n"
     "        request[list[c]] = MPI_REQUEST_NULL;\n"
     "    }\n"
     "    while (n < count)\n"
     "        some_requests[n++] = MPI_REQUEST_NULL;\n"
     "    return some_requests;\n"
     "}\n"},
    {"idle",
     "/* Waits for requests that are under way for longer than they were: MPI may choose others to end first. */\n"
     "static MPI_Request *idle(int count, MPI_Request *requests)\n"
     "{\n"
     "    PMPI_Waitall(count, requests, MPI_STATUSES_IGNORE);\n"
     "    return requests;\n"
     "}\n"},
    {"a_moment", "/* Lets other threads run; a thread that waits long sleeps in between. */\n"
                 "static void a_moment(void)\n"
                 "{\n"
                 "    static _Thread_local int moments;\n"
                 "    if (++moments % 64)\n"
                 "        sched_yield();\n"
                 "    else\n"
                 "        poll(NULL, 0, 1);\n"
                 "}\n"},
    {"await_taken",
     "/* Waits until the operation that was request NUMBER before has been completed by another thread. */\n"
     "static void await_taken(int number)\n"
     "{\n"
     "    while (atomic_load(&handed[number]))\n"
     "        a_moment();\n"
     "}\n"},
    {"hand_over", "/* Lets another thread complete request NUMBER. */\n"
                  "static void hand_over(int number)\n"
                  "{\n"
                  "    atomic_store(&handed[number], 1);\n"
                  "}\n"},
    {"await_handed", "/* Waits until other threads have begun some requests. */\n"
                     "static void await_handed(int count, const int *list)\n"
                     "{\n"
                     "    for (int c = 0; c < count; c++)\n"
                     "        while (!atomic_load(&handed[list[c]]))\n"
                     "            a_moment();\n"
                     "}\n"},
    {"take_requests", "/* Tells the threads that began some requests which have been completed. */\n"
                      "static void take_requests(int count, const int *list)\n"
                      "{\n"
                      "    for (int c = 0; c < count; c++)\n"
                      "        if (request[list[c]] == MPI_REQUEST_NULL)\n"
                      "            atomic_store(&handed[list[c]], 0);\n"
                      "}\n"},
    {"before_end", "/* The rank was killed in its next call, which may not end here, either. */\n"
                   "static void before_end(void)\n"
                   "{\n"
                   "    if (the_end == MPI_REQUEST_NULL)\n"
                   "        PMPI_Ibarrier(ending, &the_end);\n"
                   "}\n"},
    {"all_ended", "/* Waits until each rank has come to where it was killed. */\n"
                  "static void all_ended(void)\n"
                  "{\n"
                  "    if (the_end == MPI_REQUEST_NULL)\n"
                  "        PMPI_Ibarrier(ending, &the_end);\n"
                  "    PMPI_Wait(&the_end, MPI_STATUS_IGNORE);\n"
                  "}\n"},
    {"happened",
     "/* What other threads wait for has happened: a shared object is made, or one thread uses it no more. */\n"
     "static void happened(int event)\n"
     "{\n"
     "    atomic_fetch_add(&events[event], 1);\n"
     "}\n"},
    {"await", "static void await(int event, int times)\n"
              "{\n"
              "    while (atomic_load(&events[event]) < times)\n"
              "        a_moment();\n"
              "}\n"},
    {"stack_of_thread", "static void stack_of_thread(void)\n"
                        "{\n"
                        "    for (size_t b = 0; b < sizeof stack / sizeof *stack; b++)\n"
                        "        stack[b] = arena();\n"
                        "}\n"},
    {"no_requests", "static void no_requests(void)\n"
                    "{\n"
                    "    for (size_t r = 0; r < sizeof request / sizeof *request; r++)\n"
                    "        request[r] = MPI_REQUEST_NULL;\n"
                    "}\n"},
    {"give_back", "static void give_back(int count, const int *list)\n"
                  "{\n"
                  "    for (int c = 0; c < count; c++)\n"
                  "        if (list[c] >= 0)\n"
                  "            request[list[c]] = some_requests[c];\n"
                  "}\n"},
    {"file_name", "#ifndef PROXY_DIR\n"
                  "#define PROXY_DIR \".\"\n"
                  "#endif\n"
                  "/* A file in place of the program's. */\n"
                  "static const char *file_name(int number)\n"
                  "{\n"
                  "    static char name[4096];\n"
                  "    snprintf(name, sizeof name, \"%s/proxy-file-%d\", PROXY_DIR, number);\n"
                  "    return name;\n"
                  "}\n"},
    {"old_file", "/* The same, of a file that was there before. */\n"
                 "static const char *old_file(int number)\n"
                 "{\n"
                 "    FILE *file = fopen(file_name(number), \"ab\");\n"
                 "    if (file)\n"
                 "        fclose(file);\n"
                 "    return file_name(number);\n"
                 "}\n"},
};

#define STUB_COPY(name, object)                                                                                        \
    {                                                                                                                  \
        "stub_" name,                                                                                                  \
            "static int stub_" name "(" object " object, int keyval, void *state, void *in, void *out, int *flag)\n"   \
            "{\n    (void)object, (void)keyval, (void)state;\n    *(void **)out = in;\n    *flag = 1;\n"               \
            "    return MPI_SUCCESS;\n}\n"                                                                             \
    }
#define STUB_DELETE(name, object)                                                                                      \
    {                                                                                                                  \
        "stub_" name, "static int stub_" name "(" object " object, int keyval, void *value, void *state)\n"            \
                      "{\n    (void)object, (void)keyval, (void)value, (void)state;\n    return MPI_SUCCESS;\n}\n"     \
    }
#define STUB_HANDLER(name, object)                                                                                     \
    {                                                                                                                  \
        "stub_" name, "static void stub_" name "(" object " *object, int *code, ...)\n"                                \
                      "{\n    (void)object, (void)code;\n}\n"                                                          \
    }

/* Functions in place of the program's. */
static const struct {
    const char *word, *text;
} stubs[] = {
    STUB_COPY("Copy_function", "MPI_Comm"),
    STUB_COPY("Comm_copy_attr_function", "MPI_Comm"),
    STUB_COPY("Type_copy_attr_function", "MPI_Datatype"),
    STUB_COPY("Win_copy_attr_function", "MPI_Win"),
    STUB_DELETE("Delete_function", "MPI_Comm"),
    STUB_DELETE("Comm_delete_attr_function", "MPI_Comm"),
    STUB_DELETE("Type_delete_attr_function", "MPI_Datatype"),
    STUB_DELETE("Win_delete_attr_function", "MPI_Win"),
    STUB_HANDLER("Comm_errhandler_function", "MPI_Comm"),
    STUB_HANDLER("File_errhandler_function", "MPI_File"),
    STUB_HANDLER("Win_errhandler_function", "MPI_Win"),
    STUB_HANDLER("Handler_function", "MPI_Comm"),
    {"stub_User_function", "static void stub_User_function(void *in, void *inout, int *count, MPI_Datatype *datatype)\n"
                           "{\n    (void)in, (void)inout, (void)count, (void)datatype;\n}\n"},
    {"stub_Grequest_query_function", "static int stub_Grequest_query_function(void *state, MPI_Status *status)\n"
                                     "{\n    (void)state;\n"
                                     "    PMPI_Status_set_elements(status, MPI_BYTE, 0);\n"
                                     "    PMPI_Status_set_cancelled(status, 0);\n"
                                     "    status->MPI_SOURCE = status->MPI_TAG = MPI_UNDEFINED;\n"
                                     "    return MPI_SUCCESS;\n}\n"},
    {"stub_Grequest_free_function", "static int stub_Grequest_free_function(void *state)\n"
                                    "{\n    (void)state;\n    return MPI_SUCCESS;\n}\n"},
    {"stub_Grequest_cancel_function", "static int stub_Grequest_cancel_function(void *state, int complete)\n"
                                      "{\n    (void)state, (void)complete;\n    return MPI_SUCCESS;\n}\n"},
};

/* Room for what comes out and is not looked at. */
static const struct {
    const char *word, *type;
} scratch[] = {{"any_int", "int"},
               {"any_aint", "MPI_Aint"},
               {"any_count", "MPI_Count"},
               {"any_offset", "MPI_Offset"},
               {"any_double", "double"},
               {"any_pointer", "void *"},
               {"any_comm", "MPI_Comm"},
               {"any_datatype", "MPI_Datatype"},
               {"any_group", "MPI_Group"},
               {"any_op", "MPI_Op"},
               {"any_win", "MPI_Win"},
               {"any_file", "MPI_File"},
               {"any_info", "MPI_Info"},
               {"any_errhandler", "MPI_Errhandler"},
               {"any_message", "MPI_Message"},
               {"any_request", "MPI_Request"},
               {"any_session", "MPI_Session"},
               {"any_status", "MPI_Status"},
               {"any_fint", "MPI_Fint"}};

/* The ranks that the program is for. */
static uint32_t ranks_of(const struct proxy *p)
{
    return p->options->ranks ? p->options->ranks : p->rank_count;
}

/* True if the program begins with sessions and does not call MPI_Init. */
static bool sessions_only(struct text *all)
{
    return !mentions(all, "start") && mentions(all, "MPI_Session_init");
}

/* Writes the functions with which threads give away objects of a kind that others free. */
static void put_giving(const struct object_kind *kind, struct text *out)
{
    const char *name = kind->array, *type = kind->type;
    text_put(out,
             "/* Objects of which one thread has made the last use, and another frees any. */\n"
             "static %s given_%s[%zu];\nstatic int %ss_given;\n\n"
             "static void give_%s(%s given)\n{\n"
             "    pthread_mutex_lock(&giving);\n"
             "    given_%s[%ss_given++] = given;\n"
             "    pthread_mutex_unlock(&giving);\n}\n\n",
             type, name, threads_given_most(kind->word), name, name, type, name, name);
    text_put(out,
             "static %s *take_%s(void)\n{\n"
             "    static _Thread_local %s taken;\n"
             "    for (int found_one = 0; !found_one; a_moment()) {\n"
             "        pthread_mutex_lock(&giving);\n"
             "        found_one = %ss_given > 0;\n"
             "        if (found_one)\n"
             "            taken = given_%s[--%ss_given];\n"
             "        pthread_mutex_unlock(&giving);\n"
             "    }\n"
             "    return &taken;\n}\n\n",
             type, name, type, name, name, name);
}

/* ---- the head ---- */

static void put_head(struct proxy *p, struct text *out)
{
    const char *program = pilgrim_property(p->trace, "program"), *slash = strrchr(p->options->path, '/');
    text_put(
        out,
        "/* A proxy of %s: its MPI calls, from %s, made by pilgrim-generate " PILGRIM_VERSION_TEXT ".\n *\n"
        " *     mpicc -std=c11 -O2%s -o proxy proxy.c\n"
        " *     mpiexec -n %" PRIu32 " ./proxy\n *\n"
        " * %" PRIu64 " calls of %" PRIu32 " rank%s. -DSCALE=0.5: compute half as long; -DCOMPUTE=work: call your\n"
        " * void work(double ns) in place of a loop that waits; -DFREE_ORDER: receives of any source take what "
        "comes.\n *\n"
        " * No license of Pilgrim applies to this file: it is derived from the program that was recorded. */\n",
        program ? text_comment(program) : "a program", text_comment(slash ? slash + 1 : p->options->path),
        p->thread_count > 1 ? " -pthread" : "", ranks_of(p), p->calls, p->rank_count, p->rank_count == 1 ? "" : "s");
    if (p->options->ranks)
        text_put(out,
                 "/* For %" PRIu32
                 " ranks: neighbours and borders are those of these ranks. What was equal in all ranks, "
                 "is so. */\n",
                 ranks_of(p));
    if (p->killed)
        text_put(out, "/* The run was killed. All ranks come to where they were then, and the last ends all by "
                      "MPI_Abort. If all of\n"
                      " * them waited for each other there, they do so here. */\n");
    if (p->uncertain)
        text_put(out, "/* Threads share objects of which %s: it may not end. */\n", p->uncertain);
    if (p->left_out)
        text_put(out, "/* Left out: %" PRIu64 " calls; each has a comment at its place. */\n", p->left_out);
}

static uint64_t arena_bytes(const struct proxy *p)
{
    uint64_t more = 1 + (ranks_of(p) - 1) / p->rank_count;
    uint64_t wanted = 4 * (p->most_offset < (UINT64_C(1) << 40) ? p->most_offset : 0) + 4 * p->most_bytes,
             bytes = 1 << 16;
    while (bytes / more < wanted && bytes < UINT64_C(1) << 46)
        bytes *= 2;
    return bytes;
}

static void put_arrays(struct proxy *p, struct text *out, struct text *all)
{
    static const char *const memories[] = {"heap", "data", "stack", "device"};
    const char *own = p->thread_count > 1 ? "_Thread_local " : ""; /* each thread has its own */
    int64_t requests = 0;
    for (size_t i = 0; i < p->request_count; i++)
        requests += p->requests[i].most + 1;
    uint64_t elements = p->most_elements < 16 ? 16 : p->most_elements + 1;
    if (elements < 2 * (uint64_t)ranks_of(p) + 2)
        elements = 2 * (uint64_t)ranks_of(p) + 2;
    if (mentions(all, "argument_count"))
        text_put(out, "static int argument_count;\nstatic char **arguments;\n");
    if (mentions(all, "thread_number"))
        text_put(out, "static _Thread_local int thread_number; /* 0: the first */\n");
    for (size_t i = 0; p->kinds && i < OBJECT_KINDS; i++)
        if (p->kinds[i].most >= 0 && mentions(all, p->kinds[i].array))
            text_put(out, "static %s%s %s[%" PRId64 "];\n", own, p->kinds[i].type, p->kinds[i].array,
                     p->kinds[i].most + 1);
    for (size_t i = 0; p->kinds && i < OBJECT_KINDS; i++)
        if (p->kinds[i].shared)
            text_put(out, "static %s shared_%s[%" PRId64 "]; /* threads have them in common */\n", p->kinds[i].type,
                     p->kinds[i].array, p->shared_count);
    if (p->killed && !sessions_only(all))
        text_put(out, "static MPI_Comm ending; /* of all ranks */\nstatic MPI_Request the_end = MPI_REQUEST_NULL;\n");
    if (p->shared_count)
        text_put(out, "static atomic_int events[%" PRId64 "]; /* by number: how often they happened */\n",
                 2 * p->shared_count);
    if (p->requests_shared)
        text_put(out, "static atomic_int handed[%" PRId64 "]; /* by request: another thread may complete it */\n",
                 requests ? requests : 1);
    const bool some = mentions(all, "chosen") || mentions(all, "under_way");
    if (mentions(all, "request") || some)
        text_put(out, "static %sMPI_Request request[%" PRId64 "];\n", p->requests_shared ? "" : own,
                 requests ? requests : 1);
    if (some)
        text_put(out, "static %sMPI_Request some_requests[%" PRIu64 "];\n", own, elements);
    for (size_t i = 0; i < 4; i++)
        if (mentions(all, memories[i]))
            text_put(out, "static %schar *%s[%" PRId64 "]; /* buffers: in the program's %s */\n", i == 2 ? own : "",
                     memories[i], p->most_memory[i] + 1,
                     i == 0   ? "heap"
                     : i == 1 ? "static data"
                     : i == 2 ? "stack"
                              : "devices");
    const char *remark = " /* any_...: for what comes out and is not looked at */";
    for (size_t i = 0; i < sizeof scratch / sizeof *scratch; i++)
        if (mentions(all, scratch[i].word)) {
            bool status = strcmp(scratch[i].word, "any_status") == 0;
            text_put(out, "static %s%s%s%s%s[%" PRIu64 "];%s\n", own, scratch[i].type,
                     scratch[i].type[strlen(scratch[i].type) - 1] == '*' ? "" : " ", scratch[i].word,
                     status ? "" : text_format("[%d]", SCRATCH_ROWS), elements, remark);
            remark = "";
        }
    if (mentions(all, "any_text"))
        text_put(out, "static %schar any_text[65536];\n", own);
    if (mentions(all, "found"))
        text_put(out, "static %sint found;\n", own);
}

static void put_main(struct proxy *p, struct text *out, struct text *all, struct text *body)
{
    static const char *const memories[] = {"heap", "data", "stack", "device"};
    text_put(out, "int main(int argc, char **argv)\n{\n");
    if (mentions(all, "argument_count"))
        text_put(out, "    argument_count = argc;\n    arguments = argv;\n");
    else if (!mentions(all, "argc"))
        text_put(out, "    (void)argc, (void)argv;\n");
    for (size_t i = 0; i < 4; i++)
        if (mentions(all, memories[i]) && p->most_memory[i] == 0)
            text_put(out, "    %s[0] = arena();\n", memories[i]);
        else if (mentions(all, memories[i]))
            text_put(out, "    for (int b = 0; b < %" PRId64 "; b++)\n        %s[b] = arena();\n",
                     p->most_memory[i] + 1, memories[i]);
    const bool some = mentions(all, "chosen") || mentions(all, "under_way");
    if (mentions(all, "request") || some)
        text_put(out, "    for (size_t r = 0; r < sizeof request / sizeof *request; r++)\n"
                      "        request[r] = MPI_REQUEST_NULL;\n");
    bool sessions = sessions_only(all);
    text_put(out, sessions && p->rank_count > 1 ? "\n    start_sessions();\n" : "\n");
    if (!mentions(all, "start") && !sessions)
        text_put(out, "    PMPI_Init(&argc, &argv); /* the trace has no such call */\n    start();\n");
    if (p->thread_count > 1 && !strstr(text_of(all), "begin_threads();"))
        text_put(out, "    begin_threads();\n");
    text_put(out, "%s", text_of(body));
    if (sessions && p->rank_count > 1)
        text_put(out, "    PMPI_Session_finalize(&own_session);\n");
    if (p->killed && !sessions) {
        text_put(out, "    all_ended();\n    %s\n    return 0;\n}\n",
                 mentions(all, "MPI_Abort") ? "PMPI_Barrier(MPI_COMM_WORLD); /* another rank calls MPI_Abort */"
                                            : "PMPI_Abort(MPI_COMM_WORLD, 1); /* the run was killed */");
        return;
    }
    if (p->thread_count > 1 && !strstr(text_of(all), "end_threads();"))
        text_put(out, "    end_threads();\n");
    if (!strstr(text_of(all), "MPI_Finalize();") && !sessions)
        text_put(out, "    PMPI_Finalize();\n");
    text_put(out, "    return 0;\n}\n");
}

/* Returns BODY, which is that of main, with main's own arguments, if they are wanted nowhere else. */
static struct text main_body(struct text *functions, struct text *body)
{
    static const char global[] = "&argument_count, &arguments", local[] = "&argc, &argv";
    struct text out = {0};
    const char *at = text_of(body), *next;
    for (; !mentions(functions, "argument_count") && (next = strstr(at, global)); at = next + strlen(global)) {
        text_bytes(&out, at, (size_t)(next - at));
        text_put(&out, "%s", local);
    }
    text_put(&out, "%s", at);
    return out;
}

void write_frame(struct proxy *p, struct text *out, struct text *tables, struct text *functions, struct text *of_main)
{
    struct text all = {0}, made = main_body(functions, of_main), *body = &made;
    text_put(&all, "%s%s%s%s", text_of(tables), text_of(functions), text_of(body), p->killed ? "\nall_ended();" : "");
    bool memory =
        mentions(&all, "heap") || mentions(&all, "data") || mentions(&all, "stack") || mentions(&all, "device");
    for (size_t i = 0; p->kinds && i < OBJECT_KINDS; i++)
        if (mentions(&all, text_format("take_%s", p->kinds[i].array)))
            text_put(&all, "\na_moment();");
    bool helper[sizeof helpers / sizeof *helpers];
    for (size_t i = sizeof helpers / sizeof *helpers; i-- > 0;) {
        helper[i] = mentions(&all, helpers[i].word) || (i == 0 && memory);
        if (helper[i])
            text_put(&all, "%s", helpers[i].text);
    }
    static const char *const old[] = {
        "MPI_Address",     "MPI_Type_extent",      "MPI_Type_hindexed",     "MPI_Type_hvector",   "MPI_Type_lb",
        "MPI_Type_struct", "MPI_Type_ub",          "MPI_Errhandler_create", "MPI_Errhandler_get", "MPI_Errhandler_set",
        "MPI_Attr_delete", "MPI_Attr_get",         "MPI_Attr_put",          "MPI_Keyval_create",  "MPI_Keyval_free",
        "MPI_Info_get",    "MPI_Info_get_valuelen"};
    bool deprecated = false;
    for (size_t i = 0; i < sizeof old / sizeof *old; i++)
        deprecated = deprecated || mentions(&all, old[i]);
    put_head(p, out);
    text_put(
        out,
        "#if defined __GNUC__ && !defined __clang__\n"
        "#pragma GCC diagnostic ignored \"-Wstringop-overflow\" /* MPICH's MPI_STATUSES_IGNORE is the address 1 */\n"
        "#pragma GCC diagnostic ignored \"-Wstringop-overread\"\n#endif\n");
    if (deprecated)
        text_put(out, "#define OMPI_OMIT_MPI1_COMPAT_DECLS 0 /* functions that MPI-3 removed */\n"
                      "#pragma GCC diagnostic ignored \"-Wdeprecated-declarations\"\n");
    text_put(out,
             "#include <mpi.h>\n%s#include <stdint.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include "
             "<string.h>\n\n",
             p->thread_count > 1
                 ? "#include <poll.h>\n#include <pthread.h>\n#include <sched.h>\n#include <stdatomic.h>\n"
                 : "");
    if (memory)
        text_put(out,
                 "#ifndef ARENA_BYTES\n#define ARENA_BYTES %" PRIu64
                 " /* of a buffer; what is not used takes no memory */\n#endif\n\n",
                 arena_bytes(p));
    bool starts = !sessions_only(&all);
    if (starts || p->rank_count > 1 || mentions(&all, "rank") || mentions(&all, "size"))
        text_put(out, "static int rank, size%s;\n", starts ? "" : " = 1");
    put_arrays(p, out, &all);
    text_put(out, "\n");
    if (tables->length)
        text_put(out, "%s\n", text_of(tables));
    for (size_t i = 0; i < sizeof helpers / sizeof *helpers; i++)
        if (helper[i])
            text_put(out, "%s\n", helpers[i].text);
    bool giving = false;
    for (size_t i = 0; p->kinds && i < OBJECT_KINDS; i++)
        if (mentions(&all, text_format("take_%s", p->kinds[i].array))) {
            text_put(out, giving ? "" : "static pthread_mutex_t giving = PTHREAD_MUTEX_INITIALIZER;\n\n");
            put_giving(&p->kinds[i], out);
            giving = true;
        }
    for (size_t i = 0; i < sizeof stubs / sizeof *stubs; i++)
        if (mentions(&all, stubs[i].word))
            text_put(out, "%s\n", stubs[i].text);
    if (!starts && p->rank_count > 1)
        text_put(out, "/* A session of this program's own, which says what its rank is. */\n"
                      "static MPI_Session own_session;\n\n"
                      "static void start_sessions(void)\n{\n"
                      "    MPI_Group world;\n"
                      "    PMPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &own_session);\n"
                      "    PMPI_Group_from_session_pset(own_session, \"mpi://WORLD\", &world);\n"
                      "    PMPI_Group_rank(world, &rank);\n"
                      "    PMPI_Group_size(world, &size);\n"
                      "    PMPI_Group_free(&world);\n}\n\n");
    if (starts)
        text_put(out,
                 "static void start(void)\n{\n"
                 "    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);\n"
                 "    PMPI_Comm_size(MPI_COMM_WORLD, &size);\n%s"
                 "    if (size != %" PRIu32 ") {\n"
                 "        if (rank == 0)\n"
                 "            fprintf(stderr, \"this program is for %" PRIu32 " ranks\\n\");\n"
                 "        PMPI_Abort(MPI_COMM_WORLD, 1);\n"
                 "    }\n}\n\n",
                 p->killed ? "    PMPI_Comm_dup(MPI_COMM_WORLD, &ending);\n" : "", ranks_of(p), ranks_of(p));
    if (p->thread_count > 1)
        text_put(out, "static void begin_threads(void);\nstatic void end_threads(void);\n\n");
    text_put(out, "%s", text_of(functions));
    put_main(p, out, &all, body);
    text_free(&all);
    text_free(&made);
}
