/* SPDX-License-Identifier: BSD-3-Clause */
/* Windows and files in OTF2 archives: their records and definitions. */
#ifndef CONVERT_OTF2_OBJECTS_H
#define CONVERT_OTF2_OBJECTS_H

#include <otf2/otf2.h>

#include "otf2_definitions.h"

/* Write the records of a call of RANK that stand where it begins, or where it ends, if they are of windows or files. */
OTF2_ErrorCode otf2_put_object_begun(OTF2_EvtWriter *writer, const struct mpi_records *r,
                                     const struct mpi_record *record, uint32_t rank, uint64_t ns);
OTF2_ErrorCode otf2_put_object_ended(OTF2_EvtWriter *writer, const struct mpi_records *r,
                                     const struct mpi_record *record, uint32_t rank, uint64_t ns);

/* Defines all windows, files and handles. OPENED: of each file, if a record says that it is opened. */
void otf2_define_objects(struct otf2_definitions *d, const bool *opened);

#endif
