/* SPDX-License-Identifier: BSD-3-Clause */
/* The process that opens the journal of a machine for all; see journal_leader.h.
 *
 * The processes meet at a socket whose name lies in no folder (abstract). The first one that binds the name is the
 * leader. The others connect, and the kernel keeps their connections until the leader looks at them. The name is there
 * as long as its socket is open, whatever ends the leader; then the others' connections end as well, and they know.
 *
 * Where a system lets only so many connections wait (net.core.somaxconn was 128 for long), the processes beyond that
 * have another leader.
 *
 * Any process of the machine can see the name, and connect to it or take it first. So both sides look at the user of
 * the other one, and the receiver of a descriptor still has to look at the file. */
#define _GNU_SOURCE 1 /* accept4, struct ucred */
#include "journal/journal_leader.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/hash.h"

enum {
    LEADERS_MAX = 64,    /* of a machine */
    TRIES = 2000,        /* of one that has bound its name, and is about to listen */
    TRY_NS = 1000000,    /* between them */
    WAITING_MAX = 4096,  /* connections that the kernel is to keep */
    PATIENCE_MS = 10000, /* how long one waits for the leader, which waits for the file system, ... */
    NAP_MAX_MS = 32,     /* ... and at a time */
    NAME_BYTES = 64
};

enum meeting { BOUND, CONNECTED, LATER, FULL, ALONE };

static int listening = -1, connected = -1;

/* Sets ADDRESS to the name that the processes with NUMBER and KEY meet at; GROUP: those of one leader. Returns its
 * length. */
static socklen_t name_of(uint64_t number, uint64_t key, unsigned group, struct sockaddr_un *address)
{
    memset(address, 0, sizeof *address);
    address->sun_family = AF_UNIX;
    int length = snprintf(address->sun_path + 1, sizeof address->sun_path - 1, "pilgrim-%016llx%016llx-%u",
                          (unsigned long long)number, (unsigned long long)key, group);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
}

/* Returns a hash of KEY, and of what this process sees of the file system. */
static uint64_t hash_of(const void *key, size_t length)
{
    struct stat root = {0};
    struct {
        uint64_t key, device, inode, user;
        char mounts[NAME_BYTES];
    } view;
    memset(&view, 0, sizeof view);
    (void)!stat("/", &root);
    view.key = XXH3_64bits(key, length);
    view.device = root.st_dev;
    view.inode = root.st_ino;
    view.user = geteuid();
    (void)!readlink("/proc/self/ns/mnt", view.mounts, sizeof view.mounts - 1);
    return XXH3_64bits(&view, sizeof view);
}

static bool is_same_user(int connection)
{
    struct ucred other;
    socklen_t length = sizeof other;
    return !getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &other, &length) && other.uid == geteuid();
}

/* Tries once. A socket that is of no use is closed. */
static enum meeting meet_once(const struct sockaddr_un *address, socklen_t length)
{
    int s = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (s < 0)
        return ALONE;
    if (!bind(s, (const struct sockaddr *)address, length) && !listen(s, WAITING_MAX)) {
        listening = s;
        return BOUND;
    }
    enum meeting met = errno != EADDRINUSE ? ALONE : LATER;
    if (met == LATER && !connect(s, (const struct sockaddr *)address, length)) {
        if (is_same_user(s)) {
            connected = s;
            return CONNECTED;
        }
        met = ALONE;
    } else if (met == LATER && errno != ECONNREFUSED) {
        met = errno == EAGAIN ? FULL : ALONE;
    }
    close(s);
    return met;
}

void journal_leader_meet(uint64_t number, const void *key, size_t length)
{
    struct sockaddr_un address;
    uint64_t hash = hash_of(key, length);
    enum meeting met = FULL;
    for (unsigned group = 0; group < LEADERS_MAX && met == FULL; group++) {
        socklen_t named = name_of(number, hash, group, &address);
        for (unsigned i = 0; i < TRIES && (met = meet_once(&address, named)) == LATER; i++)
            nanosleep(&(struct timespec){.tv_nsec = TRY_NS}, NULL);
    }
}

bool journal_leader_is_this(void)
{
    return listening >= 0;
}

/* A message with one descriptor. */
struct handover {
    struct msghdr head;
    struct iovec text;
    union {
        struct cmsghdr head;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control;
};

static void set_handover(struct handover *h, char *text, size_t length)
{
    memset(h, 0, sizeof *h);
    h->text = (struct iovec){text, length};
    h->head.msg_iov = &h->text;
    h->head.msg_iovlen = 1;
    h->head.msg_control = h->control.bytes;
    h->head.msg_controllen = sizeof h->control.bytes;
}

static void hand_over(int connection, int file, const char *text)
{
    struct handover h;
    char copy[JOURNAL_LEADER_TEXT];
    size_t length = strlen(text) + 1;
    if (length > sizeof copy || !is_same_user(connection))
        return;
    set_handover(&h, memcpy(copy, text, length), length);
    struct cmsghdr *c = CMSG_FIRSTHDR(&h.head);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(sizeof file);
    memcpy(CMSG_DATA(c), &file, sizeof file);
    (void)!sendmsg(connection, &h.head, MSG_NOSIGNAL | MSG_DONTWAIT);
}

void journal_leader_tell(int file, const char *text)
{
    int connection, error = errno;
    while (listening >= 0 && (connection = accept4(listening, NULL, NULL, SOCK_CLOEXEC)) >= 0) {
        hand_over(connection, file, text);
        close(connection);
    }
    errno = error;
}

/* True if the leader has said something, or is gone. */
static bool has_answer(int connection, void (*progress)(void))
{
    struct pollfd answer = {.fd = connection, .events = POLLIN};
    int found = 0, nap_ms = 1;
    for (int waited = 0; found <= 0 && waited < PATIENCE_MS; waited += found < 0 ? 1 : nap_ms) {
        nap_ms = nap_ms < NAP_MAX_MS ? 2 * nap_ms : nap_ms;
        found = poll(&answer, 1, nap_ms);
        if (found < 0 && errno != EINTR)
            return false;
        if (found <= 0)
            progress();
    }
    return found > 0;
}

static int receive(int connection, struct bytes *text)
{
    struct handover h;
    char received[JOURNAL_LEADER_TEXT];
    int file = -1;
    set_handover(&h, received, sizeof received);
    ssize_t length = recvmsg(connection, &h.head, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    const struct cmsghdr *c = length >= 0 ? CMSG_FIRSTHDR(&h.head) : NULL;
    if (!c || c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS || c->cmsg_len != CMSG_LEN(sizeof file))
        return -1;
    memcpy(&file, CMSG_DATA(c), sizeof file);
    if (length > 0 && !received[length - 1])
        bytes_put(text, received, (size_t)length);
    if (length > 0 && !received[length - 1] && bytes_status(text) == PILGRIM_OK)
        return file;
    close(file);
    return -1;
}

int journal_leader_ask(struct bytes *text, void (*progress)(void))
{
    if (connected < 0)
        return -1;
    return has_answer(connected, progress) ? receive(connected, text) : -1;
}

static void close_socket(int *s)
{
    int error = errno;
    if (*s >= 0)
        close(*s);
    *s = -1;
    errno = error;
}

void journal_leader_end(void)
{
    close_socket(&listening);
    close_socket(&connected);
}
