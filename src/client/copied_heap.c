/* SPDX-License-Identifier: Apache-2.0 */
#include "client/copied_heap.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client/client.h"
#include "heap/dump_file.h"
#include "snapshot/dump_out.h"
#include "sys/whole.h"

enum { PIPE_BYTES = 1 << 20, PIECE = 256 << 10, STEP = 16 << 20, ATTEMPTS = 8 };

static int write_all(int fd, const char *bytes, size_t n)
{
    for (size_t done = 0; done < n;) {
        ssize_t w = write(fd, bytes + done, n - done);
        if (w < 0 && errno != EINTR)
            return -errno;
        done += w > 0 ? (size_t)w : 0;
    }
    return 0;
}

/* Copies what comes until the writer closes. */
static int spool(int from, int to, void (*step)(uint64_t bytes), struct wick_err *err)
{
    char *piece = malloc(PIECE);
    int rc = piece ? 0 : wick_err_set(err, WICK_E_NOMEM, "out of memory");
    uint64_t bytes = 0, shown = 0;
    while (!rc) {
        ssize_t n = read(from, piece, PIECE);
        if (!n)
            break;
        if (n < 0 && errno == EINTR)
            continue;
        int e = n < 0 ? -errno : write_all(to, piece, (size_t)n);
        if (e)
            rc = wick_err_set(err, e == -ENOSPC ? WICK_E_NOSPACE : WICK_E_IO,
                              "cannot keep the heap dump in $TMPDIR or /tmp: %s", strerror(-e));
        bytes += (uint64_t)n;
        if (bytes - shown >= STEP) {
            step(bytes);
            shown = bytes;
        }
    }
    free(piece);
    return rc;
}

/* Whether the dump has its last record; if not, why, and whether another attempt may do better. */
static int check(int fd, int pid, bool *again, struct wick_err *err)
{
    static const uint8_t end[WICK_DUMP_OUT_HEAD] = {WICK_DUMP_OUT_END};
    uint8_t tail[WICK_DUMP_OUT_REJECTION + 1] = {0};
    off_t size = lseek(fd, 0, SEEK_END), n = size < WICK_DUMP_OUT_REJECTION ? size : WICK_DUMP_OUT_REJECTION;
    bool read = n >= WICK_DUMP_OUT_HEAD && wick_whole_pread(fd, tail, (size_t)n, size - n) == n;
    if (read && !memcmp(tail + n - sizeof end, end, sizeof end))
        return 0;
    *again = read && n == WICK_DUMP_OUT_REJECTION && tail[0] == WICK_DUMP_OUT_AGAIN;
    if (*again || (read && n == WICK_DUMP_OUT_REJECTION && tail[0] == WICK_DUMP_OUT_REJECTED))
        return wick_err_set(err, WICK_E_UNSUPPORTED, "a copy of process %d could not write its heap: %s", pid,
                            (const char *)tail + WICK_DUMP_OUT_HEAD);
    return wick_err_set(err, WICK_E_IO,
                        "the copy of process %d ended before its heap was written (it is ended when memory runs short)",
                        pid);
}

/* *stopped_ns: the longest stop so far. */
static int ask(struct wick_client *c, int to, uint64_t *stopped_ns, struct wick_err *err)
{
    char number[32];
    int rc = wick_client_send(c, "o", &to, 1, false, "heap", err);
    rc = rc ? rc : wick_client_receive(c, WICK_CLIENT_ANSWER_NS, err);
    uint64_t ns =
        !rc && wick_client_value(c->text, "stopped_ns", number, sizeof number) ? strtoull(number, NULL, 10) : 0;
    *stopped_ns = ns > *stopped_ns ? ns : *stopped_ns;
    return rc;
}

static int take(struct wick_client *c, void (*step)(uint64_t bytes), uint64_t *stopped_ns, bool *again,
                struct wick_err *err)
{
    int ends[2], file = wick_heap_file_temp(err);
    *again = false;
    if (file < 0)
        return file;
    if (pipe2(ends, O_CLOEXEC)) {
        close(file);
        return wick_err_set(err, WICK_E_LIMIT, "cannot make a pipe: %s", strerror(errno));
    }
    fcntl(ends[0], F_SETPIPE_SZ, PIPE_BYTES); /* if that is not allowed, it is only slower */
    int rc = ask(c, ends[1], stopped_ns, err);
    close(ends[1]);
    rc = rc ? rc : spool(ends[0], file, step, err);
    close(ends[0]);
    rc = rc ? rc : check(file, (int)c->pid, again, err);
    if (rc) {
        close(file);
        return rc;
    }
    return file;
}

int wick_copied_heap_take(struct wick_proc *p, const char *lib, void (*step)(uint64_t bytes), uint64_t *stopped_ns,
                          struct wick_err *err)
{
    bool again = true;
    struct wick_client *c = malloc(sizeof *c);
    if (!c)
        return wick_err_set(err, WICK_E_NOMEM, "out of memory");
    wick_client_init(c);
    *stopped_ns = 0;
    int rc = wick_client_obtain(p, lib, WICK_CLIENT_ANSWER_NS, c, err);
    for (int i = 0; !rc && again && i < ATTEMPTS; i++) {
        rc = take(c, step, stopped_ns, &again, err);
        if (again && i + 1 < ATTEMPTS)
            rc = 0;
    }
    wick_client_close(c);
    free(c);
    return rc;
}
