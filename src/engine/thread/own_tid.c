/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/thread/own_tid.h"

#include <pthread.h>
#include <stdbool.h>

/* How far the record may reach from the thread pointer: glibc's begins there on x86-64 and ends there on aarch64. A
 * piece is what is read at once: it may not all be there. */
enum { BELOW = 2304, ABOVE = 1024, PIECE = 64, IDS = PIECE / 4, PIECES = (BELOW + ABOVE) / PIECE };

_Atomic int32_t wick_own_tid_place;

static struct {
    pthread_mutex_t lock;
    int32_t first;               /* the first thread's id, 0 = there was none yet */
    uint16_t candidates[PIECES]; /* bit i: the i-th word of the piece was right in all threads so far */
} learned = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* The words of a piece that have the id. */
static uint16_t right(const struct wick_mem *mem, wick_addr at, int32_t tid)
{
    int32_t ids[IDS];
    uint16_t found = 0;
    if (wick_mem_read(mem, at, ids, sizeof ids))
        return 0;
    for (int i = 0; i < IDS; i++)
        found |= (uint16_t)((ids[i] == tid) << i);
    return found;
}

/* The only candidate, 0 = there are several or none. */
static int32_t only(void)
{
    int32_t place = 0;
    int n = 0;
    for (int p = 0; p < PIECES; p++) {
        n += __builtin_popcount(learned.candidates[p]);
        if (learned.candidates[p])
            place = p * PIECE + 4 * __builtin_ctz(learned.candidates[p]) - BELOW;
    }
    return n == 1 ? place : 0;
}

static void learn_locked(const struct wick_mem *mem, int32_t tid)
{
    wick_addr lo = (wick_addr)(uintptr_t)__builtin_thread_pointer() - BELOW;
    bool is_first = !learned.first;
    if (tid == learned.first)
        return;
    for (int p = 0; p < PIECES; p++) {
        if (is_first || learned.candidates[p]) {
            uint16_t found = right(mem, lo + (unsigned)p * PIECE, tid);
            learned.candidates[p] = is_first ? found : learned.candidates[p] & found;
        }
    }
    if (is_first)
        learned.first = tid;
    else
        wick_store_relaxed(&wick_own_tid_place, only());
}

void wick_own_tid_learn(const struct wick_mem *mem)
{
    pthread_mutex_lock(&learned.lock);
    if (!wick_load_relaxed(&wick_own_tid_place))
        learn_locked(mem, (int32_t)syscall(SYS_gettid));
    pthread_mutex_unlock(&learned.lock);
}
