/* SPDX-License-Identifier: Apache-2.0 */
/* Reading target memory: all or nothing, and never a signal. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "fake_mem.h"
#include "mem/window.h"

/* Two pages, the second unreadable. */
static char *half_readable(void)
{
    char *p = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(p, MAP_FAILED);
    memset(p, 'x', 8192);
    assert_int_equal(munmap(p + 4096, 4096), 0);
    return p;
}

static void check_reader(const struct wick_mem *m, const char *p)
{
    char buf[16] = {0};
    wick_addr a = (uintptr_t)p;
    errno = 77;
    assert_int_equal(wick_mem_read(m, a + 4080, buf, 16), 0);
    assert_memory_equal(buf, "xxxxxxxxxxxxxxxx", 16);
    assert_int_equal(wick_mem_read(m, a + 4081, buf, 16), -WICK_E_FAULT);
    assert_int_equal(wick_mem_read(m, a + 4096, buf, 1), -WICK_E_FAULT);
    assert_int_equal(wick_mem_read(m, 0, buf, 8), -WICK_E_FAULT);
    assert_int_equal(wick_mem_read(m, 0x8000000000000000, buf, 8), -WICK_E_FAULT);
    assert_int_equal(wick_mem_read(m, 0xffffffffff600000, buf, 8), -WICK_E_FAULT);
    assert_int_equal(wick_mem_read(m, UINT64_MAX, buf, 8), -WICK_E_FAULT);
}

static void test_mem_self__unreadable_bytes_are_an_error_and_errno_survives(void **state)
{
    (void)state;
    struct wick_mem m;
    assert_int_equal(wick_mem_self_init(&m), 0);
    char *p = half_readable();
    check_reader(&m, p);
    assert_int_equal(errno, 77);
    wick_mem_release(&m);
    munmap(p, 4096);
}

/* Makes process_vm_readv fail with EPERM in this process, for good. */
static bool forbid_process_vm_readv(void)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog prog = {sizeof code / sizeof code[0], code};
    return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) && !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog);
}

static void test_mem_self__works_where_a_filter_refuses_process_vm_readv(void **state)
{
    (void)state;
    int status;
    char *p = half_readable();
    pid_t pid = fork();
    if (pid == 0) {
        struct wick_mem m;
        char c = 0;
        wick_addr a = (uintptr_t)p;
        if (!forbid_process_vm_readv())
            _exit(2);
        bool good = !wick_mem_self_init(&m);
        pthread_cancel(pthread_self()); /* a cancellation point would end this with the status 0 */
        good = good && m.fd >= 0 && !wick_mem_read(&m, a + 4095, &c, 1) && c == 'x' &&
               wick_mem_read(&m, a + 4096, &c, 1) == -WICK_E_FAULT && wick_mem_read(&m, 0, &c, 1) == -WICK_E_FAULT &&
               wick_mem_read(&m, UINT64_MAX, &c, 1) == -WICK_E_FAULT;
        _exit(good ? 3 : 1);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    munmap(p, 4096);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == 2)
        skip(); /* this kernel has no seccomp filters */
    assert_int_equal(WEXITSTATUS(status), 3);
}

static void test_mem_remote__reads_a_child_and_notices_its_end(void **state)
{
    (void)state;
    struct wick_mem m;
    char *p = half_readable(), c;
    pid_t pid = fork();
    if (pid == 0)
        for (;;)
            pause();
    assert_int_equal(wick_mem_remote_init(&m, pid, NULL), 0);
    memset(p, 'y', 4096); /* ours, not the child's */
    check_reader(&m, p);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    assert_int_equal(wick_mem_read(&m, (uintptr_t)p, &c, 1), -WICK_E_GONE);
    wick_mem_release(&m);
    struct wick_err err = {0};
    assert_int_equal(wick_mem_remote_init(&m, pid, &err), -WICK_E_NOTFOUND);
    assert_non_null(strstr(err.msg, "no process"));
    munmap(p, 4096);
}

