static int wrapper_MPI_Type_create_hindexed_c(MPI_Count count, const MPI_Count array_of_blocklengths[],
                                              const MPI_Count array_of_displacements[], MPI_Datatype oldtype,
                                              MPI_Datatype *newtype)
{
    struct call c;
    const unsigned off = call_off();
    if (call_passes(off, FOLLOWS_OBJECTS))
        return NEXT_MPI_Type_create_hindexed_c(count, array_of_blocklengths, array_of_displacements, oldtype, newtype);
    uint8_t *at = call_begin(&c, off, FUNCTION_MPI_Type_create_hindexed_c, FOLLOWS_OBJECTS, CALL_SITE, CALL_FRAME);
    if (!at)
        return call_passed(&c, NEXT_MPI_Type_create_hindexed_c(count, array_of_blocklengths, array_of_displacements,
                           oldtype, newtype));
    c.base = capture.world;
    at = store_int(at, count);
    call_flush(&c, at);
    put_counts(&c, array_of_blocklengths, count);
    at = call_resume(&c);
    call_flush(&c, at);
    put_large_addresses(&c, array_of_displacements, count);
    at = call_resume(&c);
    at = store_handle(&c, at, KIND_DATATYPE, HANDLE(oldtype));
    call_enter(&c, at);
    int ret = NEXT_MPI_Type_create_hindexed_c(count, array_of_blocklengths, array_of_displacements, oldtype, newtype);
    call_leave(&c, ret);
    if (c.ok) {
        call_flush(&c, at);
        put_new(&c, KIND_DATATYPE, HANDLE(*newtype));
        at = call_resume(&c);
    } else {
        at = store_none(at, 1);
    }
    call_end(&c, at, ret);
    return ret;
}

static void shadow_in_MPI_Type_create_hindexed_c(struct shadow *s, MPI_Count count,
                                                 const MPI_Count array_of_blocklengths[],
                                                 const MPI_Count array_of_displacements[], MPI_Datatype oldtype)
{
    shadow_in(s, 0);
    shadow_int(s, count);
    shadow_in(s, 1);
    if (array_of_blocklengths) {
        shadow_open(s);
        for (int64_t i = 0, end = count; i < end; i++)
            shadow_int(s, array_of_blocklengths[i]);
        shadow_close(s);
    } else {
        shadow_name(s, "NULL");
    }
    shadow_in(s, 2);
    if (array_of_displacements) {
        shadow_open(s);
        for (int64_t i = 0, end = count; i < end; i++)
            shadow_address(s, array_of_displacements[i]);
        shadow_close(s);
    } else {
        shadow_name(s, "NULL");
    }
    shadow_in(s, 3);
    shadow_handle(s, KIND_DATATYPE, HANDLE(oldtype));
}

static void shadow_out_MPI_Type_create_hindexed_c(struct shadow *s, MPI_Datatype *newtype, int ret)
{
    bool ok = ret == MPI_SUCCESS;
    shadow_out(s, 4);
    if (ok)
        shadow_handle(s, KIND_DATATYPE, HANDLE(*newtype));
    else
        shadow_null(s);
    shadow_ret(s, ret);
}

static void after_MPI_Type_create_hindexed_c(struct shadow *s, const void *saved)
{
    const struct saved_MPI_Type_create_hindexed_c *arguments = saved;
    shadow_out_MPI_Type_create_hindexed_c(s, arguments->newtype, arguments->ret);
}

int shadow_layer_MPI_Type_create_hindexed_c(MPI_Count count, const MPI_Count array_of_blocklengths[],
                                            const MPI_Count array_of_displacements[], MPI_Datatype oldtype,
                                            MPI_Datatype *newtype)
{
    struct shadow *s = shadow_enter(FUNCTION_MPI_Type_create_hindexed_c);
    if (!s)
        return SHADOW_NEXT(MPI_Type_create_hindexed_c)(count, array_of_blocklengths, array_of_displacements, oldtype,
                           newtype);
    shadow_in_MPI_Type_create_hindexed_c(s, count, array_of_blocklengths, array_of_displacements, oldtype);
    int ret = SHADOW_NEXT(MPI_Type_create_hindexed_c)(count, array_of_blocklengths, array_of_displacements, oldtype,
                          newtype);
    const struct saved_MPI_Type_create_hindexed_c saved = {.newtype = newtype, .ret = ret};
    _Static_assert(sizeof saved <= SHADOW_SAVED_BYTES, "the arguments of MPI_Type_create_hindexed_c");
    shadow_save(s, &saved, sizeof saved, after_MPI_Type_create_hindexed_c);
    return ret;
}
