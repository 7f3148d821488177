/* SPDX-License-Identifier: Apache-2.0 */
/* The files of a recording that the command makes of what the agent hands over, and an agent that lies. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/clock.h"
#include "client/perfbroker.h"
#include "client/rotation.h"
#include "sys/broker.h"
#include "sys/sock.h"

#define CHUNK  (64u << 10)
#define SECOND UINT64_C(1000000000)

static char dir_path[64];
static int dirfd_, from;

static int setup(void **state)
{
    (void)state;
    strcpy(dir_path, "test_rotation.XXXXXX");
    assert_non_null(mkdtemp(dir_path));
    dirfd_ = open(dir_path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    from = openat(dirfd_, "from", O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    unlinkat(dirfd_, "from", 0);
    return dirfd_ < 0 || from < 0;
}

/* The files' number and the sum of their sizes; removes them if that is wanted. */
static unsigned files(uint64_t *bytes, bool removes)
{
    unsigned n = 0;
    DIR *d = opendir(dir_path);
    struct stat st;
    *bytes = 0;
    for (struct dirent *e; d && (e = readdir(d));) {
        if (e->d_name[0] == '.' || fstatat(dirfd_, e->d_name, &st, AT_SYMLINK_NOFOLLOW))
            continue;
        *bytes += (uint64_t)st.st_size;
        n++;
        if (removes)
            unlinkat(dirfd_, e->d_name, 0);
    }
    closedir(d);
    return n;
}

static int teardown(void **state)
{
    (void)state;
    uint64_t bytes;
    close(from);
    files(&bytes, true);
    close(dirfd_);
    return rmdir(dir_path);
}

/* Writes what passes for a chunk of n bytes behind what is there; returns the file's end. */
static uint64_t add_chunk(size_t n, char fill)
{
    static char chunk[CHUNK];
    struct stat st;
    assert_true(n <= sizeof chunk);
    memset(chunk, fill, n);
    memcpy(chunk, "FLR", 4);
    assert_int_equal(fstat(from, &st), 0);
    assert_int_equal(pwrite(from, chunk, n, st.st_size), n);
    return (uint64_t)st.st_size + n;
}

static char byte_of(const char *name, off_t at)
{
    char c = 0;
    int fd = openat(dirfd_, name, O_RDONLY | O_CLOEXEC);
    assert_int_equal(pread(fd, &c, 1, at), 1);
    close(fd);
    return c;
}

static void test_rotation__each_chunk_becomes_a_file_and_its_space_is_freed(void **state)
{
    (void)state;
    struct wick_rotation r;
    struct wick_err err = {0};
    struct stat st;
    uint64_t bytes;
    assert_int_equal(wick_rotation_open(&r, "/x/y.jfr", dirfd_, from, 4 * CHUNK, 0, &err), 0);
    for (int i = 0; i < 10; i++)
        assert_int_equal(wick_rotation_take(&r, add_chunk(CHUNK, (char)('a' + i)), (uint64_t)(i + 1) * SECOND), 0);
    assert_int_equal(wick_rotation_take(&r, 10 * CHUNK, 11 * SECOND), 0); /* nothing new */
    assert_int_equal(files(&bytes, false), 3); /* the limit, with what is about to be written */
    assert_true(bytes <= 4 * CHUNK);
    assert_int_equal(byte_of("y-000010.jfr", 100), 'j');
    assert_int_equal(fstat(from, &st), 0);
    assert_true(st.st_blocks * 512 < 2 * CHUNK);
    add_chunk(100, 'z');
    assert_int_equal(wick_rotation_finish(&r, 12 * SECOND, &err), 0);
    assert_int_equal(byte_of("y-000011.jfr", 99), 'z');
    wick_rotation_release(&r);
}

/* A length that nothing stands behind costs the JVM nothing, and would fill the disk as a copy. */
static void test_rotation__holes_are_not_copied(void **state)
{
    (void)state;
    struct wick_rotation r;
    uint64_t bytes;
    assert_int_equal(wick_rotation_open(&r, "/x/y.jfr", dirfd_, from, 0, 3600 * SECOND, NULL), 0);
    uint64_t end = add_chunk(CHUNK, 'a');
    assert_int_equal(wick_rotation_take(&r, end, SECOND), 0);
    add_chunk(CHUNK, 'b');
    assert_int_equal(ftruncate(from, (off_t)1 << 40), 0);
    assert_int_equal(wick_rotation_take(&r, UINT64_C(1) << 40, 2 * SECOND), -WICK_E_FORMAT);
    assert_int_equal(files(&bytes, false), 1);
    assert_int_equal(bytes, CHUNK);
    assert_int_equal(wick_rotation_take(&r, 2 * end, 3 * SECOND), 0); /* what is there before the hole */
    wick_rotation_release(&r);
}

