static int wrapper_MPI_Testany(int count, MPI_Request array_of_requests[], int *index, int *flag, MPI_Status *status)
{
    struct call c;
    const unsigned off = call_off();
    if (call_passes(off, FOLLOWS_REQUESTS))
        return NEXT_MPI_Testany(count, array_of_requests, index, flag, status);
    uint8_t *at = call_begin(&c, off, FUNCTION_MPI_Testany, FOLLOWS_REQUESTS, CALL_SITE, CALL_FRAME);
    if (!at)
        return call_passed(&c, NEXT_MPI_Testany(count, array_of_requests, index, flag, status));
    c.base = capture.world;
    MPI_Status *actual = call_status(&c, status);
    at = store_int(at, count);
    call_flush(&c, at);
    put_requests_again(&c, array_of_requests, count);
    at = call_resume(&c);
    call_enter(&c, at);
    int ret = NEXT_MPI_Testany(count, array_of_requests, index, flag, actual);
    call_leave(&c, ret);
    c.failed_poll = c.ok && !*flag;
    call_flush(&c, at);
    put_requests_completed(&c, array_of_requests, count, 2, index, NULL);
    at = call_resume(&c);
    if (c.ok) {
        at = store_enum(at, ENUM_UNDEFINED, *index);
        at = store_bool(at, *flag);
        if (*flag)
            at = store_status_of(&c, at, *index, actual, actual != status);
        else
            at = store_none(at, 1);
    } else {
        at = store_none(at, 3);
    }
    call_end(&c, at, ret);
    return ret;
}

static void shadow_in_MPI_Testany(struct shadow *s, int count, MPI_Request array_of_requests[])
{
    shadow_in(s, 0);
    shadow_int(s, count);
    shadow_in(s, 1);
    shadow_requests(s, array_of_requests, count);
}

static void shadow_out_MPI_Testany(struct shadow *s, int count, MPI_Request array_of_requests[], int *index, int *flag,
                                   MPI_Status *status, bool ignored, int ret)
{
    bool ok = ret == MPI_SUCCESS;
    shadow_out(s, 1);
    shadow_requests_after(s, array_of_requests, count);
    shadow_out(s, 2);
    if (ok)
        shadow_enum(s, ENUM_UNDEFINED, *index);
    else
        shadow_null(s);
    shadow_out(s, 3);
    if (ok)
        shadow_bool(s, *flag);
    else
        shadow_null(s);
    shadow_out(s, 4);
    if (ok && *flag)
        shadow_status_of(s, *index, status, ignored);
    else
        shadow_null(s);
    shadow_ret(s, ret);
}

static void after_MPI_Testany(struct shadow *s, const void *saved)
{
    const struct saved_MPI_Testany *arguments = saved;
    shadow_out_MPI_Testany(s, arguments->count, arguments->array_of_requests, arguments->index, arguments->flag,
                           arguments->status, arguments->ignored, arguments->ret);
}

int shadow_layer_MPI_Testany(int count, MPI_Request array_of_requests[], int *index, int *flag, MPI_Status *status)
{
    struct shadow *s = shadow_enter(FUNCTION_MPI_Testany);
    if (!s)
        return SHADOW_NEXT(MPI_Testany)(count, array_of_requests, index, flag, status);
    bool ignored = shadow_ignores(s, status);
    shadow_in_MPI_Testany(s, count, array_of_requests);
    int ret = SHADOW_NEXT(MPI_Testany)(count, array_of_requests, index, flag, status);
    const struct saved_MPI_Testany saved = {.count = count, .array_of_requests = array_of_requests, .index = index,
                                            .flag = flag, .status = status, .ignored = ignored, .ret = ret};
    _Static_assert(sizeof saved <= SHADOW_SAVED_BYTES, "the arguments of MPI_Testany");
    shadow_save(s, &saved, sizeof saved, after_MPI_Testany);
    return ret;
}