static void test_mem_file__offsets_are_addresses(void **state)
{
    (void)state;
    struct wick_mem m;
    char buf[8];
    int fd = memfd_create("t", MFD_CLOEXEC);
    assert_int_equal(write(fd, "0123456789", 10), 10);
    wick_mem_file_init(&m, fd);
    assert_int_equal(wick_mem_read(&m, 2, buf, 8), 0);
    assert_memory_equal(buf, "23456789", 8);
    assert_int_equal(wick_mem_read(&m, 3, buf, 8), -WICK_E_FAULT);
    assert_int_equal(wick_mem_read(&m, UINT64_MAX, buf, 1), -WICK_E_FAULT);
    wick_mem_release(&m);
    assert_int_equal(write(fd, "", 1), 1); /* still open: it was borrowed */
    close(fd);
}

static void test_mem_fake__reads_stay_inside_one_piece(void **state)
{
    (void)state;
    const struct wick_mem_range ranges[] = {{0x100, 4, "abcd"}, {0x104, 4, "efgh"}, {UINT64_MAX - 1, 2, "yz"}};
    const struct wick_mem_fake fake = {ranges, 3};
    struct wick_mem m;
    char buf[4];
    wick_mem_fake_init(&m, &fake);
    assert_int_equal(wick_mem_read(&m, 0x104, buf, 4), 0);
    assert_memory_equal(buf, "efgh", 4);
    assert_int_equal(wick_mem_read(&m, 0x102, buf, 4), -WICK_E_FAULT);
    assert_int_equal(wick_mem_read(&m, 0xff, buf, 1), -WICK_E_FAULT);
    assert_int_equal(wick_mem_read(&m, UINT64_MAX - 1, buf, 2), 0);
    assert_int_equal(wick_mem_read(&m, UINT64_MAX, buf, 2), -WICK_E_FAULT);
}

static void test_mem_read_str__ends_at_nul_limit_or_fault(void **state)
{
    (void)state;
    char text[200], buf[200];
    memset(text, 'a', sizeof text);
    text[150] = 0;
    const struct wick_mem_range range = {0x1000 - 70, sizeof text, text};
    const struct wick_mem_fake fake = {&range, 1};
    struct wick_mem m;
    wick_mem_fake_init(&m, &fake);
    assert_int_equal(wick_mem_read_str(&m, range.addr, buf, sizeof buf), 150);
    assert_string_equal(buf, text);
    assert_int_equal(wick_mem_read_str(&m, range.addr, buf, 150), -WICK_E_LIMIT);
    assert_int_equal(wick_mem_read_str(&m, range.addr, buf, 151), 150);
    assert_int_equal(wick_mem_read_str(&m, range.addr + 151, buf, sizeof buf), -WICK_E_FAULT);
    text[199] = 0; /* the last readable byte */
    assert_int_equal(wick_mem_read_str(&m, range.addr + 151, buf, sizeof buf), 48);
    assert_int_equal(wick_mem_read_str(&m, range.addr, buf, 0), -WICK_E_LIMIT);
}

static void test_mem_read_most__takes_what_there_is_up_to_a_page(void **state)
{
    (void)state;
    static char stack[10000], buf[32768];
    memset(stack, 's', sizeof stack);
    const struct wick_mem_range range = {0x10064, sizeof stack, stack};
    const struct wick_mem_fake fake = {&range, 1};
    struct wick_mem m;
    wick_mem_fake_init(&m, &fake);
    assert_int_equal(wick_mem_read_most(&m, 0x10064, buf, sizeof buf), 0x12000 - 0x10064);
    assert_memory_equal(buf, stack, 0x12000 - 0x10064);
    assert_int_equal(wick_mem_read_most(&m, 0x10064, buf, 8192), 0x12000 - 0x10064);
    assert_int_equal(wick_mem_read_most(&m, 0x12000, buf, sizeof buf), 0); /* less than a page there */
    assert_int_equal(wick_mem_read_most(&m, 0x20000, buf, sizeof buf), 0);
}

