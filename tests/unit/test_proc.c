/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "sys/attach.h"
#include "sys/buildnote.h"
#include "sys/jvmlist.h"
#include "sys/ns.h"
#include "sys/permitted.h"
#include "sys/proc.h"

#define TEXT(s) (s), sizeof(s) - 1

static void test_status__is_read_by_name_and_the_last_nspid_counts(void **state)
{
    (void)state;
    struct wick_proc_status st;
    static const char text[] = "Name:\tjava\nUmask:\t0022\nState:\tS (sleeping)\nTgid:\t4711\nNgid:\t0\nPid:\t4711\n"
                               "Uid:\t1000\t1001\t1000\t1000\nGid:\t100\t101\t100\t100\nGroups:\t4 24 27 \n"
                               "NStgid:\t4711\t12\t1\nNSpid:\t4711\t12\t1\nThreads:\t33\nSigIgn:\t0000000000000001\n"
                               "SigCgt:\t2000000181005ccf\nCapEff:\t0000000000000000\nSeccomp:\t2\n";
    assert_int_equal(wick_proc_parse_status(TEXT(text), &st), 0);
    assert_string_equal(st.comm, "java");
    assert_int_equal(st.state, 'S');
    assert_int_equal(st.tgid, 4711);
    assert_int_equal(st.nspid, 1);
    assert_int_equal(st.pid_depth, 3);
    assert_int_equal(st.euid, 1001);
    assert_int_equal(st.egid, 101);
    assert_int_equal(st.ngroups, 3);
    assert_int_equal(st.groups[2], 27);
    assert_int_equal(st.threads, 33);
    assert_true(st.sig_caught == 0x2000000181005ccf);
    assert_int_equal(st.seccomp, 2);
}

static void test_status__truncated_text_is_an_error(void **state)
{
    (void)state;
    struct wick_proc_status st;
    assert_int_equal(wick_proc_parse_status("", 0, &st), -WICK_E_FORMAT);
    assert_int_equal(wick_proc_parse_status(TEXT("Name:\tjava\nState:\tS\nTgid:\t1\n"), &st), -WICK_E_FORMAT);
    assert_int_equal(wick_proc_parse_status(TEXT("Uid:\n:\n\n\nSigCgt:"), &st), -WICK_E_FORMAT);
}

static void test_maps__libjvm_is_found_by_its_whole_base_name(void **state)
{
    (void)state;
    char path[256];
    static const char maps[] = "7f00-7f01 r-xp 00000000 fe:00 1 /opt/notlibjvm.so\n"
                               "7f00-7f01 r-xp 00000000 fe:00 1 /opt/libjvm.so.bak\n"
                               "7f00-7f01 rw-p 00000000 00:00 0 [heap]\n"
                               "7f01-7f02 r-xp 00000000 fe:00 1 /opt/my jdk/lib/server/libjvm.so (deleted)\n";
    assert_true(wick_proc_find_mapped(TEXT(maps), "libjvm.so", path, sizeof path));
    assert_string_equal(path, "/opt/my jdk/lib/server/libjvm.so");
    assert_false(wick_proc_find_mapped(maps, 100, "libjvm.so", path, sizeof path));
    assert_false(wick_proc_find_mapped("", 0, "libjvm.so", path, sizeof path));
    assert_false(wick_proc_find_mapped(TEXT("libjvm.so"), "libjvm.so", path, sizeof path));
}

