/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/cgroup_labels.h"

#include <string.h>

/* The next part of a path in the text, of n bytes; NULL at the end. Lines and the fields before their paths are no
 * obstacle: what is searched for is in none of those. */
static const char *next_part(const char *at, size_t *n)
{
    const char *slash = strchr(at, '/');
    if (!slash)
        return NULL;
    *n = strcspn(slash + 1, "/\n");
    return slash + 1;
}

static bool ends_with(const char *part, size_t n, const char *end)
{
    size_t len = strlen(end);
    return n > len && !memcmp(part + n - len, end, len);
}

static bool take(const char *part, size_t n, char *out, size_t cap)
{
    *out = 0;
    if (n >= cap)
        return false;
    memcpy(out, part, n);
    out[n] = 0;
    return true;
}

bool wick_cgroup_labels_unit(const char *text, char *out, size_t cap)
{
    const char *part = text;
    size_t n = 0;
    bool met = false;
    *out = 0;
    while ((part = next_part(part, &n))) {
        if (ends_with(part, n, ".service"))
            met = true, take(part, n, out, cap); /* the last one, if there is no room for it none */
        if (met && part[n] == '\n')
            break;
        part += n;
    }
    return *out != 0;
}

static bool is_uid(const char *s, size_t n)
{
    return n >= 8 && strspn(s, "0123456789abcdefABCDEF-_") >= n;
}

bool wick_cgroup_labels_pod(const char *text, char *out, size_t cap)
{
    const char *part = text;
    size_t n = 0;
    bool in_kubernetes = false;
    for (*out = 0; (part = next_part(part, &n)); part += n) {
        const char *uid = NULL;
        size_t len = n;
        in_kubernetes |= strstr(part, "kubepods") && (size_t)(strstr(part, "kubepods") - part) < n;
        if (!in_kubernetes)
            continue;
        if (n > 3 && !memcmp(part, "pod", 3)) {
            uid = part + 3;
            len = n - 3;
        } else if (ends_with(part, n, ".slice") && (uid = memmem(part, n, "-pod", 4))) {
            uid += 4;
            len = (size_t)(part + n - strlen(".slice") - uid);
        }
        if (!uid || !is_uid(uid, len) || !take(uid, len, out, cap))
            continue;
        for (char *c = out; (c = strchr(c, '_'));)
            *c = '-';
        return true;
    }
    *out = 0;
    return false;
}
