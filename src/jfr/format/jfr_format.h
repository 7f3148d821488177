/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jfr_format.h - numbers of the JFR v2 file format, for the writer and the reader
 *
 * A recording is a sequence of chunks, each readable by itself:
 *
 *     +--------+------- events, in any order --------------------------------------------+
 *     | header | metadata | checkpoint | event event ... | checkpoint | event ... |  ...   |
 *     +--------+--------------------------------------------------------------------------+
 *      68 bytes     ^           ^  delta = 0   <--- delta ----  ^  <- header: last checkpoint
 *
 * The header is big-endian and of fixed size; it says how long the chunk is and where its metadata and its last
 * checkpoint (constant pools) lie. Everything after it is `size, type id, body` with compressed integers
 * (base/leb128.h), floats big-endian, strings with one byte of encoding in front. Source: what JDK 17 and 25 write,
 * jdk.jfr.internal.consumer.ChunkHeader.
 */
#ifndef WICK_JFR_FORMAT_JFR_FORMAT_H
#define WICK_JFR_FORMAT_JFR_FORMAT_H

#define WICK_JFR_MAGIC         "FLR\0"
#define WICK_JFR_VERSION_MAJOR 2
#define WICK_JFR_VERSION_MINOR 1

/* Offsets in the chunk header; all offsets stored in it count from the start of the chunk. */
enum {
    WICK_JFR_HDR_MAGIC = 0,           /* 4 bytes */
    WICK_JFR_HDR_MAJOR = 4,           /* u2 */
    WICK_JFR_HDR_MINOR = 6,           /* u2 */
    WICK_JFR_HDR_CHUNK_SIZE = 8,      /* u8, header included */
    WICK_JFR_HDR_CHECKPOINT = 16,     /* u8, offset of the last checkpoint event */
    WICK_JFR_HDR_METADATA = 24,       /* u8, offset of the metadata event */
    WICK_JFR_HDR_START_NANOS = 32,    /* u8, since 1970 UTC */
    WICK_JFR_HDR_DURATION_NANOS = 40, /* u8 */
    WICK_JFR_HDR_START_TICKS = 48,    /* u8, the tick that START_NANOS stands for */
    WICK_JFR_HDR_TICKS_PER_S = 56,    /* u8 */
    WICK_JFR_HDR_STATE = 64,          /* u1: 0 = not being changed, 255 = being changed, else a generation */
    WICK_JFR_HDR_FLAGS = 66,          /* u2 */
    WICK_JFR_HDR_SIZE = 68
};

#define WICK_JFR_FLAG_COMPRESSED_INTS 1u
#define WICK_JFR_FLAG_FINAL_CHUNK     2u

/* Type ids that the format itself gives away. */
#define WICK_JFR_TYPE_METADATA   0
#define WICK_JFR_TYPE_CHECKPOINT 1

/* Frames of wick's recordings that are neither Java nor native code (stubs, broken walks, boundaries) have the type
 * "Native", and their kind (enum wick_frame_kind) stands in the modifiers of their method, above the bits that a class
 * file can have: readers pass over it without knowing it, and it costs nothing where there is none. */
#define WICK_JFR_KIND_SHIFT 16

/* Of a Java method, in the same place: it has synchronized blocks. No kind is as high. */
#define WICK_JFR_SYNCHRONIZED_BLOCKS (1u << 24)

/* First byte of a string. */
enum wick_jfr_string_encoding {
    WICK_JFR_STR_NULL = 0,
    WICK_JFR_STR_EMPTY = 1,
    WICK_JFR_STR_POOL = 2,   /* id in the pool of java.lang.String */
    WICK_JFR_STR_UTF8 = 3,   /* number of bytes, bytes */
    WICK_JFR_STR_UTF16 = 4,  /* number of chars, each a compressed integer */
    WICK_JFR_STR_LATIN1 = 5, /* number of bytes, bytes */
};

#endif
