/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain_keep.c - see explain_keep.h
 *
 * What the agent has not recorded becomes a chunk of its own behind the recording's. It has the time of the recording's
 * end, so that the time covered stays what was recorded.
 */
#include "cli/explain/explain_keep.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/save.h"
#include "record/output.h"

enum { WRITERS_BEFORE = 1 };

static void add(struct wick_jfr_writer *w, uint64_t now_ns, const char *subject, const struct wick_strbuf *holder,
                const struct wick_explain_chains *c)
{
    bool heap = holder == &c->heap;
    if (holder->len && !holder->failed)
        (void)wick_jfr_write_heap_holder(w,
                                         &(struct wick_jfr_heap_holder){.start_ns = now_ns, /* _close has the error */
                                                                        .subject = subject,
                                                                        .holder = holder->buf,
                                                                        .retained = heap ? c->retained : 0,
                                                                        .heap = heap ? c->bytes : 0,
                                                                        .soft = heap ? c->soft : 0});
}

int wick_explain_keep_chains(const char *recording, const struct wick_explain_chains *c, int64_t end_ns,
                             struct wick_err *err)
{
    static const struct wick_jfr_source nothing = {0}; /* these events refer to no stack, thread or context */
    uint64_t now_ns = end_ns > 0 ? (uint64_t)end_ns : 0;
    const struct wick_jfr_config config = {
        .start_mono_ns = now_ns, .start_epoch_ns = now_ns, .chunks_before = WRITERS_BEFORE};
    struct wick_output out;
    struct wick_jfr_writer *w;
    if (!c->heap.len && !c->loaders.len)
        return 0;
    int fd = open(recording, O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return wick_err_set(err, WICK_E_IO, "cannot add to the recording who holds the heap: %s", strerror(errno));
    if (wick_output_init_more(&out, fd)) {
        close(fd);
        return wick_err_set(err, WICK_E_IO, "cannot add to the recording who holds the heap: it is no plain file");
    }
    const struct wick_jfr_sink sink = wick_output_sink(&out);
    int rc = wick_jfr_writer_open(&w, &sink, &nothing, &config);
    if (!rc) {
        add(w, now_ns, "heap", &c->heap, c);
        add(w, now_ns, "class loaders", &c->loaders, c);
        rc = wick_jfr_writer_close(w, now_ns, NULL);
    }
    wick_output_release(&out);
    return rc ? wick_err_set(err, -rc, "cannot add to the recording who holds the heap") : 0;
}

int wick_explain_keep(const char *recording, const char *to, struct wick_err *err)
{
    char part[1 << 16];
    FILE *in = fopen(recording, "re");
    if (!in)
        return wick_err_set(err, WICK_E_IO, "cannot read the recording again: %s", strerror(errno));
    FILE *out = wick_save_open(to, true, err);
    int rc = out ? 0 : -WICK_E_IO;
    for (size_t n; out && (n = fread(part, 1, sizeof part, in)) > 0;)
        fwrite(part, 1, n, out); /* wick_save_close has what went wrong */
    fclose(in);
    return out ? wick_save_close(out, to, rc, err) : rc;
}
