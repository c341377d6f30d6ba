/* SPDX-License-Identifier: BSD-3-Clause */
/* pilgrim-gen: writes the wrappers, from the MPI standard and the local mpi.h.
 *
 *   pilgrim-gen --standard DIR --kinds FILE --mpi-h FILE --mpi-macros FILE --overrides FILE --constants FILE
 *               --templates DIR --out DIR */
#include <stdio.h>
#include <string.h>

#include "emit.h"
#include "emit_replay.h"

int main(int argc, char **argv)
{
    static const char *const names[] = {"--standard",  "--kinds",     "--mpi-h",     "--mpi-macros",
                                        "--overrides", "--constants", "--templates", "--out"};
    enum { STANDARD, KINDS, MPI_H, MPI_MACROS, OVERRIDES, CONSTANTS, TEMPLATES, OUT, OPTION_COUNT };
    const char *values[OPTION_COUNT] = {0};

    for (int i = 1; i < argc; i += 2) {
        int option = 0;
        while (option < OPTION_COUNT && strcmp(argv[i], names[option]))
            option++;
        if (option == OPTION_COUNT || i + 1 == argc) {
            fprintf(stderr, "pilgrim-gen: %s: %s\n", argv[i],
                    option == OPTION_COUNT ? "unknown option" : "value missing");
            return 2;
        }
        values[option] = argv[i + 1];
    }
    for (int i = 0; i < OPTION_COUNT; i++)
        if (!values[i]) {
            fprintf(stderr, "pilgrim-gen: %s is missing\n", names[i]);
            return 2;
        }

    struct model model = {0};
    standard_read(&model.standard, values[STANDARD], values[KINDS]);
    library_read(&model.library, values[MPI_H], values[MPI_MACROS]);
    overrides_read(&model.overrides, values[OVERRIDES]);
    model_build(&model);
    struct generated_file output = {&model, values[TEMPLATES], values[OUT]};
    emit_wrappers(&output);
    emit_shadow(&output);
    emit_functions(&output);
    emit_constants(&output, values[CONSTANTS]);
    emit_entries(&output);
    emit_fortran(&output);
    emit_replay(&output, values[CONSTANTS]);
    emit_generate(&output);
    emit_features(&output);
    emit_declarations(&output);
    emit_coverage(&output);
    return 0;
}