static void test_flag__the_last_word_wins(void **state)
{
    (void)state;
    static const char off[] = "java\0-XX:+DisableAttachMechanism\0-XX:-DisableAttachMechanism\0Main";
    static const char on[] = "java\0-XX:+DisableAttachMechanism\0Main";
    static const char longer[] = "java\0-XX:+DisableAttachMechanismX\0-XX:DisableAttachMechanism\0Main";
    static const char tool[] = "PATH=/bin\0JAVA_TOOL_OPTIONS=-Xmx1g -XX:+DisableAttachMechanism";
    static const char late[] = "_JAVA_OPTIONS=-XX:-DisableAttachMechanism";
    const char *name = "DisableAttachMechanism";
    assert_int_equal(wick_proc_jvm_flag(TEXT(off), "", 0, name), 0);
    assert_int_equal(wick_proc_jvm_flag(TEXT(on), "", 0, name), 1);
    assert_int_equal(wick_proc_jvm_flag(TEXT(longer), "", 0, name), -1);
    assert_int_equal(wick_proc_jvm_flag(TEXT("java"), TEXT(tool), name), 1);
    assert_int_equal(wick_proc_jvm_flag(TEXT(off), TEXT(tool), name), 0);
    assert_int_equal(wick_proc_jvm_flag(TEXT(on), TEXT(late), name), 0);
    assert_int_equal(wick_proc_jvm_flag("", 0, "", 0, name), -1);
}

static void assert_main(const char *cmd, size_t len, const char *want)
{
    char out[128] = "";
    bool found = wick_proc_main_class(cmd, len, out, sizeof out);
    if (want ? !found || strcmp(out, want) : found)
        fail_msg("main class is '%s', not '%s'", out, want ? want : "(none)");
}

static void test_main__is_found_behind_options_and_their_values(void **state)
{
    (void)state;
    assert_main(TEXT("java\0-Xmx1g\0org.acme.Main\0-x\0"), "org.acme.Main");
    assert_main(TEXT("/usr/bin/java\0-cp\0a:b\0Main\0"), "Main");
    assert_main(TEXT("java\0-Da=b\0-jar\0/opt/app/shop.jar\0arg\0"), "shop.jar");
    assert_main(TEXT("java\0-m\0mod/org.acme.Main\0"), "mod/org.acme.Main");
    assert_main(TEXT("java\0--module=mod\0"), "mod");
    assert_main(TEXT("java\0@args\0--add-opens\0java.base/x=ALL-UNNAMED\0/src/Hello.java\0"), "Hello.java");
    assert_main(TEXT("java\0-version\0"), NULL);
    assert_main(TEXT("java\0-jar\0"), NULL);
    assert_main(TEXT("eclipse\0-vm\0"), NULL);
    assert_main(TEXT(""), NULL);
}

static void test_container__ids_from_cgroup_and_mountinfo(void **state)
{
    (void)state;
#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
    char out[80];
    assert_true(wick_proc_container(TEXT("12:cpu:/docker/" ID "\n"), "", 0, out, sizeof out));
    assert_string_equal(out, ID);
    assert_true(wick_proc_container(TEXT("0::/kubepods.slice/kubepods-pod1.slice/cri-containerd-" ID ".scope\n"), "", 0,
                                    out, sizeof out));
    assert_string_equal(out, ID);
    assert_true(wick_proc_container(TEXT("0::/machine.slice/web.service\n"), "", 0, out, sizeof out));
    assert_string_equal(out, "web");
    assert_true(wick_proc_container(
        TEXT("0::/\n"), TEXT("1 2 8:1 /var/lib/docker/containers/" ID "/hostname /etc/hostname rw - ext4 a b\n"), out,
        sizeof out));
    assert_string_equal(out, ID);
    /* A host that runs containers also has such mounts, but not over /etc/hostname. */
    assert_false(wick_proc_container(TEXT("0::/user.slice\n"),
                                     TEXT("1 2 8:1 / /var/lib/docker/containers/" ID "/mounts/shm rw - tmpfs shm rw\n"),
                                     out, sizeof out));
    assert_false(wick_proc_container(TEXT("0::/x/" ID "0\n"), "", 0, out, sizeof out));
#undef ID
}

static void assert_reply(const char *data, size_t len, int vm, int has_agent, int agent, const char *text)
{
    struct wick_attach_reply r;
    assert_int_equal(wick_attach_parse_reply(data, len, &r), 0);
    assert_int_equal(r.vm_code, vm);
    assert_int_equal(r.has_agent_code, has_agent);
    if (has_agent)
        assert_int_equal(r.agent_code, agent);
    assert_string_equal(r.text, text);
}

