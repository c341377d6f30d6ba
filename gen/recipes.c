/* The tables of recipes and kinds. See recipes.h. */
#include "recipes.h"

#include <stddef.h>
#include <string.h>

static const struct recipe recipes[] = {
    /* numbers and names */
    { .name = "int", .put = "at = store_int(at, $v);", .put_array = "put_$ts(&c, $p, $n);", .shadow = "shadow_int(s, $v);" },
    { .name = "bool", .put = "at = store_bool(at, $v);", .put_array = "put_bools(&c, $p, $n);", .shadow = "shadow_bool(s, $v);" },
    { .name = "real", .put = "at = store_real(at, $v);", .shadow = "shadow_real(s, $v);" },
    { .name = "time", .put = "at = store_time(&c, at, $v);", .shadow = "shadow_real(s, $v);", .is_time = true },
    { .name = "stamp", .put = "at = store_stamp(at, $v);", .shadow = "shadow_int(s, $v);" },
    { .name = "enum", .put = "at = store_enum(at, $k, $v);", .put_array = "put_enums(&c, $k, $p, $n);",
      .shadow = "shadow_enum(s, $k, $v);" },
    { .name = "flags", .put = "put_flags(&c, $k, $v);", .shadow = "shadow_flags(s, $k, $v);" },
    { .name = "rank", .put = "at = store_rank(&c, at, $v);", .put_array = "put_ranks(&c, $p, $n);",
      .shadow = "shadow_rank(s, $v);", .needs_view = true },
    { .name = "root", .put = "at = store_enum(at, ENUM_RANK, $v);", .put_array = "put_roots(&c, $p, $n);",
      .shadow = "shadow_rank(s, $v);" },
    { .name = "ranges", .put = "put_ranges(&c, $p, $n);", .put_array = "put_ranges(&c, $p, $n);",
      .shadow = "", .shadow_array = "shadow_open(s);\n"
                                    "for (int64_t i = 0; i < $n; i++) {\n"
                                    "    shadow_open(s);\n"
                                    "    for (int j = 0; j < 3; j++)\n"
                                    "        shadow_int(s, $p[i][j]);\n"
                                    "    shadow_close(s);\n"
                                    "}\n"
                                    "shadow_close(s);" },
    { .name = "weight", .put = "at = store_int(at, $v);", .put_array = "put_weights(&c, $p, $n);",
      .shadow = "shadow_int(s, $v);",
      .shadow_array = "if ($p == MPI_UNWEIGHTED || $p == MPI_WEIGHTS_EMPTY) {\n"
                      "    shadow_name(s, $p == MPI_UNWEIGHTED ? \"MPI_UNWEIGHTED\" : \"MPI_WEIGHTS_EMPTY\");\n"
                      "} else {\n"
                      "    shadow_open(s);\n"
                      "    for (int64_t i = 0; i < $n; i++)\n"
                      "        shadow_int(s, $p[i]);\n"
                      "    shadow_close(s);\n"
                      "}" },

    /* pointers */
    { .name = "buffer", .put = "at = store_buffer(&c, at, $p);", .shadow = "shadow_buffer(s, $p);", .by_value = true },
    { .name = "pointer", .put = "at = store_pointer(&c, at, $p);", .shadow = "shadow_pointer(s, $p);", .by_value = true },
    { .name = "new_pointer", .put = "at = store_pointer(&c, at, *(void **)$p);", .shadow = "shadow_pointer(s, *(void **)$p);" },
    { .name = "address", .put = "at = store_address(&c, at, $v);", .put_array = "put_$a(&c, $p, $n);",
      .shadow = "shadow_address(s, $v);" },
    { .name = "attribute", .put = "at = store_address(&c, at, (intptr_t)$p);", .shadow = "shadow_address(s, (intptr_t)$p);",
      .by_value = true },
    { .name = "attribute_out", .put = "at = store_address(&c, at, (intptr_t)*(void **)$p);",
      .shadow = "shadow_address(s, (intptr_t)*(void **)$p);" },
    { .name = "function", .put = "put_function(&c, (const void *)$p);", .shadow = "shadow_function(s, (const void *)$p);",
      .by_value = true },

    /* strings */
    { .name = "string", .put = "put_string(&c, $p);", .put_array = "put_string(&c, $p);",
      .shadow = "shadow_string(s, $p);", .shadow_array = "shadow_string(s, $p);", .by_value = true },
    { .name = "string_out", .put = "put_string(&c, $p);", .put_array = "put_string(&c, $p);",
      .shadow = "shadow_string(s, $p);", .shadow_array = "shadow_string(s, $p);" },
    { .name = "strings", .put = "put_strings(&c, $p, $n);", .put_array = "put_strings(&c, $p, $n);",
      .shadow = "shadow_strings(s, $p, $n);", .shadow_array = "shadow_strings(s, $p, $n);" },
    { .name = "arguments", .put = "put_strings(&c, *$p, $n);", .put_array = "put_strings(&c, *$p, $n);",
      .shadow = "shadow_strings(s, *$p, $n);", .shadow_array = "shadow_strings(s, *$p, $n);" },
    { .name = "string_lists", .put = "",
      .put_array = "put_array(&c, $n);\n"
                   "for (int i = 0; i < $n; i++)\n"
                   "    put_strings(&c, $p[i], -1);",
      .shadow = "",
      .shadow_array = "shadow_open(s);\n"
                      "for (int i = 0; i < $n; i++)\n"
                      "    shadow_strings(s, $p[i], -1);\n"
                      "shadow_close(s);" },

    /* handles */
    { .name = "handle", .put = "at = store_handle(&c, at, $k, HANDLE($v));", .put_array = "put_$hs(&c, $p, $n);",
      .shadow = "shadow_handle(s, $k, HANDLE($v));" },
    { .name = "new", .put = "put_new(&c, $k, HANDLE($v));", .put_array = "put_new_$hs(&c, $p, $n);",
      .shadow = "shadow_handle(s, $k, HANDLE($v));", .follows = FOLLOWS_OBJECTS },
    { .name = "new_pending", .put = "put_new_pending(&c, $k, HANDLE($v));",
      .shadow = "shadow_handle(s, $k, HANDLE($v));", .needs_view = true, .follows = FOLLOWS_OBJECTS },
    { .name = "new_comm", .put = "put_new_comm(&c, $v, $k);", .shadow = "shadow_handle(s, KIND_COMM, HANDLE($v));", .follows = FOLLOWS_OBJECTS },
    { .name = "new_comm_pending", .put = "put_new_comm_pending(&c, $v, $k);",
      .shadow = "shadow_handle(s, KIND_COMM, HANDLE($v));", .needs_view = true, .follows = FOLLOWS_OBJECTS },
    { .name = "released", .put = "put_released(&c, $k, before, HANDLE($v));",
      .shadow = "shadow_handle(s, $k, HANDLE($v));", .follows = FOLLOWS_OBJECTS },

    /* requests */
    { .name = "request", .put = "at = store_request(&c, at, $v);", .put_array = "put_requests(&c, $p, $n);",
      .shadow = "shadow_request(s, $v);", .shadow_array = "shadow_requests(s, $p, $n);", .follows = FOLLOWS_REQUESTS },
    { .name = "request_after", .put = "at = store_request_after(&c, at, $v);", .put_array = "put_requests_after(&c, $p, $n);",
      .shadow = "shadow_request_after(s, $v);", .shadow_array = "shadow_requests_after(s, $p, $n);", .follows = FOLLOWS_REQUESTS },
    { .name = "requests_kept", .put = "", .put_array = "put_requests_again(&c, $p, $n);", .shadow = "",
      .shadow_array = "shadow_requests(s, $p, $n);", .follows = FOLLOWS_REQUESTS },
    { .name = "requests_noted", .put = "", .put_array = "put_requests_noted(&c, $p, $n);", .shadow = "",
      .shadow_array = "shadow_requests(s, $p, $n);", .follows = FOLLOWS_REQUESTS },
    { .name = "requests_changed", .put = "", .put_array = "put_requests_changed(&c, $p, $n);", .shadow = "",
      .shadow_array = "shadow_requests_after(s, $p, $n);", .follows = FOLLOWS_REQUESTS },
    { .name = "requests_completed", .put = "", .put_array = "put_requests_completed(&c, $p, $n, $k);", .shadow = "",
      .shadow_array = "shadow_requests_after(s, $p, $n);", .follows = FOLLOWS_REQUESTS },
    { .name = "new_receive", .put = "at = store_new_receive(&c, at, $v, $k, count, source, tag);", .shadow = "shadow_new_request(s, $v);",
      .needs_view = true, .follows = FOLLOWS_REQUESTS },
    { .name = "new_request", .put = "at = store_new_request(&c, at, $v, $k);", .shadow = "shadow_new_request(s, $v);", .follows = FOLLOWS_REQUESTS },

    /* statuses: `actual` is what MPI was given; the shadow sees nothing else, and `ignored` */
    { .name = "status", .put = "at = store_status(&c, at, actual, actual != $p);",
      .shadow = "shadow_status(s, $p, ignored);", .needs_view = true },
    { .name = "status_io", .put = "at = store_status_io(at, actual, actual != $p);",
      .shadow = "shadow_status_io(s, $p, ignored);" },
    { .name = "status_of", .put = "at = store_status_of(&c, at, $k, actual, actual != $p);",
      .shadow = "shadow_status_of(s, $k, $p, ignored);" },
    { .name = "statuses", .put = "", .put_array = "put_statuses(&c, actual, $n, actual != $p);",
      .shadow = "", .shadow_array = "shadow_statuses(s, $p, $n, ignored);" },
    { .name = "statuses_some", .put = "",
      .put_array = "put_statuses_some(&c, actual, array_of_indices, $n, actual != $p);", .shadow = "",
      .shadow_array = "shadow_statuses_some(s, $p, array_of_indices, $n, ignored);" },
    { .name = "status_plain", .put = "at = store_status_plain(&c, at, $p, false);", .shadow = "shadow_status(s, $p, false);" },

    /* not understood yet */
    { .name = "plain_int", .put = "at = store_int(at, $v);", .put_array = "put_$ts(&c, $p, $n);", .shadow = "shadow_int(s, $v);",
      .plain = true },
    { .name = "plain_pointer", .put = "at = store_pointer(&c, at, $p);", .put_array = "at = store_pointer(&c, at, $p);",
      .shadow = "shadow_pointer(s, $p);", .shadow_array = "shadow_pointer(s, $p);", .by_value = true, .plain = true },
};

