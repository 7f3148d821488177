/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/zstd.h"

#include "base/err.h"

#ifdef WICK_HAVE_ZSTD

#include <stdlib.h>
#include <zstd.h>

enum { ROOM = 128 << 10 };

struct wick_unzstd {
    ZSTD_DStream *stream;
    unsigned char room[ROOM];
};

bool wick_unzstd_known(void)
{
    return true;
}

struct wick_unzstd *wick_unzstd_new(void)
{
    struct wick_unzstd *z = malloc(sizeof *z);
    if (z && !(z->stream = ZSTD_createDStream())) {
        free(z);
        return NULL;
    }
    return z;
}

int wick_unzstd_add(struct wick_unzstd *z, const void *data, size_t n,
                    int (*sink)(void *ctx, const void *out, size_t n), void *ctx)
{
    ZSTD_inBuffer in = {data, n, 0};
    for (;;) {
        ZSTD_outBuffer out = {z->room, ROOM, 0};
        if (ZSTD_isError(ZSTD_decompressStream(z->stream, &out, &in)))
            return -WICK_E_FORMAT;
        int rc = out.pos ? sink(ctx, z->room, out.pos) : 0;
        if (rc || (in.pos == in.size && out.pos < ROOM))
            return rc;
    }
}

void wick_unzstd_free(struct wick_unzstd *z)
{
    if (!z)
        return;
    ZSTD_freeDStream(z->stream);
    free(z);
}

#else

bool wick_unzstd_known(void)
{
    return false;
}

struct wick_unzstd *wick_unzstd_new(void)
{
    return NULL;
}

int wick_unzstd_add(struct wick_unzstd *z, const void *data, size_t n,
                    int (*sink)(void *ctx, const void *out, size_t n), void *ctx)
{
    (void)z, (void)data, (void)n, (void)sink, (void)ctx;
    return -WICK_E_FORMAT;
}

void wick_unzstd_free(struct wick_unzstd *z)
{
    (void)z;
}

#endif
