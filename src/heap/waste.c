/* SPDX-License-Identifier: Apache-2.0 */
/*
 * waste.c - duplicates by hash in three passes, and groups by partition
 *
 *   pass 1   arrays: of primitives the hash of type, length and bytes; of objects length and elements that are not
 *            null
 *   pass 2   instances: a string takes the hash of its array with its coder, and marks the array as a string's; a
 *            collection takes the figures of its array, and marks it as owned
 *   pass 3   arrays of objects that no collection owns, half of them null or more, counted under their own class
 *
 * All that is kept of an object is one word, a hash or those two figures; two bits of it say which. Then equal words
 * are counted in an open hash table of at most 192 MiB (128, rounded up to a power of two of slots). Where there are
 * too many contents for that, it is used several times, each time for the words that begin with other bits; 2^k
 * partitions read the words 2^k times, in order, and no sorting moves them. O(bytes of the dump + partitions x
 * objects). A table is half full at most if hashes are spread evenly; one that becomes fuller than 7/8 ends with an
 * error, so that probing stays short. The hash is keyed: a dump cannot be made so that all collide. The largest groups
 * are kept in a short sorted list, with equal ones in the order of addresses, so that the result does not depend on
 * the key.
 */
#include "heap/waste.h"

#include <stdlib.h>
#include <string.h>

#include "model/hash.h"

/* The lowest two bits of what is kept of an object. The others are the hash of its content; of an array of objects
 * (sort NOTHING) its length and how many elements are not null. */
enum sort { NOTHING, ARRAY, ARRAY_OF_STRING, STRING, SORT_MASK = 3 };

enum { LENGTH_SHIFT = 2, USED_SHIFT = 33, MOST_ELEMENTS = INT32_MAX };

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
    struct wick_heap_array hashes; /* u64 by object: see enum sort */
    uint64_t strings, arrays;
    /* java.lang.String */
    uint32_t string_class, value_at, coder_at;
    bool has_coder;
    /* collections */
    uint32_t *field;                  /* by class: where an instance has its array, NO_FIELD = it is no collection */
    struct wick_heap_collection *sum; /* by class */
    struct wick_heap_array owned;     /* a bit by object: arrays of collections */
};

static int changed(const struct work *w)
{
    return wick_err_set(w->err, WICK_E_IO, "%s changed while it was read", w->g->hprof.name);
}

/* --- contents ----------------------------------------------------------------------------------------------------- */

/* Counts the elements of an array of objects that are not null. */
static int see_elements(struct work *w, uint32_t object, const struct wick_hprof_object *o)
{
    static const uint8_t null[8];
    unsigned size = w->g->hprof.id_size;
    uint64_t used = 0, length = o->count < MOST_ELEMENTS ? o->count : MOST_ELEMENTS;
    for (uint32_t i = 0; i < length;) {
        uint32_t n = (uint32_t)length - i < CHUNK / 8 ? (uint32_t)length - i : CHUNK / 8;
        const uint8_t *p = wick_heap_view_at(&w->g->scan, o->body + (uint64_t)i * size, (size_t)n * size);
        if (!p)
            return changed(w);
        for (uint32_t k = 0; k < n; k++)
            used += memcmp(p + (size_t)k * size, null, size) != 0;
        i += n;
    }
    wick_heap_u64(&w->hashes)[object] = used << USED_SHIFT | length << LENGTH_SHIFT | NOTHING;
    return 0;
}

static int see_array(void *ctx, uint32_t object, const struct wick_hprof_object *o)
{
    struct work *w = ctx;
    if (o->kind == WICK_HPROF_OBJECTS)
        return see_elements(w, object, o);
    if (o->kind != WICK_HPROF_PRIMITIVES || !o->count)
        return 0;
    uint64_t hash = wick_hash_2(o->type, o->count), left = o->end - o->body;
    for (uint64_t at = o->body; left;) {
        size_t n = left < CHUNK ? (size_t)left : CHUNK;
        const uint8_t *p = wick_heap_view_at(&w->g->scan, at, n);
        if (!p)
            return changed(w);
        hash = wick_hash_2(hash, wick_hash_bytes(p, n));
        at += n;
        left -= n;
    }
    wick_heap_u64(&w->hashes)[object] = (hash & ~(uint64_t)SORT_MASK) | ARRAY;
    w->arrays++;
    return 0;
}

