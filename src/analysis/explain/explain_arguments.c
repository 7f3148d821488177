/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/explain/explain_arguments.h"

#include <stdlib.h>
#include <string.h>

int64_t wick_explain_size_option(const char *arguments, const char *const *options, size_t n, const char **last)
{
    int64_t size = 0;
    for (const char *word = arguments; *word; word += strcspn(word, " "), word += strspn(word, " ")) {
        for (size_t i = 0; i < n; i++) {
            size_t length = strlen(options[i]);
            char *end;
            if (strncmp(word, options[i], length) != 0 || word[length] < '0' || word[length] > '9')
                continue;
            uint64_t v = strtoull(word + length, &end, 10);
            char unit = (char)(*end | 0x20);
            unsigned shift = unit == 'k' ? 10 : unit == 'm' ? 20 : unit == 'g' ? 30 : unit == 't' ? 40 : 0;
            size = v <= (uint64_t)INT64_MAX >> shift ? (int64_t)(v << shift) : 0;
            *last = word;
        }
    }
    return size;
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
    static const char *const options[] = {"-Xmx", "-XX:MaxHeapSize="};
    const char *word;
    int64_t heap = wick_explain_size_option(arguments, options, sizeof options / sizeof *options, &word);
    f->heap_max = heap > f->heap_max ? heap : f->heap_max;
    f->carriers = carriers_option(arguments);
    f->arguments = string;
}
