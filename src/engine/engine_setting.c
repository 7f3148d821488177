/* SPDX-License-Identifier: Apache-2.0 */
/* Settings of a recording that engines write, so that a reader knows what was asked for and what was in force. */
#include "engine/engine.h"

#include <inttypes.h>
#include <stdio.h>

#include "jfr/writer/writer.h"

void wick_engine_setting(struct wick_jfr_writer *w, uint64_t now_ns, enum wick_jfr_event_id of, const char *name,
                         const char *value)
{
    wick_jfr_write_active_setting(
        w, &(struct wick_jfr_active_setting){
               .start_ns = now_ns, .id = wick_jfr_event_type_id(of), .name = name, .value = value});
}

void wick_engine_rate_settings(struct wick_jfr_writer *w, uint64_t now_ns, enum wick_jfr_event_id of,
                               const struct wick_rate *rate, uint64_t interval)
{
    char num[32];
    snprintf(num, sizeof num, "%" PRIu64, rate->shortest);
    wick_engine_setting(w, now_ns, of, "interval", num);
    snprintf(num, sizeof num, "%" PRIu64, interval);
    wick_engine_setting(w, now_ns, of, "adjustedInterval", num);
    snprintf(num, sizeof num, "%" PRIu32 "/s", rate->most);
    wick_engine_setting(w, now_ns, of, "throttle", rate->most ? num : "off");
}
