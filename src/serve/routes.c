/* SPDX-License-Identifier: Apache-2.0 */
/*
 * routes.c - from a request to its answer
 *
 * A request is first judged by its headers (guard.h), then by its token, and only then read. Answers are written into
 * memory and sent when they are complete, so that an error on the way is still one: {error, why, what_to_do} and a
 * status.
 */
#include "serve/serve.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "serve/answer.h"
#include "serve/reply.h"

/* --- recordings --- */

/* One request that has been let in. */
struct visit {
    struct wick_serve *s;
    const struct wick_http_request *q;
    const struct wick_ask *a;
    FILE *out; /* the answer */
    int status;
    const char *type; /* of the content; lasting */
    char file[64];    /* the answer is a file of that name; "" = it is none */
    /* What is left to do without the lock: write an export, or what was copied of a recording, or read the file for
     * what another command says of it. */
    struct wick_answer_export *export;
    void *kept;
    struct {
        int fd;
        char *path; /* NULL = nothing */
        int64_t size;
        bool grows, page, part; /* part: what has been read so far is enough */
    } view;
};

static struct wick_catalog_entry *entry_named(const struct visit *v, const char *id, struct wick_err *err)
{
    struct wick_catalog_entry *e = wick_catalog_find(&v->s->catalog, id);
    if (!e)
        wick_err_set(err, WICK_E_NOTFOUND, "there is no recording '%.40s'", id);
    return e;
}

/* Reads what is new of it; if the request is content with a part (`partial`), or it is about no samples, a step. *e
 * becomes NULL if it has gone. */
static int read_entry(const struct visit *v, struct wick_catalog_entry **e, struct wick_err *err)
{
    char id[WICK_CATALOG_ID + 1];
    bool part = strcmp(v->q->method, "POST") == 0;
    if (wick_ask_flag(v->a, "partial", &part, err))
        return -err->code;
    memcpy(id, (*e)->id, sizeof id);
    return wick_serve_read_locked(v->s, id, part, e, err);
}

static int list_recordings(struct visit *v, struct wick_err *err)
{
    struct wick_catalog *c = &v->s->catalog;
    struct wick_json j = {.out = v->out};
    (void)err;
    wick_catalog_scan(c);
    wick_json_open(&j, '{');
    wick_json_key(&j, "recordings");
    wick_json_open(&j, '[');
    for (uint32_t i = 0; i < c->n; i++) {
        if (c->entries[i]->here)
            c->entries[i]->live = wick_serve_runs_locked(v->s, c->entries[i]);
        wick_catalog_write(c->entries[i], &j);
    }
    wick_json_close(&j, ']');
    wick_json_close(&j, '}');
    return 0;
}

static int show_recording(struct visit *v, struct wick_catalog_entry *e, struct wick_err *err)
{
    struct wick_json j = {.out = v->out};
    int rc = read_entry(v, &e, err);
    if (rc && !(e && e->here)) /* what is made here may have nothing to be read yet */
        return rc;
    wick_catalog_write(e, &j);
    return 0;
}

/* Heap dumps answer questions about heaps, recordings all others. */
static int check_content(const struct wick_catalog_entry *e, const char *what, struct wick_err *err)
{
    bool heap = !strcmp(what, "heap");
    if (heap == e->dump)
        return 0;
    return wick_err_set(err, WICK_E_UNSUPPORTED,
                        heap ? "%s is a recording; heap is a question about a heap dump (.hprof)"
                             : "%s is a heap dump, which has no samples: ask for heap",
                        e->name);
}

static int answer_table(struct visit *v, struct wick_catalog_entry *e, struct wick_err *err)
{
    struct wick_pick k;
    struct wick_picked s;
    int rc = wick_pick_init(&k, v->a, err);
    rc = rc ? rc : wick_picked_init(&s, &k, e->model, err);
    if (!rc) {
        rc = v->s->front.table(v->s->front.ctx, &s, v->a, v->out, err);
        wick_picked_release(&s);
    }
    wick_pick_release(&k);
    return rc;
}

