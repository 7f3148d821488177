/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/explain/explain_head.h"

#include <stdio.h>
#include <string.h>

#include "model/profile.h"

#define DIGITS "0123456789"

void wick_explain_head_jdk(struct wick_strbuf *out, const char *version)
{
    unsigned update, build;
    const char *at = strchr(version, '('); /* JFR: "OpenJDK 64-Bit Server VM (21.0.8+9) for linux-amd64 ..." */
    at = at ? at + 1 : version;
    size_t len = strcspn(at, " )-"); /* without whose build it is, but with "-ea" */
    len += !strncmp(at + len, "-ea", 3) ? strcspn(at + len, " )") : 0;
    if (sscanf(at, "25.%u-b%u", &update, &build) == 2) /* the version of JDK 8's JVM */
        wick_strbuf_addf(out, "8u%u", update);
    else if (strspn(at, DIGITS))
        wick_strbuf_add(out, at, len);
}

/* Without the package and the arguments, which are long, and may be secret; of "-jar" the file's name. */
static void add_program(struct wick_strbuf *out, const char *command)
{
    size_t len = strcspn(command, " "), from = len;
    bool jar = len > 4 && !strncmp(command + len - 4, ".jar", 4);
    while (from && command[from - 1] != '/' && (jar || command[from - 1] != '.'))
        from--;
    wick_strbuf_add(out, command + from, len - from);
}

/* Platform threads that were seen, without the profiler's. */
static unsigned threads_of(const struct wick_profile *p)
{
    unsigned n = 0;
    for (uint32_t i = 1; i < p->nthreads; i++) /* 0 is the unknown one */
        n += !p->threads[i].is_virtual && !wick_profile_thread_is_many(&p->threads[i]) &&
             strncmp(wick_profile_str(p, p->threads[i].name), "wick-", strlen("wick-")) != 0;
    return n;
}

void wick_explain_head(struct wick_strbuf *out, const struct wick_explain_facts *f)
{
    struct wick_strbuf jdk = WICK_STRBUF_INIT;
    const char *command = wick_profile_str(f->p, f->program);
    double cpus = wick_explain_cpus(f);
    unsigned threads = threads_of(f->p);
    wick_strbuf_addf(out, "%.1f s", (double)f->duration_ns / 1e9);
    if (f->rivals) {
        wick_strbuf_adds(out, " of the whole machine");
    } else if (f->program && *command && !f->programs_differ) {
        wick_strbuf_adds(out, " of ");
        add_program(out, command);
    }
    if (!f->rivals && !f->programs_differ)
        wick_explain_head_jdk(&jdk, wick_profile_str(f->p, f->jvm_version));
    if (jdk.len && !jdk.failed)
        wick_strbuf_addf(out, " on JDK %s", jdk.buf);
    wick_strbuf_addf(out, ": %u %s", threads, threads == 1 ? "thread" : "threads");
    if (f->got_ns && f->duration_ns > 0)
        wick_strbuf_addf(out, ", %.2f CPUs used", (double)f->got_ns / (double)f->duration_ns);
    if (cpus > 0)
        wick_strbuf_addf(out, f->got_ns ? " of %g" : ", %g CPUs", cpus);
    wick_strbuf_release(&jdk);
}
