/* SPDX-License-Identifier: Apache-2.0 */
/*
 * klass.h - the class of a Java object, and where its instances keep their fields (JDK 21 and later), without asking
 * the JVM
 *
 * Threads: any.
 */
#ifndef WICK_HOTSPOT_KLASS_H
#define WICK_HOTSPOT_KLASS_H

#include <stdbool.h>

#include "hotspot/jvm.h"

/* Whether it is known where this JVM keeps the classes of objects. */
bool wick_hs_klass_known(const struct wick_jvm *jvm);

/* Whether these are compressed: not where an option says so, and to JDK 14 not without compressed references (heaps of
 * 32 GiB or more, ZGC). */
bool wick_hs_klass_is_narrow(const struct wick_jvm *jvm);

/* Whether they are, and the lists of their fields can be read as well, from JDK 21 on. Ask once. */
bool wick_hs_klass_form(const struct wick_jvm *jvm);

/* The Klass of an object, 0 = not readable. _known must be true. */
wick_addr wick_hs_klass_of(const struct wick_jvm *jvm, wick_addr object);

/* Whether klass is that class or extends it, at most 15 classes further up. */
bool wick_hs_klass_is(const struct wick_jvm *jvm, wick_addr klass, wick_addr class);

/* The internal name of a class ("java/lang/String", "[B"), cut at cap; "" if it cannot be read. */
void wick_hs_klass_name_sig(const struct wick_jvm *jvm, wick_addr klass, char *out, size_t cap);

/* Offset in bytes of the instance field of that name and type ("J", "Ljava/lang/String;") in instances of klass, which
 * declares or inherits it; 0 = there is none. Some 10 reads, and 2 a field. */
int32_t wick_hs_klass_field(const struct wick_jvm *jvm, wick_addr klass, const char *name, const char *type);

/* As _field, of the fields that the JVM has added to the class itself. Needs no _form. */
int32_t wick_hs_klass_injected(const struct wick_jvm *jvm, wick_addr klass, const char *name, const char *type);

/* Where the elements begin in an array of that class, in bytes; 0 = not known. */
int32_t wick_hs_klass_array_data(const struct wick_jvm *jvm, wick_addr klass);

/* Size of an instance in bytes, 0 = not known. */
int32_t wick_hs_klass_instance_bytes(const struct wick_jvm *jvm, wick_addr klass);

#endif