/* The name of a file that a browser keeps: that of the recording, in characters that need no quoting. */
static void name_file(struct visit *v, const struct wick_catalog_entry *e, const char *extension)
{
    char name[40];
    size_t n = 0;
    for (const char *s = e->name; *s && *s != '.' && n < sizeof name - 1; s++)
        name[n++] = strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_", *s) ? *s : '_';
    name[n] = 0;
    snprintf(v->file, sizeof v->file, "%s.%s", n ? name : "recording", extension);
}

/* The same of a page that shows what the API's answer `what` has. */
static void name_page(struct visit *v, const struct wick_catalog_entry *e, const char *what)
{
    char extension[24];
    snprintf(extension, sizeof extension, "%.12s.html", what);
    name_file(v, e, extension);
    v->type = "text/html; charset=utf-8";
}

/* Whether what has been read so far is enough. */
static bool wants_part(const struct visit *v, struct wick_err *err)
{
    bool part = false;
    return !wick_ask_flag(v->a, "partial", &part, err) && part;
}

/* Whether the answer is asked for as a page, not as JSON. 0; -WICK_E_USAGE. */
static int wants_page(const struct visit *v, bool *page, struct wick_err *err)
{
    const char *format = wick_ask_get(v->a, "format");
    *page = format && !strcmp(format, "html");
    if (format && *format && !*page && strcmp(format, "json") != 0)
        return wick_err_set(err, WICK_E_USAGE, "format takes json or html, not '%.40s'", format);
    if (*page && wants_part(v, err) && !err->code)
        wick_err_set(err, WICK_E_USAGE, "a page cannot say that it is of a part: leave out partial");
    return -err->code;
}

/* An answer that is of a part says so: `said` is what it says of that, as members of an object. */
static void put_part(FILE *out, const char *said, const char *text, size_t len)
{
    bool object = len > 2 && *text == '{';
    if (object)
        fprintf(out, "{\"partial\":true,%s", said);
    fwrite(text + object, 1, len - object, out);
}

/* What is answered of a comparison. */
enum diff_form { DIFF_TREE, DIFF_TABLE, DIFF_PAGE };

static int write_diff(struct visit *v, const struct wick_catalog_entry *base, const struct wick_catalog_entry *e,
                      enum diff_form form, FILE *out, struct wick_err *err)
{
    const char *const names[2] = {base->name, e->name};
    struct wick_answer_compared c;
    int rc = wick_answer_compare(&c, base->model, e->model, v->a, err);
    if (rc)
        return rc;
    if (form == DIFF_TABLE)
        rc = v->s->front.changes(v->s->front.ctx, &c, v->a, out, err);
    else
        rc = form == DIFF_TREE ? wick_answer_diff(&c, out, err) : wick_answer_diff_page(&c, names, out, err);
    wick_answer_compared_release(&c);
    return rc;
}

/* The same of what has been read so far: how much that is of either side comes first. */
static int write_part_of_diff(struct visit *v, const struct wick_catalog_entry *base,
                              const struct wick_catalog_entry *e, enum diff_form form, struct wick_err *err)
{
    char *text = NULL, said[200];
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    snprintf(said, sizeof said,
             "\"base_read_bytes\":%" PRId64 ",\"base_size_bytes\":%" PRId64 ",\"read_bytes\":%" PRId64
             ",\"size_bytes\":%" PRId64 ",",
             wick_catalog_read_bytes(base), base->size_bytes, wick_catalog_read_bytes(e), e->size_bytes);
    int rc = out ? write_diff(v, base, e, form, out, err) : -WICK_E_NOMEM;
    if (out && (ferror(out) | fclose(out)))
        rc = -WICK_E_NOMEM;
    if (!rc)
        put_part(v->out, said, text, len);
    free(text);
    return rc && !err->code ? wick_err_set(err, WICK_E_NOMEM, "out of memory") : rc;
}

