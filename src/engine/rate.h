/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rate.h - an interval that follows the rate of samples
 *
 * More samples a second than asked for make the interval longer, fewer make it shorter, but never shorter than it was
 * configured. The controller works in the logarithm of the rate, moves by a part of the way at a time and keeps no sum
 * of errors, so nothing winds up while a program pauses. It is proportional only: samples keep the weight of the
 * interval in force when each was drawn, which the engines see to, so no change of it biases a sum.
 */
#ifndef WICK_ENGINE_RATE_H
#define WICK_ENGINE_RATE_H

#include <stdint.h>

struct wick_rate {
    uint64_t shortest;                /* interval, as configured */
    uint64_t longest;                 /* interval; 0 = INT32_MAX, which is the most that the JVM takes */
    uint32_t most;                    /* samples a second at most; 0 = no limit */
    uint64_t since_ns, since_samples; /* of the latest adjustment */
};

/* The interval from now on, `samples` being those drawn since the start. About once a second; sooner where a second's
 * samples have come already. */
uint64_t wick_rate_next(struct wick_rate *r, uint64_t interval, uint64_t samples, uint64_t now_ns);

#endif
