/* SPDX-License-Identifier: Apache-2.0 */
/*
 * labels.c - records: which thread has one, and handing them out
 */
#include "labels/labels.h"

#include <string.h>
#include <sys/mman.h>

#include "base/err.h"

static size_t page_up(size_t n)
{
    return (n + 4095) & ~(size_t)4095;
}

/* Untouched zero pages. */
static void *reserve(size_t bytes)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED)
        return NULL;
    madvise(p, bytes, MADV_NOHUGEPAGE);
    return p;
}

int wick_labels_init(struct wick_labels *l, const struct wick_mem *mem)
{
    size_t records = page_up(WICK_LABELS_RECORDS * sizeof *l->records);
    size_t tids = page_up(WICK_LABELS_MAX_TID * sizeof *l->record_of_tid);
    size_t places = page_up(sizeof *l->places);
    size_t slots = page_up((size_t)WICK_LABELS_BUCKETS * WICK_LABELS_WAYS * sizeof *l->virtual_slots);
    size_t owners = page_up(WICK_LABELS_RECORDS * sizeof *l->owners);
    size_t held = page_up(WICK_LABELS_RECORDS * sizeof *l->held);
    size_t list = page_up(WICK_LABELS_RECORDS * sizeof *l->free_list);
    size_t texts = page_up(WICK_LABELS_TEXTS * sizeof *l->texts);
    size_t text_slots = page_up(2 * WICK_LABELS_TEXTS * sizeof *l->text_slots);
    size_t total = records + tids + places + slots + owners + held + list + texts + text_slots + WICK_LABELS_TEXT_BYTES;
    uint8_t *p = reserve(total);
    if (!p)
        return -WICK_E_NOMEM;
    *l = (struct wick_labels){
        .lock = PTHREAD_MUTEX_INITIALIZER, .record_top = 1, .mem = mem, .map = p, .map_bytes = total};
    l->records = (struct wick_label_record *)p;
    l->record_of_tid = (_Atomic uint32_t *)(p += records);
    l->places = (union wick_label_places *)(p += tids);
    l->virtual_slots = (_Atomic uint32_t *)(p += places);
    l->owners = (struct wick_label_owner *)(p += slots);
    l->held = (uint32_t *)(p += owners);
    l->free_list = (uint32_t *)(p += held);
    l->texts = (struct wick_labels_text *)(p += list);
    l->text_slots = (uint32_t *)(p += texts);
    l->bytes = (char *)(p + text_slots);
    wick_label_mount_init(&l->mount, -1, -1, -1);
    static const char overflow[] = "[overflow]";
    wick_labels_intern(l, overflow, sizeof overflow - 1);
    return 0;
}

void wick_labels_release(struct wick_labels *l)
{
    for (uint32_t i = 0; i < wick_load_relaxed(&l->client_count); i++)
        munmap(l->clients[i], page_up(sizeof *l->clients[i]));
    if (l->map)
        munmap(l->map, l->map_bytes);
    l->map = NULL;
}

static uint32_t new_record_locked(struct wick_labels *l)
{
    uint32_t n = l->free_count                         ? l->free_list[--l->free_count]
                 : l->record_top < WICK_LABELS_RECORDS ? l->record_top++
                                                       : 0;
    if (!n)
        l->gone.no_record++;
    return n;
}

static void free_record_locked(struct wick_labels *l, uint32_t n)
{
    struct wick_label_record *r = &l->records[n];
    l->gone.closed += wick_load_relaxed(&r->closed);
    l->gone.dropped += wick_load_relaxed(&r->dropped);
    wick_store_relaxed(&r->closed, 0);
    wick_store_relaxed(&r->dropped, 0);
    wick_store_relaxed(&r->current, 0);
    wick_store_relaxed(&r->owner, 0);
    l->free_list[l->free_count++] = n;
}

/* The slot of a virtual thread's record; of id 0 a free slot in the bucket of `for_id`. NULL if there is none. */
static _Atomic uint32_t *slot_locked(struct wick_labels *l, uint64_t id, uint64_t for_id)
{
    _Atomic uint32_t *bucket = &l->virtual_slots[(size_t)wick_labels_bucket(for_id) * WICK_LABELS_WAYS];
    for (int i = 0; i < WICK_LABELS_WAYS; i++) {
        uint32_t n = wick_load_relaxed(&bucket[i]);
        if (id ? n && wick_load_relaxed(&l->records[n].owner) == id : !n)
            return &bucket[i];
    }
    return NULL;
}

static uint32_t bind_virtual_locked(struct wick_labels *l, uint64_t id, uint64_t now_ns, void **thread)
{
    _Atomic uint32_t *slot = slot_locked(l, id, id);
    if (slot)
        return wick_load_relaxed(slot);
    slot = slot_locked(l, 0, id);
    uint32_t n = slot ? new_record_locked(l) : 0;
    if (!slot)
        l->gone.no_record++;
    if (n) {
        wick_store_relaxed(&l->owners[n].thread, *thread);
        *thread = NULL;
        l->owners[n].at = l->held_count;
        l->held[l->held_count++] = n;
        wick_store_relaxed(&l->owners[n].since_ns, now_ns);
        wick_store_release(&l->records[n].owner, id); /* pairs: wick_labels_holders */
        wick_store_relaxed(&l->virtual_threads, 1);
        wick_store_release(slot, n); /* pairs: find_virtual in labels_sig.c */
    }
    return n;
}

