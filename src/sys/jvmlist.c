/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where each column comes from:
 *
 *   version    JAVA_VERSION in the `release` file above libjvm.so, inside the target's root; else hsperfdata (the vm
 *              version of JDK 8 is "25.<update>-b<build>")
 *   container  cgroup and mountinfo; else the pid namespace if it is not ours
 *   main       the command line; for launchers not called java, hsperfdata's sun.rt.javaCommand; else the process name
 */
#include "sys/jvmlist.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sys/ns.h"
#include "sys/whole.h"

#define SMALL_FILE 65536

/* Reads at most SMALL_FILE bytes of a regular file inside root. */
static int read_inside(int root, const char *path, struct wick_strbuf *out)
{
    struct stat st;
    int fd = wick_ns_open(root, path, O_RDONLY | O_NONBLOCK, 0);
    if (fd < 0)
        return -WICK_E_IO;
    int rc = fstat(fd, &st) || !S_ISREG(st.st_mode) ? -WICK_E_IO : wick_strbuf_grow(out, SMALL_FILE);
    ssize_t n = rc ? -1 : wick_whole_pread(fd, out->buf + out->len, SMALL_FILE, 0);
    close(fd);
    if (n < 0)
        return -WICK_E_IO;
    out->len += (size_t)n;
    out->buf[out->len] = 0;
    return 0;
}