static void test_reply__formats_of_all_jdks(void **state)
{
    (void)state;
    assert_reply(TEXT("0\n0\n"), 0, 1, 0, "");
    assert_reply(TEXT("0\n-1\n"), 0, 1, -1, "");
    assert_reply(TEXT("0\nreturn code: 0\n"), 0, 1, 0, "");
    assert_reply(TEXT("0\nreturn code: 1007"), 0, 1, 1007, "");
    assert_reply(TEXT("0\n/x/libwick.so was not loaded.\n/x/libwick.so: cannot open\n"), 0, 0, 0,
                 "/x/libwick.so was not loaded. /x/libwick.so: cannot open");
    assert_reply(TEXT("101\nProtocol mismatch\n"), 101, 0, 0, "Protocol mismatch");
    assert_reply(TEXT("1\n\033[31mred\n"), 1, 0, 0, " [31mred");
    assert_reply(TEXT("0\n"), 0, 0, 0, "");
    assert_reply(TEXT("0"), 0, 0, 0, "");
}

static void test_reply__garbage_is_an_error(void **state)
{
    (void)state;
    struct wick_attach_reply r;
    char big[4096];
    assert_int_equal(wick_attach_parse_reply("", 0, &r), -WICK_E_FORMAT);
    assert_int_equal(wick_attach_parse_reply(TEXT("\n"), &r), -WICK_E_FORMAT);
    assert_int_equal(wick_attach_parse_reply(TEXT("HTTP/1.1 200 OK"), &r), -WICK_E_FORMAT);
    assert_int_equal(wick_attach_parse_reply(TEXT("0x\n"), &r), -WICK_E_FORMAT);
    memset(big, 'a', sizeof big);
    memcpy(big, "3\n", 2);
    assert_int_equal(wick_attach_parse_reply(big, sizeof big, &r), 0);
    assert_int_equal(strlen(r.text), sizeof r.text - 1);
}

static void test_buildnote__is_found_behind_other_notes(void **state)
{
    (void)state;
    static const unsigned char notes[] = {4, 0, 0, 0, 3, 0, 0, 0, 1, 0, 0, 0, 'G', 'N', 'U', 0, 9,    9,    9, 0,
                                          4, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 'G', 'N', 'U', 0, 0xab, 0x0c, 0, 0};
    char id[41] = "";
    assert_true(wick_buildnote_find(notes, sizeof notes, id));
    assert_string_equal(id, "ab0c");
    for (size_t cut = 0; cut < sizeof notes; cut++) {
        unsigned char *copy = malloc(cut ? cut : 1);
        memcpy(copy, notes, cut);
        assert_false(wick_buildnote_find(copy, cut, id));
        free(copy);
    }
}

static size_t put_entry(unsigned char *p, const char *name, const char *value)
{
    uint32_t name_len = (uint32_t)strlen(name) + 1, value_len = (uint32_t)strlen(value) + 1;
    uint32_t head[] = {20 + name_len + value_len, 20, value_len, 'B', 20 + name_len};
    memcpy(p, head, sizeof head);
    memcpy(p + 20, name, name_len);
    memcpy(p + 20 + name_len, value, value_len);
    return head[0];
}

static void test_hsperf__strings_are_found_and_damage_is_survived(void **state)
{
    (void)state;
    unsigned char file[512] = {0xca, 0xfe, 0xc0, 0xc0, 1, 2, 0, 1};
    char out[64];
    size_t len = 32;
    file[24] = 32;
    file[28] = 2;
    len += put_entry(file + len, "a.b", "first");
    len += put_entry(file + len, "sun.rt.javaCommand", "org.acme.Main x");
    assert_true(wick_hsperf_string(file, len, "sun.rt.javaCommand", out, sizeof out));
    assert_string_equal(out, "org.acme.Main x");
    assert_false(wick_hsperf_string(file, len, "sun.rt.java", out, sizeof out));
    for (size_t cut = 0; cut < len; cut++) {
        unsigned char *copy = malloc(cut ? cut : 1); /* exact size: a read beyond it is seen by ASan */
        memcpy(copy, file, cut);
        wick_hsperf_string(copy, cut, "sun.rt.javaCommand", out, sizeof out);
        free(copy);
    }
    for (size_t at = 4; at < len; at++) {
        unsigned char *copy = malloc(len);
        memcpy(copy, file, len);
        copy[at] = 0xff;
        wick_hsperf_string(copy, len, "sun.rt.javaCommand", out, sizeof out);
        free(copy);
    }
}