/* diff and diff/table */
static int answer_diff(struct visit *v, struct wick_catalog_entry *e, bool table, struct wick_err *err)
{
    const char *id = wick_ask_get(v->a, "base"), *format = wick_ask_get(v->a, "format");
    bool csv = table && format && !strcmp(format, "csv"), page = false;
    if (!table && wants_page(v, &page, err))
        return -err->code;
    if (!id)
        return wick_err_set(err, WICK_E_USAGE, "base is missing: the id of the recording to compare with");
    if (csv && wants_part(v, err) && !err->code)
        wick_err_set(err, WICK_E_USAGE, "a table as CSV cannot say that it is of a part: leave out partial");
    struct wick_catalog_entry *base = err->code ? NULL : entry_named(v, id, err);
    if (!base || read_entry(v, &base, err) || check_content(base, "diff", err))
        return -err->code;
    e = entry_named(v, v->a->segment[3], err);       /* it may have gone while the other one was read */
    if (!e || (!e->model && read_entry(v, &e, err))) /* there was room for one of them only */
        return -err->code;
    base = entry_named(v, id, err);
    if (!base)
        return -err->code;
    if (!base->model || !wick_catalog_has_room_for(base, e))
        return wick_err_set(err, WICK_E_NOMEM, "both recordings together are too large");
    enum diff_form form = page ? DIFF_PAGE : table ? DIFF_TABLE : DIFF_TREE;
    if (wick_catalog_is_partial(base) || wick_catalog_is_partial(e))
        return write_part_of_diff(v, base, e, form, err);
    int rc = write_diff(v, base, e, form, v->out, err);
    if (!rc && csv) {
        v->type = "text/csv; charset=utf-8";
        name_file(v, e, "csv");
    }
    if (!rc && page)
        name_page(v, e, "diff");
    return rc;
}

static int answer_export(struct visit *v, struct wick_catalog_entry *e, struct wick_err *err)
{
    const char *type;
    const struct wick_format *f = wick_answer_format(v->a, &type, err);
    if (!f)
        return -err->code;
    int rc = wick_answer_export_choose(&v->export, e->model, v->a, f, e->name, err);
    if (!rc) {
        v->type = type;
        name_file(v, e, f->extensions[0]);
    }
    return rc;
}

/* What another command says of the recording, if it is known; otherwise its file is opened. */
static int answer_view(struct visit *v, struct wick_catalog_entry *e, bool page, struct wick_err *err)
{
    const struct wick_catalog_answer *known = wick_catalog_known(e, v->q->target);
    if (page)
        name_page(v, e, v->a->segment[4]);
    if (known) {
        fwrite(known->text, 1, known->len, v->out);
        return 0;
    }
    int fd = wick_catalog_fd(e, err);
    if (fd < 0)
        return fd;
    v->view.path = strdup(e->path);
    if (!v->view.path) {
        close(fd);
        return wick_err_set(err, WICK_E_NOMEM, "out of memory");
    }
    v->view.fd = fd;
    v->view.size = e->size_bytes;
    v->view.grows = e->live;
    v->view.page = page;
    int rc = wick_ask_flag(v->a, "partial", &v->view.part, err);
    v->view.part &= strcmp(v->a->segment[4], "trace") != 0; /* one that is not in a part may be in the rest */
    return rc;
}

/* Makes that answer, for which all of the file is read, or a step of it. */
static int make_view(struct visit *v, char **text, size_t *len, bool *partial, struct wick_err *err)
{
    char path[32];
    FILE *out = open_memstream(text, len);
    snprintf(path, sizeof path, "/proc/self/fd/%d", v->view.fd);
    const struct wick_serve_file file = {
        path, v->view.path, v->view.grows, v->view.page, v->view.part ? wick_serve_step_ends_ns(v->s) : 0, partial};
    int rc = out ? v->s->front.view(v->s->front.ctx, v->a->segment[4], &file, v->a, out, err) : -WICK_E_NOMEM;
    if (out && (ferror(out) | fclose(out)))
        rc = -WICK_E_NOMEM;
    return rc && !err->code ? wick_err_set(err, WICK_E_NOMEM, "out of memory") : rc;
}