/* JAVA_VERSION="17.0.15" -> 17.0.15 */
static bool release_version(const char *text, char *out, size_t cap)
{
    static const char key[] = "JAVA_VERSION=\"";
    const char *p = text;
    while (p && strncmp(p, key, sizeof key - 1)) {
        p = strchr(p, '\n');
        p = p ? p + 1 : NULL;
    }
    if (!p)
        return false;
    p += sizeof key - 1;
    size_t n = strspn(p, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ._+-");
    snprintf(out, cap, "%.*s", (int)n, p);
    return *out;
}

static bool version_from_release(int root, const char *libjvm, char *out, size_t cap)
{
    char path[4096 + 16];
    struct wick_strbuf sb = WICK_STRBUF_INIT;
    bool found = false;
    snprintf(path, sizeof path - 16, "%s", libjvm);
    /* lib/server/libjvm.so, or jre/lib/<arch>/server/libjvm.so: at most five directories up. */
    for (int up = 0; up < 6 && !found; up++) {
        char *slash = strrchr(path, '/');
        if (!slash || slash == path)
            break;
        *slash = 0;
        strcpy(slash, "/release");
        wick_strbuf_clear(&sb);
        found = !read_inside(root, path, &sb) && release_version(sb.buf, out, cap);
        *slash = 0;
    }
    wick_strbuf_release(&sb);
    return found;
}

/* Finds <root>/tmp/hsperfdata_<any>/<nspid>. */
static bool read_hsperf(const struct wick_proc *p, int root, struct wick_strbuf *out)
{
    int tmp = wick_ns_open(root, "/tmp/.", O_RDONLY | O_DIRECTORY, 0);
    DIR *dir = tmp < 0 ? NULL : fdopendir(tmp);
    bool found = false;
    if (!dir) {
        if (tmp >= 0)
            close(tmp);
        return false;
    }
    for (struct dirent *e; !found && (e = readdir(dir));) {
        char path[300];
        if (strncmp(e->d_name, "hsperfdata_", 11))
            continue;
        snprintf(path, sizeof path, "/tmp/%s/%d", e->d_name, (int)p->st.nspid);
        wick_strbuf_clear(out);
        found = !read_inside(root, path, out);
    }
    closedir(dir);
    return found;
}

bool wick_jvmlist_heap(const struct wick_proc *p, uint64_t *used, uint64_t *committed)
{
    struct wick_strbuf perf = WICK_STRBUF_INIT;
    int root = wick_ns_root(p);
    bool found = root >= 0 && read_hsperf(p, root, &perf) &&
                 wick_hsperf_heap((const unsigned char *)perf.buf, perf.len, used, committed);
    wick_strbuf_release(&perf);
    if (root >= 0)
        close(root);
    return found;
}

static void version_from_vm(const char *vm, char *out, size_t cap)
{
    if (!strncmp(vm, "25.", 3))
        snprintf(out, cap, "8u%.*s", (int)strspn(vm + 3, "0123456789"), vm + 3);
    else
        snprintf(out, cap, "%.*s", (int)strcspn(vm, "+-"), vm);
}

/* First word of a java command, without directories if it is a jar. */
static void main_from_command(char *command, char *out, size_t cap)
{
    command[strcspn(command, " ")] = 0;
    size_t n = strlen(command);
    char *slash = n > 4 && !strcmp(command + n - 4, ".jar") ? strrchr(command, '/') : NULL;
    snprintf(out, cap, "%.*s", (int)cap - 1, slash ? slash + 1 : command);
}

static void describe_from_root(const struct wick_proc *p, const char *libjvm, struct wick_jvm_entry *jvm)
{
    int root = wick_ns_root(p);
    if (root < 0)
        return;
    if (libjvm)
        version_from_release(root, libjvm, jvm->version, sizeof jvm->version);
    struct wick_strbuf perf = WICK_STRBUF_INIT;
    char text[512];
    if ((!*jvm->version || !*jvm->main) && read_hsperf(p, root, &perf)) {
        const unsigned char *data = (const unsigned char *)perf.buf;
        if (!*jvm->version && wick_hsperf_string(data, perf.len, "java.property.java.vm.version", text, sizeof text))
            version_from_vm(text, jvm->version, sizeof jvm->version);
        if (!*jvm->main && wick_hsperf_string(data, perf.len, "sun.rt.javaCommand", text, sizeof text))
            main_from_command(text, jvm->main, sizeof jvm->main);
    }
    wick_strbuf_release(&perf);
    close(root);
}

static void describe_container(const struct wick_proc *p, struct wick_jvm_entry *jvm)
{
    struct wick_strbuf cgroup = WICK_STRBUF_INIT, mounts = WICK_STRBUF_INIT;
    wick_proc_read(p, "cgroup", &cgroup);
    wick_proc_read(p, "mountinfo", &mounts);
    if (!wick_proc_container(cgroup.buf, cgroup.len, mounts.buf, mounts.len, jvm->container, sizeof jvm->container) &&
        wick_ns_same(p, "pid") == 0) {
        ssize_t n = readlinkat(p->dir, "ns/pid", jvm->container, sizeof jvm->container - 1);
        jvm->container[n > 0 ? n : 0] = 0;
    }
    wick_strbuf_release(&cgroup);
    wick_strbuf_release(&mounts);
}

void wick_jvmlist_describe(const struct wick_proc *p, const char *libjvm, struct wick_jvm_entry *out)
{
    struct wick_jvm_entry jvm = {.pid = p->pid, .nspid = p->st.nspid, .uid = p->st.euid, .readable = libjvm != NULL};
    struct passwd entry, *pw = NULL;
    char names[4096];
    if (!getpwuid_r(jvm.uid, &entry, names, sizeof names, &pw) && pw)
        snprintf(jvm.user, sizeof jvm.user, "%s", pw->pw_name);
    else
        snprintf(jvm.user, sizeof jvm.user, "%u", (unsigned)jvm.uid);
    struct wick_strbuf cmd = WICK_STRBUF_INIT;
    wick_proc_read(p, "cmdline", &cmd);
    wick_proc_main_class(cmd.buf, cmd.len, jvm.main, sizeof jvm.main);
    wick_strbuf_release(&cmd);
    describe_from_root(p, libjvm, &jvm);
    describe_container(p, &jvm);
    if (!*jvm.main)
        snprintf(jvm.main, sizeof jvm.main, "%s", p->st.comm);
    for (char *c = jvm.main; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            *c = '?';
    *out = jvm;
}

/* True if the process is a JVM; libjvm[cap] is its path, or "" where the maps may not be read. */
static bool is_jvm(const struct wick_proc *p, char *libjvm, size_t cap)
{
    struct wick_strbuf maps = WICK_STRBUF_INIT;
    int rc = wick_proc_read(p, "maps", &maps);
    *libjvm = 0;
    bool yes = rc == -WICK_E_PERM ? !strcmp(p->st.comm, "java")
                                  : !rc && wick_proc_find_mapped(maps.buf, maps.len, "libjvm.so", libjvm, cap) &&
                                        !memmem(maps.buf, maps.len, "/libj9vm", 8);
    wick_strbuf_release(&maps);
    return yes;
}

static int by_pid(const void *a, const void *b)
{
    pid_t x = ((const struct wick_jvm_entry *)a)->pid, y = ((const struct wick_jvm_entry *)b)->pid;
    return (x > y) - (x < y);
}

static int add(struct wick_jvmlist *list, const struct wick_jvm_entry *jvm)
{
    if (list->count % 16 == 0) {
        struct wick_jvm_entry *bigger = realloc(list->jvms, (list->count + 16) * sizeof *bigger);
        if (!bigger)
            return -WICK_E_NOMEM;
        list->jvms = bigger;
    }
    list->jvms[list->count++] = *jvm;
    return 0;
}

int wick_jvmlist_scan(struct wick_jvmlist *out, struct wick_err *err)
{
    struct wick_jvmlist list = {0};
    DIR *dir = opendir("/proc");
    int rc = 0;
    if (!dir)
        return wick_err_set(err, WICK_E_IO, "cannot read /proc: %s", strerror(errno));
    for (struct dirent *e; !rc && (e = readdir(dir));) {
        char libjvm[4096];
        struct wick_proc p;
        struct wick_jvm_entry jvm;
        pid_t pid = (pid_t)atoi(e->d_name);
        if (pid <= 0 || wick_proc_open(pid, &p, NULL))
            continue;
        if (is_jvm(&p, libjvm, sizeof libjvm)) {
            wick_jvmlist_describe(&p, *libjvm ? libjvm : NULL, &jvm);
            rc = add(&list, &jvm);
        }
        wick_proc_close(&p);
    }
    closedir(dir);
    if (rc) {
        wick_jvmlist_free(&list);
        return wick_err_set(err, WICK_E_NOMEM, "out of memory");
    }
    if (list.count)
        qsort(list.jvms, list.count, sizeof *list.jvms, by_pid);
    *out = list;
    return 0;
}

void wick_jvmlist_free(struct wick_jvmlist *list)
{
    free(list->jvms);
    *list = (struct wick_jvmlist){0};
}
