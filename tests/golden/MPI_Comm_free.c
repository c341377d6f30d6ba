static int wrapper_MPI_Comm_free(MPI_Comm *comm)
{
    struct call c;
    const unsigned off = call_off();
    if (call_passes(off, FOLLOWS_OBJECTS))
        return NEXT_MPI_Comm_free(comm);
    uint8_t *at = call_begin(&c, off, FUNCTION_MPI_Comm_free, FOLLOWS_OBJECTS, CALL_SITE, CALL_FRAME);
    if (!at)
        return call_passed(&c, NEXT_MPI_Comm_free(comm));
    c.base = capture.world;
    uint64_t before = object_releasing(KIND_COMM, comm ? HANDLE(*comm) : 0);
    if (comm)
        at = store_handle(&c, at, KIND_COMM, HANDLE(*comm));
    else
        at = store_name(at, NAME_NULL);
    call_enter(&c, at);
    int ret = NEXT_MPI_Comm_free(comm);
    call_leave(&c, ret);
    if (comm) {
        call_flush(&c, at);
        put_released(&c, KIND_COMM, before, HANDLE(*comm));
        at = call_resume(&c);
    } else {
        at = store_name(at, NAME_NULL);
    }
    call_end(&c, at, ret);
    return ret;
}

static void shadow_in_MPI_Comm_free(struct shadow *s, MPI_Comm *comm)
{
    shadow_in(s, 0);
    if (comm)
        shadow_handle(s, KIND_COMM, HANDLE(*comm));
    else
        shadow_name(s, "NULL");
}

static void shadow_out_MPI_Comm_free(struct shadow *s, MPI_Comm *comm, int ret)
{
    shadow_out(s, 0);
    if (comm)
        shadow_handle(s, KIND_COMM, HANDLE(*comm));
    else
        shadow_name(s, "NULL");
    shadow_ret(s, ret);
}

static void after_MPI_Comm_free(struct shadow *s, const void *saved)
{
    const struct saved_MPI_Comm_free *arguments = saved;
    shadow_out_MPI_Comm_free(s, arguments->comm, arguments->ret);
}

int shadow_layer_MPI_Comm_free(MPI_Comm *comm)
{
    struct shadow *s = shadow_enter(FUNCTION_MPI_Comm_free);
    if (!s)
        return SHADOW_NEXT(MPI_Comm_free)(comm);
    shadow_in_MPI_Comm_free(s, comm);
    int ret = SHADOW_NEXT(MPI_Comm_free)(comm);
    const struct saved_MPI_Comm_free saved = {.comm = comm, .ret = ret};
    _Static_assert(sizeof saved <= SHADOW_SAVED_BYTES, "the arguments of MPI_Comm_free");
    shadow_save(s, &saved, sizeof saved, after_MPI_Comm_free);
    return ret;
}
