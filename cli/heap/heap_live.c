/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heap_live.c - see heap_live.h
 */
#include "cli/heap/heap_live.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "cli/jvm/target.h"
#include "cli/save.h"
#include "cli/ui.h"
#include "client/agentlib.h"
#include "client/copied_heap.h"
#include "codec/json.h"
#include "heap/histogram.h"
#include "heap/live_dump.h"
#include "sys/whole.h"

static int no_space(const struct wick_proc *p, const struct wick_live_dump_room *room, struct wick_err *err)
{
    char a[32], b[32];
    return wick_err_set(
        err, WICK_E_NOSPACE,
        "a heap dump of process %d may take %s, and its %s has room for %s only: free some space, or dump "
        "elsewhere with `jcmd %d GC.heap_dump FILE`",
        (int)p->pid, wick_ui_binary(room->wanted, a, sizeof a), room->dir, wick_ui_binary(room->there, b, sizeof b),
        (int)p->st.nspid);
}

/* --- a dump ------------------------------------------------------------------------------------------------------- */

static int take_dump(struct wick_proc *p, bool live, uint64_t *stopped_ns, struct wick_err *err)
{
    struct wick_live_dump_room room;
    wick_ui_progress("waiting for the JVM to write its heap, during which it is stopped ...");
    uint64_t begin_ns = wick_clock_mono_ns();
    int rc = wick_live_dump_take(p, live, &room, err);
    *stopped_ns = wick_clock_mono_ns() - begin_ns;
    if (rc == -WICK_E_NOSPACE && room.there < room.wanted)
        rc = no_space(p, &room, err);
    return rc;
}

static void show_copied(uint64_t bytes)
{
    char text[32];
    wick_ui_progress("a copy of the JVM writes its heap: %s ...", wick_ui_binary(bytes, text, sizeof text));
}

static int take_copy(struct wick_proc *p, uint64_t *stopped_ns, struct wick_err *err)
{
    char lib[4096];
    int rc = wick_agentlib_find("", lib, sizeof lib, err);
    return rc ? rc : wick_copied_heap_take(p, lib, show_copied, stopped_ns, err);
}

int wick_heap_live_dump(const char *word, enum wick_heap_live_how how, struct wick_strbuf *title, uint64_t *stopped_ns,
                        struct wick_err *err)
{
    struct wick_proc p;
    struct wick_jvm_entry jvm;
    int rc = wick_target_open(word, &p, &jvm, err);
    if (rc)
        return rc;
    wick_strbuf_addf(title, "%s (pid %d)", jvm.main, (int)p.pid);
    bool copies = how == WICK_HEAP_LIVE_COPY || how == WICK_HEAP_LIVE_COPY_IF_CAN;
    rc = copies ? take_copy(&p, stopped_ns, err) : take_dump(&p, how == WICK_HEAP_LIVE_REACHABLE, stopped_ns, err);
    wick_ui_progress_end();
    if (rc < 0 && how == WICK_HEAP_LIVE_COPY_IF_CAN && rc != -WICK_E_NOTFOUND) {
        wick_ui_note("wick: %s, so the JVM writes its heap by itself", err->msg);
        rc = take_dump(&p, true, stopped_ns, err);
        wick_ui_progress_end();
    }
    wick_proc_close(&p);
    return rc;
}

int wick_heap_live_save(int fd, const char *path, struct wick_err *err)
{
    char piece[65536];
    ssize_t n;
    FILE *out = wick_save_open(path, true, err);
    if (!out)
        return -(int)err->code;
    for (off_t at = 0; (n = wick_whole_pread(fd, piece, sizeof piece, at)) > 0 && !ferror(out); at += n)
        fwrite(piece, 1, (size_t)n, out);
    int rc = n < 0 ? wick_err_set(err, WICK_E_IO, "cannot read the heap dump: %s", strerror(errno)) : 0;
    return wick_save_close(out, path, rc, err);
}

/* --- the JVM's histogram ------------------------------------------------------------------------------------------ */

