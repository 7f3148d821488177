/* SPDX-License-Identifier: Apache-2.0 */
/*
 * codemap.c - every blob of the code heaps with its name
 *
 * The blobs are found by walking the heaps block by block (hotspot/jvm.h) and read by the same code that reads them for
 * a stack walk (step_blob.h). An nmethod is called after its method; any other blob has a name of its own.
 */
#include "unwind/codemap.h"

#include <stdlib.h>

#include "hotspot/method.h"
#include "hotspot/scopes.h"
#include "hotspot/value.h"
#include "unwind/step.h"

enum { METHOD_BYTES = 64 << 10, NAME_BYTES = 128, BLOB_MAX_BYTES = 64 << 20 };

struct wick_step_env {
    const struct wick_mem *mem;
};

static int step_read(struct wick_step_env *env, uint64_t addr, void *buf, uint64_t n)
{
    return wick_mem_read(env->mem, addr, buf, n);
}

#define STEP_INLINE static inline __attribute__((always_inline))
#define STEP_FN     static __attribute__((noinline, unused))
#include "unwind/step_blob.h"

/* java/lang/Foo, bar: java.lang.Foo.bar; the serial number of a hidden class ("/0x...") keeps its slash. */
static void add_method(struct wick_strbuf *out, const struct wick_hs_method *m)
{
    for (uint16_t i = 0; i < m->class_len; i++) {
        bool package = m->data[i] == '/' && i + 1 < m->class_len && !(m->data[i + 1] >= '0' && m->data[i + 1] <= '9');
        wick_strbuf_addc(out, package ? '.' : (char)m->data[i]);
    }
    wick_strbuf_addc(out, '.');
    wick_strbuf_add(out, m->data + m->class_len, m->name_len);
}

/* False if the method cannot be read: it has just been thrown away. */
static bool name_method(const struct wick_remote *r, wick_addr nmethod, void *buf, struct wick_strbuf *out)
{
    struct wick_hs_method_id id;
    wick_addr method = wick_hs_nmethod_method(&r->jvm, &r->mem, nmethod);
    if (!method || wick_hs_method_identity(&r->jvm, &r->mem, method, &id) ||
        wick_hs_method_copy(&r->jvm, &r->mem, &id, buf, METHOD_BYTES) < 0)
        return false;
    add_method(out, buf);
    return true;
}

static bool name_blob(const struct wick_remote *r, wick_addr blob, struct wick_strbuf *out)
{
    char name[NAME_BYTES];
    wick_addr at = wick_hs_u64(&r->mem, blob + (unsigned)r->jvm.layout.cb_name);
    if (!at || wick_mem_read_str(&r->mem, at, name, sizeof name) <= 0)
        return false;
    wick_strbuf_adds(out, name);
    return true;
}

int wick_codemap_read(const struct wick_remote *r, void (*take)(void *ctx, const struct wick_code_entry *c), void *ctx)
{
    struct wick_step_env env = {&r->mem};
    struct wick_jvm_blobs it = {.jvm = &r->jvm};
    struct wick_strbuf name = WICK_STRBUF_INIT;
    void *method = malloc(METHOD_BYTES);
    for (wick_addr at; method && !name.failed && wick_jvm_blob_next(&it, &at);) {
        struct wick_step_blob b;
        wick_strbuf_clear(&name);
        if (step_blob_read(&env, &r->jvm.step, at, &b) != WICK_STOP_NONE || b.addr != at || b.code_end <= b.code ||
            b.code < at || b.code_end - b.code > BLOB_MAX_BYTES)
            continue;
        bool is_java = b.kind == WICK_BLOB_NMETHOD || b.kind == WICK_BLOB_NATIVE;
        if (is_java ? name_method(r, at, method, &name) : name_blob(r, at, &name))
            take(ctx, &(struct wick_code_entry){b.code, b.code_end, &name, is_java, b.comp_level});
    }
    int rc = method && !name.failed ? 0 : -WICK_E_NOMEM;
    wick_strbuf_release(&name);
    free(method);
    return rc;
}
