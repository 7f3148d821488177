/* SPDX-License-Identifier: Apache-2.0 */
/*
 * thread_start.h - frames by which threads and pools of threads begin
 *
 * From clone3() to ThreadPoolExecutor.runWorker() a Java thread has a dozen frames that are the same in each of its
 * stacks: at the root of a flame graph they leave no room for what differs.
 */
#ifndef WICK_MODEL_THREAD_START_H
#define WICK_MODEL_THREAD_START_H

#include "model/profile.h"

/* The name of the frame that stands for them. */
#define WICK_THREAD_START "[thread start]"

/* Whether a frame is one of these, if all below it are as well. */
bool wick_frame_starts_thread(const struct wick_profile *p, uint32_t frame);

#endif
