/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/sources.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sys/ns.h"
#include "sys/whole.h"

enum { MOST_BYTES = 8 << 20, LONGEST_NAME = 1000 };

int wick_sources_add(struct wick_sources *s, const char *path, struct wick_err *err)
{
    if (s->n == WICK_SOURCES_FOLDERS)
        return wick_err_set(err, WICK_E_LIMIT, "more than %d folders of sources", WICK_SOURCES_FOLDERS);
    int fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return wick_err_set(err,
                            errno == ENOENT    ? WICK_E_NOTFOUND
                            : errno == ENOTDIR ? WICK_E_USAGE
                                               : WICK_E_PERM,
                            "cannot open the folder of sources %s: %s", path, strerror(errno));
    s->folder[s->n++] = fd;
    return 0;
}

void wick_sources_release(struct wick_sources *s)
{
    for (unsigned i = 0; i < s->n; i++)
        close(s->folder[i]);
    s->n = 0;
}

bool wick_sources_name(const char *class_name, size_t len, struct wick_strbuf *out)
{
    size_t start = 0, n = 0;
    for (; n < len && class_name[n] != '$'; n++) {
        unsigned char c = (unsigned char)class_name[n];
        bool letter = (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
        if (c == '/' ? n == start : !letter && !(c >= '0' && c <= '9') && c != '_' && c != '-' && c < 0x80)
            return false; /* neither a part of a name nor an end of one */
        if (c == '/')
            start = n + 1;
    }
    if (n == start || n > LONGEST_NAME)
        return false;
    wick_strbuf_add(out, class_name, n);
    return true;
}

/* The whole of a plain file, into an empty buffer. */
static bool read_whole(int folder, const char *path, struct wick_strbuf *text)
{
    struct stat st;
    int fd = wick_ns_open(folder, path, O_RDONLY | O_NONBLOCK, 0);
    if (fd < 0)
        return false;
    bool good = !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size <= MOST_BYTES;
    ssize_t n = good && !wick_strbuf_grow(text, (size_t)st.st_size)
                    ? wick_whole_text_fd(fd, text->buf, (size_t)st.st_size + 1)
                    : -1;
    close(fd);
    text->len = n > 0 ? (size_t)n : 0;
    return n >= 0;
}

bool wick_sources_find(const struct wick_sources *s, const char *name, struct wick_strbuf *text,
                       struct wick_strbuf *path)
{
    static const char *const below[] = {
        "", "src/main/java/", "src/main/kotlin/", "src/main/scala/", "src/test/java/", "src/", "java/"};
    static const char *const extensions[] = {".java", ".kt", ".scala", ".groovy", ".clj"};
    for (unsigned i = 0; i < s->n; i++)
        for (size_t b = 0; b < sizeof below / sizeof *below; b++)
            for (size_t x = 0; x < sizeof extensions / sizeof *extensions; x++) {
                wick_strbuf_clear(path);
                wick_strbuf_clear(text);
                wick_strbuf_addf(path, "/%s%s%s", below[b], name, extensions[x]);
                if (!path->failed && read_whole(s->folder[i], path->buf, text))
                    return true;
            }
    wick_strbuf_clear(path);
    wick_strbuf_clear(text);
    return false;
}
