/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ui_heap.c - the answers of `wick ui` about heaps
 *
 * A heap dump may be larger than memory, may come from anywhere, and takes its time. So it is analysed by a `wick heap`
 * of its own, whose memory goes with it; what that prints is the answer, JSON or a page.
 */
#include "cli/ui/ui_views.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "serve/child.h"
#include "sys/whole.h"

#define ROWS "200"

static int copy(int from, FILE *out, struct wick_err *err)
{
    char piece[65536];
    ssize_t n;
    off_t at = 0;
    while ((n = wick_whole_pread(from, piece, sizeof piece, at)) > 0) {
        fwrite(piece, 1, (size_t)n, out);
        at += n;
    }
    return n < 0 ? wick_err_set(err, WICK_E_IO, "cannot read the answer: %s", strerror(errno)) : 0;
}

static int run(char *const *argv, int in, FILE *out, struct wick_err *err)
{
    int said = memfd_create("wick-heap", MFD_CLOEXEC);
    if (said < 0)
        return wick_err_set(err, WICK_E_IO, "cannot make a file in memory: %s", strerror(errno));
    int rc = wick_serve_child_run(argv, in, said, err);
    rc = rc ? rc : copy(said, out, err);
    close(said);
    return rc;
}

int wick_ui_heap(const struct wick_serve_file *file, const struct wick_ask *a, FILE *out, struct wick_err *err)
{
    const char *slash = strrchr(file->name, '/');
    (void)a;
    struct wick_strbuf title = WICK_STRBUF_INIT;
    wick_strbuf_addf(&title, "--title=Heap of %s", slash ? slash + 1 : file->name); /* it reads from a descriptor */
    const char *const json[] = {"wick", "heap", "--json", "--rows=" ROWS, "-", NULL};
    const char *const html[] = {"wick", "heap", "--output=-", title.buf, "-", NULL};
    int in = open(file->path, O_RDONLY | O_CLOEXEC);
    int rc = in < 0 ? wick_err_set(err, WICK_E_IO, "cannot open %s: %s", file->name, strerror(errno)) : 0;
    if (!rc && title.failed)
        rc = wick_err_set(err, WICK_E_NOMEM, "out of memory");
    rc = rc ? rc : run((char *const *)(uintptr_t)(file->page ? html : json), in, out, err);
    if (in >= 0)
        close(in);
    wick_strbuf_release(&title);
    return rc;
}

int wick_ui_heap_of_jvm(void *ctx, int pid, FILE *out, struct wick_err *err)
{
    char word[16];
    const char *const by_copy[] = {"wick", "heap", "--json", "--copy", "--rows=" ROWS, word, NULL};
    const char *const by_jvm[] = {"wick", "heap", "--json", "--live", "--rows=" ROWS, word, NULL};
    (void)ctx;
    snprintf(word, sizeof word, "%d", pid);
    if (!access(word, F_OK)) /* a word that is a file is the file */
        return wick_err_set(err, WICK_E_STATE,
                            "there is a file called %s in the folder in which wick ui was started: rename it", word);
    struct wick_err why = {0};
    int rc = run((char *const *)(uintptr_t)by_copy, -1, out, &why);
    bool cannot = rc == -WICK_E_UNSUPPORTED || rc == -WICK_E_NOSPACE || rc == -WICK_E_IO || rc == -WICK_E_LIMIT;
    if (cannot)
        return run((char *const *)(uintptr_t)by_jvm, -1, out, err);
    return rc ? wick_err_set(err, (enum wick_code) - rc, "%s", why.msg) : 0;
}