/* And keeps it, unless it is of a part. A request for the same page that waited for it finds it made. */
static int read_view(struct visit *v, struct wick_err *err)
{
    char *text = NULL;
    size_t len = 0;
    bool partial = false;
    pthread_mutex_lock(&v->s->lock);
    struct wick_catalog_entry *e = wick_catalog_find(&v->s->catalog, v->a->segment[3]);
    const struct wick_catalog_answer *known = e ? wick_catalog_known(e, v->q->target) : NULL;
    if (known)
        fwrite(known->text, 1, known->len, v->out);
    pthread_mutex_unlock(&v->s->lock);
    if (known)
        return 0;
    uint64_t began_ns = wick_clock_mono_ns();
    int rc = make_view(v, &text, &len, &partial, err);
    if (!rc && partial)
        put_part(v->out, "", text, len);
    if (rc || partial) {
        free(text);
        return rc;
    }
    fwrite(text, 1, len, v->out);
    pthread_mutex_lock(&v->s->lock);
    e = wick_catalog_find(&v->s->catalog, v->a->segment[3]);
    if (e)
        wick_catalog_keep(e, v->q->target, text, len, v->view.size, v->view.grows, wick_clock_mono_ns() - began_ns);
    pthread_mutex_unlock(&v->s->lock);
    if (!e)
        free(text);
    return 0;
}

/* Heaps are analysed one at a time, and nothing waits for one. */
static int begin_heap(struct wick_serve *s, struct wick_err *err)
{
    return pthread_mutex_trylock(&s->heap_work)
               ? wick_err_set(err, WICK_E_LIMIT, "a heap is being read already: ask again when that is done")
               : 0;
}

/* What takes long is done one at a time, while other requests are answered. */
static int finish_view(struct visit *v, int rc, struct wick_err *err)
{
    if (!v->view.path)
        return rc;
    bool heap = !strcmp(v->a->segment[4], "heap");
    if (!rc && heap)
        rc = begin_heap(v->s, err);
    else if (!rc)
        pthread_mutex_lock(&v->s->long_work);
    if (!rc) {
        rc = read_view(v, err);
        pthread_mutex_unlock(heap ? &v->s->heap_work : &v->s->long_work);
    }
    close(v->view.fd);
    free(v->view.path);
    return rc;
}

/* GET /api/v1/recordings/{id}/... */
static int ask_recording(struct visit *v, struct wick_err *err)
{
    static const struct {
        const char *name;
        int (*answer)(struct wick_growing *g, const struct wick_ask *a, FILE *out, struct wick_err *err);
    } answers[] = {{"flame", wick_answer_flame},
                   {"series", wick_answer_series},
                   {"heat", wick_answer_heat},
                   {"threads", wick_answer_threads},
                   {"labels", wick_answer_labels}};
    const struct wick_ask *a = v->a;
    struct wick_catalog_entry *e = entry_named(v, a->segment[3], err);
    if (!e)
        return -err->code;
    if (a->nsegments == 4)
        return show_recording(v, e, err);
    const char *what = a->segment[4];
    int rc = read_entry(v, &e, err);
    rc = rc ? rc : check_content(e, what, err);
    if (rc)
        return rc;
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++)
        if (a->nsegments == 5 && !strcmp(what, answers[i].name))
            return answers[i].answer(e->model, a, v->out, err);
    if (a->nsegments == 5 && !strcmp(what, "lines"))
        return wick_answer_lines(e->model, a, &v->s->sources, v->out, err);
    if (a->nsegments == 5 && !strcmp(what, "table"))
        return answer_table(v, e, err);
    bool rows = a->nsegments == 6 && !strcmp(a->segment[5], "table");
    if ((a->nsegments == 5 || rows) && !strcmp(what, "diff"))
        return answer_diff(v, e, rows, err);
    if (a->nsegments == 5 && !strcmp(what, "export"))
        return answer_export(v, e, err);
    bool page;
    if (wants_page(v, &page, err))
        return -err->code;
    rc = e->model && !page ? v->s->front.copy_kept(v->s->front.ctx, e->model, a, &v->kept, err) : 1;
    return rc > 0 ? answer_view(v, e, page, err) : rc;
}

/* --- JVMs --- */