static void test_rotation__takes_only_chunks_that_are_there(void **state)
{
    (void)state;
    struct wick_rotation r;
    uint64_t bytes;
    assert_int_equal(wick_rotation_open(&r, "/x/y.jfr", dirfd_, from, CHUNK, 0, NULL), 0);
    uint64_t end = add_chunk(1000, 'a');
    assert_int_equal(wick_rotation_take(&r, end + 1, SECOND), -WICK_E_FORMAT);
    assert_int_equal(wick_rotation_take(&r, UINT64_MAX, SECOND), -WICK_E_FORMAT);
    assert_int_equal(wick_rotation_take(&r, 10, SECOND), -WICK_E_FORMAT);
    assert_int_equal(wick_rotation_take(&r, end, SECOND), 0);
    assert_int_equal(wick_rotation_take(&r, 10, SECOND), -WICK_E_FORMAT); /* backwards */
    assert_int_equal(pwrite(from, "#!/bin/sh\n", 10, (off_t)end), 10);
    assert_int_equal(ftruncate(from, (off_t)end + 1000), 0);
    assert_int_equal(wick_rotation_take(&r, end + 1000, 2 * SECOND), -WICK_E_FORMAT);
    assert_int_equal(files(&bytes, false), 1);
    wick_rotation_release(&r);
}

static void test_rotation__more_than_the_limit_is_not_taken(void **state)
{
    (void)state;
    struct wick_rotation r;
    struct wick_err err = {0};
    uint64_t bytes;
    assert_int_equal(wick_rotation_open(&r, "/x/y.jfr", dirfd_, from, CHUNK, 0, NULL), 0);
    uint64_t end = add_chunk(CHUNK, 'a');
    assert_int_equal(ftruncate(from, (off_t)(end += UINT64_C(1) << 40)), 0); /* a hole of a terabyte */
    assert_int_equal(wick_rotation_take(&r, end, SECOND), -WICK_E_LIMIT);
    assert_int_equal(wick_rotation_finish(&r, 2 * SECOND, &err), -WICK_E_LIMIT);
    assert_int_equal(files(&bytes, false), 0);
    wick_rotation_release(&r);
}

/* An agent of an attacker's: a hundred thousand requests by the socket that it was given, each for a file of its own.
 */
static void test_rotation__a_hundred_thousand_requests_get_errors(void **state)
{
    enum { REQUESTS = 100000 };
    (void)state;
    struct wick_rotation r;
    uint64_t bytes, end = 0, began = wick_clock_mono_ns();
    unsigned taken = 0, refused = 0;
    int pair[2];
    assert_int_equal(wick_rotation_open(&r, "/x/y-%n.jfr", dirfd_, from, 0, 0, NULL), 0);
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair), 0);
    for (unsigned i = 0; i < REQUESTS; i++) {
        struct wick_broker_reply reply;
        if (i < 5000)
            end = add_chunk(100, 'a');
        struct wick_broker_take t = {WICK_BROKER_TAKE_MAGIC, i, end + (i >= 5000 ? i : 0)};
        assert_int_equal(send(pair[1], &t, sizeof t, 0), sizeof t);
        assert_true(wick_perfbroker_serve(pair[0], NULL, &r));
        assert_int_equal(recv(pair[1], &reply, sizeof reply, 0), sizeof reply);
        assert_int_equal(reply.seq, i);
        taken += reply.code == 0;
        refused += reply.code == -WICK_E_LIMIT || reply.code == -WICK_E_FORMAT;
    }
    assert_int_equal(taken + refused, REQUESTS);
    /* beyond the first no more than the time that this took has paid for */
    assert_in_range(taken, 1, WICK_ROTATION_BURST + (wick_clock_mono_ns() - began) / WICK_ROTATION_NS + 1);
    assert_int_equal(files(&bytes, false), taken);
    struct wick_broker_take t = {WICK_BROKER_TAKE_MAGIC, 1, end};
    struct wick_broker_reply reply;
    assert_int_equal(send(pair[1], &t, sizeof t, 0), sizeof t);
    assert_true(wick_perfbroker_serve(pair[0], NULL, NULL)); /* a recording whose files are not made here */
    assert_int_equal(recv(pair[1], &reply, sizeof reply, 0), sizeof reply);
    assert_int_equal(reply.code, -WICK_E_PERM);
    close(pair[0]);
    close(pair[1]);
    wick_rotation_release(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
        TEST(test_rotation__each_chunk_becomes_a_file_and_its_space_is_freed),
        TEST(test_rotation__holes_are_not_copied),
        TEST(test_rotation__takes_only_chunks_that_are_there),
        TEST(test_rotation__more_than_the_limit_is_not_taken),
        TEST(test_rotation__a_hundred_thousand_requests_get_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
