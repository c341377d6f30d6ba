/* Written by pilgrim-gen: the shadow of the standard's chapter "inquiry". */
#include "shadow_functions.h"

#include "functions.h"
#include "topology_lengths.h"

static void shadow_out_MPI_Wtime(struct shadow *s, double ret)
{
    shadow_return(s);
    shadow_real(s, ret);
}

struct kept_MPI_Wtime {
    double ret;
};

static void after_MPI_Wtime(struct shadow *s, const void *kept)
{
    const struct kept_MPI_Wtime *k = kept;
    shadow_out_MPI_Wtime(s, k->ret);
}

double shadow_layer_MPI_Wtime(void)
{
    struct shadow *s = shadow_enter(FUNCTION_MPI_Wtime);
    if (!s)
        return SHADOW_NEXT(MPI_Wtime)();
    double ret = SHADOW_NEXT(MPI_Wtime)();
    const struct kept_MPI_Wtime kept = {.ret = ret};
    _Static_assert(sizeof kept <= SHADOW_KEPT, "the arguments of MPI_Wtime");
    shadow_keep(s, &kept, sizeof kept, after_MPI_Wtime);
    return ret;
}
