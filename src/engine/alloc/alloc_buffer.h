/* SPDX-License-Identifier: Apache-2.0 */
/*
 * alloc_buffer.h - which bytes the objects stand for that did not fit into a thread's buffer (JDK 8)
 *
 * A thread allocates in a buffer of its own (TLAB) and calls the JVM only for an object that does not fit into the rest
 * of it: such an object is allocated outside, or a new buffer comes and it is the first object there. So the JVM shows
 * one object of each buffer, and what has to be known is which one, and for how many bytes it stands.
 *
 * The bytes that a thread allocates lie on a line. The end of a buffer of L bytes is a point on it, and the object that
 * it falls into is the first one that does not fit. If the phase of buffers against the program is random, an object of
 * s <= L bytes holds the point with the probability s / L: each byte of the line has the same chance. So the first one
 * that does not fit stands, without bias for classes, sites and sizes, for what the thread has allocated since the
 * last such object.
 *
 *      |<-- buffer: L bytes -------------------->|
 *      | o | o |    o    | o |  o  | o | ....  [ first that does not fit ]  another outside ..  | new buffer ...
 *      ^ began                                   stands for the line since the last one          stands for nothing
 *
 * What follows from that:
 *
 *   first       The JVM gives up a buffer only if its rest is below a limit (a 64th of it), and allocates outside
 *               else. So not the object for which a new buffer comes is taken, but the first one that did not fit:
 *               large objects would else be taken less often than their bytes are.
 *   too large   An object that is larger than a buffer never fits: it is seen each time, and stands for itself. Its
 *   bytes
 *               are not on the line.
 *   beside      While the rest of a buffer stays above that limit, all larger objects go outside. Those after the
 *   first stand for
 *               nothing, but wait as well; once they are a buffer's size, each one stands for itself, as above.
 *   collection  A collection gives up all buffers. The next object of the thread did not hold the end of one, so it
 *   is not taken,
 *               and the bytes before it wait for the next one that is; but for no more than a buffer's size, so that
 *               a thread that never fills one is seen at all. There each object, not each byte, has the same chance.
 *
 * Which of the objects become events, and their weights, is drawn afterwards by the bytes that they stand for
 * (base/poisson.h). The sum over a thread is all that it allocates; what comes after its last such object is left.
 *
 * Threads: the thread's own.
 * Memory:  the caller's struct; all zero is a thread of which nothing is known.
 */
#ifndef WICK_ENGINE_ALLOC_ALLOC_BUFFER_H
#define WICK_ENGINE_ALLOC_ALLOC_BUFFER_H

#include <stdbool.h>
#include <stdint.h>

/* A thread. Places are numbers of bytes that it has allocated since its birth. */
struct wick_alloc_buffer {
    uint64_t counted;  /* up to here objects stand for the bytes, those too large left out */
    uint64_t began;    /* where the present buffer begins, ... */
    uint64_t beside;   /* ... bytes outside since then, ... */
    uint64_t capacity; /* ... and its size, 0 = there was none yet */
    uint32_t serial;   /* the thread's */
    bool known;        /* the places are; else the thread was there before the recording */
    bool taken;        /* the present buffer's end has been seen */
};

/* An object that did not fit, and the thread's buffer then. Sizes are in bytes. */
struct wick_alloc_buffer_seen {
    uint64_t before;  /* that the thread has allocated, without the object */
    uint64_t size;    /* of the object */
    uint64_t fresh;   /* of the new buffer that it is in; 0: it is outside */
    uint64_t present; /* of the buffer that the thread keeps; 0: it has none, or a new one */
    uint64_t used;    /* of that */
    uint64_t desired; /* of buffers, as the JVM adapts them */
};

/* For how many bytes the object stands, 0 = for none. Async-signal-safe. */
uint64_t wick_alloc_buffer_seen_sig(struct wick_alloc_buffer *b, const struct wick_alloc_buffer_seen *s);

/* The thread ends and has allocated so many bytes: those for which no object stands. */
uint64_t wick_alloc_buffer_rest_sig(const struct wick_alloc_buffer *b, uint64_t allocated);

#endif
