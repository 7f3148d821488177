/* SPDX-License-Identifier: Apache-2.0 */
#include "heap/waste.h"

#include <stdlib.h>
#include <string.h>

#include "model/hash.h"

/* The lowest two bits of a content's hash. */
enum sort { NOTHING, ARRAY, ARRAY_OF_STRING, STRING, SORT_MASK = 3 };

enum { CHUNK = 32768, SLOT_ROOM = 1024 };
#define TABLE_BYTES (UINT64_C(128) << 20)

/* A content: what of it there is. */
struct slot {
    uint64_t key; /* 0 = free */
    uint32_t object;
    uint32_t count, arrays; /* strings, or arrays; of strings: different arrays of theirs */
};

struct work {
    struct wick_heap_waste *out;
    struct wick_heap_graph *g;
    struct wick_err *err;
    size_t top;
    struct wick_heap_array hashes; /* u64 by object */
    uint64_t strings, arrays;
    /* java.lang.String */
    uint32_t string_class, value_at, coder_at;
    bool has_coder;
    /* collections */
    uint8_t *kind;                    /* by class: 1 + number in collection_kinds */
    struct wick_heap_collection *sum; /* by class */
    struct wick_heap_array owned;     /* a bit by object: arrays of collections */
};

static int failed(int rc, struct work *w)
{
    if (rc == -WICK_E_NOMEM)
        wick_err_set(w->err, WICK_E_NOMEM, "out of memory while looking for duplicates");
    return rc;
}

/* --- hashes of contents ------------------------------------------------------------------------------------------- */

static int hash_array(void *ctx, uint32_t object, const struct wick_hprof_object *o)
{
    struct work *w = ctx;
    if (o->kind != WICK_HPROF_PRIMITIVES || !o->count)
        return 0;
    uint64_t hash = wick_hash_2(o->type, o->count), left = o->end - o->body;
    for (uint64_t at = o->body; left;) {
        size_t n = left < CHUNK ? (size_t)left : CHUNK;
        const uint8_t *p = wick_heap_view_at(&w->g->scan, at, n);
        if (!p)
            return wick_err_set(w->err, WICK_E_IO, "%s changed while it was read", w->g->hprof.name);
        hash = wick_hash_2(hash, wick_hash_bytes(p, n));
        at += n;
        left -= n;
    }
    wick_heap_u64(&w->hashes)[object] = (hash & ~(uint64_t)SORT_MASK) | ARRAY;
    w->arrays++;
    return 0;
}

static int hash_string(void *ctx, uint32_t object, const struct wick_hprof_object *o)
{
    struct work *w = ctx;
    uint64_t *hashes = wick_heap_u64(&w->hashes);
    unsigned id = w->g->hprof.id_size;
    if (o->kind != WICK_HPROF_INSTANCE || o->count < w->value_at + id ||
        wick_heap_class_find(&w->g->classes, o->class_id) != w->string_class)
        return 0;
    const uint8_t *p = wick_heap_view_at(&w->g->scan, o->body, o->count < 256 ? o->count : 256);
    uint32_t value = p ? wick_heap_ids_find(&w->g->ids, wick_hprof_id(&w->g->hprof, p + w->value_at)) : WICK_HEAP_NONE;
    if (value == WICK_HEAP_NONE)
        return 0;
    if ((hashes[value] & SORT_MASK) == ARRAY) {
        uint64_t coder = w->has_coder && w->coder_at < o->count ? p[w->coder_at] : 0;
        hashes[value] = (wick_hash_2(hashes[value], coder + 1) & ~(uint64_t)SORT_MASK) | ARRAY_OF_STRING;
        w->arrays--;
    }
    if ((hashes[value] & SORT_MASK) == ARRAY_OF_STRING) {
        hashes[object] = (hashes[value] & ~(uint64_t)SORT_MASK) | STRING;
        w->strings++;
    }
    return 0;
}

static bool find_string_class(struct work *w)
{
    struct wick_heap_graph *g = w->g;
    unsigned type;
    w->string_class = wick_heap_class_named(&g->classes, "java/lang/String");
    if (w->string_class == WICK_HEAP_NONE ||
        !wick_heap_class_field(&g->classes, &g->jump, w->string_class, "value", &w->value_at, &type) ||
        type != WICK_HPROF_REF)
        return false;
    w->has_coder = wick_heap_class_field(&g->classes, &g->jump, w->string_class, "coder", &w->coder_at, &type) &&
                   w->coder_at < 256;
    return w->value_at < 128;
}

