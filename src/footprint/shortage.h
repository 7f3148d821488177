/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shortage.h - when memory runs short: time to read where it is before the kernel ends the process
 *
 * That is so when a limit leaves little room, and half of what it left at the last such alarm is used up. So a process
 * that approaches its limit is read a few times, closer and closer to the end, and one that lives near it is not read
 * again and again.
 */
#ifndef WICK_FOOTPRINT_SHORTAGE_H
#define WICK_FOOTPRINT_SHORTAGE_H

#include <stdbool.h>
#include <stdint.h>

enum {
    WICK_SHORTAGE_LITTLE = 2, /* room of less than one such part of the limit is little */
    WICK_SHORTAGE_LEAST = 64, /* of less than one such part nothing is left to be seen */
};

struct wick_shortage {
    uint64_t room; /* at the latest alarm, or more that there was since */
};

/* Memory is read, for whatever reason: with more room than before the next alarm is due earlier. */
static inline void wick_shortage_read(struct wick_shortage *s, uint64_t room)
{
    s->room = room > s->room ? room : s->room;
}

/* Whether it should be read now. */
static inline bool wick_shortage_alarm(struct wick_shortage *s, uint64_t limit, uint64_t room)
{
    bool alarm = room < limit / WICK_SHORTAGE_LITTLE && room <= s->room / 2 && s->room > limit / WICK_SHORTAGE_LEAST;
    if (alarm)
        s->room = room;
    return alarm;
}

#endif
