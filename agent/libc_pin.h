/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libc_pin.h - makes one libwick.so for every C library from glibc 2.17 on, and for musl
 *
 * The build includes it before every source of libwick.so (-include). A reference to a versioned symbol takes the
 * newest version that the C library of the build machine has, and an older library does not start with it. Where glibc
 * has an old version with the same behaviour, it is named here; where it has none below 2.17, libc_new.c has the
 * function, as a system call. musl ignores versions and maps the names libc.so.6, libdl.so.2 and libpthread.so.0 to
 * itself. tests/lint reads what came of it.
 *
 * Until glibc 2.33 the functions of dlfcn.h and pthread.h were in libraries of their own: libwick.so also names those
 * (agent/meson.build). They are found there by version, whichever library is said to have it.
 *
 * Threads: nothing runs.
 */
#ifndef WICK_AGENT_LIBC_PIN_H
#define WICK_AGENT_LIBC_PIN_H

#if defined(__x86_64__) && defined(__gnu_linux__)
/* fcntl and getrlimit are the same as fcntl64 and getrlimit64 where files of 64 bits are the only ones. */
__asm__(".symver dladdr, dladdr@GLIBC_2.2.5\n"
        ".symver dlclose, dlclose@GLIBC_2.2.5\n"
        ".symver dlinfo, dlinfo@GLIBC_2.3.3\n"
        ".symver dlopen, dlopen@GLIBC_2.2.5\n"
        ".symver dlsym, dlsym@GLIBC_2.2.5\n"
        ".symver fcntl64, fcntl@GLIBC_2.2.5\n"
        ".symver getrlimit64, getrlimit@GLIBC_2.2.5\n"
        ".symver pthread_attr_getstack, pthread_attr_getstack@GLIBC_2.2.5\n"
        ".symver pthread_attr_getstacksize, pthread_attr_getstacksize@GLIBC_2.2.5\n"
        ".symver pthread_attr_setstacksize, pthread_attr_setstacksize@GLIBC_2.2.5\n"
        ".symver pthread_create, pthread_create@GLIBC_2.2.5\n"
        ".symver pthread_getattr_np, pthread_getattr_np@GLIBC_2.2.5\n"
        ".symver pthread_join, pthread_join@GLIBC_2.2.5\n"
        ".symver pthread_key_create, pthread_key_create@GLIBC_2.2.5\n"
        ".symver pthread_mutex_timedlock, pthread_mutex_timedlock@GLIBC_2.2.5\n"
        ".symver pthread_mutex_trylock, pthread_mutex_trylock@GLIBC_2.2.5\n"
        ".symver pthread_rwlock_rdlock, pthread_rwlock_rdlock@GLIBC_2.2.5\n"
        ".symver pthread_rwlock_tryrdlock, pthread_rwlock_tryrdlock@GLIBC_2.2.5\n"
        ".symver pthread_rwlock_trywrlock, pthread_rwlock_trywrlock@GLIBC_2.2.5\n"
        ".symver pthread_rwlock_wrlock, pthread_rwlock_wrlock@GLIBC_2.2.5\n"
        ".symver pthread_setname_np, pthread_setname_np@GLIBC_2.12\n"
        ".symver pthread_setspecific, pthread_setspecific@GLIBC_2.2.5\n"
        ".symver pthread_sigmask, pthread_sigmask@GLIBC_2.2.5\n");
#endif

#endif
