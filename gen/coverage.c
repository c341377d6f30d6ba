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

static bool in_standard(const struct model *model, const char *name)
{
    for (size_t i = 0; i < model->function_count; i++)
        if (strcmp(model->functions[i].name, name) == 0)
            return true;
    return false;
}

void emit_coverage(const struct generated_file *output)
{
    const struct model *model = output->model;
    struct gen_text wrapped = {0}, absent = {0}, not_wrapped = {0}, file = {0};
    size_t wrapped_count = 0, absent_count = 0, not_wrapped_count = 0, large = 0, tool = 0, plain = 0;
    size_t replayed = 0;
    for (size_t i = 0; i < model->function_count; i++) {
        const struct mpi_function *f = &model->functions[i];
        if (!f->prototype) {
            text_add(&absent, "%-44s not in this library\n", f->name);
            absent_count++;
        } else if (f->reason) {
            text_add(&not_wrapped, "%-44s not wrapped: %s\n", f->name, f->reason);
            not_wrapped_count++;
        } else {
            const char *names = plain_parameters(f);
            const char *reason = replay_reason(f);
            text_add(&wrapped, "%-44s wrapped  %s%s%s%s\n", f->name, reason ? "not replayed: " : "replayed",
                     reason ? reason : "", *names ? "; plain values: " : "", names);
            wrapped_count++;
            replayed += !reason;
            large += strcmp(f->name + strlen(f->name) - 2, "_c") == 0;
            tool += strncmp(f->name, "MPI_T_", 6) == 0;
            plain += *names != 0;
        }
    }
    for (size_t i = 0; i < model->library.prototype_count; i++) {
        const char *name = model->library.prototypes[i].name;
        if (in_standard(model, name))
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
