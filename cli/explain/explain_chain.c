/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain_chain.c - see explain_chain.h
 *
 * A walk of references needs a heap in which nothing moves, so either the program stands still or one walks in a copy.
 * A dump is both, of the JVM's own making and with all its kinds of roots: it stands still for as long as writing
 * takes, and what is expensive, dominators and paths, is computed outside. Garbage is collected first, so that the dump
 * is no larger than what is alive.
 *
 * A cache of soft references is alive until memory is short, and then garbage, so the heap may be full of what nothing
 * holds. Where half of the dump is not held, it is analysed once more as if soft references held it.
 */
#include "cli/explain/explain_chain.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "cli/explain/explain_waste.h"
#include "cli/heap/heap_live.h"
#include "cli/ui.h"
#include "heap/alike.h"
#include "heap/report.h"

enum { CELL = 32 };

static void show_step(const char *what)
{
    wick_ui_progress("%s ...", what);
}

static void add_holder(struct wick_heap_report *r, size_t which, bool soft, struct wick_strbuf *out)
{
    const struct wick_heap_suspect *s = &r->retained.suspects[which];
    char bytes[CELL];
    wick_heap_object_add(&r->graph, s->object, out);
    wick_strbuf_addf(out, " keeps %s (%.0f %% of the heap) alive", wick_ui_binary(s->retained, bytes, sizeof bytes),
                     r->retained.bytes ? 100 * (double)s->retained / (double)r->retained.bytes : 0.0);
    if (s->kept[0].objects) {
        wick_strbuf_addf(out, ", %s of ", wick_ui_count(s->kept[0].objects, bytes, sizeof bytes));
        wick_heap_class_name(&r->graph.classes, s->kept[0].class, out);
    }
    wick_strbuf_adds(out, soft ? ", most of it by soft references, held by " : ", held by ");
    wick_heap_path_add(&r->graph, &r->paths[which], out);
}

/* Class loaders that are made again and again stay because one object holds them all. */
static int add_loaders(struct wick_heap_report *r, uint64_t grown, struct wick_strbuf *out, struct wick_err *err)
{
    struct wick_heap_alike alike;
    struct wick_heap_common common;
    char count[CELL];
    int rc = wick_heap_alike_loaders(&r->loaders, grown, &alike, err);
    rc = rc ? rc : wick_heap_alike_holder(&r->graph, &alike, &common, err);
    if (rc)
        return rc;
    if (common.held && alike.count > 1) {
        wick_strbuf_addf(out, "%s class loaders are of ", wick_ui_count(alike.count, count, sizeof count));
        wick_heap_class_name(&r->graph.classes, alike.class, out);
        wick_strbuf_addf(out, ", of which %zu of %zu are held by ", common.held, alike.n);
        wick_heap_object_add(&r->graph, common.holder, out);
        wick_strbuf_adds(out, ", one by ");
        wick_heap_path_add(&r->graph, &common.path, out);
    }
    wick_heap_common_release(&common);
    return 0;
}

static void add_cost(const struct wick_strbuf *cost, struct wick_strbuf *out)
{
    if (out->len && cost->len)
        wick_strbuf_addf(out, " (by %s)", cost->buf);
}

void wick_explain_chain_unknown(const struct wick_explain_chain_ask *ask, const struct wick_explain_chains *c,
                                const char *verdict, struct wick_strbuf *out)
{
    bool heap = ask->heap && !c->heap.len, loaders = ask->loaders && !c->loaders.len;
    if (!heap && !loaders)
        return;
    wick_strbuf_addf(out, "what holds %s %s",
                     !loaders ? "the heap"
                     : heap   ? "the heap and class loaders"
                              : "class loaders",
                     verdict);
    add_cost(&c->cost, out);
}

/* Takes the dump; a descriptor of it, or -WICK_E_*. */
static int take_dump(int pid, bool by_jvm, struct wick_strbuf *title, struct wick_strbuf *cost, struct wick_err *err)
{
    char word[16], bytes[CELL];
    struct stat st;
    snprintf(word, sizeof word, "%d", pid);
    uint64_t stopped_ns;
    int fd =
        wick_heap_live_dump(word, by_jvm ? WICK_HEAP_LIVE_COPY_IF_CAN : WICK_HEAP_LIVE_COPY, title, &stopped_ns, err);
    if (fd >= 0)
        wick_strbuf_addf(cost, "a heap dump of %s: the JVM was stopped for %.3f s at most",
                         wick_ui_binary(fstat(fd, &st) ? 0 : (uint64_t)st.st_size, bytes, sizeof bytes),
                         (double)stopped_ns / 1e9);
    return fd;
}

