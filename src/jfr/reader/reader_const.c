/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reader_const.c - constants become things of the profile
 *
 * A constant is decoded when something first asks for it; then its number in the profile is kept in the pool in place
 * of its position. What a constant becomes (text, function, stack ...) is its pool's role, fixed at the first use, so
 * that a malformed file cannot have a thread's number taken for a stack's.
 *
 * Stacks are where the time goes. JFR lists frames leaf first, the profile's prefix tree grows from the root, so the
 * frames are decoded into an array and then pushed from its end. Stacks that follow each other in a pool often share
 * their root part (the same thread's run loop); the path of the previous stack is kept and the shared part is taken
 * from it instead of being interned frame by frame. A frame that was met before is recognised by its bytes, without
 * being decoded. The table of those is larger than the caches, so the frames of a stack are read some at a time: the
 * memory of all of them is asked for before the first is needed.
 */
#include "codec/utf8.h"
#include "jfr/format/jfr_format.h"
#include "jfr/reader/reader_int.h"
#include "model/label.h"

#include <stdlib.h>

static uint32_t resolved(uint64_t val)
{
    return (uint32_t)val;
}

static uint32_t resolve(uint64_t *val, uint32_t id)
{
    *val = WICK_JFR_RESOLVED | id;
    return id;
}

/* --- strings --- */

/* n UTF-16 code units as UTF-8; half a surrogate pair becomes U+FFFD. */
static void add_utf16(struct wick_jfr_reader *r, struct wick_jfr_cur *c, uint64_t n)
{
    uint32_t high = 0;
    for (uint64_t i = 0; i < n && !c->bad; i++) {
        uint32_t u = (uint32_t)(wick_jfr_cur_int(c) & 0xffff);
        bool is_low = u >= 0xdc00 && u < 0xe000;
        if (high && is_low)
            wick_utf8_addc(&r->tmp, 0x10000 + ((high - 0xd800) << 10) + (u - 0xdc00));
        else if (high || is_low)
            wick_utf8_addc(&r->tmp, 0xfffd);
        high = u >= 0xd800 && u < 0xdc00 ? u : 0;
        if (!high && !is_low)
            wick_utf8_addc(&r->tmp, u);
    }
    if (high)
        wick_utf8_addc(&r->tmp, 0xfffd);
}

/* Text in the recording or in r->tmp, until the next one is read. */
struct bytes {
    const char *s;
    size_t n;
};

static struct bytes take_latin1(struct wick_jfr_reader *r, const uint8_t *s, uint64_t n)
{
    uint64_t i = 0;
    while (i < n && s[i] < 0x80)
        i++;
    if (i == n)
        return (struct bytes){(const char *)s, n};
    wick_strbuf_clear(&r->tmp);
    for (i = 0; i < n; i++)
        wick_utf8_addc(&r->tmp, s[i]);
    return (struct bytes){r->tmp.buf, r->tmp.len};
}

enum found { NO_TEXT, EMPTY, TEXT, KEY };

/* What a string field holds: no text (null, or damaged), the empty one, its text, or its key in the pool of strings. */
static enum found string_at(struct wick_jfr_reader *r, struct wick_jfr_cur *c, struct bytes *text, uint64_t *key)
{
    uint8_t encoding = wick_jfr_cur_byte(c);
    if (encoding <= 1)
        return encoding && !c->bad ? EMPTY : NO_TEXT;
    uint64_t n = wick_jfr_cur_int(c);
    if (encoding == 2) {
        *key = n;
        return KEY;
    }
    const uint8_t *s = c->p;
    if (n > wick_jfr_cur_left(c) || encoding > 5) {
        wick_jfr_cur_fail(c);
        return NO_TEXT;
    }
    if (encoding == 4) {
        wick_strbuf_clear(&r->tmp);
        add_utf16(r, c, n);
        *text = (struct bytes){r->tmp.buf, r->tmp.len};
        return c->bad ? NO_TEXT : TEXT;
    }
    wick_jfr_cur_skip(c, n);
    *text = encoding == 3 ? (struct bytes){(const char *)s, n} : take_latin1(r, s, n);
    return TEXT;
}

uint32_t wick_jfr_string(struct wick_jfr_reader *r, struct wick_jfr_cur *c, bool *is_null)
{
    struct bytes text;
    uint64_t key;
    enum found found = string_at(r, c, &text, &key);
    *is_null = found == NO_TEXT;
    if (found == TEXT)
        return wick_profile_string(r->p, text.s, text.n);
    return found == KEY ? wick_jfr_text(r, r->string_type, key, 1) : 0;
}

/* The constant's plan, made at its pool's first use. */
static bool planned(struct wick_jfr_reader *r, struct wick_jfr_pool *pool, const char *const *names, unsigned n)
{
    if (!pool->planned) {
        pool->planned = true;
        if (!wick_jfr_plan_make(r, &pool->plan, pool->type, names, n, false))
            wick_jfr_plan_release(&pool->plan);
    }
    return pool->plan.nops > 0;
}

/* Text of a value that a plan left in a slot: an inline string or a key. */
static uint32_t slot_text(struct wick_jfr_reader *r, const struct wick_jfr_plan *plan, unsigned slot,
                          const union wick_jfr_slot *values, unsigned depth)
{
    if (plan->field[slot] == WICK_JFR_NONE)
        return 0;
    const struct wick_jfr_field *f = &r->meta.fields[plan->field[slot]];
    bool is_null;
    if (f->array || f->type == WICK_JFR_NONE)
        return 0;
    if (f->pooled)
        return wick_jfr_text(r, f->type, (uint64_t)values[slot].i, depth + 1);
    struct wick_jfr_cur c = wick_jfr_cur_at(r, values[slot].place);
    return r->meta.types[f->type].prim == WICK_JFR_STRING ? wick_jfr_string(r, &c, &is_null) : 0;
}

uint32_t wick_jfr_text(struct wick_jfr_reader *r, uint32_t type, uint64_t key, unsigned depth)
{
    static const char *const names[] = {"string|name|javaName|osName|description|cause|type"};
    struct wick_jfr_pool *pool;
    if (type == r->thread_type && type != WICK_JFR_NONE)
        return r->p->threads[wick_jfr_thread(r, type, key)].name;
    uint64_t *val = wick_jfr_pool_find(r, type, key, WICK_JFR_ROLE_TEXT, &pool);
    if (!val || depth > WICK_JFR_MAX_DEPTH)
        return 0;
    if (*val & WICK_JFR_RESOLVED)
        return resolved(*val);
    struct wick_jfr_cur c = wick_jfr_cur_at(r, *val);
    *val = WICK_JFR_RESOLVED; /* a constant that leads back to itself ends as the empty string */
    uint32_t id = 0;
    bool is_null;
    if (r->meta.types[type].prim == WICK_JFR_STRING) {
        id = wick_jfr_string(r, &c, &is_null);
    } else if (planned(r, pool, names, 1)) {
        union wick_jfr_slot slots[WICK_JFR_SLOTS] = {0};
        wick_jfr_plan_run(r, &pool->plan, &c, slots);
        id = c.bad ? 0 : slot_text(r, &pool->plan, 0, slots, depth);
    }
    return resolve(val, id);
}

/* --- threads and states --- */

uint32_t wick_jfr_thread(struct wick_jfr_reader *r, uint32_t type, uint64_t key)
{
    enum { JAVA_NAME, OS_NAME, OS_TID, JAVA_TID, VIRTUAL, N };
    static const char *const names[N] = {"javaName", "osName", "osThreadId", "javaThreadId", "virtual"};
    struct wick_jfr_pool *pool;
    uint32_t id;
    if (wick_jfr_pool_known(r, type, key, WICK_JFR_ROLE_THREAD, &id))
        return id;
    uint64_t *val = wick_jfr_pool_find(r, type, key, WICK_JFR_ROLE_THREAD, &pool);
    if (!val)
        return 0;
    if (*val & WICK_JFR_RESOLVED)
        return resolved(*val);
    struct wick_jfr_cur c = wick_jfr_cur_at(r, *val);
    union wick_jfr_slot s[WICK_JFR_SLOTS] = {0};
    *val = WICK_JFR_RESOLVED;
    if (!planned(r, pool, names, N))
        return 0;
    wick_jfr_plan_run(r, &pool->plan, &c, s);
    if (c.bad)
        return 0;
    uint32_t name = slot_text(r, &pool->plan, JAVA_NAME, s, 0);
    if (!name)
        name = slot_text(r, &pool->plan, OS_NAME, s, 0);
    return resolve(val, wick_profile_thread(r->p, name, s[OS_TID].i, s[JAVA_TID].i, s[VIRTUAL].i != 0));
}

uint16_t wick_jfr_state(struct wick_jfr_reader *r, uint32_t type, uint64_t key)
{
    static const char *const names[] = {"name"};
    struct wick_jfr_pool *pool;
    uint32_t id;
    if (wick_jfr_pool_known(r, type, key, WICK_JFR_ROLE_STATE, &id))
        return (uint16_t)id;
    uint64_t *val = wick_jfr_pool_find(r, type, key, WICK_JFR_ROLE_STATE, &pool);
    if (!val)
        return 0;
    if (*val & WICK_JFR_RESOLVED)
        return (uint16_t)resolved(*val);
    struct wick_jfr_cur c = wick_jfr_cur_at(r, *val);
    union wick_jfr_slot s[WICK_JFR_SLOTS] = {0};
    *val = WICK_JFR_RESOLVED;
    if (!planned(r, pool, names, 1))
        return 0;
    wick_jfr_plan_run(r, &pool->plan, &c, s);
    uint32_t name = c.bad ? 0 : slot_text(r, &pool->plan, 0, s, 0);
    return (uint16_t)resolve(val, wick_profile_state(r->p, name));
}

/* --- labels --- */

enum { ENDPOINT, TRACE_ID, SPAN_ID, OWN_FIELDS, LABELS = OWN_FIELDS, CONTEXT_TEXT, CONTEXT_FIELDS };

/* A context as one text: the pairs of labels with the recording's own before (endpoint) and behind them. It is not
 * interned, since with the ids of spans in it no two may be the same. */
static uint32_t pairs_of_text(struct wick_jfr_reader *r, const struct wick_jfr_field *f, uint64_t place,
                              struct wick_label *pairs)
{
    struct wick_jfr_cur c = wick_jfr_cur_at(r, place);
    struct bytes text;
    uint64_t key;
    if (f->array || f->pooled || f->type == WICK_JFR_NONE || r->meta.types[f->type].prim != WICK_JFR_STRING)
        return 0;
    enum found found = string_at(r, &c, &text, &key);
    if (found == KEY) {
        text.s = wick_profile_str(r->p, wick_jfr_text(r, r->string_type, key, 1));
        text.n = strlen(text.s);
    }
    bool is_text = found == TEXT || found == KEY;
    uint32_t n = is_text ? wick_label_parse(r->p, text.s, text.n, pairs, 0, WICK_LABELS_MAX - 1) : 0;
    if (n && pairs[0].key == wick_profile_cstring(r->p, "endpoint"))
        pairs[n++] = pairs[0]; /* last: a label of the same name does not count */
    return n;
}

/* A context with a field for each of the recording's own, as wick wrote it at first. */
static uint32_t pairs_of_fields(struct wick_jfr_reader *r, const struct wick_jfr_plan *plan, const char *const *names,
                                const union wick_jfr_slot *s, struct wick_label *pairs)
{
    uint32_t labels = slot_text(r, plan, LABELS, s, 0);
    const char *text = wick_profile_str(r->p, labels);
    uint32_t n = wick_label_parse(r->p, text, strlen(text), pairs, 0, WICK_LABELS_MAX - OWN_FIELDS);
    for (unsigned i = 0; i < OWN_FIELDS; i++) { /* last: a label of the same name does not count */
        uint32_t value = i == ENDPOINT || r->p->by_span ? slot_text(r, plan, i, s, 0) : 0;
        if (value)
            pairs[n++] = (struct wick_label){wick_profile_cstring(r->p, names[i]), value};
    }
    return n;
}

uint32_t wick_jfr_labels(struct wick_jfr_reader *r, uint32_t type, uint64_t key)
{
    static const char *const names[CONTEXT_FIELDS] = {"endpoint", "traceId", "spanId", "labels", "text"};
    struct wick_label pairs[WICK_LABELS_MAX];
    struct wick_jfr_pool *pool;
    uint32_t set, n;
    if (!key)
        return 0;
    if (wick_jfr_pool_known(r, type, key, WICK_JFR_ROLE_LABELS, &set))
        return set;
    uint64_t *val = wick_jfr_pool_find(r, type, key, WICK_JFR_ROLE_LABELS, &pool);
    if (!val)
        return 0;
    if (*val & WICK_JFR_RESOLVED)
        return resolved(*val);
    struct wick_jfr_cur c = wick_jfr_cur_at(r, *val);
    union wick_jfr_slot s[WICK_JFR_SLOTS] = {0};
    *val = WICK_JFR_RESOLVED;
    if (!planned(r, pool, names, CONTEXT_FIELDS))
        return 0;
    const struct wick_jfr_plan *plan = &pool->plan;
    wick_jfr_plan_run(r, plan, &c, s);
    if (c.bad)
        return 0;
    if (plan->field[CONTEXT_TEXT] != WICK_JFR_NONE)
        n = pairs_of_text(r, &r->meta.fields[plan->field[CONTEXT_TEXT]], s[CONTEXT_TEXT].place, pairs);
    else
        n = pairs_of_fields(r, plan, names, s, pairs);
    return resolve(val, wick_profile_label_set(r->p, pairs, n));
}

/* --- stacks --- */

static unsigned frame_kind(struct wick_jfr_reader *r, uint32_t type, uint64_t key)
{
    static const char *const names[] = {"description"};
    struct wick_jfr_pool *pool;
    uint64_t *val = wick_jfr_pool_find(r, type, key, WICK_JFR_ROLE_KIND, &pool);
    if (!val)
        return WICK_FRAME_INTERPRETED;
    if (*val & WICK_JFR_RESOLVED)
        return resolved(*val);
    struct wick_jfr_cur c = wick_jfr_cur_at(r, *val);
    union wick_jfr_slot s[WICK_JFR_SLOTS] = {0};
    unsigned kind = WICK_FRAME_INTERPRETED; /* of kinds unknown here, Java is likeliest */
    *val = WICK_JFR_RESOLVED;
    if (planned(r, pool, names, 1)) {
        wick_jfr_plan_run(r, &pool->plan, &c, s);
        const char *name = wick_profile_str(r->p, c.bad ? 0 : slot_text(r, &pool->plan, 0, s, 0));
        for (unsigned k = 0; k < WICK_FRAME_KIND_COUNT; k++)
            if (strcmp(name, wick_frame_kind_name(k)) == 0)
                kind = k;
    }
    return resolve(val, kind);
}

/* What a function's constant becomes: its number, and whether it is a native method of Java. The JDK calls the frames
 * of those "Native", which is what profilers call native code; of these async-profiler's say that they are native
 * methods as well, but have no descriptor that a method could have. */
#define NATIVE_METHOD ((uint64_t)1 << 32)

/* And the kind of what wick's recordings say is no function at all (jfr_format.h). */
#define KIND_AT 33

enum { ACC_SYNCHRONIZED = 0x20, ACC_NATIVE = 0x100 };

static bool is_method_descriptor(const char *s)
{
    return *s == '(' && strcmp(s, "()L;") != 0;
}

/* 0 if the modifiers hold none: the JVM's own recordings have nothing above the bits of a class file. */
static uint64_t finer_kind(int64_t modifiers)
{
    uint64_t kind = (uint64_t)modifiers >> WICK_JFR_KIND_SHIFT;
    return kind == WICK_FRAME_STUB || kind == WICK_FRAME_BREAK || kind == WICK_FRAME_BOUNDARY ? kind : 0;
}

static uint8_t declared(int64_t modifiers)
{
    uint8_t blocks = modifiers & WICK_JFR_SYNCHRONIZED_BLOCKS ? WICK_FUNCTION_BLOCKS : 0;
    return blocks | (modifiers & ACC_SYNCHRONIZED ? WICK_FUNCTION_SYNCHRONIZED : WICK_FUNCTION_PLAIN);
}

static uint64_t method(struct wick_jfr_reader *r, uint32_t type, uint64_t key)
{
    enum { CLASS, NAME, DESCRIPTOR, MODIFIERS, N };
    static const char *const names[N] = {"type", "name", "descriptor", "modifiers"};
    struct wick_jfr_pool *pool;
    uint64_t *val = wick_jfr_pool_find(r, type, key, WICK_JFR_ROLE_FUNCTION, &pool);
    if (!val)
        return 0;
    if (*val & WICK_JFR_RESOLVED)
        return *val & ~WICK_JFR_RESOLVED;
    struct wick_jfr_cur c = wick_jfr_cur_at(r, *val);
    union wick_jfr_slot s[WICK_JFR_SLOTS] = {0};
    *val = WICK_JFR_RESOLVED;
    if (!planned(r, pool, names, N))
        return 0;
    wick_jfr_plan_run(r, &pool->plan, &c, s);
    if (c.bad)
        return 0;
    bool keep = r->p->keep & WICK_KEEP_SIGNATURES, native = s[MODIFIERS].i & ACC_NATIVE;
    uint32_t signature = keep || native ? slot_text(r, &pool->plan, DESCRIPTOR, s, 0) : 0;
    native = native && is_method_descriptor(wick_profile_str(r->p, signature));
    uint32_t id = wick_profile_function(r->p, slot_text(r, &pool->plan, CLASS, s, 0),
                                        slot_text(r, &pool->plan, NAME, s, 0), keep ? signature : 0);
    if (id)
        r->p->functions[id].declared |= declared(s[MODIFIERS].i);
    *val |= id | (native ? NATIVE_METHOD : 0) | finer_kind(s[MODIFIERS].i) << KIND_AT;
    return *val & ~WICK_JFR_RESOLVED;
}

static uint32_t make_frame(struct wick_jfr_reader *r, uint64_t function, int32_t line, int32_t bci, unsigned kind)
{
    if (kind == WICK_FRAME_NATIVE && function >> KIND_AT)
        kind = (unsigned)(function >> KIND_AT);
    else if (kind == WICK_FRAME_NATIVE && (function & NATIVE_METHOD))
        kind = WICK_FRAME_JAVA_NATIVE;
    return wick_profile_frame(r->p, (uint32_t)function, line, bci, kind);
}

enum { FRAME_METHOD, FRAME_LINE, FRAME_BCI, FRAME_KIND, FRAME_SLOTS };

struct frame_types {
    uint32_t method, kind; /* WICK_JFR_NONE = no such field */
};

/* Room for n frames and the one that says "[truncated]". The caller has checked that the chunk can hold n frames. */
static bool frames_fit(struct wick_jfr_reader *r, uint64_t n)
{
    if (n < r->cap_frames)
        return true;
    uint64_t cap = n + n / 2 + 1024;
    uint32_t *bigger = cap < UINT32_MAX ? reallocarray(r->frames, cap, sizeof *bigger) : NULL;
    if (!bigger) {
        r->nomem = true;
        return false;
    }
    r->frames = bigger;
    r->cap_frames = (uint32_t)cap;
    return true;
}

static struct wick_jfr_frame_memo *memo_of(struct wick_jfr_reader *r, uint64_t method, uint64_t kind, uint64_t place)
{
    return &r->memo[wick_hash_2(method << 8 ^ kind, place) >> 32 & r->memo_mask];
}

/* The frame of method, line, bytecode index and kind as they stand in the file. */
static uint32_t frame_of(struct wick_jfr_reader *r, const struct frame_types *types, const union wick_jfr_slot *s)
{
    uint64_t function = method(r, types->method, (uint64_t)s[FRAME_METHOD].i);
    unsigned kind = frame_kind(r, types->kind, (uint64_t)s[FRAME_KIND].i);
    return make_frame(r, function, (int32_t)s[FRAME_LINE].i, (int32_t)s[FRAME_BCI].i, kind);
}

/* The same of a frame that is not known by its bytes. */
static uint32_t long_frame_of(struct wick_jfr_reader *r, const struct frame_types *types, const union wick_jfr_slot *s)
{
    uint64_t key = (uint64_t)s[FRAME_METHOD].i, kind = (uint64_t)s[FRAME_KIND].i;
    uint64_t place = (uint64_t)(uint32_t)s[FRAME_LINE].i << 32 | (uint32_t)s[FRAME_BCI].i;
    uint32_t round = r->memo_round;
    struct wick_jfr_frame_memo *m = memo_of(r, key, kind, place);
    if (m->round != round || m->method != key || m->kind != kind || m->place != place)
        *m = (struct wick_jfr_frame_memo){key, kind, place, frame_of(r, types, s), round};
    return m->frame;
}

/* How the integers of a frame lie: `before` that count, `skipped` that do not, `behind` that count again. */
struct frame_shape {
    unsigned before, skipped, behind;
};

/* False if frames have another shape. Two integers behind a gap could be 0 and 5 behind a short one or 5 and 0 behind a
 * long one, with the same bytes. */
static bool shape_of(const struct wick_jfr_plan *plan, struct frame_shape *shape)
{
    *shape = (struct frame_shape){0};
    for (uint32_t i = 0; i < plan->nops; i++) {
        const struct wick_jfr_op *op = &plan->ops[i];
        if (op->code == WICK_JFR_OP_INT && !shape->skipped)
            shape->before++;
        else if (op->code == WICK_JFR_OP_INT)
            shape->behind++;
        else if (shape->skipped || op->code != WICK_JFR_OP_SKIP_INTS || op->n > 8)
            return false;
        else
            shape->skipped = op->n;
    }
    return shape->before && shape->behind <= 1 && shape->before + shape->skipped + shape->behind <= 8;
}

/* Clears the lowest n bits that are set. */
static uint64_t without_lowest(uint64_t w, unsigned n)
{
    while (n--)
        w &= w - 1;
    return w;
}

/* All bits up to the lowest that is set. */
static uint64_t up_to(uint64_t w)
{
    return w ^ (w - 1);
}

/* The bytes of a frame that begins at w, those that do not count as zeros; 0 in *end if they do not fit. Integers
 * before the gap end where their bytes say so, and of the one behind it the bytes stand alone, so equal bytes are equal
 * frames. */
static uint64_t short_bytes(uint64_t w, const struct frame_shape *shape, unsigned *end)
{
    uint64_t stop = ~w & WICK_JFR_HIGH_BITS, first = without_lowest(stop, shape->before - 1);
    uint64_t gap = without_lowest(first, shape->skipped), last = without_lowest(gap, shape->behind);
    *end = last ? ((unsigned)__builtin_ctzll(last) >> 3) + 1 : 0;
    return w & up_to(last) & ~(up_to(gap) ^ up_to(first));
}

static struct wick_jfr_short_frame *short_frame_of(struct wick_jfr_reader *r, uint64_t bytes)
{
    return &r->short_frames[wick_hash_2(bytes, 0) >> 32 & r->memo_mask];
}

/* How many frames are read together. */
#define AHEAD 16u

struct ahead {
    uint64_t bytes;
    const uint8_t *at;
    struct wick_jfr_short_frame *known;
};

/* Moves c over short frames, at most n or AHEAD, and asks for what is known of them. Returns how many. */
static unsigned look_ahead(struct wick_jfr_reader *r, const struct frame_shape *shape, struct wick_jfr_cur *c,
                           uint64_t n, struct ahead *ahead)
{
    unsigned k = 0, end;
    for (; k < AHEAD && k < n && wick_jfr_cur_left(c) >= sizeof(uint64_t); k++, c->p += end) {
        uint64_t w;
        memcpy(&w, c->p, sizeof w);
        uint64_t bytes = short_bytes(w, shape, &end);
        if (!end)
            break;
        ahead[k] = (struct ahead){bytes, c->p, short_frame_of(r, bytes)};
        __builtin_prefetch(ahead[k].known);
    }
    return k;
}

static bool decode_frame(struct wick_jfr_reader *r, const struct wick_jfr_plan *plan, struct wick_jfr_cur *c,
                         union wick_jfr_slot s[FRAME_SLOTS])
{
    memset(s, 0, FRAME_SLOTS * sizeof *s);
    s[FRAME_BCI].i = -1;
    wick_jfr_plan_take(r, plan, c, s);
    return !c->bad;
}

/* Decodes the frames that begin at c, of at least min_bytes each, into r->frames, leaf first; false if malformed. */
static bool read_frames(struct wick_jfr_reader *r, const struct wick_jfr_plan *plan, uint32_t min_bytes,
                        struct wick_jfr_cur *c, uint32_t *nframes)
{
    uint64_t n = wick_jfr_cur_int(c);
    if ((n && !plan->nops) || plan->field[FRAME_METHOD] == WICK_JFR_NONE || n > wick_jfr_cur_left(c) / min_bytes ||
        !frames_fit(r, n))
        return false;
    const struct wick_jfr_field *fields = r->meta.fields;
    struct frame_types types = {fields[plan->field[FRAME_METHOD]].type, WICK_JFR_NONE};
    struct frame_shape shape;
    uint32_t round = r->memo_round;
    bool may_be_short = shape_of(plan, &shape);
    if (plan->field[FRAME_KIND] != WICK_JFR_NONE)
        types.kind = fields[plan->field[FRAME_KIND]].type;
    for (uint64_t i = 0; i < n;) {
        struct ahead ahead[AHEAD];
        union wick_jfr_slot s[FRAME_SLOTS];
        unsigned k = may_be_short ? look_ahead(r, &shape, c, n - i, ahead) : 0;
        for (unsigned j = 0; j < k; j++, i++) {
            struct wick_jfr_short_frame *known = ahead[j].known;
            if (known->bytes != ahead[j].bytes || known->round != round) {
                if (!decode_frame(r, plan, &(struct wick_jfr_cur){ahead[j].at, c->end, false}, s))
                    return false;
                *known = (struct wick_jfr_short_frame){ahead[j].bytes, frame_of(r, &types, s), round};
            }
            r->frames[i] = known->frame;
        }
        if (k)
            continue;
        if (!decode_frame(r, plan, c, s))
            return false;
        r->frames[i++] = long_frame_of(r, &types, s);
    }
    *nframes = (uint32_t)n;
    return true;
}

static uint32_t break_frame(struct wick_jfr_reader *r, const char *name)
{
    return wick_profile_frame(r->p, wick_profile_function(r->p, 0, wick_profile_cstring(r->p, name), 0), 0, -1,
                              WICK_FRAME_BREAK);
}

static bool plan_stacks(struct wick_jfr_reader *r, struct wick_jfr_pool *pool)
{
    static const char *const names[] = {"truncated", "frames"};
    const char *const frame_names[FRAME_SLOTS] = {"method", r->p->keep & WICK_KEEP_LINES ? "lineNumber" : NULL,
                                                  r->p->keep & WICK_KEEP_BCI ? "bytecodeIndex" : NULL, "type"};
    if (pool->planned)
        return pool->item.nops > 0;
    if (!planned(r, pool, names, 2) || pool->plan.field[1] == WICK_JFR_NONE)
        return false;
    const struct wick_jfr_field *f = &r->meta.fields[pool->plan.field[1]];
    if (!f->array || f->pooled || !wick_jfr_skippable(&r->meta, f) ||
        !wick_jfr_plan_make(r, &pool->item, f->type, frame_names, FRAME_SLOTS, true)) {
        wick_jfr_plan_release(&pool->item);
        return false;
    }
    return true;
}

bool wick_jfr_stack(struct wick_jfr_reader *r, uint32_t type, uint64_t key, uint32_t *stack)
{
    struct wick_jfr_pool *pool;
    if (wick_jfr_pool_known(r, type, key, WICK_JFR_ROLE_STACK, stack))
        return *stack != 0;
    uint64_t *val = wick_jfr_pool_find(r, type, key, WICK_JFR_ROLE_STACK, &pool);
    if (!val)
        return false;
    if (*val & WICK_JFR_RESOLVED) {
        *stack = resolved(*val);
        return *stack != 0;
    }
    struct wick_jfr_cur c = wick_jfr_cur_at(r, *val);
    union wick_jfr_slot s[WICK_JFR_SLOTS] = {0};
    uint32_t n = 0;
    *val = WICK_JFR_RESOLVED;
    if (!plan_stacks(r, pool))
        return false;
    wick_jfr_plan_run(r, &pool->plan, &c, s);
    struct wick_jfr_cur at = wick_jfr_cur_at(r, s[1].place);
    uint32_t min_bytes = r->meta.types[r->meta.fields[pool->plan.field[1]].type].min_bytes;
    if (c.bad || !read_frames(r, &pool->item, min_bytes, &at, &n))
        return false;
    if (s[0].i && n && r->p->frames[r->frames[n - 1]].kind != WICK_FRAME_BREAK) {
        if (!r->truncated_frame)
            r->truncated_frame = break_frame(r, "[truncated]");
        r->frames[n++] = r->truncated_frame;
    }
    *stack = wick_profile_push_all(r->p, r->frames, n);
    if (n == 0)
        *stack = wick_profile_push(r->p, 0, break_frame(r, "[no stack]"));
    resolve(val, *stack);
    return *stack != 0;
}
