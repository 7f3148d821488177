/* SPDX-License-Identifier: Apache-2.0 */
#include "export/measure.h"

uint16_t wick_measure_event(const struct wick_profile *p, const struct wick_export_options *o)
{
    return o->event ? o->event : wick_profile_main_event(p);
}

const char *wick_measure_type(const struct wick_profile *p, uint16_t event)
{
    const struct wick_sample_type *e = &p->events[event];
    if (e->kind == WICK_KIND_CPU || e->kind == WICK_KIND_WALL || e->kind == WICK_KIND_NATIVE)
        return wick_event_kind_name(e->kind);
    if (e->unit == WICK_UNIT_BYTES && (e->kind == WICK_KIND_ALLOC || e->kind == WICK_KIND_MALLOC))
        return "alloc_space";
    if (e->unit == WICK_UNIT_BYTES && (e->kind == WICK_KIND_LIVE || e->kind == WICK_KIND_NATIVE_LIVE))
        return "inuse_space";
    return wick_profile_str(p, e->name);
}

const char *wick_measure_unit(const struct wick_profile *p, uint16_t event)
{
    static const char *const units[] = {
        [WICK_UNIT_COUNT] = "count", [WICK_UNIT_NS] = "nanoseconds", [WICK_UNIT_BYTES] = "bytes"};
    return units[p->events[event].unit <= WICK_UNIT_BYTES ? p->events[event].unit : WICK_UNIT_COUNT];
}

const char *wick_measure_library(const struct wick_profile *p, const struct wick_frame *f)
{
    return wick_frame_kind_is_java(f->kind) ? "" : wick_profile_str(p, p->functions[f->function].class_name);
}