/* One call of the kernel's, through either way to read our own memory. */
static void test_mem_self__read_most_ends_at_the_first_page_that_is_not_there(void **state)
{
    (void)state;
    enum { PAGES = 5 };
    struct wick_mem m;
    char buf[8 * WICK_MEM_PAGE];
    char *p = mmap(NULL, PAGES * WICK_MEM_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(p, MAP_FAILED);
    memset(p, 's', PAGES * WICK_MEM_PAGE);
    assert_int_equal(mprotect(p + 3 * WICK_MEM_PAGE, WICK_MEM_PAGE, PROT_NONE), 0);
    assert_int_equal(wick_mem_self_init(&m), 0);
    assert_non_null(m.read_first);
    assert_int_equal(m.read_first(&m, (uintptr_t)p + 100, buf, sizeof buf), 3 * WICK_MEM_PAGE - 100);
    assert_int_equal(wick_mem_read_most(&m, (uintptr_t)p + 100, buf, sizeof buf), 3 * WICK_MEM_PAGE - 100);
    assert_memory_equal(buf, p + 100, 3 * WICK_MEM_PAGE - 100);
    assert_int_equal(wick_mem_read_most(&m, (uintptr_t)p + 100, buf, 5000), 5000);
    assert_int_equal(wick_mem_read_most(&m, (uintptr_t)p + 3 * WICK_MEM_PAGE, buf, sizeof buf), 0);
    assert_int_equal(wick_mem_read(&m, (uintptr_t)p + 100, buf, sizeof buf), -WICK_E_FAULT);
    munmap(p, PAGES * WICK_MEM_PAGE);
    wick_mem_release(&m);
}

/* A reader that counts. */
struct counted {
    struct wick_mem inner;
    int reads;
};

static int count_read(const struct wick_mem *m, wick_addr addr, void *buf, size_t n)
{
    struct counted *c = (struct counted *)m->ctx;
    c->reads++;
    return wick_mem_read(&c->inner, addr, buf, n);
}

static void test_mem_window__neighbours_cost_one_read_and_edges_are_reached(void **state)
{
    (void)state;
    static char bytes[20000];
    const struct wick_mem_range range = {0x10064, sizeof bytes, bytes}; /* ends within the page at 0x14000 */
    const struct wick_mem_fake fake = {&range, 1};
    struct counted c = {0};
    wick_mem_fake_init(&c.inner, &fake);
    const struct wick_mem m = {.read = count_read, .ctx = &c, .fd = -1};
    struct wick_mem_window w = {.mem = &m};
    memcpy(bytes + 0x2000 - 0x64, &(uint64_t){77}, 8);
    strcpy(bytes + 0x2fff - 0x64, "over the edge");
    strcpy(bytes + sizeof bytes - 5, "last");
    strcpy(bytes, "first");

    assert_int_equal(wick_mem_window_u64(&w, 0x12000), 77);
    for (unsigned i = 1; i < 500; i++)
        assert_int_equal(wick_mem_window_u64(&w, 0x12000 + 8 * i), 0);
    assert_true(wick_mem_window_is(&w, 0x12fff, "over the edge"));
    assert_false(wick_mem_window_is(&w, 0x12fff, "over the"));
    assert_false(wick_mem_window_is(&w, 0x12fff, "over the edges"));
    assert_int_equal(c.reads, 1);

    assert_true(wick_mem_window_is(&w, 0x10064, "first")); /* its page begins before what can be read */
    assert_true(wick_mem_window_is(&w, 0x10064 + sizeof bytes - 5, "last"));
    assert_false(wick_mem_window_is(&w, 0x10064 + sizeof bytes - 5, "last one"));
    assert_null(wick_mem_window_at(&w, 0x10064 + sizeof bytes - 4, 8));
    assert_null(wick_mem_window_at(&w, 0x10060, 8));
    assert_null(wick_mem_window_at(&w, UINT64_MAX - 3, 8));
    assert_int_equal(wick_mem_window_u64(&w, 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mem_self__unreadable_bytes_are_an_error_and_errno_survives),
        cmocka_unit_test(test_mem_self__works_where_a_filter_refuses_process_vm_readv),
        cmocka_unit_test(test_mem_remote__reads_a_child_and_notices_its_end),
        cmocka_unit_test(test_mem_file__offsets_are_addresses),
        cmocka_unit_test(test_mem_fake__reads_stay_inside_one_piece),
        cmocka_unit_test(test_mem_read_most__takes_what_there_is_up_to_a_page),
        cmocka_unit_test(test_mem_self__read_most_ends_at_the_first_page_that_is_not_there),
        cmocka_unit_test(test_mem_window__neighbours_cost_one_read_and_edges_are_reached),
        cmocka_unit_test(test_mem_read_str__ends_at_nul_limit_or_fault),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
