/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading address spaces of others for `wick host`: one that gives way to another program's, and one with a file whose
 * server never answers. The second needs /dev/fuse and the right to mount.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "ebpf/host_space.h"
#include "elf/image.h"

#define STACK_TOP 0x7ffffffff000ull /* of a program that is not moved about */

enum { FILE_BYTES = 1 << 20 };

static void end_process(pid_t pid)
{
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

/* --- another program --- */

/* sh, which executes another program when it is given a line. */
static pid_t start_shell(int *in, int *out)
{
    int to[2], from[2];
    assert_int_equal(pipe(to) | pipe(from), 0);
    pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        dup2(to[0], 0);
        dup2(from[1], 1);
        personality(ADDR_NO_RANDOMIZE);
        execl("/bin/sh", "sh", "-c", "echo; read line; exec cat", (char *)NULL);
        _exit(127);
    }
    close(to[0]);
    close(from[1]);
    *in = to[1];
    *out = from[0];
    return pid;
}

static void test_space__is_empty_once_another_program_runs(void **state)
{
    int in, out;
    char c;
    bool changed;
    uint64_t word;
    struct wick_host_devices devices = {0};
    struct wick_host_space s;
    struct wick_elf_images images;
    struct wick_mem by_number;
    pid_t pid = start_shell(&in, &out);
    assert_int_equal(read(out, &c, 1), 1);
    assert_int_equal(wick_host_space_open(&s, pid, &devices), 0);
    assert_int_equal(wick_host_space_refresh(&s), 0);
    wick_elf_images_init(&images, pid);
    images.maps_fd = s.maps_fd;
    assert_int_equal(wick_elf_images_refresh(&images, &s.mem, &changed, NULL), 0);
    if (wick_mem_read(&s.mem, STACK_TOP - 8, &word, 8)) {
        print_message("the stack is elsewhere: personality() is not permitted here\n");
    } else {
        assert_int_equal(write(in, "\nx", 2), 2);
        assert_int_equal(read(out, &c, 1), 1); /* cat gives it back */
        assert_int_equal(wick_mem_remote_init(&by_number, pid, NULL), 0);
        assert_int_equal(wick_mem_read(&by_number, STACK_TOP - 8, &word, 8), 0); /* cat's */
        wick_mem_release(&by_number);
        assert_int_equal(wick_mem_read(&s.mem, STACK_TOP - 8, &word, 8), -WICK_E_GONE);
        assert_int_equal(wick_elf_images_refresh(&images, &s.mem, &changed, NULL), -WICK_E_GONE);
        assert_int_equal(wick_host_space_refresh(&s), -WICK_E_GONE);
        assert_int_not_equal(wick_mem_read(&s.mem, STACK_TOP - 8, &word, 8), 0);
    }
    wick_elf_images_release(&images);
    wick_host_space_close(&s);
    wick_host_devices_release(&devices);
    close(in);
    close(out);
    end_process(pid);
}

/* --- a file without an answer --- */

static void answer(int fuse, uint64_t unique, int error, const void *data, size_t n)
{
    char buf[512];
    struct fuse_out_header h = {.len = (uint32_t)(sizeof h + n), .error = error, .unique = unique};
    memcpy(buf, &h, sizeof h);
    if (n)
        memcpy(buf + sizeof h, data, n);
    if (write(fuse, buf, h.len) < 0 && errno != ENOENT)
        _exit(1);
}

static struct fuse_attr attributes(uint64_t node)
{
    return (struct fuse_attr){.ino = node,
                              .size = node == FUSE_ROOT_ID ? 0 : FILE_BYTES,
                              .mode = node == FUSE_ROOT_ID ? S_IFDIR | 0755 : S_IFREG | 0755,
                              .nlink = 1};
}

/* Answers everything but a read. */
static void serve_one(int fuse, const struct fuse_in_header *in, const void *body)
{
    switch (in->opcode) {
    case FUSE_INIT: {
        const struct fuse_init_in *init = body;
        struct fuse_init_out out = {.major = FUSE_KERNEL_VERSION,
                                    .minor = init->minor < FUSE_KERNEL_MINOR_VERSION ? init->minor
                                                                                     : FUSE_KERNEL_MINOR_VERSION,
                                    .max_readahead = init->max_readahead,
                                    .max_write = 65536};
        answer(fuse, in->unique, 0, &out, sizeof out);
        break;
    }
    case FUSE_LOOKUP: {
        const struct fuse_entry_out out = {
            .nodeid = 2, .generation = 1, .entry_valid = 1000, .attr_valid = 1000, .attr = attributes(2)};
        answer(fuse, in->unique, 0, &out, sizeof out);
        break;
    }
    case FUSE_GETATTR: {
        const struct fuse_attr_out out = {.attr_valid = 1000, .attr = attributes(in->nodeid)};
        answer(fuse, in->unique, 0, &out, sizeof out);
        break;
    }
    case FUSE_OPEN:
        answer(fuse, in->unique, 0, &(const struct fuse_open_out){.fh = 1}, sizeof(struct fuse_open_out));
        break;
    case FUSE_READ:
    case FUSE_FORGET:
    case FUSE_BATCH_FORGET:
    case FUSE_INTERRUPT:
        break;
    default:
        answer(fuse, in->unique, -ENOSYS, NULL, 0);
    }
}

static pid_t start_server(int fuse)
{
    pid_t pid = fork();
    if (pid)
        return pid;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    static _Alignas(16) char buf[1 << 20];
    while (read(fuse, buf, sizeof buf) > 0)
        serve_one(fuse, (const void *)buf, buf + sizeof(struct fuse_in_header));
    _exit(0);
}