static uint32_t put_long(unsigned char *p, const char *name, uint64_t value)
{
    uint32_t name_len = (uint32_t)strlen(name) + 1;
    uint32_t head[] = {28 + name_len, 20, 0, 'J', 20 + name_len};
    memcpy(p, head, sizeof head);
    memcpy(p + 20, name, name_len);
    memcpy(p + 20 + name_len, &value, sizeof value);
    return head[0];
}

static void test_hsperf__the_heap_is_the_sum_of_its_spaces(void **state)
{
    (void)state;
    unsigned char file[1024] = {0xca, 0xfe, 0xc0, 0xc0, 1, 2, 0, 1};
    uint64_t used, committed;
    size_t len = 32;
    file[24] = 32;
    file[28] = 6;
    len += put_long(file + len, "sun.gc.generation.0.space.0.used", 1000);
    len += put_long(file + len, "sun.gc.generation.1.space.0.used", UINT64_C(5) << 32);
    len += put_long(file + len, "sun.gc.generation.1.space.0.capacity", UINT64_C(6) << 32);
    len += put_long(file + len, "sun.gc.generation.1.capacity", 77);
    len += put_long(file + len, "sun.gc.metaspace.used", 88);
    len += put_entry(file + len, "sun.gc.generation.0.space.1.used", "text");
    assert_true(wick_hsperf_heap(file, len, &used, &committed));
    assert_int_equal(used, (UINT64_C(5) << 32) + 1000);
    assert_int_equal(committed, UINT64_C(6) << 32);
    for (size_t cut = 0; cut < len; cut++) {
        unsigned char *copy = malloc(cut ? cut : 1);
        memcpy(copy, file, cut);
        wick_hsperf_heap(copy, cut, &used, &committed);
        free(copy);
    }
    for (size_t at = 4; at < len; at++) {
        unsigned char *copy = malloc(len);
        memcpy(copy, file, len);
        copy[at] = 0xff;
        wick_hsperf_heap(copy, len, &used, &committed);
        free(copy);
    }
    file[28] = 0;
    assert_false(wick_hsperf_heap(file, len, &used, &committed));
}

static void test_proc__a_process_that_has_ended_is_distinguished_from_its_successor(void **state)
{
    (void)state;
    struct wick_proc p;
    struct wick_err err = {0};
    pid_t pid = fork();
    if (pid == 0) {
        pause();
        _exit(0);
    }
    char left[64]; /* by a JVM with that number, which was killed */
    snprintf(left, sizeof left, "/tmp/.java_pid%d", (int)pid);
    unlink(left);
    assert_int_equal(wick_proc_open(pid, &p, &err), 0);
    assert_int_equal(p.st.nspid, pid);
    assert_false(wick_proc_gone(&p));
    assert_int_equal(wick_attach_check_jvm(&p, NULL, 0, &err), -WICK_E_NOTJVM);
    assert_int_equal(wick_attach_check_ready(&p, &err), -WICK_E_DISABLED); /* no SIGQUIT handler: it would die */
    assert_int_equal(wick_proc_kill(&p, SIGKILL), 0);
    waitpid(pid, NULL, 0);
    assert_true(wick_proc_gone(&p));
    assert_int_equal(wick_proc_kill(&p, SIGKILL), -WICK_E_GONE);
    assert_int_equal(wick_proc_refresh(&p, &err), -WICK_E_GONE);
    wick_proc_close(&p);
    assert_int_equal(wick_proc_open(pid, &p, &err), -WICK_E_NOTFOUND);
    assert_int_equal(wick_proc_open(-1, &p, &err), -WICK_E_NOTFOUND);
}

