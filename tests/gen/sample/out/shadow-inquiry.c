/* Written by pilgrim-gen: the shadow of the standard's chapter "inquiry". */
#include "shadow_functions.h"

#include "functions.h"
#include "topology_lengths.h"

void shadow_out_MPI_Wtime(struct shadow *s, double ret)
{
    shadow_return(s);
    shadow_real(s, ret);
}
