/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_jfr_reader.c - any bytes as a JFR recording, read, then written as collapsed stacks
 *
 * Beyond not crashing: every number the reader hands out must exist in the profile, parents must come before children,
 * and what the events were summed to must be what was handed out. Where only stacks are distinguished, samples take
 * another path (reader_sample.c): none may be missing; an event that is cut after the last wanted field counts there.
 * In pieces the bytes must give the same as in one; as a file that grows, whatever its headers say on the way, no harm.
 */
#include "export/format_writers.h"
#include "jfr/reader/reader_int.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void need(bool ok)
{
    if (!ok)
        abort();
}

static void take_sample(void *ctx, const struct wick_sample *s)
{
    struct wick_profile *p = ctx;
    need(s->stack && s->stack < p->nstacks && s->thread < p->nthreads && s->state < p->nstates);
    need(s->event && s->event < p->nevents && s->weight >= 0);
    wick_profile_add(p, s);
}

static bool want(void *ctx, const char *type)
{
    return true;
}

/* Name of field number i, whatever the recording calls it. */
static const char *field_name(const struct wick_jfr_event *e, uint32_t i)
{
    const struct wick_jfr_meta *m = &e->reader->meta;
    return wick_jfr_text_at(m, m->fields[e->reader->event_type->first_field + i].name);
}

static void take_event(void *ctx, const struct wick_jfr_event *e)
{
    struct wick_profile *p = ctx;
    for (uint32_t i = 0; i < e->nfields && i < 50; i++) {
        const char *f = field_name(e, i);
        int64_t n;
        double d;
        uint32_t id;
        wick_jfr_event_int(e, f, &n);
        wick_jfr_event_double(e, f, &d);
        if (wick_jfr_event_text(e, f, &id))
            need(id < p->nstrings);
        need(wick_jfr_event_thread(e, f) < p->nthreads);
        need(wick_jfr_event_stack(e, f) < p->nstacks);
    }
}

static void check(const struct wick_profile *p)
{
    for (uint32_t i = 1; i < p->nlabel_sets; i++) {
        const struct wick_label_set *s = &p->label_sets[i];
        need(s->n > 0 && s->first + s->n <= p->nlabels);
        for (uint32_t k = 0; k < s->n; k++)
            need(p->labels[s->first + k].key < p->nstrings && p->labels[s->first + k].value < p->nstrings);
    }
    for (uint32_t i = 1; i < p->nfunctions; i++) {
        const struct wick_function *f = &p->functions[i];
        need(f->class_name < p->nstrings && f->name < p->nstrings && f->signature < p->nstrings);
    }
    for (uint32_t i = 1; i < p->nframes; i++)
        need(p->frames[i].function < p->nfunctions && p->frames[i].kind < WICK_FRAME_KIND_COUNT);
    for (uint32_t i = 1; i < p->nstacks; i++)
        need(p->stacks[i].parent < i && p->stacks[i].frame < p->nframes);
    for (uint32_t i = 1; i < p->nthreads; i++)
        need(p->threads[i].name < p->nstrings);
}

static void check_sums(const uint8_t *data, size_t size, const struct wick_jfr_result *one_by_one)
{
    struct wick_profile p;
    struct wick_jfr_result res;
    if (wick_profile_init(&p))
        return;
    p.by_thread = p.by_state = false;
    p.keep = 0;
    wick_jfr_read_memory(&p, data, size, NULL, &res, NULL);
    need(res.samples >= one_by_one->samples && res.events == one_by_one->events && res.filtered == 0);
    check(&p);
    wick_profile_release(&p);
}

static void check_fed(const uint8_t *data, size_t size, const struct wick_jfr_result *whole)
{
    struct wick_profile p;
    struct wick_jfr_result res;
    if (wick_profile_init(&p))
        return;
    struct wick_jfr_visitor v = {.ctx = &p, .sample = take_sample};
    p.by_labels = p.by_span = true;
    struct wick_jfr_reader *r = wick_jfr_reader_new(&p, &v, &res);
    need(r);
    size_t piece = size / 7 + 1;
    int rc = 0;
    for (size_t at = 0; !rc && at < size; at += piece)
        rc = wick_jfr_reader_feed(r, data + at, size - at < piece ? size - at : piece, NULL);
    if (!rc)
        wick_jfr_reader_end(r, NULL);
    wick_jfr_reader_free(r);
    need(rc || (res.chunks == whole->chunks && res.samples == whole->samples && res.lost_bytes == whole->lost_bytes));
    check(&p);
    wick_profile_release(&p);
}

static void check_followed(const uint8_t *data, size_t size)
{
    struct wick_profile p;
    struct wick_jfr_result res;
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    if (fd < 0)
        return;
    need(!wick_profile_init(&p));
    struct wick_jfr_visitor v = {.ctx = &p, .sample = take_sample, .want = want, .event = take_event};
    struct wick_jfr_reader *r = wick_jfr_reader_new(&p, &v, &res);
    need(r);
    for (int third = 1; third <= 3; third++) {
        size_t n = third == 3 ? size : size / 3 * (size_t)third;
        need(pwrite(fd, data, n, 0) == (ssize_t)n);
        if (wick_jfr_reader_follow(r, fd, NULL))
            break;
    }
    wick_jfr_reader_end(r, NULL);
    wick_jfr_reader_free(r);
    check(&p);
    wick_profile_release(&p);
    close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static FILE *null;
    struct wick_profile p;
    struct wick_jfr_result res;
    struct wick_jfr_visitor v = {.ctx = &p, .sample = take_sample, .want = want, .event = take_event};
    if (!null)
        null = fopen("/dev/null", "w");
    if (wick_profile_init(&p))
        return 0;
    p.by_labels = p.by_span = true;
    wick_jfr_read_memory(&p, data, size, &v, &res, NULL);
    need(res.lost_bytes <= size && res.first_offset <= size && (res.problems == 0) == (res.first[0] == 0));
    check(&p);
    check_sums(data, size, &res);
    check_fed(data, size, &res);
    check_followed(data, size);
    struct wick_export_options o = {.names = WICK_NAME_ANNOTATE | WICK_NAME_LINES | WICK_NAME_SIGNATURES,
                                    .threads = true};
    if (null && p.nstacks < 100000)
        wick_collapsed_out_write(&p, &o, null, NULL);
    wick_profile_release(&p);
    return 0;
}