static uint32_t bind_platform_locked(struct wick_labels *l, int32_t tid)
{
    if (tid <= 0 || tid >= WICK_LABELS_MAX_TID)
        return 0;
    uint32_t n = wick_load_relaxed(&l->record_of_tid[tid]);
    if (!n && (n = new_record_locked(l)) != 0)
        wick_store_release(&l->record_of_tid[tid], n); /* pairs: find in labels_sig.c */
    return n;
}

uint32_t wick_labels_bind(struct wick_labels *l, int32_t tid, uint64_t virtual_id)
{
    if (virtual_id)
        return wick_labels_bind_virtual(l, virtual_id, 0, &(void *){NULL});
    pthread_mutex_lock(&l->lock);
    uint32_t n = bind_platform_locked(l, tid);
    pthread_mutex_unlock(&l->lock);
    return n;
}

uint32_t wick_labels_bind_virtual(struct wick_labels *l, uint64_t virtual_id, uint64_t now_ns, void **thread)
{
    pthread_mutex_lock(&l->lock);
    uint32_t n = bind_virtual_locked(l, virtual_id, now_ns, thread);
    pthread_mutex_unlock(&l->lock);
    return n;
}

void *wick_labels_unbind_virtual(struct wick_labels *l, uint64_t virtual_id)
{
    void *thread = NULL;
    pthread_mutex_lock(&l->lock);
    _Atomic uint32_t *slot = virtual_id ? slot_locked(l, virtual_id, virtual_id) : NULL;
    if (slot) {
        uint32_t n = wick_load_relaxed(slot);
        wick_store_release(slot, 0); /* pairs: find_virtual in labels_sig.c */
        thread = wick_load_relaxed(&l->owners[n].thread);
        wick_store_relaxed(&l->owners[n].thread, NULL);
        uint32_t last = l->held[--l->held_count];
        l->held[l->owners[n].at] = last;
        l->owners[last].at = l->owners[n].at;
        free_record_locked(l, n);
    }
    pthread_mutex_unlock(&l->lock);
    return thread;
}

void wick_labels_thread_end(struct wick_labels *l, int32_t tid, uint32_t place)
{
    if (place < WICK_LABELS_PLACES)
        wick_store_relaxed(&l->places->bytes[place], 0);
    if (tid <= 0 || tid >= WICK_LABELS_MAX_TID || !wick_load_relaxed(&l->record_of_tid[tid]))
        return;
    pthread_mutex_lock(&l->lock);
    uint32_t n = wick_load_relaxed(&l->record_of_tid[tid]);
    wick_store_release(&l->record_of_tid[tid], 0); /* pairs: find in labels_sig.c */
    if (n)
        free_record_locked(l, n);
    pthread_mutex_unlock(&l->lock);
}

struct wick_label_client *wick_labels_connect(struct wick_labels *l)
{
    struct wick_label_client *c = NULL;
    pthread_mutex_lock(&l->lock);
    uint32_t n = wick_load_relaxed(&l->client_count);
    if (n < WICK_LABELS_CLIENTS && (c = reserve(page_up(sizeof *c))) != NULL) {
        c->layout = WICK_LABELS_LAYOUT;
        wick_store_relaxed(&c->recording, l->recording);
        l->clients[n] = c;
        wick_store_release(&l->client_count, n + 1); /* pairs: wick_labels_take */
    }
    pthread_mutex_unlock(&l->lock);
    return c;
}

void wick_labels_recording(struct wick_labels *l, bool on)
{
    pthread_mutex_lock(&l->lock);
    l->recording = on;
    for (uint32_t i = 0; i < wick_load_relaxed(&l->client_count); i++)
        wick_store_relaxed(&l->clients[i]->recording, on);
    pthread_mutex_unlock(&l->lock);
}

bool wick_labels_take(struct wick_labels *l, uint64_t now_ns, struct wick_label_event *out)
{
    uint32_t count = wick_load_acquire(&l->client_count); /* pairs: wick_labels_connect */
    for (uint32_t i = 0; i < count; i++) {
        uint32_t c = (l->next_client + i) % count;
        if (wick_label_client_take(l->clients[c], now_ns, out, &l->gone.skipped)) {
            l->next_client = c;
            l->gone.taken++;
            return true;
        }
    }
    return false;
}

void wick_labels_totals(struct wick_labels *l, struct wick_labels_totals *out)
{
    pthread_mutex_lock(&l->lock);
    *out = l->gone;
    for (uint32_t n = 1; n < l->record_top; n++) {
        out->closed += wick_load_relaxed(&l->records[n].closed);
        out->dropped += wick_load_relaxed(&l->records[n].dropped);
        out->open += (uint32_t)wick_load_relaxed(&l->records[n].current) != 0; /* the depth */
    }
    pthread_mutex_unlock(&l->lock);
}
