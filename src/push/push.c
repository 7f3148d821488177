/* SPDX-License-Identifier: Apache-2.0 */
#include "push/push.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/random.h"
#include "codec/gzip.h"
#include "export/format.h"
#include "jfr/reader/reader.h"
#include "push/push_http.h"
#include "push/push_spool.h"

#define FIRST_WAIT_NS UINT64_C(1000000000)
#define MOST_WAIT_NS  UINT64_C(60000000000)

struct wick_push {
    struct wick_push_config config;
    struct wick_push_http *http;
    struct wick_push_spool spool;
    struct wick_strbuf message;
    uint64_t due_ns;  /* not before this */
    uint64_t wait_ns; /* after the last failure; 0 = the last one was taken */
    uint64_t random;
    struct wick_push_totals totals;
};

int wick_push_open(struct wick_push **out, const struct wick_push_config *c, struct wick_err *err)
{
    struct wick_push *p = calloc(1, sizeof *p);
    if (!p)
        return wick_err_set(err, WICK_E_NOMEM, "out of memory");
    p->config = *c;
    p->spool.dir = -1;
    p->random = wick_clock_mono_ns();
    wick_strbuf_init(&p->message);
    int rc = wick_push_http_open(&p->http, c->url, c->headers, err);
    rc = rc ? rc : wick_push_spool_open(&p->spool, c->spool, c->spool_bytes, err);
    if (rc) {
        wick_push_close(p, NULL);
        return rc;
    }
    *out = p;
    return 0;
}

void wick_push_close(struct wick_push *p, struct wick_push_totals *totals)
{
    if (!p)
        return;
    if (totals) {
        *totals = p->totals;
        totals->dropped = p->spool.dropped;
        totals->dropped_bytes = p->spool.dropped_bytes;
        totals->broken = p->spool.broken;
        totals->waiting = p->spool.count;
        totals->waiting_bytes = p->spool.bytes;
    }
    wick_push_http_close(p->http);
    wick_push_spool_close(&p->spool);
    wick_strbuf_release(&p->message);
    free(p);
}

const char *wick_push_url(const struct wick_push *p)
{
    return wick_push_http_url(p->http);
}

void wick_push_abort(struct wick_push *p)
{
    wick_push_http_abort(p->http);
}

/* --- into the spool --- */

static void add_sample(void *ctx, const struct wick_sample *s)
{
    wick_profile_add(ctx, s);
}

static int fill(struct wick_profile *p, const struct wick_format *format, const void *jfr, size_t n,
                struct wick_err *err)
{
    struct wick_jfr_visitor v = {.ctx = p, .sample = add_sample};
    p->by_thread = p->by_state = p->by_labels = p->by_size = p->objects = true;
    p->keep = wick_format_keep(format, 0);
    int rc = wick_jfr_read_memory(p, jfr, n, &v, NULL, err);
    return rc || !p->failed ? rc : wick_err_set(err, WICK_E_NOMEM, "out of memory");
}

static int compress(const char *data, size_t n, char **out, size_t *nout, struct wick_err *err)
{
    FILE *f = open_memstream(out, nout);
    struct wick_gzip *z = f ? wick_gzip_new(f) : NULL;
    if (z)
        wick_gzip_add(z, data, n);
    wick_gzip_finish(z);
    bool bad = !z || ferror(f);
    bad = (f && fclose(f)) || bad;
    return bad ? wick_err_set(err, WICK_E_NOMEM, "out of memory") : 0;
}

/* The message of one event type. */
static int spool(struct wick_push *p, const struct wick_profile *profile, const struct wick_format *format,
                 uint16_t event, struct wick_err *err)
{
    const struct wick_export_options o = {.event = event, .title = p->config.service, .host = p->config.host};
    char *plain = NULL, *packed = NULL;
    size_t nplain = 0, npacked = 0;
    FILE *f = open_memstream(&plain, &nplain);
    int rc = f ? format->write(profile, &o, f, err) : wick_err_set(err, WICK_E_NOMEM, "out of memory");
    if (f && fclose(f) && !rc)
        rc = wick_err_set(err, WICK_E_NOMEM, "out of memory");
    rc = rc ? rc : compress(plain, nplain, &packed, &npacked, err);
    if (!rc && (rc = wick_push_spool_add(&p->spool, packed, npacked)))
        wick_err_set(err, (enum wick_code) - rc, "cannot keep a message of %zu bytes in %s: %s", npacked,
                     p->config.spool, wick_err_text(rc));
    free(plain);
    free(packed);
    return rc;
}

int wick_push_recording(struct wick_push *p, const void *jfr, size_t n, struct wick_err *err)
{
    const struct wick_format *format = wick_format_by_name("otlp");
    struct wick_profile profile;
    int first = 0; /* error of a type */
    int rc = wick_profile_init(&profile);
    if (rc)
        return wick_err_set(err, WICK_E_NOMEM, "out of memory");
    rc = fill(&profile, format, jfr, n, err);
    for (uint32_t event = 1; !rc && event < profile.nevents; event++)
        if (profile.events[event].count) {
            int failed = spool(p, &profile, format, (uint16_t)event, first ? NULL : err);
            first = first ? first : failed;
        }
    wick_profile_release(&profile);
    return rc ? rc : first;
}

/* --- to the collector --- */

static void note(struct wick_push *p, const char *what, const char *why)
{
    char text[600];
    snprintf(text, sizeof text, "%s %s%s%s", wick_push_http_url(p->http), what, why[0] ? ": " : "", why);
    p->config.note(p->config.ctx, text);
}

static void put_off(struct wick_push *p, const struct wick_push_reply *r, uint64_t now_ns)
{
    if (!p->wait_ns)
        note(p, "does not take messages now; they wait in the spool", r->text);
    p->wait_ns = !p->wait_ns ? FIRST_WAIT_NS : p->wait_ns < MOST_WAIT_NS / 2 ? p->wait_ns * 2 : MOST_WAIT_NS;
    uint64_t wait_ns = p->wait_ns / 2 + wick_random_u64(&p->random) % p->wait_ns;
    p->due_ns = now_ns + (r->wait_ns > wait_ns ? r->wait_ns : wait_ns);
}

static void settle(struct wick_push *p, const struct wick_push_reply *r)
{
    if (r->fate == WICK_PUSH_REFUSED) {
        p->totals.refused++;
        note(p, "refuses a message", r->text);
    } else {
        p->totals.sent++;
        p->totals.sent_bytes += p->message.len;
        if (p->wait_ns)
            note(p, "takes messages again", "");
        if (r->text[0])
            note(p, "took a part of a message", r->text);
    }
    wick_push_spool_remove(&p->spool);
    p->wait_ns = p->due_ns = 0;
}

uint64_t wick_push_round(struct wick_push *p, uint64_t now_ns)
{
    struct wick_push_reply r;
    if (!p->spool.count)
        return UINT64_MAX;
    if (now_ns < p->due_ns)
        return p->due_ns;
    if (wick_push_spool_oldest(&p->spool, &p->message))
        return p->spool.count ? now_ns + FIRST_WAIT_NS : UINT64_MAX;
    wick_push_http_post(p->http, p->message.buf, p->message.len, &r);
    if (r.fate == WICK_PUSH_ENDED)
        return UINT64_MAX;
    if (r.fate == WICK_PUSH_LATER)
        put_off(p, &r, wick_clock_mono_ns());
    else
        settle(p, &r);
    return p->spool.count ? p->due_ns : UINT64_MAX;
}
