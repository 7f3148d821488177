/* SPDX-License-Identifier: Apache-2.0 */
/*
 * boot_class.c - see boot_class.h
 *
 * FindClass would ask the program's class loader, which may be code of its own.
 */
#include "agent/jvm/boot_class.h"

#include <stdint.h>

#include "agent/jvm/vm.h"
#include "elf/dynsym.h"

typedef jclass JNICALL boot_class_function(JNIEnv *env, const char *name);

jclass wick_boot_class(JNIEnv *env, const char *name)
{
    wick_addr f = 0;
    if (wick_elf_dynsym(&wick_vm.mem, wick_vm.libjvm, "JVM_FindClassFromBootLoader", &f) || !f)
        return NULL;
    jclass c = ((boot_class_function *)(uintptr_t)f)(env, name);
    if (!(*env)->ExceptionCheck(env))
        return c;
    (*env)->ExceptionClear(env);
    return NULL;
}
