/* SPDX-License-Identifier: Apache-2.0 */
/*
 * name.h - how functions, frames and threads are shown
 *
 * The profile keeps names as the JVM and the linker wrote them; here they become what people read:
 *
 *     Java    java/lang/Foo + bar          java.lang.Foo.bar
 *     native  libc.so.6 + write            write
 *             libfoo.so + "" or "+0x1234"  libfoo.so, libfoo.so+0x1234
 *     kernel  any + do_syscall_64          do_syscall_64
 *
 * Nothing is escaped: names are hostile, and every output has its own rules. They may hold any bytes, NUL included, so
 * take what is appended by its length.
 *
 * Threads: reads the profile only.
 * Memory:  the caller's string buffer.
 */
#ifndef WICK_MODEL_NAME_H
#define WICK_MODEL_NAME_H

#include "base/strbuf.h"
#include "model/profile.h"

enum wick_name_flags {
    WICK_NAME_SIMPLE = 1,      /* Foo.bar instead of java.lang.Foo.bar */
    WICK_NAME_SIGNATURES = 2,  /* bar(int,java.lang.String)void */
    WICK_NAME_LINES = 4,       /* bar:123, where the line is known */
    WICK_NAME_NORMALISED = 16, /* without what differs from run to run: serial numbers of lambdas, proxies ... */
    WICK_NAME_ANNOTATE = 8,    /* bar_[j]: the frame kind's letter (def/frame.def) */
};

/* Appends the name of frame number `frame`. Flags: enum wick_name_flags. Never appends nothing: an unnamed frame is
 * "[unknown]". */
void wick_name_add_frame(struct wick_strbuf *out, const struct wick_profile *p, uint32_t frame, unsigned flags);

/* Appends the name of function number `function`, shown as Java or as native code. LINES and ANNOTATE do not apply. */
void wick_name_add_function(struct wick_strbuf *out, const struct wick_profile *p, uint32_t function, bool is_java,
                            unsigned flags);

/* Appends what the function is called within the JVM, java/lang/Foo.bar(I)V, or by the linker. */
void wick_name_add_function_system(struct wick_strbuf *out, const struct wick_profile *p, uint32_t function,
                                   bool is_java);

/* Appends a class name (len bytes, then a NUL) with dots: "java/lang/Foo" as java.lang.Foo, "[[I" as int[][]; the
 * serial number of a hidden class
 * ("/0x...") keeps its slash. SIMPLE leaves out the package. */
void wick_name_add_class(struct wick_strbuf *out, const char *internal, size_t len, unsigned flags);

/* Appends "[name tid=N]"; N is the system's thread id, or the Java one where there is no other. */
void wick_name_add_thread(struct wick_strbuf *out, const struct wick_profile *p, uint32_t thread);

/* Whether a class ("java/lang/Foo") is of the JDK itself, of another language's runtime library, or made for a lambda,
 * and not of the program. */
bool wick_name_is_jdk(const char *class_name);

/* True of a frame that stands for time without samples: what a thread used before it was known, or after its last
 * sample ("[not sampled: ...]", def/stop.def). */
bool wick_frame_is_unsampled(const struct wick_profile *p, uint32_t frame);

#endif