static void test_ns__links_cannot_lead_out_of_the_root(void **state)
{
    (void)state;
    char dir[] = "/tmp/wick-test-XXXXXX", path[256];
    assert_non_null(mkdtemp(dir));
    int root = open(dir, O_PATH | O_DIRECTORY);
    assert_int_equal(mkdirat(root, "real", 0700), 0);
    assert_int_equal(symlinkat("/real", root, "tmp"), 0);
    assert_int_equal(symlinkat("/etc/passwd", root, "real/planted"), 0);
    assert_int_equal(symlinkat("../../../../../etc", root, "real/up"), 0);
    int tmp = wick_ns_open(root, "/tmp/.", O_PATH | O_DIRECTORY, 0);
    assert_true(tmp >= 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", tmp);
    char target[256] = "", want[256];
    assert_true(readlink(path, target, sizeof target - 1) > 0);
    snprintf(want, sizeof want, "%s/real", dir);
    assert_string_equal(target, want);
    close(tmp);
    assert_int_equal(wick_ns_open(root, "/real/planted", O_RDONLY, 0), -ELOOP);
    assert_int_equal(wick_ns_open(root, "/real/up/passwd", O_RDONLY, 0), -ENOENT); /* <root>/etc does not exist */
    assert_int_equal(wick_ns_open(root, "/../../../etc/passwd", O_RDONLY, 0), -ENOENT);
    unlinkat(root, "real/planted", 0);
    unlinkat(root, "real/up", 0);
    unlinkat(root, "tmp", 0);
    unlinkat(root, "real", AT_REMOVEDIR);
    close(root);
    rmdir(dir);
}

static void test_number__is_what_a_file_begins_with(void **state)
{
    (void)state;
    char path[] = "/tmp/wick-test-XXXXXX";
    long value = 5;
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_false(wick_proc_number(path, &value));
    assert_int_equal(write(fd, "-1\n", 3), 3);
    assert_true(wick_proc_number(path, &value));
    assert_int_equal(value, -1);
    assert_int_equal(pwrite(fd, "max", 3, 0), 3);
    assert_false(wick_proc_number(path, &value));
    unlink(path);
    close(fd);
    assert_false(wick_proc_number(path, &value));
    assert_int_equal(value, -1);
}

static void test_permitted__what_is_said_of_limits_holds(void **state)
{
    (void)state;
    struct wick_permitted m;
    struct wick_proc p;
    struct wick_err err = {0};
    uint64_t files = 0;
    wick_permitted_read(&m);
    assert_true(m.files && m.files <= m.files_most);
    assert_int_equal(wick_proc_open(getpid(), &p, &err), 0);
    assert_true(wick_proc_open_files(&p, &files));
    assert_int_equal(files, m.files);
    wick_proc_close(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_status__is_read_by_name_and_the_last_nspid_counts),
        cmocka_unit_test(test_status__truncated_text_is_an_error),
        cmocka_unit_test(test_maps__libjvm_is_found_by_its_whole_base_name),
        cmocka_unit_test(test_flag__the_last_word_wins),
        cmocka_unit_test(test_main__is_found_behind_options_and_their_values),
        cmocka_unit_test(test_container__ids_from_cgroup_and_mountinfo),
        cmocka_unit_test(test_reply__formats_of_all_jdks),
        cmocka_unit_test(test_reply__garbage_is_an_error),
        cmocka_unit_test(test_buildnote__is_found_behind_other_notes),
        cmocka_unit_test(test_hsperf__strings_are_found_and_damage_is_survived),
        cmocka_unit_test(test_hsperf__the_heap_is_the_sum_of_its_spaces),
        cmocka_unit_test(test_proc__a_process_that_has_ended_is_distinguished_from_its_successor),
        cmocka_unit_test(test_number__is_what_a_file_begins_with),
        cmocka_unit_test(test_permitted__what_is_said_of_limits_holds),
        cmocka_unit_test(test_ns__links_cannot_lead_out_of_the_root),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
