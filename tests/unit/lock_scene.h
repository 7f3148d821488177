/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lock_scene.h - a small recording of waits for two locks
 */
#ifndef WICK_TESTS_UNIT_LOCK_SCENE_H
#define WICK_TESTS_UNIT_LOCK_SCENE_H

#include <stdint.h>

/* A file in memory that holds n waits for each lock, all of that weight and with an owner; -1 if it cannot be made. */
int lock_scene_record(unsigned n, uint64_t weight);

#endif