struct jvm_list {
    struct wick_json j;
    struct wick_serve *s;
};

static void put_jvm(void *to, const struct wick_serve_jvm *jvm)
{
    struct jvm_list *l = to;
    const struct {
        const char *key, *text;
    } texts[] = {{"name", jvm->name}, {"jdk", jvm->jdk}, {"user", jvm->user}, {"container", jvm->container}};
    const struct wick_catalog *c = &l->s->catalog;
    const char *recording = NULL;
    wick_json_open(&l->j, '{');
    wick_json_key(&l->j, "pid");
    wick_json_int(&l->j, jvm->pid);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        wick_json_key(&l->j, texts[i].key);
        wick_json_cstr(&l->j, texts[i].text);
    }
    wick_json_key(&l->j, "readable");
    wick_json_raw(&l->j, jvm->readable ? "true" : "false");
    pthread_mutex_lock(&l->s->lock);
    for (uint32_t i = 0; i < c->n; i++)
        if (c->entries[i]->pid == jvm->pid && wick_serve_runs_locked(l->s, c->entries[i]))
            recording = c->entries[i]->id;
    wick_json_key(&l->j, "recording");
    if (recording)
        wick_json_cstr(&l->j, recording);
    else
        wick_json_raw(&l->j, "null");
    pthread_mutex_unlock(&l->s->lock);
    const struct {
        const char *key;
        int64_t value;
    } figures[] = {{"cpu_ns", jvm->cpu_ns},
                   {"rss_bytes", jvm->rss_bytes},
                   {"heap_bytes", jvm->heap_bytes},
                   {"heap_committed_bytes", jvm->heap_committed}};
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        if (figures[i].value >= 0) {
            wick_json_key(&l->j, figures[i].key);
            wick_json_int(&l->j, figures[i].value);
        }
    wick_json_close(&l->j, '}');
}

static int list_jvms(struct visit *v, struct wick_err *err)
{
    struct jvm_list l = {.j = {.out = v->out}, .s = v->s};
    wick_json_open(&l.j, '{');
    wick_json_key(&l.j, "jvms");
    wick_json_open(&l.j, '[');
    int rc = v->s->front.jvms(v->s->front.ctx, put_jvm, &l, err);
    wick_json_close(&l.j, ']');
    wick_json_close(&l.j, '}');
    return rc;
}

/* --- what changes something --- */

static int start_recording(struct visit *v, const struct wick_ask *body, struct wick_err *err)
{
    struct wick_json j = {.out = v->out};
    char *path = NULL;
    int pid = 0;
    unsigned handle = 0;
    int rc = v->s->front.start(v->s->front.ctx, body, &path, &pid, &handle, err);
    if (rc)
        return rc;
    pthread_mutex_lock(&v->s->lock);
    struct wick_catalog_entry *e = wick_catalog_add_own(&v->s->catalog, path, pid, handle, err);
    if (e) {
        read_entry(v, &e, &(struct wick_err){0});
        if (e)
            wick_catalog_write(e, &j);
    }
    pthread_cond_broadcast(&v->s->news);
    pthread_mutex_unlock(&v->s->lock);
    free(path);
    if (!e) /* nobody could stop it */
        v->s->front.stop(v->s->front.ctx, handle, &(struct wick_err){0});
    v->status = 201;
    return e ? 0 : -err->code;
}

/* POST /api/v1/jvms/{pid}/heap: the JVM stands still for it, so it is no GET. */
static int ask_heap(struct visit *v, struct wick_err *err)
{
    char *end;
    long pid = strtol(v->a->segment[3], &end, 10);
    if (*end || pid < 1 || pid > INT32_MAX)
        return wick_err_set(err, WICK_E_USAGE, "'%.40s' is no process", v->a->segment[3]);
    int rc = begin_heap(v->s, err);
    if (rc)
        return rc;
    rc = v->s->front.heap(v->s->front.ctx, (int)pid, v->out, err);
    pthread_mutex_unlock(&v->s->heap_work);
    return rc;
}

