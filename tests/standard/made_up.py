# SPDX-License-Identifier: BSD-3-Clause
"""A made-up mpi.h: all functions and constants of the standard, with the handles of the standard's ABI. No library has it.

The types are written here. The constants come from mpi-std/constants.tsv, the functions from what pilgrim-gen makes of the
standard's declarations (declarations.h)."""

import re

HANDLES = ("Comm", "Datatype", "Errhandler", "File", "Group", "Info", "Message", "Op", "Request", "Session", "Win", "T_enum",
           "T_cvar_handle", "T_pvar_handle", "T_pvar_session", "T_event_registration", "T_event_instance")
HEAD = """#ifndef MADE_UP_MPI_H
#define MADE_UP_MPI_H
#include <stdint.h>
typedef intptr_t MPI_Aint;
typedef int64_t MPI_Offset;
typedef int64_t MPI_Count;
typedef int MPI_Fint;
typedef struct { int MPI_SOURCE, MPI_TAG, MPI_ERROR, MPI_internal[5]; } MPI_Status;
typedef MPI_Status MPI_F08_status;
typedef enum { MPI_T_CB_REQUIRE_NONE = 0, MPI_T_CB_REQUIRE_MPI_RESTRICTED = 3, MPI_T_CB_REQUIRE_THREAD_SAFE = 15,
               MPI_T_CB_REQUIRE_ASYNC_SIGNAL_SAFE = 63 } MPI_T_cb_safety;
typedef enum { MPI_T_SOURCE_ORDERED = 1, MPI_T_SOURCE_UNORDERED = 2 } MPI_T_source_order;
"""
CALLBACKS = """
typedef void MPI_User_function(void *, void *, int *, MPI_Datatype *);
typedef void MPI_User_function_c(void *, void *, MPI_Count *, MPI_Datatype *);
typedef int MPI_Grequest_query_function(void *, MPI_Status *);
typedef int MPI_Grequest_free_function(void *);
typedef int MPI_Grequest_cancel_function(void *, int);
typedef int MPIX_Grequest_poll_function(void *, MPI_Status *);
typedef int MPIX_Grequest_wait_function(int, void **, double, MPI_Status *);
typedef int MPI_Copy_function(MPI_Comm, int, void *, void *, void *, int *);
typedef int MPI_Delete_function(MPI_Comm, int, void *, void *);
typedef int MPI_Comm_copy_attr_function(MPI_Comm, int, void *, void *, void *, int *);
typedef int MPI_Comm_delete_attr_function(MPI_Comm, int, void *, void *);
typedef int MPI_Type_copy_attr_function(MPI_Datatype, int, void *, void *, void *, int *);
typedef int MPI_Type_delete_attr_function(MPI_Datatype, int, void *, void *);
typedef int MPI_Win_copy_attr_function(MPI_Win, int, void *, void *, void *, int *);
typedef int MPI_Win_delete_attr_function(MPI_Win, int, void *, void *);
typedef int MPI_Datarep_extent_function(MPI_Datatype, MPI_Aint *, void *);
typedef int MPI_Datarep_conversion_function(void *, MPI_Datatype, int, void *, MPI_Offset, void *);
typedef int MPI_Datarep_conversion_function_c(void *, MPI_Datatype, MPI_Count, void *, MPI_Offset, void *);
typedef void MPI_Comm_errhandler_function(MPI_Comm *, int *, ...);
typedef void MPI_File_errhandler_function(MPI_File *, int *, ...);
typedef void MPI_Win_errhandler_function(MPI_Win *, int *, ...);
typedef void MPI_Session_errhandler_function(MPI_Session *, int *, ...);
typedef void MPI_Handler_function(MPI_Comm *, int *, ...);
typedef void MPI_T_event_cb_function(MPI_T_event_instance, MPI_T_event_registration, MPI_T_cb_safety, void *);
typedef void MPI_T_event_free_cb_function(MPI_T_event_registration, MPI_T_cb_safety, void *);
typedef void MPI_T_event_dropped_cb_function(MPI_Count, MPI_T_event_registration, int, MPI_T_cb_safety, void *);
"""


def constants(path):
    """[(name, C type, value)] of the standard's constants."""
    with open(path, encoding="ascii") as file:
        return [tuple(line.rstrip("\n").split("\t")) for line in file][1:]


def header(rows, declarations):
    """The text of mpi.h. ROWS: as constants() gives them. DECLARATIONS: the text of declarations.h."""
    lines = [HEAD]
    lines += ["typedef struct MPI_ABI_%s *MPI_%s;" % (name, name) for name in HANDLES]
    lines.append(CALLBACKS)
    for name, kind, value in rows:
        if name not in HEAD:
            lines.append("#define %s %s" % (name, value if kind == "int" else "((%s)%s)" % (kind, value)))
    plain = re.sub(r"\((PMPIX?_\w+)\)", r"\1", declarations)
    lines += [plain, plain.replace("PMPI", "MPI"), "#endif\n"]
    return "\n".join(lines)
