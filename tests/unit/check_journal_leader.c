/* SPDX-License-Identifier: BSD-3-Clause */
/* The process that opens a file for the others of its machine: one of them, all others get its descriptor, and who gets
 * nothing knows it, whatever became of the leader. Each test needs a process of its own. */
#include "journal/journal_leader.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PROCESSES = 12, WAITING = 3, OTHER_USER = 65534 };

/* What a process found. */
enum { LED = 1, GOT, NOTHING, WRONG };

static int waiting_most; /* connections that wait for a leader; 0: as many as it wants */
static bool patience_over;

/* In place of the C library's: few connections may wait. */
int listen(int s, int most)
{
    return (int)syscall(SYS_listen, s, waiting_most ? waiting_most - 1 : most);
}

/* In place of the C library's: nobody waits for a leader that says nothing. */
int poll(struct pollfd *files, nfds_t count, int limit)
{
    struct timespec t = {limit / 1000, limit % 1000 * 1000000L};
    return patience_over ? 0 : (int)syscall(SYS_ppoll, files, count, &t, NULL, 0);
}

/* Ways of a leader. */
enum leader { TELLS, ENDS, DIES, FORGETS };

static int met[2], go[2], said[2]; /* pipes: so many have met; they may go on; what they found */

static void put(int file, int value)
{
    if (write(file, &(unsigned char){(unsigned char)value}, 1) != 1)
        _exit(1);
}

static int get(int file)
{
    unsigned char value;
    return read(file, &value, 1) == 1 ? value : -1;
}

static unsigned progress;

static void note_progress(void)
{
    progress++;
}

static int follow(const struct stat *wanted, const char *text)
{
    struct bytes told = {0};
    struct stat found;
    int file = journal_leader_ask(&told, note_progress), result = NOTHING;
    if (file >= 0) {
        bool right = !fstat(file, &found) && found.st_ino == wanted->st_ino && found.st_dev == wanted->st_dev &&
                     told.length == strlen(text) + 1 && !memcmp(told.data, text, told.length) &&
                     fcntl(file, F_GETFD) == FD_CLOEXEC;
        result = right ? GOT : WRONG;
        close(file);
    }
    bytes_free(&told);
    return patience_over && !progress ? WRONG : result; /* MPI went on while this process waited */
}

static int lead(enum leader how, int file, const char *text)
{
    if (how == DIES)
        kill(getpid(), SIGKILL);
    if (how == TELLS)
        journal_leader_tell(file, text);
    if (how == FORGETS)
        pause();
    return LED;
}

/* A process with NUMBER and KEY. FILE and TEXT: what it tells as a leader. */
static void be_one(enum leader how, uint64_t number, const char *key, int file, const char *text)
{
    struct stat wanted;
    if (fstat(file, &wanted))
        _exit(1);
    journal_leader_meet(number, key, strlen(key));
    bool leads = journal_leader_is_this();
    put(met[1], leads);
    (void)get(go[0]);
    int result = leads ? lead(how, file, text) : follow(&wanted, text);
    journal_leader_end();
    put(said[1], result);
    _exit(0);
}

/* Starts PROCESSES, of which those with an odd number have the key ODD, and counts in FOUND what they found. Returns
 * the number of leaders. */
static unsigned meet_all(enum leader how, const char *odd, unsigned found[WRONG + 1])
{
    char name[] = "/tmp/check_journal_leader.XXXXXX";
    int file = mkstemp(name);
    unsigned leaders = 0, silent = 0;
    pid_t pids[PROCESSES];
    ck_assert_int_ge(file, 0);
    ck_assert_int_eq(unlink(name) | pipe(met) | pipe(go) | pipe(said), 0);
    for (unsigned i = 0; i < PROCESSES; i++)
        if (!(pids[i] = fork()))
            be_one(how, 12345, i % 2 ? odd : "key", file, "a folder");
    for (unsigned i = 0; i < PROCESSES; i++) {
        int leads = get(met[0]);
        ck_assert_int_ge(leads, 0);
        leaders += (unsigned)leads;
    }
    for (unsigned i = 0; i < PROCESSES; i++)
        put(go[1], 0);
    silent = how == DIES || how == FORGETS ? leaders : 0;
    for (unsigned i = silent; i < PROCESSES; i++)
        found[get(said[0])]++;
    for (unsigned i = 0; i < PROCESSES; i++) {
        if (how == FORGETS)
            kill(pids[i], SIGKILL);
        ck_assert_int_eq(waitpid(pids[i], NULL, 0), pids[i]);
    }
    close(file);
    return leaders;
}

