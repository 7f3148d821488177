/* SPDX-License-Identifier: Apache-2.0 */
/* The library of native_labels.c: what it keeps for each thread is more than the loader has room for in the memory that
 * threads are made with, so each gets it when it first needs it. */
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct record {
    uint8_t trace[16], span[8], valid, flags;
    uint16_t attrs_size;
    uint8_t attrs[64];
};

extern __thread struct record *otel_thread_ctx_v1;
__thread struct record *otel_thread_ctx_v1;
static __thread struct {
    char much[1 << 20];
    struct record record;
} own;

/* The colour is attribute 1; attribute 2 has the name of a label that is not its to give, and 7 has none. */
void publish(const char *colour);
void publish(const char *colour)
{
    struct record *r = &own.record;
    size_t n = colour ? strlen(colour) : 0;
    r->valid = 0;
    atomic_signal_fence(memory_order_seq_cst);
    memset(r->span, 9, sizeof r->span);
    memcpy(r->attrs, (uint8_t[]){2, 5, 'o', 't', 'h', 'e', 'r', 7, 1, 'x', 1, (uint8_t)n}, 12);
    memcpy(r->attrs + 12, colour ? colour : "", n);
    r->attrs_size = (uint16_t)(12 + n);
    atomic_signal_fence(memory_order_seq_cst);
    r->valid = colour != NULL;
    otel_thread_ctx_v1 = r;
}
