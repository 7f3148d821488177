/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/stack_line.h"

#include <inttypes.h>
#include <string.h>

#include "base/frame_kind.h"
#include "codec/plain.h"

/* What would end a frame, and the backslash because it is what we escape with. */
#define ESCAPED ";\\"

bool wick_stack_line_split(const char *line, size_t n, size_t *stack, uint64_t *weight)
{
    const char *space = memrchr(line, ' ', n), *end = line + n;
    uint64_t sum = 0;
    if (!space || space == line || space + 1 == end)
        return false;
    for (const char *s = space + 1; s < end; s++)
        if (*s < '0' || *s > '9' || __builtin_mul_overflow(sum, 10, &sum) ||
            __builtin_add_overflow(sum, (unsigned)(*s - '0'), &sum))
            return false;
    *stack = (size_t)(space - line);
    *weight = sum;
    return true;
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Whether this byte may have been escaped: by add_name(), or a name that is a star in a path (model/frame_path.h). */
static bool is_escaped(int c)
{
    return c < 0x20 || c >= 0x7f || strchr(ESCAPED "*", c);
}

const char *wick_stack_line_unescape(struct wick_strbuf *room, const char *s, size_t *n)
{
    size_t len = *n;
    if (!memchr(s, '\\', len))
        return s;
    wick_strbuf_clear(room);
    for (size_t i = 0; i < len; i++) {
        int hi = len - i > 3 && s[i] == '\\' && s[i + 1] == 'x' ? hex_digit(s[i + 2]) : -1;
        int lo = hi >= 0 ? hex_digit(s[i + 3]) : -1;
        bool escape = lo >= 0 && is_escaped(hi * 16 + lo);
        wick_strbuf_addc(room, escape ? (char)(hi * 16 + lo) : s[i]);
        i += escape ? 3 : 0;
    }
    *n = room->len;
    return room->buf;
}

void wick_stack_line_add_name(struct wick_strbuf *out, const char *s, size_t n)
{
    wick_plain_add(out, s, n, ESCAPED);
}

void wick_stack_line_add_kind(struct wick_strbuf *out, unsigned kind)
{
    char letter = wick_frame_kind_letter(kind);
    if (letter)
        wick_strbuf_addf(out, "_[%c]", letter);
}

void wick_stack_line_write(FILE *out, const char *frames, size_t n, uint64_t weight)
{
    char number[24];
    int digits = snprintf(number, sizeof number, " %" PRIu64 "\n", weight);
    fwrite_unlocked(frames, 1, n, out);
    fwrite_unlocked(number, 1, (size_t)digits, out);
}
