/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What strangers can send: the first byte chooses the parser (option string, request, reply of the agent or of the JVM,
 * the texts of /proc, hsperfdata, an ELF note, a broker request), the rest is its input, copied to a block of exactly
 * its size so that a read beyond it is caught.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "opt/option.h"
#include "sys/attach.h"
#include "sys/broker.h"
#include "sys/buildnote.h"
#include "sys/jvmlist.h"
#include "sys/proc.h"
#include "sys/sock.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What the parser took must come out the same after printing and parsing again. */
static void check_options(const char *s, size_t len)
{
    struct wick_opts o, again;
    enum wick_opt_action action, second;
    struct wick_strbuf sb = WICK_STRBUF_INIT;
    wick_opt_defaults(&o);
    if (wick_opt_parse_agent(s, len, &o, &action, NULL))
        return;
    wick_opt_format_agent(&o, "start", &sb);
    wick_opt_defaults(&again);
    if (wick_opt_parse_agent(sb.buf, sb.len, &again, &second, NULL))
        abort();
    /* Fields keep old bytes behind a shorter text's NUL: texts are compared as texts, by printing once more. */
    struct wick_strbuf twice = WICK_STRBUF_INIT;
    wick_opt_format_agent(&again, "start", &twice);
    if (sb.len != twice.len || memcmp(sb.buf, twice.buf, sb.len))
        abort();
    wick_strbuf_release(&sb);
    wick_strbuf_release(&twice);
    char out[256];
    wick_opt_expand(o.s.file, 1, 0, 1, out, sizeof out);
}

static void check_texts(const char *s, size_t len)
{
    char out[64], name[WICK_SOCK_NAME_MAX];
    struct wick_proc_status st;
    size_t pos = 0;
    wick_proc_parse_status(s, len, &st);
    wick_proc_find_mapped(s, len, "libjvm.so", out, sizeof out);
    wick_proc_jvm_flag(s, len, s, len, "DisableAttachMechanism");
    wick_proc_main_class(s, len, out, sizeof out);
    wick_proc_container(s, len, s, len, out, sizeof out);
    while (wick_sock_next_name(s, len, &pos, 7, name))
        ;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size)
        return 0;
    size_t len = size - 1;
    char *s = malloc(len ? len : 1), out[64];
    memcpy(s, data + 1, len);
    struct wick_sock_request req;
    struct wick_attach_reply reply;
    struct perf_event_attr attr;
    const char *text;
    int code;
    size_t text_len;
    switch (data[0] % 7) {
    case 0:
        check_options(s, len);
        break;
    case 1:
        for (int n = 0; n <= WICK_SOCK_FDS; n++)
            wick_sock_parse_request(s, len, n, &req);
        break;
    case 2:
        wick_sock_parse_reply(s, len, &code, &text, &text_len);
        wick_attach_parse_reply(s, len, &reply);
        break;
    case 3:
        check_texts(s, len);
        break;
    case 4:
        wick_hsperf_string((const uint8_t *)s, len, "sun.rt.javaCommand", out, sizeof out);
        break;
    case 5:
        wick_buildnote_find((const uint8_t *)s, len, out);
        break;
    default:
        wick_broker_check(s, len, &attr, NULL);
    }
    free(s);
    return 0;
}
