/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/explain/explain_arguments.h"

#include <stdlib.h>
#include <string.h>

/* -Xmx or -XX:MaxHeapSize in bytes, 0 = neither. */
static int64_t heap_option(const char *arguments)
{
    static const char *const options[] = {"-Xmx", "-XX:MaxHeapSize="};
    int64_t limit = 0;
    for (const char *word = arguments; *word; word += strcspn(word, " "), word += strspn(word, " ")) {
        for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
            size_t n = strlen(options[i]);
            char *end;
            if (strncmp(word, options[i], n) != 0 || word[n] < '0' || word[n] > '9')
                continue;
            uint64_t v = strtoull(word + n, &end, 10);
            char unit = (char)(*end | 0x20);
            unsigned shift = unit == 'k' ? 10 : unit == 'm' ? 20 : unit == 'g' ? 30 : unit == 't' ? 40 : 0;
            limit = v <= (uint64_t)INT64_MAX >> shift ? (int64_t)(v << shift) : 0;
        }
    }
    return limit;
}

/* 0 = the option is not there. */
static unsigned carriers_option(const char *arguments)
{
    static const char option[] = "-Djdk.virtualThreadScheduler.parallelism=";
    unsigned n = 0;
    for (const char *word = arguments; *word; word += strcspn(word, " "), word += strspn(word, " "))
        if (!strncmp(word, option, strlen(option)) && word[strlen(option)] >= '0' && word[strlen(option)] <= '9')
            n = (unsigned)strtoul(word + strlen(option), NULL, 10);
    return n;
}

void wick_explain_take_arguments(struct wick_explain_facts *f, uint32_t string)
{
    const char *arguments = wick_profile_str(f->p, string);
    int64_t heap = heap_option(arguments);
    f->heap_max = heap > f->heap_max ? heap : f->heap_max;
    f->carriers = carriers_option(arguments);
    f->arguments = string;
}