/* The body of a request; *text is what it borrows from, and to be freed. */
static int read_body(struct visit *v, struct wick_ask *body, char **text, struct wick_err *err)
{
    *text = malloc(v->q->body_len + 1);
    if (!*text)
        return wick_err_set(err, WICK_E_NOMEM, "out of memory");
    memcpy(*text, v->q->body, v->q->body_len);
    (*text)[v->q->body_len] = 0;
    return wick_ask_body(body, *text, v->q->body_len, err);
}

static int post_recording(struct visit *v, struct wick_err *err)
{
    struct wick_ask body;
    struct wick_json j = {.out = v->out};
    struct wick_catalog_entry *e;
    char *text;
    int rc = read_body(v, &body, &text, err);
    const char *path = rc ? NULL : wick_ask_get(&body, "path");
    if (path) {
        pthread_mutex_lock(&v->s->lock);
        rc = wick_catalog_open(&v->s->catalog, path, &e, err);
        rc = rc ? rc : read_entry(v, &e, err);
        if (!rc)
            wick_catalog_write(e, &j);
        pthread_mutex_unlock(&v->s->lock);
        v->status = 201;
    } else if (!rc) {
        rc = start_recording(v, &body, err);
    }
    free(text);
    return rc;
}

/* What may be done to a recording that is made here. */
static int act(struct visit *v, const char *what, unsigned handle, const struct wick_ask *body, struct wick_err *err)
{
    const struct wick_serve_front *f = &v->s->front;
    const char *text = wick_ask_get(body, "text");
    if (!strcmp(what, "stop"))
        return f->stop(f->ctx, handle, err);
    if (!strcmp(what, "change"))
        return f->change(f->ctx, handle, body, err);
    return text && *text ? f->mark(f->ctx, handle, text, err)
                         : wick_err_set(err, WICK_E_USAGE, "text is missing: say what happens");
}

static int act_on_recording(struct visit *v, const char *id, const char *what, struct wick_err *err)
{
    struct wick_ask body = {0};
    struct wick_json j = {.out = v->out};
    char *text = NULL;
    unsigned handle = 0;
    pthread_mutex_lock(&v->s->lock);
    struct wick_catalog_entry *e = entry_named(v, id, err);
    if (e && !e->here)
        wick_err_set(err, WICK_E_STATE, "%s is not recorded here: use wick %s where it was started", e->name, what);
    handle = e ? e->handle : 0;
    pthread_mutex_unlock(&v->s->lock);
    if (err->code)
        return -err->code;
    int rc = strcmp(what, "stop") ? read_body(v, &body, &text, err) : 0;
    rc = rc ? rc : act(v, what, handle, &body, err);
    free(text);
    if (rc)
        return rc;
    pthread_mutex_lock(&v->s->lock);
    e = entry_named(v, id, err);
    if (e) {
        read_entry(v, &e, &(struct wick_err){0});
        if (e)
            wick_catalog_write(e, &j);
    }
    pthread_cond_broadcast(&v->s->news);
    pthread_mutex_unlock(&v->s->lock);
    return e ? 0 : -err->code;
}

/* POST /api/v1/recordings/{id}/rename */
static int rename_recording(struct visit *v, struct wick_err *err)
{
    struct wick_ask body;
    struct wick_json j = {.out = v->out};
    char *text;
    int rc = read_body(v, &body, &text, err);
    const char *name = rc ? NULL : wick_ask_get(&body, "name");
    if (!rc && !name)
        rc = wick_err_set(err, WICK_E_USAGE, "name is missing: how its file is to be called");
    pthread_mutex_lock(&v->s->lock);
    struct wick_catalog_entry *e = rc ? NULL : entry_named(v, v->a->segment[3], err);
    if (e) {
        if (e->here)
            e->live = wick_serve_runs_locked(v->s, e);
        rc = wick_catalog_rename(&v->s->catalog, e, name, err);
        if (!rc)
            wick_catalog_write(e, &j);
    }
    pthread_cond_broadcast(&v->s->news);
    pthread_mutex_unlock(&v->s->lock);
    free(text);
    return rc ? rc : -err->code;
}

