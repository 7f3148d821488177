/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recording_info.c - see recording_info.h
 *
 * The JDK writes these events once a chunk; JDK Mission Control's pages and rules expect them (jdk.ActiveSetting for
 * what was on, jdk.JVMInformation for the JVM's age and arguments, ...).
 */
#include "agent/event/recording_info.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "agent/event/buildid.h"
#include "base/strbuf.h"
#include "sys/procstat.h"
#include "sys/whole.h"

/* A small file of /proc as text, or what fits of it in `room` bytes; NULs become spaces. */
static void read_proc(const char *path, struct wick_strbuf *out, size_t room)
{
    wick_strbuf_clear(out);
    ssize_t n = wick_strbuf_grow(out, room) ? 0 : wick_whole_text(path, out->buf, room);
    out->len = n > 0 ? (size_t)n : 0;
    while (out->len && out->buf[out->len - 1] == 0)
        out->len--;
    for (size_t i = 0; i < out->len; i++)
        if (!out->buf[i])
            out->buf[i] = ' ';
}

/* When this process began, ms since 1970. */
static uint64_t process_start_ms(struct wick_strbuf *sb)
{
    struct wick_procstat self;
    (void)wick_procstat_read(AT_FDCWD, "/proc/self/stat", &self);
    read_proc("/proc/stat", sb, 1 << 20);
    uint64_t boot_s = sb->len ? wick_procstat_boot_s(sb->buf) : 0;
    return boot_s * 1000 + self.start * wick_procstat_tick_ns() / 1000000;
}

static void write_jvm(struct wick_jfr_writer *w, uint64_t now, struct wick_strbuf *sb)
{
    uint64_t start = process_start_ms(sb);
    const char *command = wick_vm_property("sun.java.command");
    read_proc("/proc/self/cmdline", sb, 64 << 10);
    /* the options of the JVM are what stands between the launcher and the application */
    char *options = strchr(sb->buf, ' '), *end = options && *command ? strstr(options, command) : NULL;
    if (end)
        *end = 0;
    const struct wick_jfr_jvm_information jvm = {
        .start_ns = now,
        .jvm_name = wick_vm_property("java.vm.name"),
        .jvm_version = wick_vm_property("java.vm.version"),
        .jvm_arguments = options ? options + 1 : "",
        .jvm_flags = "",
        .java_arguments = command,
        .jvm_start_ms = start,
        .pid = (uint64_t)getpid(),
    };
    wick_jfr_write_jvm_information(w, &jvm);
    for (uint32_t i = 0; i < wick_vm.property_count; i++) {
        const struct wick_vm_property *p = &wick_vm.properties[i];
        if (p->key && p->value)
            wick_jfr_write_initial_system_property(
                w, &(struct wick_jfr_initial_system_property){.start_ns = now, .key = p->key, .value = p->value});
    }
}

static void write_machine(struct wick_jfr_writer *w, uint64_t now, struct wick_strbuf *sb)
{
    struct utsname u = {0};
    char os[512], model[256] = "";
    uint32_t cores = 0, sockets = 0, threads = (uint32_t)sysconf(_SC_NPROCESSORS_ONLN);
    uname(&u);
    snprintf(os, sizeof os, "%s %s %s %s", u.sysname, u.release, u.version, u.machine);
    wick_jfr_write_os_information(w, &(struct wick_jfr_os_information){.start_ns = now, .os_version = os});
    read_proc("/proc/cpuinfo", sb, 1 << 20);
    for (char *line = sb->buf; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
        const char *colon = strchr(line, ':');
        if (!colon)
            break;
        if (!strncmp(line, "model name", 10) && !model[0])
            snprintf(model, sizeof model, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
        else if (!strncmp(line, "physical id", 11) && (uint32_t)atoi(colon + 1) + 1 > sockets)
            sockets = (uint32_t)atoi(colon + 1) + 1;
        else if (!strncmp(line, "cpu cores", 9))
            cores = (uint32_t)atoi(colon + 1);
        line = strchr(line, '\n');
        if (line && line[1] == '\n')
            line++;
        if (!line)
            break;
    }
    const struct wick_jfr_cpu_information cpu = {
        .start_ns = now,
        .cpu = u.machine,
        .description = model,
        .sockets = sockets ? sockets : 1,
        .cores = (cores ? cores : threads) * (sockets ? sockets : 1),
        .hw_threads = threads,
    };
    wick_jfr_write_cpu_information(w, &cpu);
}

static void write_libraries(struct wick_jfr_writer *w, uint64_t now)
{
    const struct wick_elf_image *image;
    for (uint32_t i = 0; (image = wick_elf_images_at(&wick_vm.images, i)); i++)
        wick_jfr_write_native_library(
            w, &(struct wick_jfr_native_library){
                   .start_ns = now, .name = image->path, .base_address = image->map_lo, .top_address = image->map_hi});
}

/* Those of the engines belong to the events that they write; those of the recording as a whole to jdk.ActiveRecording,
 * which every recording has. */
static void write_settings(const struct wick_recording_info *info, struct wick_jfr_writer *w, uint64_t now)
{
    const enum wick_jfr_event_id of = WICK_JFR_EVENT_ACTIVE_RECORDING;
    char num[32];
    wick_engines_settings(info->engines, w, now);
    wick_engine_setting(w, now, of, "exactDebugInfo",
                        !wick_vm.exact_debug_info     ? "false"
                        : wick_vm.last_old_compile_id ? "true, but for methods compiled before the attach"
                                                      : "true");
    snprintf(num, sizeof num, "%" PRIu64, info->opts->memlimit_bytes);
    wick_engine_setting(w, now, of, "memlimit", num);
    wick_engine_setting(w, now, of, "wick.version", WICK_VERSION);
    wick_engine_setting(w, now, of, "wick.buildId", wick_agent_build_id());
}

/* A note on how an engine runs. */
struct note_sink {
    struct wick_jfr_writer *writer;
    uint64_t now_ns;
};

static void write_note(void *arg, const char *sentence)
{
    const struct note_sink *s = arg;
    wick_jfr_write_log(s->writer, &(struct wick_jfr_log){.start_ns = s->now_ns, .level = "info", .message = sentence});
}

void wick_recording_info_write(const struct wick_recording_info *info, struct wick_jfr_writer *w, uint64_t now_ns)
{
    struct wick_strbuf sb = WICK_STRBUF_INIT;
    const struct wick_jfr_active_recording rec = {
        .start_ns = now_ns,
        .id = 1,
        .name = "wick " WICK_VERSION,
        .destination = info->opts->file,
        .max_age_ms = info->opts->max_age_ns / 1000000,
        .flush_interval_ms = WICK_JFR_FLUSH_NS / 1000000,
        .max_size_bytes = info->opts->max_size_bytes,
        .recording_start_ms = info->start_epoch_ms,
    };
    wick_jfr_write_active_recording(w, &rec);
    write_settings(info, w, now_ns);
    write_jvm(w, now_ns, &sb);
    write_machine(w, now_ns, &sb);
    write_libraries(w, now_ns);
    wick_engines_notes(info->engines, write_note, &(struct note_sink){w, now_ns});
    wick_strbuf_release(&sb);
}