static void take_holder(struct wick_heap_report *r, size_t which, uint64_t soft, struct wick_explain_chains *out)
{
    if (which >= r->retained.nsuspects)
        return;
    add_holder(r, which, soft, &out->heap);
    out->retained = r->retained.suspects[which].retained;
    out->bytes = r->retained.bytes;
    out->soft = soft;
}

/* What an object of the same dump keeps alive without soft references. */
static uint64_t held_by(const struct wick_heap_report *held, uint32_t object)
{
    uint32_t number = wick_heap_u32(&held->retained.d.number)[object];
    return number ? wick_heap_retained_of(&held->retained, number) : 0;
}

/* The holder of most of what only soft references keep, if that is half of what it keeps, and half of the heap is kept
 * so. False: there is none, or it could not be found out, which leaves what is held without them. */
static bool take_soft_holder(const struct wick_heap_report *held, const char *title, struct wick_explain_chains *out)
{
    const struct wick_heap_ask heap = {.graph = true, .paths = true, .soft = true, .rows = 1, .step = show_step};
    struct wick_err err = {0};
    struct wick_heap_report r;
    uint64_t most = 0;
    size_t which = 0;
    int fd = fcntl(held->file.fd, F_DUPFD_CLOEXEC, 0);
    if (fd < 0)
        wick_err_set(&err, WICK_E_IO, "the dump cannot be opened again: %s", strerror(errno));
    if (fd < 0 || wick_heap_report_adopt(&r, fd, title, &heap, &err)) {
        wick_ui_note("wick: what soft references keep could not be determined: %s", err.msg);
        return false;
    }
    for (size_t i = 0; i < r.retained.nsuspects; i++) {
        const struct wick_heap_suspect *s = &r.retained.suspects[i];
        uint64_t without = held_by(held, s->object), soft = s->retained > without ? s->retained - without : 0;
        if (soft > most && soft >= s->retained / 2) {
            most = soft;
            which = i;
        }
    }
    bool found = most && r.retained.bytes / 2 >= held->retained.bytes;
    if (found)
        take_holder(&r, which, most, out);
    wick_heap_report_release(&r);
    return found;
}

int wick_explain_chain(int pid, const struct wick_explain_chain_ask *ask, struct wick_explain_chains *out,
                       struct wick_err *err)
{
    const struct wick_heap_ask heap = {.graph = true, .waste = ask->heap, .paths = true, .rows = 1, .step = show_step};
    struct wick_strbuf title = WICK_STRBUF_INIT;
    struct wick_heap_report r;
    int fd = take_dump(pid, ask->by_jvm, &title, &out->cost, err);
    int rc = fd < 0 ? fd : wick_heap_report_adopt(&r, fd, title.buf, &heap, err);
    if (!rc) {
        bool half = r.retained.bytes >= r.graph.totals.bytes / 2;
        if (ask->heap && (half || !take_soft_holder(&r, title.buf, out)))
            take_holder(&r, 0, 0, out);
        if (ask->heap)
            wick_explain_waste_add(&r, &out->heap);
        rc = ask->loaders ? add_loaders(&r, ask->loaders, &out->loaders, err) : 0;
        add_cost(&out->cost, &out->heap);
        add_cost(&out->cost, &out->loaders);
        wick_heap_report_release(&r);
    }
    wick_strbuf_release(&title);
    wick_ui_progress_end();
    bool failed = out->heap.failed || out->loaders.failed || out->cost.failed;
    return rc ? rc : failed ? wick_err_set(err, WICK_E_NOMEM, "out of memory") : 0;
}

void wick_explain_chains_release(struct wick_explain_chains *c)
{
    wick_strbuf_release(&c->heap);
    wick_strbuf_release(&c->loaders);
    wick_strbuf_release(&c->cost);
}