/* --- routes --- */

static bool leads_to(const struct wick_ask *a, uint32_t n, const char *last)
{
    return a->nsegments == n && !strcmp(a->segment[n - 1], last);
}

/* What has to be waited for before a recording is asked: a copy is made when it is the turn of what is made of it. NULL
 * = nothing. */
static pthread_mutex_t *turn_of(const struct visit *v)
{
    const struct wick_ask *a = v->a;
    if (leads_to(a, 5, "export"))
        return &v->s->long_work;
    bool kept = a->nsegments > 4 && (!strcmp(a->segment[4], "memory") || !strcmp(a->segment[4], "collections"));
    return kept ? &v->s->kept_work : NULL;
}

static int route_get(struct visit *v, struct wick_err *err)
{
    const struct wick_ask *a = v->a;
    if (leads_to(a, 3, "jvms"))
        return list_jvms(v, err);
    bool list = leads_to(a, 3, "recordings");
    if (!list && (a->nsegments < 4 || strcmp(a->segment[2], "recordings") != 0))
        return wick_err_set(err, WICK_E_NOTFOUND, "there is nothing at this path");
    pthread_mutex_t *turn = turn_of(v);
    if (turn)
        pthread_mutex_lock(turn);
    pthread_mutex_lock(&v->s->lock);
    int rc = list ? list_recordings(v, err) : ask_recording(v, err);
    pthread_mutex_unlock(&v->s->lock);
    if (!rc && v->export)
        rc = wick_answer_export_write(v->export, v->out, err);
    wick_answer_export_free(v->export);
    if (v->kept)
        rc = v->s->front.write_kept(v->s->front.ctx, v->kept, a, v->out, err);
    if (turn)
        pthread_mutex_unlock(turn);
    return finish_view(v, rc, err);
}

static int route_post(struct visit *v, struct wick_err *err)
{
    const struct wick_ask *a = v->a;
    const char *type = v->q->content_type;
    if (!type || strncmp(type, "application/json", 16) != 0)
        return wick_err_set(err, WICK_E_USAGE, "a POST needs Content-Type: application/json");
    if (leads_to(a, 3, "recordings"))
        return post_recording(v, err);
    if (leads_to(a, 5, "heap") && !strcmp(a->segment[2], "jvms"))
        return ask_heap(v, err);
    if (leads_to(a, 5, "rename") && !strcmp(a->segment[2], "recordings"))
        return rename_recording(v, err);
    static const char *const acts[] = {"stop", "change", "mark"};
    for (size_t i = 0; i < sizeof acts / sizeof *acts; i++)
        if (leads_to(a, 5, acts[i]) && !strcmp(a->segment[2], "recordings"))
            return act_on_recording(v, a->segment[3], acts[i], err);
    return wick_err_set(err, WICK_E_NOTFOUND, "there is nothing to POST to at this path");
}

/* An answer of the API: r's body, or an error. */
static void answer_api(struct wick_serve *s, const struct wick_http_request *q, const struct wick_ask *a,
                       struct wick_http_reply *r)
{
    char *text = NULL;
    size_t len = 0;
    struct wick_err err = {0};
    struct visit v = {
        .s = s, .q = q, .a = a, .out = open_memstream(&text, &len), .status = 200, .type = "application/json"};
    bool posts = !strcmp(q->method, "POST");
    int rc = v.out ? 0 : wick_err_set(&err, WICK_E_NOMEM, "out of memory");
    if (!rc)
        rc = !posts ? route_get(&v, &err) : route_post(&v, &err);
    if (v.out && (ferror(v.out) | fclose(v.out)) && !rc)
        rc = wick_err_set(&err, WICK_E_NOMEM, "out of memory");
    if (rc) {
        free(text);
        bool waits = err.code == WICK_E_LIMIT && !posts; /* for others to be read */
        wick_reply_failure(
            r, &err, waits ? "ask again in a second or two; nothing has to be closed" : wick_reply_advice(err.code));
        return;
    }
    *r = (struct wick_http_reply){.status = v.status, .type = v.type, .body = text, .len = len};
    memcpy(r->file, v.file, sizeof r->file);
}

