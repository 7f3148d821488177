/* SPDX-License-Identifier: Apache-2.0 */
/* wick ps: one line a JVM. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/ui.h"
#include "sys/jvmlist.h"

static void print_json(const struct wick_jvmlist *list)
{
    fputs("[", stdout);
    for (size_t i = 0; i < list->count; i++) {
        const struct wick_jvm_entry *j = &list->jvms[i];
        const struct {
            const char *key, *value;
        } texts[] = {{"user", j->user}, {"version", j->version}, {"container", j->container}, {"main", j->main}};
        printf("%s\n  {\"pid\": %d, \"nspid\": %d, \"uid\": %u, \"readable\": %s", i ? "," : "", (int)j->pid,
               (int)j->nspid, (unsigned)j->uid, j->readable ? "true" : "false");
        for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
            printf(", \"%s\": ", texts[t].key);
            wick_ui_json_string(stdout, texts[t].value);
        }
        fputs("}", stdout);
    }
    puts(list->count ? "\n]" : "]");
}

/* Container ids are 64 digits long; the first twelve are what people use. */
static void short_container(const struct wick_jvm_entry *j, char *out, size_t cap)
{
    bool hex = strlen(j->container) == 64 && strspn(j->container, "0123456789abcdef") == 64;
    snprintf(out, cap, "%.*s", hex ? 12 : 24, *j->container ? j->container : "-");
}

static void print_table(const struct wick_jvmlist *list)
{
    char box[32];
    int user = 4, version = 4, container = 9;
    for (size_t i = 0; i < list->count; i++) {
        const struct wick_jvm_entry *j = &list->jvms[i];
        short_container(j, box, sizeof box);
        user = (int)strlen(j->user) > user ? (int)strlen(j->user) : user;
        version = (int)strlen(j->version) > version ? (int)strlen(j->version) : version;
        container = (int)strlen(box) > container ? (int)strlen(box) : container;
    }
    printf("%s%7s  %-*s  %-*s  %-*s  MAIN%s\n", wick_ui_colour(stdout, WICK_UI_BOLD), "PID", user, "USER", version,
           "JDK", container, "CONTAINER", wick_ui_colour(stdout, WICK_UI_PLAIN));
    for (size_t i = 0; i < list->count; i++) {
        const struct wick_jvm_entry *j = &list->jvms[i];
        short_container(j, box, sizeof box);
        printf("%7d  ", (int)j->pid);
        wick_ui_column(stdout, j->user, user + 2);
        wick_ui_column(stdout, *j->version ? j->version : "?", version + 2);
        wick_ui_column(stdout, box, container + 2);
        wick_ui_last_column(stdout, 9 + (unsigned)(user + version + container) + 6, j->main, strlen(j->main));
        putchar('\n');
    }
}

int wick_cmd_ps(int argc, char **argv)
{
    struct wick_err err = {0};
    struct wick_opts o;
    struct wick_jvmlist list;
    char **rest = calloc((size_t)argc + 1, sizeof *rest);
    int nrest, dashdash;
    int rc = rest ? wick_cmd_parse(argc, argv, &o, rest, &nrest, &dashdash, &err) : -WICK_E_NOMEM;
    free(rest);
    if (!rc && nrest)
        rc = wick_err_set(&err, WICK_E_USAGE, "wick ps takes no operands");
    if (!rc)
        rc = wick_jvmlist_scan(&list, &err);
    if (rc)
        return rc < 0 ? wick_ui_fail(&err) : 0;
    if (o.json)
        print_json(&list);
    else
        print_table(&list);
    wick_jvmlist_free(&list);
    return 0;
}