/* --- groups ------------------------------------------------------------------------------------------------------- */

/* Equal ones in the order of their addresses: the order of groups differs from run to run. */
static bool comes_before(const struct wick_heap_duplicate *a, const struct wick_heap_duplicate *b)
{
    return a->waste != b->waste ? a->waste > b->waste : a->object < b->object;
}

static void insert_top(struct wick_heap_duplicates *d, size_t most, const struct wick_heap_duplicate *new)
{
    if (d->ntop == most && (!most || !comes_before(new, &d->top[most - 1])))
        return;
    size_t i = d->ntop < most ? d->ntop++ : most - 1;
    for (; i && comes_before(new, &d->top[i - 1]); i--)
        d->top[i] = d->top[i - 1];
    d->top[i] = *new;
}

static void take_group(struct work *w, const struct slot *s)
{
    bool is_string = (s->key & SORT_MASK) == STRING;
    struct wick_heap_duplicates *d = is_string ? &w->out->strings : &w->out->arrays;
    struct wick_hprof_object o;
    if (s->count < 2)
        return;
    uint64_t own = wick_heap_graph_brief(w->g, s->object).bytes, array = 0;
    if (is_string && !wick_heap_graph_object(w->g, s->object, &o)) {
        const uint8_t *p = wick_heap_view_at(&w->g->jump, o.body + w->value_at, w->g->hprof.id_size);
        uint32_t value = p ? wick_heap_ids_find(&w->g->ids, wick_hprof_id(&w->g->hprof, p)) : WICK_HEAP_NONE;
        array = value != WICK_HEAP_NONE ? wick_heap_graph_brief(w->g, value).bytes : 0;
    }
    struct wick_heap_duplicate new = {s->object, s->count, own + array, (s->count - 1) * own};
    if (s->arrays > 1)
        new.waste += (s->arrays - 1) * array;
    d->objects += s->count;
    d->groups++;
    d->waste += new.waste;
    insert_top(d, w->top, &new);
}

/* Counts the contents whose hash ends the partition's way. */
static int group(struct work *w, struct wick_heap_array *table, uint64_t mask, unsigned shift, uint64_t part)
{
    const uint64_t *hashes = wick_heap_u64(&w->hashes);
    struct slot *slots = table->p;
    uint64_t used = 0;
    memset(slots, 0, table->bytes);
    for (uint32_t i = 0; i < w->g->ids.n; i++) {
        uint64_t hash = hashes[i], sort = hash & SORT_MASK;
        if (!hash || (shift < 64 && hash >> shift != part))
            continue;
        uint64_t key = (hash & ~(uint64_t)SORT_MASK) | (sort == ARRAY ? ARRAY : STRING), at = hash >> 2 & mask;
        while (slots[at].key && slots[at].key != key)
            at = (at + 1) & mask;
        if (!slots[at].key && used++ > mask / 8 * 7)
            return wick_err_set(w->err, WICK_E_LIMIT, "too many different contents of arrays");
        slots[at].key = key;
        if (sort == ARRAY_OF_STRING) {
            slots[at].arrays++;
            continue;
        }
        slots[at].object = i;
        slots[at].count++;
    }
    for (uint64_t at = 0; at <= mask; at++)
        take_group(w, &slots[at]);
    return 0;
}

static int group_all(struct work *w)
{
    struct wick_heap_array table = {0};
    uint64_t contents = w->strings + w->arrays, slots = SLOT_ROOM, parts = 1;
    unsigned shift = 64;
    while (contents / parts * 2 * sizeof(struct slot) > TABLE_BYTES) {
        parts *= 2;
        shift--;
    }
    while (slots < contents / parts * 2)
        slots *= 2;
    int rc = wick_heap_store_new(w->g->store, &table, slots, sizeof(struct slot), false, w->err);
    for (uint64_t part = 0; !rc && part < parts; part++)
        rc = group(w, &table, slots - 1, shift, part);
    wick_heap_store_free(w->g->store, &table);
    return rc;
}

