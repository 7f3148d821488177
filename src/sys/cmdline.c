/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a JVM's command line, environment and cgroup say about it. All three are texts the process itself may have
 * written, so they are hints for people and for messages; nothing is trusted because of them.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sys/proc.h"

/* The last -XX:[+-]name in a list of words separated by any byte of seps; -1 if there is none. */
static int flag_in(const char *p, size_t len, const char *seps, size_t nseps, const char *name)
{
    const char *end = p + len;
    size_t name_len = strlen(name);
    int value = -1;
    while (p < end) {
        const char *word = p;
        while (p < end && !memchr(seps, *p, nseps))
            p++;
        size_t n = (size_t)(p - word);
        if (n == name_len + 5 && !memcmp(word, "-XX:", 4) && !memcmp(word + 5, name, name_len)) {
            if (word[4] == '+')
                value = 1;
            else if (word[4] == '-')
                value = 0;
        }
        p++;
    }
    return value;
}

int wick_proc_jvm_flag(const char *cmdline, size_t cmd_len, const char *env, size_t env_len, const char *name)
{
    static const char *const variables[] = {"JAVA_TOOL_OPTIONS=", "JDK_JAVA_OPTIONS=", NULL, "_JAVA_OPTIONS="};
    int value = -1;
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        int v = -1;
        if (!variables[i]) {
            v = flag_in(cmdline, cmd_len, "\0", 1, name);
        } else {
            size_t key = strlen(variables[i]);
            for (const char *p = env, *end = env + env_len; p < end;) {
                size_t n = strnlen(p, (size_t)(end - p));
                if (n > key && !memcmp(p, variables[i], key))
                    v = flag_in(p + key, n - key, " \t\n\"'", 5, name);
                p += n + 1;
            }
        }
        if (v >= 0)
            value = v;
    }
    return value;
}

/* Options of the java launcher that take the next word as their value. */
static bool takes_value(const char *word)
{
    static const char *const list[] = {"-cp",
                                       "-classpath",
                                       "--class-path",
                                       "-p",
                                       "--module-path",
                                       "--add-modules",
                                       "--upgrade-module-path",
                                       "--add-exports",
                                       "--add-opens",
                                       "--add-reads",
                                       "--limit-modules",
                                       "--patch-module",
                                       "--source",
                                       "--enable-native-access",
                                       "-d",
                                       "--describe-module"};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (!strcmp(word, list[i]))
            return true;
    return false;
}

static const char *base_name(const char *s)
{
    const char *slash = strrchr(s, '/');
    return slash ? slash + 1 : s;
}

bool wick_proc_main_class(const char *cmdline, size_t len, char *out, size_t cap)
{
    const char *p = cmdline, *end = cmdline + len;
    bool first = true, skip = false;
    while (p < end) {
        size_t n = strnlen(p, (size_t)(end - p));
        char word[512];
        snprintf(word, sizeof word, "%.*s", (int)n, p);
        p += n + 1;
        if (first || skip) {
            if (first && strcmp(base_name(word), "java"))
                return false;
            first = skip = false;
            continue;
        }
        bool jar = !strcmp(word, "-jar");
        if (jar || !strcmp(word, "-m") || !strcmp(word, "--module")) {
            if (p >= end)
                return false;
            snprintf(word, sizeof word, "%.*s", (int)strnlen(p, (size_t)(end - p)), p);
            snprintf(out, cap, "%s", jar ? base_name(word) : word);
            return *out;
        }
        if (!strncmp(word, "--module=", 9)) {
            snprintf(out, cap, "%s", word + 9);
            return *out;
        }
        if (takes_value(word)) {
            skip = true;
        } else if (word[0] != '-' && word[0] != '@') {
            /* A source file (java Main.java) is named by its base name, a class by its full name. */
            size_t w = strlen(word);
            snprintf(out, cap, "%s", w > 5 && !strcmp(word + w - 5, ".java") ? base_name(word) : word);
            return *out;
        }
    }
    return false;
}

/* Copies the first run of exactly 64 hex digits, if any. */
static bool find_hex64(const char *p, size_t len, char *out, size_t cap)
{
    size_t run = 0;
    for (size_t i = 0; i <= len; i++) {
        if (i < len && ((p[i] >= '0' && p[i] <= '9') || (p[i] >= 'a' && p[i] <= 'f'))) {
            run++;
            continue;
        }
        if (run == 64) {
            snprintf(out, cap, "%.*s", 64, p + i - 64);
            return true;
        }
        run = 0;
    }
    return false;
}

/* The path component after `mark`, cut at '/', newline or a ".scope"/".service" suffix. */
static bool find_after(const char *p, size_t len, const char *mark, char *out, size_t cap)
{
    const char *hit = len ? memmem(p, len, mark, strlen(mark)) : NULL;
    if (!hit)
        return false;
    hit += strlen(mark);
    size_t n = 0;
    while (hit + n < p + len && hit[n] != '/' && hit[n] != '\n')
        n++;
    snprintf(out, cap, "%.*s", (int)n, hit);
    char *dot = strstr(out, ".scope");
    if (!dot)
        dot = strstr(out, ".service");
    if (dot)
        *dot = 0;
    return *out;
}

bool wick_proc_container(const char *cgroup, size_t cgroup_len, const char *mounts, size_t mounts_len, char *out,
                         size_t cap)
{
    if (find_hex64(cgroup, cgroup_len, out, cap) || find_after(cgroup, cgroup_len, "/lxc/", out, cap) ||
        find_after(cgroup, cgroup_len, "/lxc.payload.", out, cap) ||
        find_after(cgroup, cgroup_len, "/machine.slice/", out, cap))
        return true;
    /* With a cgroup namespace the cgroup path is "/", but the engine bind-mounts files from a directory named by the
     * id:
     * .../containers/<64 hex>/hostname (Docker, Podman), .../sandboxes/<64 hex>/ (containerd, CRI-O). */
    for (const char *p = mounts, *end = mounts + mounts_len; p < end;) {
        const char *nl = memchr(p, '\n', (size_t)(end - p));
        size_t n = nl ? (size_t)(nl - p) : (size_t)(end - p);
        if ((memmem(p, n, "containers/", 11) || memmem(p, n, "sandboxes/", 10)) &&
            (memmem(p, n, " /etc/hostname ", 15) || memmem(p, n, " /etc/resolv.conf ", 18)) &&
            find_hex64(p, n, out, cap))
            return true;
        p += n + 1;
    }
    return false;
}