static void see_string(struct work *w, uint32_t object, const struct wick_hprof_object *o)
{
    uint64_t *hashes = wick_heap_u64(&w->hashes);
    unsigned id = w->g->hprof.id_size;
    if (o->count < w->value_at + id)
        return;
    const uint8_t *p = wick_heap_view_at(&w->g->scan, o->body, o->count < 256 ? o->count : 256);
    uint32_t value = p ? wick_heap_ids_find(&w->g->ids, wick_hprof_id(&w->g->hprof, p + w->value_at)) : WICK_HEAP_NONE;
    if (value == WICK_HEAP_NONE)
        return;
    if ((hashes[value] & SORT_MASK) == ARRAY) {
        uint64_t coder = w->has_coder && w->coder_at < o->count ? p[w->coder_at] : 0;
        hashes[value] = (wick_hash_2(hashes[value], coder + 1) & ~(uint64_t)SORT_MASK) | ARRAY_OF_STRING;
        w->arrays--;
    }
    if ((hashes[value] & SORT_MASK) == ARRAY_OF_STRING) {
        hashes[object] = (hashes[value] & ~(uint64_t)SORT_MASK) | STRING;
        w->strings++;
    }
}

static void find_string_class(struct work *w)
{
    struct wick_heap_graph *g = w->g;
    unsigned type;
    uint32_t class = wick_heap_class_named(&g->classes, "java/lang/String");
    w->string_class = WICK_HEAP_NONE;
    if (class == WICK_HEAP_NONE || !wick_heap_class_field(&g->classes, &g->jump, class, "value", &w->value_at, &type) ||
        type != WICK_HPROF_REF || w->value_at >= 128)
        return;
    w->has_coder =
        wick_heap_class_field(&g->classes, &g->jump, class, "coder", &w->coder_at, &type) && w->coder_at < 256;
    w->string_class = class;
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
        wick_heap_store_relieve(w->g->store);
        if (sort == NOTHING || (shift < 64 && hash >> shift != part))
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
enum { KINDS = sizeof collection_kinds / sizeof *collection_kinds };
#define NO_FIELD UINT32_MAX

/* The kind of a class: 1 + number in collection_kinds, 0 = it is no collection. */
static unsigned own_kind(const struct wick_heap_classes *c, uint32_t class)
{
    for (unsigned k = 0; k < KINDS; k++)
        if (wick_heap_class_is(c, class, collection_kinds[k].class))
            return k + 1;
    return 0;
}

static unsigned kind_of(const struct wick_heap_classes *c, uint32_t class)
{
    unsigned kind = own_kind(c, class);
    for (int depth = 0; !kind && c->all[class].super && depth < WICK_HEAP_SUPERCLASSES; depth++) {
        class = wick_heap_class_find(c, c->all[class].super);
        if (class == WICK_HEAP_NONE)
            return 0;
        kind = own_kind(c, class);
    }
    return kind;
}

static void find_fields(struct work *w)
{
    struct wick_heap_classes *c = &w->g->classes;
    unsigned type;
    for (uint32_t i = 0; i < c->n; i++) {
        unsigned kind = c->all[i].objects ? kind_of(c, i) : 0;
        if (!kind || !wick_heap_class_field(c, &w->g->jump, i, collection_kinds[kind - 1].field, &w->field[i], &type) ||
            type != WICK_HPROF_REF)
            w->field[i] = NO_FIELD;
    }
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

static void measure_collection(struct work *w, uint32_t class, const struct wick_hprof_object *o)
{
    struct wick_heap_graph *g = w->g;
    uint32_t at = w->field[class];
    if (at == NO_FIELD || (uint64_t)at + g->hprof.id_size > o->count)
        return;
    const uint8_t *p = wick_heap_view_at(&g->scan, o->body + at, g->hprof.id_size);
    uint32_t array = p ? wick_heap_ids_find(&g->ids, wick_hprof_id(&g->hprof, p)) : WICK_HEAP_NONE;
    uint64_t kept = array != WICK_HEAP_NONE ? wick_heap_u64(&w->hashes)[array] : 0;
    if ((kept & SORT_MASK) != NOTHING || array == WICK_HEAP_NONE) {
        add_use(w, &w->sum[class], 0, 0);
        return;
    }
    wick_heap_u64(&w->owned)[array >> 6] |= UINT64_C(1) << (array & 63);
    add_use(w, &w->sum[class], kept >> LENGTH_SHIFT & MOST_ELEMENTS, kept >> USED_SHIFT);
}

static int see_instance(void *ctx, uint32_t object, const struct wick_hprof_object *o)
{
    struct work *w = ctx;
    uint32_t class = o->kind == WICK_HPROF_INSTANCE ? wick_heap_class_of(&w->g->classes, o) : WICK_HEAP_NONE;
    if (class == WICK_HEAP_NONE)
        return 0;
    if (class == w->string_class)
        see_string(w, object, o);
    else
        measure_collection(w, class, o);
    return 0;
}

static int measure_array(void *ctx, uint32_t object, const struct wick_hprof_object *o)
{
    struct work *w = ctx;
    if (o->kind != WICK_HPROF_OBJECTS || !o->count || wick_heap_u64(&w->owned)[object >> 6] >> (object & 63) & 1)
        return 0;
    uint32_t class = wick_heap_class_of(&w->g->classes, o);
    uint64_t used = wick_heap_u64(&w->hashes)[object] >> USED_SHIFT;
    if (class != WICK_HEAP_NONE && used * 2 <= o->count)
        add_use(w, &w->sum[class], o->count, used);
    return 0;
}

static int by_waste(const void *a, const void *b)
{
    const struct wick_heap_collection *x = a, *y = b;
    if (x->waste != y->waste)
        return x->waste > y->waste ? -1 : 1;
    return x->class < y->class ? -1 : x->class > y->class;
}

static void take_collections(struct work *w)
{
    for (uint32_t i = 0; i < w->g->classes.n; i++)
        if (w->sum[i].objects) {
            w->sum[i].class = i;
            w->sum[w->out->ncollections++] = w->sum[i];
        }
    if (w->out->ncollections)
        qsort(w->sum, w->out->ncollections, sizeof *w->sum, by_waste);
}

/* --- all of it ---------------------------------------------------------------------------------------------------- */

static int allocate(struct work *w)
{
    struct wick_heap_waste *out = w->out;
    struct wick_heap_store *s = w->g->store;
    size_t classes = (size_t)w->g->classes.n + 1;
    uint64_t n = w->g->ids.n;
    out->strings.top = calloc(w->top + 1, sizeof *out->strings.top);
    out->arrays.top = calloc(w->top + 1, sizeof *out->arrays.top);
    out->collections = w->sum = calloc(classes, sizeof *w->sum);
    w->field = calloc(classes, sizeof *w->field);
    if (!out->strings.top || !out->arrays.top || !w->sum || !w->field)
        return wick_err_set(w->err, WICK_E_NOMEM, "out of memory while searching for duplicates");
    int rc = wick_heap_store_new(s, &w->hashes, n, 8, true, w->err);
    return rc ? rc : wick_heap_store_new(s, &w->owned, (n >> 6) + 1, 8, false, w->err);
}

/* Arrays come first: strings and collections need theirs. */
static int find(struct work *w)
{
    struct wick_heap_graph *g = w->g;
    find_string_class(w);
    find_fields(w);
    int rc = wick_heap_graph_each(g, see_array, w, w->err);
    rc = rc ? rc : wick_heap_graph_each(g, see_instance, w, w->err);
    rc = rc ? rc : wick_heap_graph_each(g, measure_array, w, w->err);
    w->out->strings.all = w->strings;
    w->out->arrays.all = w->arrays;
    wick_heap_store_free(g->store, &w->owned);
    take_collections(w);
    wick_heap_store_park(&g->places);
    return rc ? rc : group_all(w);
}

int wick_heap_waste_find(struct wick_heap_waste *out, struct wick_heap_graph *g, size_t top, struct wick_err *err)
{
    struct work w = {.out = out, .g = g, .err = err, .top = top};
    *out = (struct wick_heap_waste){0};
    int rc = allocate(&w);
    rc = rc ? rc : find(&w);
    wick_heap_store_free(g->store, &w.hashes);
    wick_heap_store_free(g->store, &w.owned);
    free(w.field);
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
