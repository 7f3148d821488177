/* SPDX-License-Identifier: Apache-2.0 */
#include "ebpf/host_names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "ebpf/host_brief.h"
#include "hotspot/method.h"
#include "hotspot/scopes.h"
#include "hotspot/value.h"
#include "symbolize/kernel_names.h"

enum {
    SCOPES = 128,
    STUB_NAME = 96,
    FRESH_NS = 1000000000,
    SPEND_NS = 1000000000, /* of CPU time at first; then a part of the time that passes */
    SPEND_SHARE = 4,
    SYMBOL_BYTES = 64 << 20, /* of one process */
    NO_BCI = 0xffff,
    KERNEL_KIND = 255
};

static const char *const stop_text[WICK_STOP_COUNT] = {
#define X(name, text) text,
#include "def/stop.def"
#undef X
};

int wick_host_names_init(struct wick_host_names *n, struct wick_host_tables *t)
{
    *n = (struct wick_host_names){.tables = t, .method = malloc(WICK_HS_METHOD_BYTES)};
    wick_symbolizer_init(&n->kernel_code, NULL, 0, NULL, &wick_kernel_names);
    wick_kernel_names_begin(&wick_kernel_names);
    return n->method ? 0 : -WICK_E_NOMEM;
}

void wick_host_names_release(struct wick_host_names *n)
{
    wick_host_cache_clear(&n->kernel);
    wick_symbolizer_release(&n->kernel_code);
    wick_kernel_names_release(&wick_kernel_names);
    free(n->method);
    *n = (struct wick_host_names){0};
}

/* --- frames without a method --- */

static struct wick_jfr_frame text_frame(struct wick_host_names *n, const char *text, enum wick_frame_kind kind)
{
    char name[128];
    snprintf(name, sizeof name, "[%s]", text);
    const struct wick_jfr_method m = {.name = name, .kind = (uint8_t)kind};
    return (struct wick_jfr_frame){.method = wick_host_method(n->tables, &m), .kind = (uint8_t)kind};
}

static struct wick_jfr_frame break_frame(struct wick_host_names *n, uint8_t stop)
{
    return text_frame(n, stop < WICK_STOP_COUNT ? stop_text[stop] : "broken", WICK_FRAME_BREAK);
}

static struct wick_jfr_frame code_frame(struct wick_host_names *n, const struct wick_code_name *code)
{
    const struct wick_jfr_method m = {.class_name = code->library, .name = code->symbol};
    return (struct wick_jfr_frame){.method = wick_host_method(n->tables, &m), .kind = (uint8_t)code->kind};
}

struct wick_jfr_frame wick_host_kernel_frame(struct wick_host_names *n, uint64_t pc)
{
    const struct wick_host_key key = {pc, 0, KERNEL_KIND};
    const struct wick_host_cached *kept = wick_host_cache_find(&n->kernel, &key);
    if (kept)
        return n->kernel.frames[kept->first];
    struct wick_code_name code;
    wick_symbolize_kernel(&n->kernel_code, pc, &code);
    struct wick_jfr_frame f = code_frame(n, &code);
    wick_host_cache_put(&n->kernel, &key, 0, &f, 1);
    return f;
}

static struct wick_jfr_frame native_frame(struct wick_host_names *n, struct wick_host_process *p, uint64_t pc,
                                          uint64_t now_ns)
{
    struct wick_code_name code, brief;
    if (p->gone)
        return wick_host_brief_name(p, pc, &code) ? code_frame(n, &code)
                                                  : text_frame(n, "process ended", WICK_FRAME_NATIVE);
    /* a walk that knows the layout takes no such pc for native code */
    if (p->jvm_state == WICK_HOST_JVM_READY && pc >= p->jvm.step.cc_lo && pc < p->jvm.step.cc_hi)
        return text_frame(n, "broken: JVM not yet read", WICK_FRAME_BREAK);
    if (!wick_elf_images_find(&p->images, pc))
        wick_host_process_refresh(p, now_ns);
    wick_symbolize(&p->code, pc, &code);
    const struct wick_symbols *symbols = NULL;
    if (code.image)
        wick_symbol_cache_find(&p->code.cache, code.image->id, &symbols);
    if (!symbols && !wick_host_process_is_same(p)) { /* it has ended since, and a mapping may be another's */
        if (wick_host_brief_name(p, pc, &brief))
            return code_frame(n, &brief);
        if (!code.image)
            return text_frame(n, "process ended", WICK_FRAME_NATIVE);
    }
    if (wick_symbol_cache_memory(&p->code.cache) > SYMBOL_BYTES)
        wick_symbol_cache_clear(&p->code.cache);
    return code_frame(n, &code);
}

