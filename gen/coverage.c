/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes coverage.txt: what is done with each C function of the standard, and of the local library. */
#include <string.h>

#include "emit.h"
#include "emit_replay.h"

static const char *plain_parameters(const struct mpi_function *f)
{
    struct gen_text out = {0};
    for (size_t i = 0; i < f->parameter_count; i++) {
        const struct parameter *p = &f->parameters[i];
        const struct recipe *r = p->in.recipe ? p->in.recipe : p->out.recipe;
        if (r->plain)
            text_add(&out, "%s%s", out.length ? ", " : "", p->name);
    }
    return text_string(&out);
}

/* Returns the kind of callback that F takes and that pilgrim-replay has no stub for, or NULL. */
static const char *unknown_callback(const struct mpi_function *f)
{
    for (size_t i = 0; i < f->parameter_count && !replay_reason(f); i++)
        if (f->parameters[i].standard->func_type && !replay_has_stub(f->parameters[i].c))
            return f->parameters[i].standard->func_type;
    return NULL;
}

void emit_coverage(const struct generated_file *output)
{
    const struct model *model = output->model;
    struct gen_text wrapped = {0}, absent = {0}, not_wrapped = {0}, file = {0};
    size_t wrapped_count = 0, absent_count = 0, not_wrapped_count = 0, large = 0, tool = 0, plain = 0;
    size_t replayed = 0;
    for (size_t i = 0; i < model->function_count; i++) {
        const struct mpi_function *f = &model->functions[i];
        if (f->absent) {
            const char *why = f->prototype                         ? "recorded under one that has it"
                              : f->macro                           ? "a macro of mpi.h"
                              : strcmp(f->chapter, "removed") == 0 ? "the standard has it no more"
                                                                   : "its types are not in mpi.h";
            text_add(&absent, "%-44s not in this library; %s\n", f->name, why);
            absent_count++;
        } else if (f->reason) {
            text_add(&not_wrapped, "%-44s not wrapped: %s\n", f->name, f->reason);
            not_wrapped_count++;
        } else {
            const char *names = plain_parameters(f);
            const char *reason = replay_reason(f);
            text_add(&wrapped, "%-44s wrapped  %s%s%s%s\n", f->name, reason ? "not replayed: " : "replayed",
                     reason ? reason : "", *names ? "; plain values: " : "", names);
            if (unknown_callback(f))
                text_add(&wrapped, "%-44s has a callback without a stub: %s\n", f->name, unknown_callback(f));
            wrapped_count++;
            replayed += !reason;
            large += strcmp(f->name + strlen(f->name) - 2, "_c") == 0;
            tool += strncmp(f->name, "MPI_T_", 6) == 0;
            plain += *names != 0;
        }
    }
    for (size_t i = 0; i < model->library.prototype_count; i++) {
        const char *name = model->library.prototypes[i].name;
        if (model_find(model, name))
            continue;
        text_add(&not_wrapped, "%-44s not wrapped: %s\n", name,
                 strncmp(name, "MPIX_", 5) ? "the standard does not declare it" : "an extension, not of the standard");
        not_wrapped_count++;
    }
    text_add(&file, "%s%s%s\n", text_string(&wrapped), text_string(&not_wrapped), text_string(&absent));
    text_add(&file,
             "%zu wrapped (%zu large-count, %zu MPI_T, %zu with plain values), %zu of them replayed, %zu not wrapped, "
             "%zu not in "
             "this library\n",
             wrapped_count, large, tool, plain, replayed, not_wrapped_count, absent_count);
    gen_write_file(output->folder, "coverage.txt", &file);
}