START_TEST(one_for_all)
{
    unsigned found[WRONG + 1] = {0};
    ck_assert_uint_eq(meet_all(TELLS, "key", found), 1);
    ck_assert_uint_eq(found[LED], 1);
    ck_assert_uint_eq(found[GOT], PROCESSES - 1);
}
END_TEST

/* Those that open another file have another leader. */
START_TEST(one_for_each_key)
{
    unsigned found[WRONG + 1] = {0};
    ck_assert_uint_eq(meet_all(TELLS, "another", found), 2);
    ck_assert_uint_eq(found[LED], 2);
    ck_assert_uint_eq(found[GOT], PROCESSES - 2);
}
END_TEST

/* Where few may wait for one leader there are several, and all are told. */
START_TEST(several)
{
    unsigned found[WRONG + 1] = {0};
    waiting_most = WAITING;
    unsigned leaders = meet_all(TELLS, "key", found);
    ck_assert_uint_eq(leaders, PROCESSES / (WAITING + 1));
    ck_assert_uint_eq(found[LED], leaders);
    ck_assert_uint_eq(found[GOT], PROCESSES - leaders);
}
END_TEST

START_TEST(nothing_to_tell)
{
    unsigned found[WRONG + 1] = {0};
    ck_assert_uint_eq(meet_all(ENDS, "key", found), 1);
    ck_assert_uint_eq(found[NOTHING], PROCESSES - 1);
}
END_TEST

START_TEST(killed)
{
    unsigned found[WRONG + 1] = {0};
    ck_assert_uint_eq(meet_all(DIES, "key", found), 1);
    ck_assert_uint_eq(found[NOTHING], PROCESSES - 1);
}
END_TEST

START_TEST(silent)
{
    unsigned found[WRONG + 1] = {0};
    patience_over = true;
    ck_assert_uint_eq(meet_all(FORGETS, "key", found), 1);
    ck_assert_uint_eq(found[NOTHING], PROCESSES - 1);
}
END_TEST

/* The name of this process's leader, as all users of the machine can see it. */
static socklen_t visible_name(uint64_t number, struct sockaddr_un *address)
{
    char line[512], wanted[64];
    socklen_t length = 0;
    FILE *names = fopen("/proc/net/unix", "re");
    ck_assert_ptr_nonnull(names);
    snprintf(wanted, sizeof wanted, "@pilgrim-%016llx", (unsigned long long)number);
    while (fgets(line, sizeof line, names)) {
        char *at = strstr(line, wanted);
        if (!at)
            continue;
        at[strcspn(at, "\n")] = 0;
        *address = (struct sockaddr_un){.sun_family = AF_UNIX};
        length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(at));
        memcpy(address->sun_path + 1, at + 1, strlen(at + 1));
    }
    fclose(names);
    return length;
}

/* Another user sees the name. It is told nothing, and what it tells is not taken. */
START_TEST(another_user)
{
    struct sockaddr_un address;
    struct bytes text = {0};
    char received[16];
    if (geteuid())
        return;
    journal_leader_meet(77, "key", 3);
    ck_assert(journal_leader_is_this());
    socklen_t length = visible_name(77, &address);
    ck_assert_uint_gt(length, 0);
    int s = socket(AF_UNIX, SOCK_SEQPACKET, 0), t = socket(AF_UNIX, SOCK_SEQPACKET, 0);
    ck_assert_int_eq(seteuid(OTHER_USER), 0);
    ck_assert_int_eq(connect(s, (struct sockaddr *)&address, length), 0);
    ck_assert_int_eq(seteuid(0), 0);
    journal_leader_tell(s, "a folder");
    journal_leader_end();
    ck_assert_int_le(recv(s, received, sizeof received, MSG_DONTWAIT), 0);
    close(s);
    ck_assert_int_eq(seteuid(OTHER_USER), 0);
    ck_assert_int_eq(bind(t, (struct sockaddr *)&address, length) | listen(t, 1), 0);
    ck_assert_int_eq(seteuid(0), 0);
    journal_leader_meet(77, "key", 3);
    ck_assert(!journal_leader_is_this());
    ck_assert_int_eq(journal_leader_ask(&text, note_progress), -1);
    journal_leader_end();
    close(t);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("journal_leader");
    TCase *tests = tcase_create("journal_leader");
    tcase_add_test(tests, one_for_all);
    tcase_add_test(tests, one_for_each_key);
    tcase_add_test(tests, several);
    tcase_add_test(tests, nothing_to_tell);
    tcase_add_test(tests, killed);
    tcase_add_test(tests, silent);
    tcase_add_test(tests, another_user);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
