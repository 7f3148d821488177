/* SPDX-License-Identifier: Apache-2.0 */
#include "ebpf/host_owner.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sys/proc.h"
#include "sys/whole.h"

/* Threads of a process in a container that are looked through, and for how long what was found is taken to hold. */
enum { MOST_THREADS = 4096, HOLDS_NS = 1000000000 };

static bool read_name(uint32_t pid, uint32_t tid, char *out)
{
    char path[64], comm[WICK_HOST_COMM + 1];
    snprintf(path, sizeof path, "/proc/%u/task/%u/comm", pid, tid);
    ssize_t n = wick_whole_text(path, comm, sizeof comm);
    if (n <= 0)
        return false;
    comm[strcspn(comm, "\n")] = 0;
    snprintf(out, WICK_HOST_OWNER_NAME, "%.*s-%u", WICK_HOST_COMM - 1, comm, tid);
    return true;
}

/* The last number of a thread's line NSpid is the one that its own process knows. */
static bool is_known_as(uint32_t pid, uint32_t thread, uint32_t tid)
{
    char path[64], text[4096];
    snprintf(path, sizeof path, "/proc/%u/task/%u/status", pid, thread);
    if (wick_whole_text(path, text, sizeof text) <= 0)
        return false;
    char *line = strstr(text, "\nNSpid:");
    if (!line)
        return false;
    line++;
    line[strcspn(line, "\n")] = 0;
    const char *last = strrchr(line, '\t');
    return last && strtoul(last + 1, NULL, 10) == tid;
}

static bool find_name(uint32_t pid, uint32_t tid, char *out)
{
    char path[32];
    bool found = false;
    snprintf(path, sizeof path, "/proc/%u/task", pid);
    DIR *dir = opendir(path);
    const struct dirent *e;
    for (int i = 0; dir && !found && i < MOST_THREADS && (e = readdir(dir)); i++) {
        uint32_t thread = (uint32_t)strtoul(e->d_name, NULL, 10);
        found = thread && is_known_as(pid, thread, tid) && read_name(pid, thread, out);
    }
    if (dir)
        closedir(dir);
    return found;
}

const char *wick_host_owner_name(struct wick_host_owners *o, const struct wick_host_process *p, uint32_t tid,
                                 uint64_t now_ns)
{
    struct wick_host_owner *one = &o->of[(tid ^ p->pid * 31) % WICK_HOST_OWNERS];
    if (!one->read_ns || one->tid != tid || memcmp(&one->birth, &p->birth, sizeof one->birth) ||
        now_ns - one->read_ns >= HOLDS_NS) {
        *one = (struct wick_host_owner){.birth = p->birth, .read_ns = now_ns, .tid = tid};
        bool found = !p->gone && (p->own_pids ? find_name(p->pid, tid, one->name) : read_name(p->pid, tid, one->name));
        if (found && !wick_host_process_is_same(p))
            found = false;
        if (!found)
            *one->name = 0;
    }
    return *one->name ? one->name : NULL;
}
