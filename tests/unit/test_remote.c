/* SPDX-License-Identifier: Apache-2.0 */
/* Threads of another process are stopped and inspected, and lose nothing by it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "elf/image.h"
#include "unwind/remote.h"

enum { WALKS = 20000, FRAMES = 64 };

static struct shared {
    atomic_uint raised, taken;
    atomic_bool enough, done;
} * shared;

static void count_trap(int sig)
{
    (void)sig;
    atomic_fetch_add(&shared->taken, 1);
}

/* Sends itself SIGTRAP again and again, as a program under a debugger's breakpoint or with a handler of its own does.
 */
static _Noreturn void raise_traps(void)
{
    signal(SIGTRAP, count_trap);
    while (!atomic_load(&shared->enough)) {
        atomic_fetch_add(&shared->raised, 1);
        raise(SIGTRAP);
    }
    atomic_store(&shared->done, true);
    for (;;)
        pause();
}

static void test_remote__no_trap_of_the_program_is_lost(void **state)
{
    static struct wick_remote r;
    static struct wick_step_frame frames[FRAMES];
    struct wick_err err = {0};
    unsigned walks = 0;
    (void)state;
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(shared != MAP_FAILED);
    pid_t child = fork();
    assert_true(child >= 0);
    if (!child)
        raise_traps();
    r = (struct wick_remote){.pid = child, .mem.fd = -1};
    assert_int_equal(wick_mem_remote_init(&r.mem, child, &err), 0);
    wick_elf_images_init(&r.images, child);
    int rc = 0;
    while (!atomic_load(&shared->raised))
        usleep(1000);
    for (; !rc && walks < WALKS; walks++) {
        struct wick_remote_walk w = {.frames = frames, .cap = FRAMES};
        rc = wick_remote_walk_thread(&r, child, 0, &w, &err);
    }
    atomic_store(&shared->enough, true);
    while (!rc && !atomic_load(&shared->done))
        usleep(1000);
    unsigned raised = atomic_load(&shared->raised), taken = atomic_load(&shared->taken);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    wick_remote_close(&r);
    if (rc == -WICK_E_PERM)
        skip(); /* this machine lets nobody trace */
    assert_int_equal(rc, 0);
    assert_true(raised > 0);
    assert_int_equal(taken, raised);
    munmap(shared, sizeof *shared);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_remote__no_trap_of_the_program_is_lost)};
    return cmocka_run_group_tests_name("remote", tests, NULL, NULL);
}
