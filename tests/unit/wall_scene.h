/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wall_scene.h - a wall clock without a sampler thread, whose threads are made up: a test gives it eyes and ticks it
 *
 * Thread i has slot i, serial number i and the kernel id WALL_SCENE_TID + i. The seed of the draws is fixed.
 */
#ifndef WICK_TESTS_UNIT_WALL_SCENE_H
#define WICK_TESTS_UNIT_WALL_SCENE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "engine/wall/wall.h"
#include "engine/wall/wall_visit.h"

enum { WALL_SCENE_TID = 1000000 };
#define MS 1000000ull

static struct wick_threads ts;
static struct wick_recorder rec;
static struct wick_wall_engine wall;
static struct wick_labels labels;

static inline int32_t wall_scene_tid(uint32_t i)
{
    return WALL_SCENE_TID + (int32_t)i;
}

static inline void wall_scene_born(uint32_t i)
{
    struct wick_engine_thread *t = &ts.slots[i];
    t->serial = i;
    wick_store_relaxed(&t->tid, wall_scene_tid(i));
    wick_store_release(&ts.slot_of_tid[wall_scene_tid(i)], i); /* pairs: wick_threads_find_sig */
    if (wick_load_relaxed(&ts.top) <= i)
        wick_store_relaxed(&ts.top, i + 1);
    wick_wall_arm(&wall, t, false);
}

/* Threads 1 to n; k of them are drawn at each tick of 10 ms. */
static inline void wall_scene_begin(const struct wick_wall_eyes *eyes, uint32_t n, uint32_t k, const char *filter)
{
    struct wick_err err = {0};
    memset(&wall, 0, sizeof wall);
    assert_int_equal(wick_threads_init(&ts), 0);
    assert_int_equal(wick_recorder_init(&rec, 0, 64, 0), 0);
    atomic_store(&rec.running, 1);
    assert_int_equal(wick_labels_init(&labels, NULL), 0);
    rec.labels = &labels;
    wall.recorder = &rec;
    wall.threads = &ts;
    wall.eyes = *eyes;
    wall.interval = 10 * MS;
    wall.k = k;
    wall.random = 42;
    wall.wake = -1;
    wick_thread_files_init(&wall.files);
    wall.slots = calloc(WICK_MAX_THREADS, sizeof *wall.slots);
    assert_non_null(wall.slots);
    pthread_mutex_init(&wall.lock, NULL);
    assert_int_equal(wick_wall_filter_parse(&wall.filter, filter, &err), 0);
    for (uint32_t i = 1; i <= n; i++)
        wall_scene_born(i);
}

static inline void wall_scene_end(void)
{
    free(wall.slots);
    wall.slots = NULL;
    wick_wall_release(&wall);
    wick_recorder_quiesce(&rec);
    wick_recorder_release(&rec);
    wick_threads_release(&ts);
    wick_labels_release(&labels);
}

#endif
