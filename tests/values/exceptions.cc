/* exceptions: MPI calls that C++ exceptions leave.
 *
 * Exercises: exceptions out of error handlers, reductions and attribute callbacks, caught where the call was made and further out; out of
 * a call that a callback makes, caught in the callback, whose own call returns; while recording is paused. Children that end with
 * exit, one of them made past the C library.
 */
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace {

constexpr int rounds = 10;
int thrown, caught, failures;

void expect(bool holds, int line)
{
    if (!holds) {
        failures++;
        std::fprintf(stderr, "%s:%d: not as expected\n", __FILE__, line);
    }
}
#define EXPECT(condition) expect(condition, __LINE__)

void fail(MPI_Comm *, int *, ...)
{
    thrown++;
    throw std::runtime_error("MPI failed");
}

/* Whose own call returns. */
void fail_inside(MPI_Comm *, int *, ...)
{
    int flag;
    try {
        MPI_Comm_call_errhandler(MPI_COMM_SELF, MPI_ERR_OTHER);
        EXPECT(false);
    } catch (const std::runtime_error &) {
        caught++;
    }
    MPI_Initialized(&flag);
}

void reduce(void *, void *, int *, MPI_Datatype *)
{
    thrown++;
    throw 7;
}

int copied(MPI_Comm, int, void *, void *, void *, int *)
{
    thrown++;
    throw 8L;
}

struct failing {
    MPI_Comm comm;
    explicit failing(MPI_Comm_errhandler_function *function) : comm(MPI_COMM_NULL)
    {
        MPI_Errhandler handler;
        MPI_Comm_dup(MPI_COMM_SELF, &comm);
        MPI_Comm_create_errhandler(function, &handler);
        MPI_Comm_set_errhandler(comm, handler);
        MPI_Errhandler_free(&handler);
    }
    ~failing() { MPI_Comm_free(&comm); }
    failing(const failing &) = delete;
    failing &operator=(const failing &) = delete;
};

void __attribute__((noinline)) send(MPI_Comm comm, int depth)
{
    char room[5000];
    __asm__ volatile("" : : "r"(room) : "memory");
    if (depth)
        send(comm, depth - 1);
    else
        MPI_Send(nullptr, 0, MPI_INT, 1000000, 0, comm);
    __asm__ volatile("" : : "r"(room) : "memory");
}

void __attribute__((noinline)) ask(int depth)
{
    char room[5000];
    int size;
    __asm__ volatile("" : : "r"(room) : "memory");
    if (depth)
        ask(depth - 1);
    else
        MPI_Type_size(MPI_INT, &size);
    __asm__ volatile("" : : "r"(room) : "memory");
}

void errors()
{
    failing f(fail);
    for (int i = 0; i < rounds; i++) {
        try {
            send(f.comm, i % 4);
            EXPECT(false);
        } catch (const std::runtime_error &) {
            caught++;
        }
        ask(i % 5);
    }
}

void nested()
{
    MPI_Errhandler before, handler;
    failing f(fail_inside);
    MPI_Comm_get_errhandler(MPI_COMM_SELF, &before);
    MPI_Comm_create_errhandler(fail, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
    for (int i = 0; i < 3; i++) {
        EXPECT(MPI_Send(nullptr, 0, MPI_INT, 1000000, 0, f.comm) != MPI_SUCCESS);
        ask(2);
    }
    MPI_Comm_set_errhandler(MPI_COMM_SELF, before);
    MPI_Errhandler_free(&handler);
}

void callbacks()
{
    int in = 1, out = 2, keyval;
    MPI_Op op;
    MPI_Comm comm, copy;
    MPI_Op_create(reduce, 1, &op);
    try {
        MPI_Reduce_local(&in, &out, 1, MPI_INT, op);
        EXPECT(false);
    } catch (int value) {
        EXPECT(value == 7);
        caught++;
    }
    ask(3);
    MPI_Op_free(&op);
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    MPI_Comm_create_keyval(copied, MPI_COMM_NULL_DELETE_FN, &keyval, nullptr);
    MPI_Comm_set_attr(comm, keyval, nullptr);
    try {
        MPI_Comm_dup(comm, &copy);
        EXPECT(false);
    } catch (long value) {
        EXPECT(value == 8);
        caught++;
    }
    MPI_Comm_delete_attr(comm, keyval);
    MPI_Comm_free_keyval(&keyval);
    MPI_Comm_free(&comm);
}

void paused()
{
    failing f(fail);
    MPI_Pcontrol(0);
    try {
        send(f.comm, 1);
        EXPECT(false);
    } catch (const std::runtime_error &) {
        caught++;
    }
    MPI_Pcontrol(1);
    ask(4);
}

void children()
{
    for (int way = 0; way < 2; way++) {
        std::fflush(nullptr);
        const pid_t child = way ? static_cast<pid_t>(syscall(SYS_fork)) : fork();
        int status = -1;
        if (child == 0)
            std::exit(5);
        EXPECT(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 5);
    }
}

} // namespace

int main(int argc, char **argv)
{
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    std::atexit([] {});
    children();
    errors();
    nested();
    callbacks();
    paused();
    children();
    EXPECT(thrown == rounds + 3 + 2 + 1 && caught == thrown);
    std::printf("exceptions: %s\n", failures ? "FAILED" : "ok");
    MPI_Finalize();
    return failures != 0;
}