static int find_duplicates(struct work *w)
{
    struct wick_heap_waste *out = w->out;
    out->strings.top = calloc(w->top + 1, sizeof *out->strings.top);
    out->arrays.top = calloc(w->top + 1, sizeof *out->arrays.top);
    int rc = out->strings.top && out->arrays.top ? 0 : failed(-WICK_E_NOMEM, w);
    rc = rc ? rc : wick_heap_store_new(w->g->store, &w->hashes, w->g->ids.n, 8, false, w->err);
    rc = rc ? rc : wick_heap_graph_each(w->g, hash_array, w, w->err);
    if (!rc && find_string_class(w))
        rc = wick_heap_graph_each(w->g, hash_string, w, w->err);
    out->strings.all = w->strings;
    out->arrays.all = w->arrays;
    rc = rc ? rc : group_all(w);
    wick_heap_store_free(w->g->store, &w->hashes);
    return rc;
}

/* --- collections -------------------------------------------------------------------------------------------------- */

static const struct {
    const char *class, *field;
} collection_kinds[] = {
    {"java/util/ArrayList", "elementData"},
    {"java/util/Vector", "elementData"},
    {"java/util/ArrayDeque", "elements"},
    {"java/util/PriorityQueue", "queue"},
    {"java/util/HashMap", "table"},
    {"java/util/Hashtable", "table"},
    {"java/util/IdentityHashMap", "table"},
    {"java/util/WeakHashMap", "table"},
    {"java/util/concurrent/ConcurrentHashMap", "table"},
    {"java/util/concurrent/CopyOnWriteArrayList", "array"},
    {"java/util/concurrent/ArrayBlockingQueue", "items"},
    {"java/util/concurrent/PriorityBlockingQueue", "queue"},
    {"java/lang/ThreadLocal$ThreadLocalMap", "table"},
};
enum { KINDS = sizeof collection_kinds / sizeof *collection_kinds, MOST_SUPERCLASSES = 1024 };

static void find_kinds(struct work *w)
{
    const struct wick_heap_classes *c = &w->g->classes;
    for (uint32_t i = 0; i < c->n; i++)
        for (unsigned k = 0; k < KINDS && !w->kind[i]; k++)
            if (wick_heap_class_is(c, i, collection_kinds[k].class))
                w->kind[i] = (uint8_t)(k + 1);
    for (uint32_t i = 0; i < c->n; i++) {
        uint32_t k = i;
        for (int depth = 0; k != WICK_HEAP_NONE && !w->kind[i] && c->all[k].super && depth < MOST_SUPERCLASSES;
             depth++) {
            k = wick_heap_class_find(c, c->all[k].super);
            w->kind[i] = k != WICK_HEAP_NONE ? w->kind[k] : 0;
        }
    }
}

/* How many elements of an array of objects are not null. */
static int count_used(struct work *w, struct wick_heap_view *v, const struct wick_hprof_object *a, uint64_t *used)
{
    static const uint8_t null[8];
    unsigned size = w->g->hprof.id_size;
    *used = 0;
    for (uint32_t i = 0; i < a->count;) {
        uint32_t n = a->count - i < CHUNK / 8 ? a->count - i : CHUNK / 8;
        const uint8_t *p = wick_heap_view_at(v, a->body + (uint64_t)i * size, (size_t)n * size);
        if (!p)
            return wick_err_set(w->err, WICK_E_IO, "%s changed while it was read", w->g->hprof.name);
        for (uint32_t k = 0; k < n; k++)
            *used += memcmp(p + (size_t)k * size, null, size) != 0;
        i += n;
    }
    return 0;
}

static void add_use(struct work *w, struct wick_heap_collection *c, uint64_t capacity, uint64_t used)
{
    c->objects++;
    c->empty += !used;
    c->half += used && used * 2 <= capacity;
    c->capacity += capacity;
    c->used += used;
    c->waste += (capacity - used) * w->g->classes.layout.ref;
}