static int by_bytes(const void *a, const void *b)
{
    const struct wick_histogram_row *x = a, *y = b;
    return x->bytes > y->bytes ? -1 : x->bytes < y->bytes ? 1 : strcmp(x->name, y->name);
}

static int by_objects(const void *a, const void *b)
{
    const struct wick_histogram_row *x = a, *y = b;
    return x->objects > y->objects ? -1 : x->objects < y->objects ? 1 : by_bytes(a, b);
}

static int by_name(const void *a, const void *b)
{
    const struct wick_histogram_row *x = a, *y = b;
    return strcmp(x->name, y->name);
}

static void write_lines(const struct wick_histogram *h, const struct wick_heap_table *t, FILE *out)
{
    char a[32], b[32];
    wick_ui_print(out, "Heap of %s\n", t->title);
    fprintf(out, "  %s in %s objects\n\n", wick_ui_binary(h->bytes, a, sizeof a),
            wick_ui_count(h->objects, b, sizeof b));
    fprintf(out, "  %11s %7s %12s  %s\n", "bytes", "", "objects", "class");
    for (size_t i = 0; i < h->n && (!t->rows || i < t->rows); i++) {
        fprintf(out, "  %11s %5.1f %% %12s  ", wick_ui_binary(h->rows[i].bytes, a, sizeof a),
                h->bytes ? 100 * (double)h->rows[i].bytes / (double)h->bytes : 0.0,
                wick_ui_count(h->rows[i].objects, b, sizeof b));
        wick_ui_last_column(out, 36, h->rows[i].name, strlen(h->rows[i].name));
        fputc('\n', out);
    }
    if (t->rows && h->n > t->rows)
        fprintf(out, "  ... and %zu more (-n 0 shows all)\n", h->n - t->rows);
}

static void write_lines_json(const struct wick_histogram *h, const struct wick_heap_table *t, FILE *out)
{
    struct wick_json j = {.out = out};
    wick_json_open(&j, '{');
    wick_json_key(&j, "objects");
    wick_json_uint(&j, h->objects);
    wick_json_key(&j, "bytes");
    wick_json_uint(&j, h->bytes);
    wick_json_key(&j, "classes");
    wick_json_open(&j, '[');
    for (size_t i = 0; i < h->n && (!t->rows || i < t->rows); i++) {
        wick_json_open(&j, '{');
        wick_json_key(&j, "class");
        wick_json_cstr(&j, h->rows[i].name);
        wick_json_key(&j, "objects");
        wick_json_uint(&j, h->rows[i].objects);
        wick_json_key(&j, "bytes");
        wick_json_uint(&j, h->rows[i].bytes);
        wick_json_close(&j, '}');
    }
    wick_json_close(&j, ']');
    wick_json_close(&j, '}');
    fputc('\n', out);
}

int wick_heap_live_histogram(const char *word, bool live, const struct wick_heap_table *table, bool json, FILE *out,
                             struct wick_err *err)
{
    struct wick_proc p;
    struct wick_jvm_entry jvm;
    struct wick_strbuf title = WICK_STRBUF_INIT;
    struct wick_heap_table t = *table;
    struct wick_histogram h = {0};
    int rc = wick_target_open(word, &p, &jvm, err);
    if (rc)
        return rc;
    wick_strbuf_addf(&title, "%s (pid %d)", jvm.main, (int)p.pid);
    t.title = title.buf;
    rc = wick_histogram_ask(&h, &p, live, t.class, err);
    if (!rc && h.n)
        qsort(h.rows, h.n, sizeof *h.rows,
              t.sort == WICK_HEAP_BY_NAME      ? by_name
              : t.sort == WICK_HEAP_BY_OBJECTS ? by_objects
                                               : by_bytes);
    if (!rc)
        (json ? write_lines_json : write_lines)(&h, &t, out);
    wick_histogram_release(&h);
    wick_strbuf_release(&title);
    wick_proc_close(&p);
    return rc ? rc : wick_ui_written(err);
}
