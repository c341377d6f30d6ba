/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions of walks.c that throw and catch, and a destructor that makes calls. */
extern "C" {
void walks_push(const void *address);
void walks_pop(void);
unsigned walks_below(unsigned limit);
void throws(unsigned depth, void (*f)(unsigned));
}

namespace
{

/* Makes calls while the stack is unwound, and while it is not. */
struct guard {
    unsigned depth;
    void (*f)(unsigned);
    __attribute__((noinline)) ~guard()
    {
        walks_push(__builtin_return_address(0));
        f(depth);
        walks_pop();
    }
};

__attribute__((noinline)) void inner(unsigned depth, void (*f)(unsigned))
{
    walks_push(__builtin_return_address(0));
    guard g = {depth, f};
    f(depth);
    if (walks_below(2))
        throw depth; /* its own address stays pushed: the destructor is called by it */
    f(depth);
}

} // namespace

void throws(unsigned depth, void (*f)(unsigned))
{
    walks_push(__builtin_return_address(0));
    try {
        inner(depth, f);
        walks_pop(); /* of inner: it could not do it before its destructor */
        f(depth);
    } catch (unsigned caught) {
        walks_pop();
        f(caught);
    }
    walks_pop();
}
