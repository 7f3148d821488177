/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/wall.h"

void wick_wall_context_sig(struct wick_wall_engine *e, int32_t tid, bool has)
{
    struct wick_thread *t = wick_threads_find_sig(e->threads, tid);
    if (!t)
        return;
    wick_wall_set_put_sig(&e->context, (uint32_t)(t - e->threads->slots), has);
    if (has && !wick_load_relaxed(&e->context_seen))
        wick_store_relaxed(&e->context_seen, true);
}
