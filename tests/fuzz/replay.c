/* SPDX-License-Identifier: Apache-2.0 */
/*
 * replay.c - runs a fuzz target on every file of its corpus, without libFuzzer
 *
 *     replay_<target> FOLDER
 *
 * So that what the fuzzers have found stays found in every `make check`. Each file is also tried cut short: at every
 * length up to 512 bytes, and at 64 lengths beyond. The input lies at the very end of a block of its own, so that the
 * address sanitizer sees a read behind it. Prints TAP, one test a file; a crash ends the program, which is a failure.
 */
#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static void run_cut(const uint8_t *data, size_t size)
{
    uint8_t *exact = malloc(size ? size : 1);
    if (!exact)
        abort();
    memcpy(exact, data, size);
    LLVMFuzzerTestOneInput(exact, size);
    free(exact);
}

static void run_all_cuts(const uint8_t *data, size_t size)
{
    for (size_t cut = 0; cut < size && cut < 512; cut++)
        run_cut(data, cut);
    for (size_t i = 0; size > 512 && i < 64; i++)
        run_cut(data, 512 + (size - 512) * i / 64);
    run_cut(data, size);
}

/* The whole file in malloc'ed memory, or NULL. */
static uint8_t *read_file(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    struct stat st;
    if (!f)
        return NULL;
    uint8_t *data = fstat(fileno(f), &st) ? NULL : malloc((size_t)st.st_size + 1);
    if (data)
        *size = fread(data, 1, (size_t)st.st_size + 1, f);
    fclose(f);
    return data;
}

int main(int argc, char **argv)
{
    struct dirent **files;
    if (argc != 2) {
        fprintf(stderr, "usage: %s CORPUS-FOLDER\n", argv[0]);
        return 2;
    }
    int count = scandir(argv[1], &files, is_visible, alphasort), failed = 0;
    if (count <= 0) {
        printf("1..1\nnot ok 1 - no corpus in %s: %s\n", argv[1], count ? strerror(errno) : "the folder is empty");
        return 1;
    }
    printf("1..%d\n", count);
    for (int i = 0; i < count; i++) {
        char path[4096];
        size_t size = 0;
        snprintf(path, sizeof path, "%s/%s", argv[1], files[i]->d_name);
        printf("# %s\n", path);
        fflush(stdout); /* a crash must show which file it was */
        uint8_t *data = read_file(path, &size);
        if (data)
            run_all_cuts(data, size);
        else
            failed = 1;
        printf("%s %d - %s\n", data ? "ok" : "not ok", i + 1, files[i]->d_name);
        free(data);
        free(files[i]);
    }
    free(files);
    return failed;
}