static const struct kind_recipe kind_recipes[] = {
    { "ACCESS_MODE", "flags", "flags", "ENUM_ACCESS_MODE" },
    { "ALLOC_MEM_NUM_BYTES", "int", "int", "" },
    { "ARGUMENT_COUNT", "int", "int", "" },
    { "ARGUMENT_LIST", "arguments", "arguments", "" },
    { "ARRAY_LENGTH", "enum", "enum", "ENUM_UNDEFINED" },
    { "ARRAY_LENGTH_NNI", "int", "int", "" },
    { "ARRAY_LENGTH_PI", "int", "int", "" },
    { "ASSERT", "flags", "flags", "ENUM_ASSERT" },
    { "ATTRIBUTE_VAL", "attribute", "attribute_out", "" },
    { "ATTRIBUTE_VAL_10", "attribute", "attribute_out", "" },
    { "BIND_TYPE", "enum", "enum", "ENUM_BIND" },
    { "BUFFER", "buffer", "buffer", "" },
    { "CALLBACK_SAFETY", "enum", "enum", "ENUM_CB_SAFETY" },
    { "CAT_INDEX", "int", "int", "" },
    { "COLOR", "enum", "enum", "ENUM_UNDEFINED" },
    { "COMBINER", "enum", "enum", "ENUM_COMBINER" },
    { "COMMUNICATOR", "handle", "new", "KIND_COMM" },
    { "COMM_COMPARISON", "enum", "enum", "ENUM_COMM_COMPARISON" },
    { "COMM_SIZE", "int", "int", "" },
    { "COMM_SIZE_PI", "int", "int", "" },
    { "COORDINATE", "int", "int", "" },
    { "CVAR", "handle", "new", "KIND_CVAR" },
    { "CVAR_INDEX", "int", "int", "" },
    { "CVAR_INDEX_SPECIAL", "int", "int", "" },
    { "C_BUFFER", "pointer", "new_pointer", "" },
    { "C_BUFFER2", "pointer", "new_pointer", "" },
    { "C_BUFFER3", "pointer", "pointer", "" },
    { "C_BUFFER4", "pointer", "pointer", "" },
    { "DATATYPE", "handle", "new", "KIND_DATATYPE" },
    { "DEGREE", "int", "int", "" },
    { "DIMENSION", "int", "int", "" },
    { "DISPLACEMENT", "address", "address", "" },
    { "DISPLACEMENT_NNI", "int", "int", "" },
    { "DISPOFFSET_SMALL", "int", "int", "" },
    { "DISTRIB_ENUM", "enum", "enum", "ENUM_DISTRIB" },
    { "DTYPE_DISTRIBUTION", "enum", "enum", "ENUM_DARG" },
    { "ERRHANDLER", "handle", "new", "KIND_ERRHANDLER" },
    { "ERROR_CLASS", "int", "int", "" },
    { "ERROR_CODE", "int", "int", "" },
    { "ERROR_CODE_SHOW_INTENT", "int", "int", "" },
    { "EVENT_CB_FUNCTION", "function", "function", "" },
    { "EVENT_DROP_CB_FUNCTION", "function", "function", "" },
    { "EVENT_FREE_CB_FUNCTION", "function", "function", "" },
    { "EVENT_INDEX", "int", "int", "" },
    { "EVENT_INSTANCE", "handle", "handle", "KIND_EVENT_INSTANCE" },
    { "EVENT_REGISTRATION", "handle", "new", "KIND_EVENT" },
    { "EXTRA_STATE", "attribute", "attribute", "" },
    { "EXTRA_STATE2", "attribute", "attribute", "" },
    { "F90_COMM", "int", "int", "" },
    { "F90_DATATYPE", "int", "int", "" },
    { "F90_ERRHANDLER", "int", "int", "" },
    { "F90_FILE", "int", "int", "" },
    { "F90_GROUP", "int", "int", "" },
    { "F90_INFO", "int", "int", "" },
    { "F90_MESSAGE", "int", "int", "" },
    { "F90_OP", "int", "int", "" },
    { "F90_REQUEST", "int", "int", "" },
    { "F90_SESSION", "int", "int", "" },
    { "F90_STATUS", "int", "int", "" },
    { "F90_WIN", "int", "int", "" },
    { "FILE", "handle", "new", "KIND_FILE" },
    { "FILE_DESCRIPTOR", "int", "int", "" },
    { "FUNCTION", "function", "function", "" },
    { "GENERIC_DTYPE_COUNT", "int", "int", "" },
    { "GENERIC_DTYPE_INT", "int", "int", "" },
    { "GROUP", "handle", "new", "KIND_GROUP" },
    { "GROUP_COMPARISON", "enum", "enum", "ENUM_GROUP_COMPARISON" },
    { "INDEX", "enum", "enum", "ENUM_UNDEFINED" },
    { "INFO", "handle", "new", "KIND_INFO" },
    { "INFO_VALUE_LENGTH", "int", "int", "" },
    { "KEY", "int", "int", "" },
    { "KEYVAL", "handle", "new", "KIND_KEYVAL" },
    { "KEY_INDEX", "int", "int", "" },
    { "LOCATION_SMALL", "address", "address", "" },
    { "LOCK_TYPE", "enum", "enum", "ENUM_LOCK_TYPE" },
    { "LOGICAL", "bool", "bool", "" },
    { "LOGICAL_OPTIONAL", "bool", "bool", "" },
    { "MATH", "enum", "enum", "ENUM_UNDEFINED" },
    { "MESSAGE", "handle", "new_pending", "KIND_MESSAGE" },
    { "NUM_BYTES", "enum", "enum", "ENUM_UNDEFINED" },
    { "NUM_BYTES_SMALL", "int", "int", "" },
    { "NUM_DIMS", "int", "int", "" },
    { "OFFSET", "int", "int", "" },
    { "OPERATION", "handle", "new", "KIND_OP" },
    { "ORDER", "enum", "enum", "ENUM_ORDER" },
    { "PARTITION", "int", "int", "" },
    { "POLYDISPLACEMENT", "int", "int", "" },
    { "POLYDISPLACEMENT_AINT_COUNT", "address", "address", "" },
    { "POLYDISPLACEMENT_COUNT", "int", "int", "" },
    { "POLYDISPOFFSET", "int", "int", "" },
    { "POLYDTYPE_NUM_ELEM", "enum", "enum", "ENUM_UNDEFINED" },
    { "POLYDTYPE_NUM_ELEM_NNI", "int", "int", "" },
    { "POLYDTYPE_NUM_ELEM_PI", "int", "int", "" },
    { "POLYDTYPE_PACK_SIZE", "int", "int", "" },
    { "POLYDTYPE_STRIDE_BYTES", "int", "int", "" },
    { "POLYFUNCTION", "function", "function", "" },
    { "POLYLOCATION", "int", "int", "" },
    { "POLYNUM_BYTES", "int", "int", "" },
    { "POLYNUM_BYTES_NNI", "int", "int", "" },
    { "POLYNUM_PARAM_VALUES", "int", "int", "" },
    { "POLYRMA_DISPLACEMENT", "int", "int", "" },
    { "POLYXFER_NUM_ELEM", "enum", "enum", "ENUM_UNDEFINED" },
    { "POLYXFER_NUM_ELEM_NNI", "int", "int", "" },
    { "PROCESS_GRID_SIZE", "int", "int", "" },
    { "PROFILE_LEVEL", "int", "int", "" },
    { "PVAR", "handle", "new", "KIND_PVAR" },
    { "PVAR_CLASS", "enum", "enum", "ENUM_PVAR_CLASS" },
    { "PVAR_INDEX", "int", "int", "" },
    { "PVAR_SESSION", "handle", "new", "KIND_PVAR_SESSION" },
    { "RANK", "rank", "rank", "" },
    { "RANK_NNI", "rank", "rank", "" },
    { "REQUEST", "request", "new_request", "" },
    { "RMA_DISPLACEMENT_NNI", "int", "int", "" },
    { "SESSION", "handle", "new", "KIND_SESSION" },
    { "SOURCE_INDEX", "int", "int", "" },
    { "SOURCE_ORDERING", "enum", "enum", "ENUM_SOURCE_ORDER" },
    { "SPLIT_TYPE", "enum", "enum", "ENUM_SPLIT_TYPE" },
    { "STATUS", "status_plain", "status", "" },
    { "STRING", "string", "string_out", "" },
    { "STRING_2DARRAY", "string_lists", "string_lists", "" },
    { "STRING_ARRAY", "strings", "strings", "" },
    { "STRING_LENGTH", "int", "int", "" },
    { "TAG", "enum", "enum", "ENUM_TAG" },
    { "THREAD_LEVEL", "enum", "enum", "ENUM_THREAD_LEVEL" },
    { "TICK_RESOLUTION", "real", "real", "" },
    { "TOOLENUM_INDEX", "int", "int", "" },
    { "TOOLENUM_SIZE", "int", "int", "" },
    { "TOOLS_ENUM", "handle", "handle", "KIND_ENUM" },
    { "TOOLS_NUM_ELEM_SMALL", "int", "int", "" },
    { "TOOLS_TICK_COUNT", "int", "int", "" },
    { "TOOL_MPI_OBJ", "pointer", "pointer", "" },
    { "TOOL_VAR_VALUE", "int", "int", "" },
    { "TOOL_VAR_VERBOSITY", "enum", "enum", "ENUM_VERBOSITY" },
    { "TOPOLOGY_TYPE", "enum", "enum", "ENUM_TOPOLOGY" },
    { "TYPECLASS", "enum", "enum", "ENUM_TYPECLASS" },
    { "TYPECLASS_SIZE", "int", "int", "" },
    { "UPDATE_MODE", "enum", "enum", "ENUM_WHENCE" },
    { "UPDATE_NUMBER", "int", "int", "" },
    { "VARIABLE_SCOPE", "enum", "enum", "ENUM_SCOPE" },
    { "VERSION", "int", "int", "" },
    { "WALL_TIME", "real", "real", "" },
    { "WEIGHT", "weight", "weight", "" },
    { "WINDOW", "handle", "new", "KIND_WIN" },
    { "WINDOW_SIZE", "int", "int", "" },
    { "WIN_ATTACH_SIZE", "int", "int", "" },
    { "XFER_NUM_ELEM", "int", "int", "" },
    { "XFER_NUM_ELEM_NNI", "int", "int", "" },
    { "XFER_NUM_ELEM_SMALL", "int", "int", "" },
};

const struct recipe *recipe_find(const char *name)
{
    for (size_t i = 0; i < sizeof recipes / sizeof *recipes; i++)
        if (strcmp(recipes[i].name, name) == 0)
            return &recipes[i];
    return NULL;
}

const struct kind_recipe *kind_recipe_find(const char *kind)
{
    for (size_t i = 0; i < sizeof kind_recipes / sizeof *kind_recipes; i++)
        if (strcmp(kind_recipes[i].kind, kind) == 0)
            return &kind_recipes[i];
    return NULL;
}
