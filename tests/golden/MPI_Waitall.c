static int wrapper_MPI_Waitall(int count, MPI_Request array_of_requests[], MPI_Status *array_of_statuses)
{
    struct call c;
    const unsigned off = call_off();
    if (call_passes(off, FOLLOWS_REQUESTS))
        return NEXT_MPI_Waitall(count, array_of_requests, array_of_statuses);
    uint8_t *at = call_begin(&c, off, FUNCTION_MPI_Waitall, FOLLOWS_REQUESTS, CALL_SITE, CALL_FRAME);
    if (!at)
        return call_passed(&c, NEXT_MPI_Waitall(count, array_of_requests, array_of_statuses));
    c.base = capture.world;
    MPI_Status *actual = call_statuses(&c, array_of_statuses, count);
    at = store_int(at, count);
    at = store_requests(&c, at, array_of_requests, count);
    call_enter(&c, at);
    int ret = NEXT_MPI_Waitall(count, array_of_requests, actual);
    call_leave_statuses(&c, ret);
    at = store_requests_waited(&c, at, array_of_requests, count, actual, actual != array_of_statuses);
    call_end(&c, at, ret);
    return ret;
}

static void shadow_in_MPI_Waitall(struct shadow *s, int count, MPI_Request array_of_requests[])
{
    shadow_in(s, 0);
    shadow_int(s, count);
    shadow_in(s, 1);
    shadow_requests(s, array_of_requests, count);
}

static void shadow_out_MPI_Waitall(struct shadow *s, int count, MPI_Request array_of_requests[],
                                   MPI_Status *array_of_statuses, bool ignored, int ret)
{
    bool ok = ret == MPI_SUCCESS || shadow_in_status(ret);
    shadow_out(s, 1);
    shadow_requests_after(s, array_of_requests, count);
    shadow_out(s, 2);
    if (ok)
        shadow_statuses(s, array_of_statuses, count, ignored);
    else
        shadow_null(s);
    shadow_ret(s, ret);
}

static void after_MPI_Waitall(struct shadow *s, const void *saved)
{
    const struct saved_MPI_Waitall *arguments = saved;
    shadow_out_MPI_Waitall(s, arguments->count, arguments->array_of_requests, arguments->array_of_statuses,
                           arguments->ignored, arguments->ret);
}

int shadow_layer_MPI_Waitall(int count, MPI_Request array_of_requests[], MPI_Status *array_of_statuses)
{
    struct shadow *s = shadow_enter(FUNCTION_MPI_Waitall);
    if (!s)
        return SHADOW_NEXT(MPI_Waitall)(count, array_of_requests, array_of_statuses);
    bool ignored = shadow_ignores(s, array_of_statuses);
    shadow_in_MPI_Waitall(s, count, array_of_requests);
    int ret = SHADOW_NEXT(MPI_Waitall)(count, array_of_requests, array_of_statuses);
    const struct saved_MPI_Waitall saved = {.count = count, .array_of_requests = array_of_requests,
                                            .array_of_statuses = array_of_statuses, .ignored = ignored, .ret = ret};
    _Static_assert(sizeof saved <= SHADOW_SAVED_BYTES, "the arguments of MPI_Waitall");
    shadow_save(s, &saved, sizeof saved, after_MPI_Waitall);
    return ret;
}