static struct wick_jfr_frame stub_frame(struct wick_host_names *n, const struct wick_host_process *p, wick_addr blob)
{
    char name[STUB_NAME];
    wick_addr at = wick_hs_u64(&p->space.mem, blob + (unsigned)p->jvm.layout.cb_name);
    int len = wick_mem_read_str(&p->space.mem, at, name, sizeof name);
    const struct wick_jfr_method m = {.name = len > 0 ? name : "stub", .kind = WICK_FRAME_STUB};
    return (struct wick_jfr_frame){.method = wick_host_method(n->tables, &m), .kind = WICK_FRAME_STUB};
}

/* --- Java --- */

/* A NUL-terminated piece of a copied method. */
static const char *take_text(char *to, const uint8_t **at, size_t len)
{
    memcpy(to, *at, len);
    to[len] = 0;
    *at += len;
    return to;
}

/* The frame of a method that is what it was: `const_method` is its ConstMethod* >> 3, 0 = any. */
static struct wick_jfr_frame method_frame(struct wick_host_names *n, const struct wick_host_process *p,
                                          wick_addr method, uint32_t const_method, int32_t bci,
                                          enum wick_frame_kind kind)
{
    char class_name[4100], name[4100], signature[4100]; /* names are cut at 4 KiB each */
    struct wick_hs_method_id id;
    struct wick_hs_method *m = n->method;
    if (wick_hs_method_identity(&p->jvm, &p->space.mem, method, &id) ||
        (const_method && (uint32_t)(id.const_method >> 3) != const_method) ||
        wick_hs_method_copy(&p->jvm, &p->space.mem, &id, m, WICK_HS_METHOD_BYTES) < 0 ||
        m->class_len >= sizeof class_name || m->name_len >= sizeof name || m->sig_len >= sizeof signature)
        return break_frame(n, WICK_STOP_METHOD_UNREADABLE);
    const uint8_t *at = m->data;
    struct wick_jfr_method out = {
        .class_name = take_text(class_name, &at, m->class_len),
        .name = take_text(name, &at, m->name_len),
        .signature = take_text(signature, &at, m->sig_len),
        .modifiers = m->access,
    };
    out.class_hidden = strstr(class_name, "+0x") != NULL;
    return (struct wick_jfr_frame){
        .method = wick_host_method(n->tables, &out),
        .line = bci >= 0 ? wick_hs_method_line(m, (uint32_t)bci, p->jvm.major >= 20) : 0,
        .bci = bci >= 0 ? (uint32_t)bci : 0,
        .kind = (uint8_t)kind,
    };
}

/* The compile id that the nmethod has now. */
static uint32_t compile_id(const struct wick_host_process *p, wick_addr nmethod)
{
    return wick_hs_u32(&p->space.mem, nmethod + (unsigned)p->jvm.layout.nm_compile_id);
}

static uint32_t compiled_frames(struct wick_host_names *n, const struct wick_host_process *p,
                                const struct wick_step_frame *f, struct wick_jfr_frame out[SCOPES])
{
    struct wick_hs_scope scopes[SCOPES];
    enum wick_frame_kind root = f->level >= 1 && f->level <= 3 ? WICK_FRAME_C1 : WICK_FRAME_C2;
    int count = -1;
    if (compile_id(p, f->ptr) == f->identity) {
        if (f->kind == WICK_STEP_COMPILED) {
            const struct wick_hs_at at = {f->ptr, f->off, wick_hs_describes_safepoints_only(&p->jvm, &p->space.mem)};
            count = wick_hs_scopes(&p->jvm, &p->space.mem, &at, scopes, SCOPES);
        }
        if (count <= 0) {
            scopes[0] = (struct wick_hs_scope){wick_hs_nmethod_method(&p->jvm, &p->space.mem, f->ptr), -1};
            count = 1;
        }
    }
    for (int i = 0; i < count; i++)
        out[i] = method_frame(n, p, scopes[i].method, 0, scopes[i].bci, i == count - 1 ? root : WICK_FRAME_INLINED);
    if (count <= 0 || compile_id(p, f->ptr) != f->identity) {
        out[0] = break_frame(n, WICK_STOP_METHOD_UNREADABLE);
        return 1;
    }
    return (uint32_t)count;
}

