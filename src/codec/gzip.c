/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/gzip.h"

#include <stdlib.h>
#include <zlib.h>

#include "base/err.h"

#define ROOM        65536u
#define GZIP_FORMAT 16 /* added to the window bits: a gzip header instead of zlib's own */
#define MOST_ONCE   (1u << 30)

struct wick_gzip {
    z_stream z;
    FILE *out;
    unsigned char room[ROOM];
};

struct wick_gunzip {
    z_stream z;
    uint64_t used;
    bool between; /* at the beginning, or behind the end of a stream */
    unsigned char room[ROOM];
};

struct wick_gzip *wick_gzip_new(FILE *out)
{
    struct wick_gzip *z = calloc(1, sizeof *z);
    if (!z)
        return NULL;
    z->out = out;
    if (deflateInit2(&z->z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + GZIP_FORMAT, 8, Z_DEFAULT_STRATEGY) == Z_OK)
        return z;
    free(z);
    return NULL;
}

static void pump(struct wick_gzip *z, int flush)
{
    do {
        z->z.next_out = z->room;
        z->z.avail_out = ROOM;
        deflate(&z->z, flush);
        fwrite(z->room, 1, ROOM - z->z.avail_out, z->out);
    } while (!z->z.avail_out);
}

void wick_gzip_add(struct wick_gzip *z, const void *data, size_t n)
{
    const unsigned char *p = data;
    while (n) {
        uInt part = n < MOST_ONCE ? (uInt)n : MOST_ONCE;
        z->z.next_in = (unsigned char *)p; /* zlib does not write there */
        z->z.avail_in = part;
        pump(z, Z_NO_FLUSH);
        p += part;
        n -= part;
    }
}

void wick_gzip_finish(struct wick_gzip *z)
{
    if (!z)
        return;
    pump(z, Z_FINISH);
    deflateEnd(&z->z);
    free(z);
}

bool wick_gzip_is(const void *data, size_t n)
{
    const unsigned char *p = data;
    return n >= 3 && p[0] == 0x1f && p[1] == 0x8b && p[2] == Z_DEFLATED;
}

struct wick_gunzip *wick_gunzip_new(void)
{
    struct wick_gunzip *z = calloc(1, sizeof *z);
    if (z && inflateInit2(&z->z, MAX_WBITS + GZIP_FORMAT) != Z_OK) {
        free(z);
        return NULL;
    }
    if (z)
        z->between = true;
    return z;
}

/* One call of inflate and what it gave. */
static int step(struct wick_gunzip *z, int (*sink)(void *ctx, const void *out, size_t n), void *ctx)
{
    uInt before = z->z.avail_in;
    z->z.next_out = z->room;
    z->z.avail_out = ROOM;
    int r = inflate(&z->z, Z_NO_FLUSH);
    z->used += before - z->z.avail_in;
    z->between = r == Z_STREAM_END;
    size_t got = ROOM - z->z.avail_out;
    int rc = got ? sink(ctx, z->room, got) : 0;
    if (rc)
        return rc;
    if (r == Z_STREAM_END)
        return inflateReset(&z->z) == Z_OK ? 0 : -WICK_E_NOMEM;
    if (r == Z_MEM_ERROR)
        return -WICK_E_NOMEM;
    return r == Z_OK || (r == Z_BUF_ERROR && !z->z.avail_in) ? 0 : -WICK_E_FORMAT;
}

int wick_gunzip_add(struct wick_gunzip *z, const void *data, size_t n,
                    int (*sink)(void *ctx, const void *out, size_t n), void *ctx)
{
    const unsigned char *p = data;
    while (n) {
        uInt part = n < MOST_ONCE ? (uInt)n : MOST_ONCE;
        z->z.next_in = (unsigned char *)p;
        z->z.avail_in = part;
        do {
            int rc = step(z, sink, ctx);
            if (rc)
                return rc;
        } while (z->z.avail_in || (!z->z.avail_out && !z->between));
        p += part;
        n -= part;
    }
    return 0;
}

uint64_t wick_gunzip_used(const struct wick_gunzip *z)
{
    return z->used;
}

bool wick_gunzip_complete(const struct wick_gunzip *z)
{
    return z->between;
}

void wick_gunzip_free(struct wick_gunzip *z)
{
    if (!z)
        return;
    inflateEnd(&z->z);
    free(z);
}
