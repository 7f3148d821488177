/* SPDX-License-Identifier: Apache-2.0 */
#include "lock_scene.h"

#include <sys/mman.h>
#include <unistd.h>

#include "base/frame_kind.h"
#include "jfr/writer/writer.h"
#include "record/output.h"

#define START_NS UINT64_C(5000000000000)

enum { WAITER = 1, OWNER };

static size_t stack(void *arg, uint32_t id, struct wick_jfr_frame *out, size_t cap, bool *truncated)
{
    (void)arg, (void)cap;
    *truncated = false;
    out[0] = (struct wick_jfr_frame){.method = id, .line = 7, .kind = WICK_FRAME_C2};
    return 1;
}

static int method(void *arg, uint32_t id, struct wick_jfr_method *out)
{
    (void)arg, (void)id;
    *out = (struct wick_jfr_method){.class_name = "app/Main", .name = "enter", .signature = "()V"};
    return 0;
}

static int thread(void *arg, uint32_t id, struct wick_jfr_thread *out)
{
    const char *name = id == WAITER ? "waiter" : "owner";
    (void)arg;
    *out = (struct wick_jfr_thread){.os_name = name, .os_tid = id, .java_name = name, .java_tid = id};
    return 0;
}

int lock_scene_record(unsigned n, uint64_t weight)
{
    static const struct wick_jfr_source source = {NULL, stack, method, thread, NULL};
    const struct wick_jfr_config config = {START_NS, UINT64_C(1700000000000000000)};
    struct wick_jfr_writer *w;
    struct wick_output o;
    int fd = memfd_create("locks", MFD_CLOEXEC);
    if (fd < 0 || wick_output_init_fd(&o, dup(fd)))
        return -1;
    struct wick_jfr_sink sink = wick_output_sink(&o);
    if (wick_jfr_writer_open(&w, &sink, &source, &config))
        return -1;
    for (unsigned i = 0; i < 2 * n; i++)
        wick_jfr_write_java_monitor_enter(w, &(struct wick_jfr_java_monitor_enter){.start_ns = START_NS + i,
                                                                                   .duration_ns = 5,
                                                                                   .thread = WAITER,
                                                                                   .stack = 1,
                                                                                   .class_name = "app/Lock",
                                                                                   .owner = OWNER,
                                                                                   .weight_ns = weight,
                                                                                   .hash = 1 + i % 2});
    int rc = wick_jfr_writer_close(w, START_NS + 1000, NULL);
    wick_output_release(&o);
    return rc ? -1 : fd;
}