static uint32_t make(struct wick_host_names *n, struct wick_host_process *p, const struct wick_step_frame *f,
                     uint64_t now_ns, struct wick_jfr_frame out[SCOPES])
{
    switch (f->kind) {
    case WICK_STEP_NATIVE:
        out[0] = native_frame(n, p, f->ptr - !f->leaf, now_ns);
        return 1;
    case WICK_STEP_BREAK:
        out[0] = break_frame(n, f->stop);
        return 1;
    case WICK_STEP_BOUNDARY:
        out[0] = text_frame(n, "virtual thread above, carrier below", WICK_FRAME_BOUNDARY);
        return 1;
    default:
        break;
    }
    if (p->gone || p->jvm_state != WICK_HOST_JVM_READY) {
        out[0] = break_frame(n, WICK_STOP_METHOD_UNREADABLE);
        return 1;
    }
    if (f->kind == WICK_STEP_COMPILED || f->kind == WICK_STEP_WRAPPER)
        return compiled_frames(n, p, f, out);
    out[0] =
        f->kind == WICK_STEP_INTERPRETED
            ? method_frame(n, p, f->ptr, f->identity, f->off == NO_BCI ? -1 : (int32_t)f->off, WICK_FRAME_INTERPRETED)
            : stub_frame(n, p, f->ptr);
    return 1;
}

/* Whether what was found earlier still holds: addresses of metaspace may be another method's by now. */
static bool holds(const struct wick_host_cached *kept, const struct wick_step_frame *f, uint64_t now_ns)
{
    bool varies = f->kind != WICK_STEP_NATIVE && f->kind != WICK_STEP_COMPILED && f->kind != WICK_STEP_WRAPPER;
    return kept && (!varies || now_ns < kept->at_ns + FRESH_NS);
}

/* Frames that are no code have neither address nor offset. */
static struct wick_host_key key_of(const struct wick_step_frame *f)
{
    switch (f->kind) {
    case WICK_STEP_NATIVE:
        return (struct wick_host_key){f->ptr, f->leaf, f->kind};
    case WICK_STEP_BREAK:
        return (struct wick_host_key){f->stop, 0, f->kind};
    case WICK_STEP_BOUNDARY:
        return (struct wick_host_key){0, 0, f->kind};
    default:
        return (struct wick_host_key){f->ptr, f->off, (uint64_t)f->identity << 8 | f->kind};
    }
}

/* Whether naming frames of the process has taken more CPU time than its share. One that makes its tables expensive to
 * read would keep the recorder from all others. */
static bool is_spent(const struct wick_host_process *p, uint64_t now_ns)
{
    uint64_t past_ns = now_ns > p->met_ns ? now_ns - p->met_ns : 0;
    return p->spent_ns > SPEND_NS + past_ns / SPEND_SHARE;
}

/* make(), and adds the time it takes to the process's. */
static uint32_t make_timed(struct wick_host_names *n, struct wick_host_process *p, const struct wick_step_frame *f,
                           uint64_t now_ns, struct wick_jfr_frame out[SCOPES])
{
    uint64_t begin_ns = wick_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    uint32_t count = make(n, p, f, now_ns, out);
    p->spent_ns += wick_clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin_ns;
    return count;
}

uint32_t wick_host_expand(struct wick_host_names *n, struct wick_host_process *p, const struct wick_step_frame *f,
                          uint64_t now_ns, struct wick_jfr_frame *out, uint32_t cap)
{
    struct wick_jfr_frame made[SCOPES];
    const struct wick_host_key key = key_of(f);
    const struct wick_host_cached *kept = wick_host_cache_find(&p->cache, &key);
    const struct wick_jfr_frame *from = made;
    uint32_t count;
    if (holds(kept, f, now_ns)) {
        from = p->cache.frames + kept->first;
        count = kept->n;
    } else if (is_spent(p, now_ns)) { /* not kept: there is time for it later */
        made[0] = text_frame(n, "not named: takes too long", WICK_FRAME_BREAK);
        count = 1;
    } else {
        count = make_timed(n, p, f, now_ns, made);
        wick_host_cache_put(&p->cache, &key, now_ns, made, count);
    }
    count = count < cap ? count : cap;
    memcpy(out, from, count * sizeof *out);
    return count;
}

void wick_host_names_renew(struct wick_host_names *n)
{
    wick_host_cache_clear(&n->kernel);
}