static int measure_collection(void *ctx, uint32_t object, const struct wick_hprof_object *o)
{
    struct work *w = ctx;
    struct wick_heap_graph *g = w->g;
    struct wick_hprof_object a;
    uint32_t class = o->kind == WICK_HPROF_INSTANCE ? wick_heap_class_of(&g->classes, o) : WICK_HEAP_NONE, at;
    unsigned type;
    (void)object;
    if (class == WICK_HEAP_NONE || !w->kind[class])
        return 0;
    if (!wick_heap_class_field(&g->classes, &g->jump, class, collection_kinds[w->kind[class] - 1].field, &at, &type) ||
        type != WICK_HPROF_REF || at + g->hprof.id_size > o->count)
        return 0;
    const uint8_t *p = wick_heap_view_at(&g->scan, o->body + at, g->hprof.id_size);
    uint32_t array = p ? wick_heap_ids_find(&g->ids, wick_hprof_id(&g->hprof, p)) : WICK_HEAP_NONE;
    uint64_t used = 0;
    if (array == WICK_HEAP_NONE || wick_heap_graph_object(g, array, &a) || a.kind != WICK_HPROF_OBJECTS) {
        add_use(w, &w->sum[class], 0, 0);
        return 0;
    }
    uint64_t *owned = wick_heap_u64(&w->owned), bit = UINT64_C(1) << (array & 63);
    bool shared = owned[array >> 6] & bit; /* the empty array of all ArrayLists */
    owned[array >> 6] |= bit;
    int rc = shared && !a.count ? 0 : count_used(w, &g->jump, &a, &used);
    if (!rc)
        add_use(w, &w->sum[class], a.count, used);
    return rc;
}

static int measure_array(void *ctx, uint32_t object, const struct wick_hprof_object *o)
{
    struct work *w = ctx;
    uint64_t used;
    if (o->kind != WICK_HPROF_OBJECTS || !o->count || wick_heap_u64(&w->owned)[object >> 6] >> (object & 63) & 1)
        return 0;
    uint32_t class = wick_heap_class_of(&w->g->classes, o);
    int rc = count_used(w, &w->g->scan, o, &used);
    if (!rc && class != WICK_HEAP_NONE && used * 2 <= o->count)
        add_use(w, &w->sum[class], o->count, used);
    return rc;
}

static int by_waste(const void *a, const void *b)
{
    const struct wick_heap_collection *x = a, *y = b;
    if (x->waste != y->waste)
        return x->waste > y->waste ? -1 : 1;
    return x->class < y->class ? -1 : x->class > y->class;
}

static int find_collections(struct work *w)
{
    uint32_t n = w->g->classes.n;
    w->kind = calloc((size_t)n + 1, 1);
    w->sum = calloc((size_t)n + 1, sizeof *w->sum);
    int rc = w->kind && w->sum ? 0 : failed(-WICK_E_NOMEM, w);
    rc = rc ? rc : wick_heap_store_new(w->g->store, &w->owned, ((uint64_t)w->g->ids.n >> 6) + 1, 8, false, w->err);
    if (!rc) {
        find_kinds(w);
        rc = wick_heap_graph_each(w->g, measure_collection, w, w->err);
    }
    rc = rc ? rc : wick_heap_graph_each(w->g, measure_array, w, w->err);
    wick_heap_store_free(w->g->store, &w->owned);
    for (uint32_t i = 0; !rc && i < n; i++)
        if (w->sum[i].objects) {
            w->sum[i].class = i;
            w->sum[w->out->ncollections++] = w->sum[i];
        }
    if (w->out->ncollections)
        qsort(w->sum, w->out->ncollections, sizeof *w->sum, by_waste);
    w->out->collections = w->sum;
    free(w->kind);
    return rc;
}

int wick_heap_waste_find(struct wick_heap_waste *out, struct wick_heap_graph *g, size_t top, struct wick_err *err)
{
    struct work w = {.out = out, .g = g, .err = err, .top = top};
    *out = (struct wick_heap_waste){0};
    int rc = find_duplicates(&w);
    rc = rc ? rc : find_collections(&w);
    if (rc)
        wick_heap_waste_release(out);
    return rc;
}

void wick_heap_waste_release(struct wick_heap_waste *w)
{
    free(w->strings.top);
    free(w->arrays.top);
    free(w->collections);
    *w = (struct wick_heap_waste){0};
}
