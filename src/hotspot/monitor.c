/* SPDX-License-Identifier: Apache-2.0 */
#include "hotspot/monitor.h"

#include "hotspot/oop.h"
#include "hotspot/value.h"

enum { ANONYMOUS = 1, LOCK_STACK_MOST = 16 };

uint64_t wick_hs_monitor_owner(const struct wick_jvm *jvm, wick_addr monitor)
{
    int32_t at = jvm->layout.monitor_owner;
    return at == WICK_HS_NONE || !monitor ? 0 : wick_hs_u64(jvm->mem, monitor + (unsigned)at);
}

wick_addr wick_hs_monitor_pending(const struct wick_jvm *jvm, wick_addr java_thread)
{
    int32_t at = jvm->layout.thread_pending_monitor;
    return at == WICK_HS_NONE || !java_thread ? 0 : wick_hs_u64(jvm->mem, java_thread + (unsigned)at);
}

static bool is_anonymous(const struct wick_jvm *jvm, uint64_t owner)
{
    return owner == ANONYMOUS && jvm->layout.thread_lock_stack != WICK_HS_NONE;
}

void wick_hs_monitor_init(struct wick_hs_monitor *m, const struct wick_jvm *jvm, wick_addr address, uint64_t owner)
{
    *m = (struct wick_hs_monitor){.address = address, .owner = owner};
    if (!is_anonymous(jvm, owner) || jvm->layout.monitor_object == WICK_HS_NONE)
        return;
    wick_addr handle = wick_hs_u64(jvm->mem, address + (unsigned)jvm->layout.monitor_object);
    m->object = wick_hs_oop_resolve(jvm, handle);
}

/* LockStack::_top counts in bytes from the start of the JavaThread. */
static bool in_lock_stack(const struct wick_jvm *jvm, wick_addr thread, uint64_t object)
{
    const struct wick_hs_layout *l = &jvm->layout;
    uint32_t first = (uint32_t)l->thread_lock_stack + (uint32_t)l->lock_stack_base;
    uint32_t top = wick_hs_u32(jvm->mem, thread + (unsigned)l->thread_lock_stack + (unsigned)l->lock_stack_top);
    uint64_t entries[LOCK_STACK_MOST];
    if (top <= first || top - first > sizeof entries || wick_mem_read(jvm->mem, thread + first, entries, top - first))
        return false;
    for (uint32_t i = 0; i < (top - first) / 8; i++)
        if (entries[i] == object)
            return true;
    return false;
}

static bool in_stack(const struct wick_jvm *jvm, wick_addr thread, uint64_t addr)
{
    const struct wick_hs_layout *l = &jvm->layout;
    if (l->thread_stack_base == WICK_HS_NONE || l->thread_stack_size == WICK_HS_NONE)
        return false;
    uint64_t end = wick_hs_u64(jvm->mem, thread + (unsigned)l->thread_stack_base);
    uint64_t size = wick_hs_u64(jvm->mem, thread + (unsigned)l->thread_stack_size);
    return addr < end && end - addr <= size;
}

bool wick_hs_monitor_owned_by(const struct wick_jvm *jvm, const struct wick_hs_monitor *m, wick_addr java_thread)
{
    int32_t id = jvm->layout.thread_current_id;
    if (!m->owner)
        return false;
    if (m->owner == java_thread)
        return true;
    if (!m->address)
        return false;
    if (is_anonymous(jvm, m->owner))
        return m->object && in_lock_stack(jvm, java_thread, m->object);
    if (id != WICK_HS_NONE)
        return wick_hs_u64(jvm->mem, java_thread + (unsigned)id) == m->owner;
    return in_stack(jvm, java_thread, m->owner);
}

wick_addr wick_hs_ownable_owner(const struct wick_jvm *jvm, const struct wick_hs_ownable *o, wick_addr handle)
{
    if (!o->owner || !o->eetop)
        return 0;
    wick_addr lock = wick_hs_oop_resolve_local(jvm, handle);
    wick_addr thread = lock ? wick_hs_oop_load(jvm, lock + (unsigned)o->owner) : 0;
    return thread ? wick_hs_u64(jvm->mem, thread + (unsigned)o->eetop) : 0;
}