/* A process with the file mapped, which says where. */
static pid_t start_target(const char *file, void **where)
{
    int from[2];
    assert_int_equal(pipe(from), 0);
    pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        int fd = open(file, O_RDONLY);
        void *p = fd < 0 ? MAP_FAILED : mmap(NULL, FILE_BYTES, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
        if (write(from[1], &p, sizeof p) == sizeof p)
            for (;;)
                pause();
        _exit(1);
    }
    close(from[1]);
    assert_int_equal(read(from[0], where, sizeof *where), sizeof *where);
    close(from[0]);
    return pid;
}

static void check_target(pid_t target, void *where)
{
    bool changed;
    char byte;
    static char text[] = "memory that can be read";
    struct wick_host_devices devices = {0};
    struct wick_host_space s;
    struct wick_host_file file;
    struct wick_elf_images images;
    assert_ptr_not_equal(where, MAP_FAILED);
    assert_int_equal(wick_host_space_open(&s, target, &devices), 0);
    assert_int_equal(wick_host_space_refresh(&s), 0);
    assert_int_equal(wick_mem_read(&s.mem, (uintptr_t)where, &byte, 1), -WICK_E_FAULT);
    assert_int_equal(wick_mem_read(&s.mem, (uintptr_t)where + FILE_BYTES - 1, &byte, 1), -WICK_E_FAULT);
    assert_int_equal(wick_mem_read(&s.mem, (uintptr_t)where - 1, text, 2), -WICK_E_FAULT);
    assert_int_equal(wick_mem_read(&s.mem, (uintptr_t)text, &byte, 1), 0);
    wick_elf_images_init(&images, target);
    images.maps_fd = s.maps_fd;
    assert_int_equal(wick_elf_images_refresh(&images, &s.mem, &changed, NULL), 0);
    assert_null(wick_elf_images_find(&images, (uintptr_t)where));
    wick_elf_images_release(&images);
    assert_int_equal(wick_host_file_open(&devices, target, (uintptr_t)where, &file), -WICK_E_NOTFOUND);
    if (wick_host_file_open(&devices, target, (uintptr_t)&check_target, &file) != -WICK_E_PERM) {
        assert_int_equal(wick_host_file_open(&devices, target, (uintptr_t)&check_target, &file), 0);
        close(file.fd); /* a file that can be read */
    }
    wick_host_space_close(&s);
    wick_host_devices_release(&devices);
}

static void test_space__a_file_whose_server_does_not_answer_is_left_alone(void **state)
{
    char dir[] = "/tmp/wick-fuse-XXXXXX", options[80], file[64];
    int fuse = open("/dev/fuse", O_RDWR | O_CLOEXEC);
    assert_non_null(mkdtemp(dir));
    snprintf(options, sizeof options, "fd=%d,rootmode=40000,user_id=0,group_id=0", fuse);
    if (fuse < 0 || unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
        mount("wick", dir, "fuse", MS_NOSUID | MS_NODEV, options)) {
        rmdir(dir);
        close(fuse);
        skip();
    }
    void *where = NULL;
    pid_t server = start_server(fuse);
    close(fuse);
    snprintf(file, sizeof file, "%s/f", dir);
    pid_t target = start_target(file, &where);
    check_target(target, where);
    end_process(target);
    end_process(server); /* and its file system fails from now on */
    umount2(dir, MNT_DETACH);
    rmdir(dir);
}

static void test_devices__are_those_that_the_kernel_serves(void **state)
{
    char own[] = "22 1 254:0 / / rw - ext4 /dev/vda rw\n"
                 "23 22 0:20 / /proc rw - proc proc rw\n"
                 "24 22 0:50 / /home/a/m rw shared:7 - fuse.sshfs a:/ rw\n"
                 "25 22 8:17 / /media/usb rw - fuseblk /dev/sdb1 rw\n"
                 "26 22 0:51 / /var/lib/x rw - overlay overlay rw\n"
                 "nonsense\n";
    char others[] = "27 22 0:52 / /tmp rw - tmpfs tmpfs rw\n"
                    "28 22 0:53 / /mnt rw - overlay overlay rw,lowerdir=/home/a/m\n"
                    "29 22 0:54 / /mnt/f rw - fuse f rw\n";
    struct wick_host_devices d = {0};
    wick_host_devices_add(&d, own, false);
    assert_true(wick_host_devices_allow(&d, wick_host_device(254, 0)));
    assert_true(wick_host_devices_allow(&d, wick_host_device(0, 51)));
    assert_false(wick_host_devices_allow(&d, wick_host_device(0, 20)));
    assert_false(wick_host_devices_allow(&d, wick_host_device(0, 50)));
    assert_false(wick_host_devices_allow(&d, wick_host_device(8, 17)));
    assert_false(wick_host_devices_allow(&d, wick_host_device(0, 52)));
    wick_host_devices_add(&d, others, true);
    assert_true(wick_host_devices_allow(&d, wick_host_device(0, 52)));
    assert_false(wick_host_devices_allow(&d, wick_host_device(0, 53))); /* it may be made of FUSE */
    assert_false(wick_host_devices_allow(&d, wick_host_device(0, 54)));
    wick_host_devices_release(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_space__is_empty_once_another_program_runs),
        cmocka_unit_test(test_devices__are_those_that_the_kernel_serves),
        cmocka_unit_test(test_space__a_file_whose_server_does_not_answer_is_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
