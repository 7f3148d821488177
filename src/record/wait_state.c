/* SPDX-License-Identifier: Apache-2.0 */
#include "record/wait_state.h"

#include <string.h>
#include <sys/syscall.h>

#include "jfr/writer/writer.h"

unsigned wick_wait_state_native(const char *symbol)
{
    static const struct {
        const char *text;
        unsigned state;
    } rules[] = {
#define JAVA(...)
#define NATIVE(text, STATE) {text, WICK_JFR_STATE_##STATE},
#include "def/wait.def"
#undef JAVA
#undef NATIVE
    };
    for (size_t i = 0; symbol && i < sizeof rules / sizeof *rules; i++)
        if (strstr(symbol, rules[i].text))
            return rules[i].state;
    return 0;
}

unsigned wick_wait_state_java(const char *class_name, const char *method)
{
    static const struct {
        const char *class_name, *method;
        unsigned state;
    } rules[] = {
#define JAVA(class_name, method, STATE) {class_name, method, WICK_JFR_STATE_##STATE},
#define NATIVE(...)
#include "def/wait.def"
#undef JAVA
#undef NATIVE
    };
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (!strcmp(class_name, rules[i].class_name) && !strncmp(method, rules[i].method, strlen(rules[i].method)))
            return rules[i].state;
    return 0;
}

bool wick_wait_state_passes(const char *class_name)
{
    static const char *const passed[] = {
#define JAVA(...)
#define NATIVE(...)
#define THROUGH(class) class,
#include "def/wait.def"
#undef JAVA
#undef NATIVE
    };
    for (size_t i = 0; i < sizeof passed / sizeof *passed; i++)
        if (!strncmp(class_name, passed[i], strlen(passed[i])))
            return true;
    return false;
}

unsigned wick_wait_state_call(long nr)
{
    switch (nr) {
    case SYS_nanosleep:
    case SYS_clock_nanosleep:
        return WICK_JFR_STATE_SLEEPING;
    case SYS_read:
    case SYS_readv:
    case SYS_pread64:
    case SYS_preadv:
    case SYS_write:
    case SYS_writev:
    case SYS_pwrite64:
    case SYS_pwritev:
    case SYS_sendfile:
    case SYS_splice:
        return 0;
#ifdef SYS_poll
    case SYS_poll:
    case SYS_select:
    case SYS_epoll_wait:
#endif
    case SYS_ppoll:
    case SYS_pselect6:
    case SYS_epoll_pwait:
    case SYS_accept:
    case SYS_accept4:
    case SYS_connect:
    case SYS_recvfrom:
    case SYS_recvmsg:
    case SYS_recvmmsg:
    case SYS_sendto:
    case SYS_sendmsg:
    case SYS_sendmmsg:
    case SYS_io_uring_enter:
        return WICK_JFR_STATE_IO;
#ifdef SYS_open
    case SYS_open:
    case SYS_stat:
    case SYS_unlink:
    case SYS_rename:
#endif
    case SYS_openat:
    case SYS_newfstatat:
    case SYS_unlinkat:
    case SYS_renameat2:
    case SYS_getdents64:
    case SYS_fsync:
    case SYS_fdatasync:
    case SYS_sync:
    case SYS_syncfs:
    case SYS_msync:
    case SYS_fallocate:
    case SYS_ftruncate:
        return WICK_JFR_STATE_DISK;
    case -1: /* waits, but in no call: a page fault */
        return WICK_JFR_STATE_DISK;
    default:
        return WICK_JFR_STATE_NATIVE_WAIT;
    }
}