static void answer_asset(const struct wick_serve *s, const char *path, struct wick_http_reply *r)
{
    const struct wick_serve_asset *at = s->front.assets;
    while (at->path && strcmp(at->path, path) != 0)
        at++;
    if (!strcmp(path, "/"))
        at = s->front.assets;
    if (at->path)
        *r = (struct wick_http_reply){
            .status = 200, .type = at->type, .body = at->text, .len = at->len, .lasting = true};
    else
        wick_reply_error(r, 404, "not_found", "there is nothing at this path", "/ is the start page");
}

/* A first visit with the token gets the cookie, and an address without the token. */
static void welcome(const struct wick_serve *s, struct wick_http_reply *r)
{
    *r = (struct wick_http_reply){.status = 303, .type = "text/plain", .body = "", .lasting = true};
    snprintf(r->location, sizeof r->location, "/");
    wick_guard_cookie(&s->guard, r->cookie, sizeof r->cookie);
}

static void answer_admitted(struct wick_serve *s, const struct wick_http_request *q, const struct wick_ask *a,
                            const char *path, struct wick_http_reply *r)
{
    static const char description[] = "/api/v1/openapi.json";
    struct wick_err err = {0};
    bool reads = !strcmp(q->method, "GET") || !strcmp(q->method, "HEAD");
    if (!reads && strcmp(q->method, "POST") != 0)
        wick_reply_error(r, 405, "wrong_method", "only GET, HEAD and POST are understood",
                         wick_reply_advice(WICK_E_USAGE));
    else if (!a->nsegments || strcmp(a->segment[0], "api") != 0 || !strcmp(path, description))
        answer_asset(s, path, r);
    else if (a->nsegments < 3 || strcmp(a->segment[1], "v1") != 0)
        wick_reply_error(r, 404, "not_found", "there is nothing at this path",
                         "/api/v1/openapi.json lists what there is");
    else if (!leads_to(a, 3, "events"))
        answer_api(s, q, a, r);
    else if (wick_serve_stream(s, r, &err))
        wick_reply_failure(r, &err, wick_reply_advice(err.code));
}

/* The request is taken apart in a copy of its target: `path` is its beginning without the query. */
static void answer_read(struct wick_serve *s, const struct wick_http_request *q, char *target, const char *path,
                        bool page, struct wick_http_reply *r)
{
    struct wick_ask a;
    struct wick_err err = {0};
    int rc = wick_ask_target(&a, target, &err);
    const char *token = rc ? NULL : wick_ask_get(&a, "token");
    if (!rc && page && token && wick_guard_knows(&s->guard, token))
        welcome(s, r);
    else if (!wick_guard_admits(&s->guard, q))
        wick_reply_error(r, 401, "no_token", "the request has no token, or a wrong one",
                         "open the address that `wick ui` printed, or send it as Authorization: Bearer TOKEN");
    else if (rc)
        wick_reply_failure(r, &err, wick_reply_advice(err.code));
    else
        answer_admitted(s, q, &a, path, r);
}

void wick_serve_answer(void *server, const struct wick_http_request *q, struct wick_http_reply *r)
{
    struct wick_serve *s = server;
    bool page = q->target && strncmp(q->target, "/api/", 5) != 0 && strcmp(q->method, "POST") != 0 &&
                !memchr(q->target, '%', strcspn(q->target, "?"));
    const char *refused = wick_guard_refuses(&s->guard, q, page);
    if (refused) {
        wick_reply_error(r, 403, "refused", refused, "open the address that `wick ui` printed");
        return;
    }
    if (q->too_large) {
        wick_reply_error(r, 413, "too_large", "the request is longer than 16 KiB", "ask for less at once");
        return;
    }
    char *target = strdup(q->target), *path = target ? strdup(target) : NULL;
    if (path) {
        path[strcspn(path, "?")] = 0;
        answer_read(s, q, target, path, page, r);
    } else {
        wick_reply_error(r, 500, "failed", "out of memory", "");
    }
    free(target);
    free(path);
}
