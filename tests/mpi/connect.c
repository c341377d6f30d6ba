/* connect: processes that find each other. At least 2 ranks, the others do nothing but wait.
 *
 * Exercises, between ranks 0 and 1, each as a world of its own: MPI_Open_port, MPI_Comm_accept, MPI_Comm_connect,
 * MPI_Close_port, MPI_Comm_join over a socket, MPI_Comm_disconnect, and a port that is nobody's.
 */
#include "expect.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int world_rank;

/* A message each way, and an end. */
static void greet(MPI_Comm other)
{
    int size = 0, in = -1, out = 10 + world_rank;

    MPI_Comm_remote_size(other, &size);
    EXPECT(size == 1);
    for (int i = 0; i < 5; i++) {
        MPI_Sendrecv(&out, 1, MPI_INT, 0, i, &in, 1, MPI_INT, 0, i, other, MPI_STATUS_IGNORE);
        EXPECT(in == 11 - world_rank);
    }
    MPI_Comm_disconnect(&other);
    EXPECT(other == MPI_COMM_NULL);
}

static void accept_and_connect(void)
{
    char port[MPI_MAX_PORT_NAME] = "";
    MPI_Comm other;

    if (world_rank == 0) {
        MPI_Open_port(MPI_INFO_NULL, port);
        MPI_Send(port, (int)sizeof port, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
        MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &other);
        MPI_Close_port(port);
    } else {
        MPI_Recv(port, (int)sizeof port, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &other);
    }
    greet(other);
}

/* A connected socket between the two ranks. */
static int socket_between(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    const int made = socket(AF_INET, SOCK_STREAM, 0);
    int accepted;

    if (world_rank == 0) {
        EXPECT(bind(made, (struct sockaddr *)&address, sizeof address) == 0 && listen(made, 1) == 0);
        getsockname(made, (struct sockaddr *)&address, &length);
        MPI_Send(&address.sin_port, 1, MPI_SHORT, 1, 1, MPI_COMM_WORLD);
        accepted = accept(made, NULL, NULL);
        close(made);
        return accepted;
    }
    MPI_Recv(&address.sin_port, 1, MPI_SHORT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    EXPECT(connect(made, (struct sockaddr *)&address, sizeof address) == 0);
    return made;
}

static void join(void)
{
    const int between = socket_between();
    MPI_Comm other = MPI_COMM_NULL;

    EXPECT(between >= 0);
    MPI_Comm_join(between, &other);
    close(between);
    EXPECT(other != MPI_COMM_NULL);
    if (other != MPI_COMM_NULL)
        greet(other);
}

int main(int argc, char **argv)
{
    int size, verdict;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size > 1 && world_rank < 2) {
        accept_and_connect();
        if (argc > 1)
            join();
    }
    verdict = expect_verdict("connect", MPI_COMM_WORLD);
    MPI_Finalize();
    return verdict | (expect_failures != 0);
}
/* SPDX-License-Identifier: BSD-3-Clause */
