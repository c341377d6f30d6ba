/* host: a program without MPI that opens a plugin with MPI, so that nobody but the plugin sees MPI's names.
 *
 *     host PLUGIN
 *
 * Before that it asks whether there is MPI, as programs do that can do without: by a weak reference. There is none
 * yet, but the answer to an MPI_Initialized that is preloaded must be no. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#pragma weak MPI_Initialized
int MPI_Initialized(int *flag);

int main(int argc, char **argv)
{
    int (*plugin_run)(int *, char ***);
    void *plugin, *symbol;
    int flag = 0;

    if (argc != 2)
        return 2;
    if (MPI_Initialized)
        MPI_Initialized(&flag);
    if (flag)
        puts("MPI is initialised before it is there");
    plugin = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    symbol = plugin ? dlsym(plugin, "plugin_run") : NULL;
    if (!symbol) {
        puts(dlerror());
        return 1;
    }
    memcpy(&plugin_run, &symbol, sizeof symbol);
    return plugin_run(&argc, &argv);
}
/* SPDX-License-Identifier: BSD-3-Clause */
