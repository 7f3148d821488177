/* SPDX-License-Identifier: Apache-2.0 */
/*
 * publish.c - see publish.h
 *
 * The thread-local pointer belongs to the kernel's thread, so it has to change whenever a virtual thread is mounted.
 * Notifications of mounts are not free, so they are requested when the first virtual thread publishes.
 */
#include "agent/label/publish.h"

#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/jvm/mounts.h"
#include "agent/jvm/vm.h"
#include "labels/published.h"

static struct wick_published published = WICK_PUBLISHED_INIT;
static _Atomic bool publishing;
static _Atomic(struct wick_labels *) labels; /* NULL until the VM is known */

static const char *setting(const char *property, const char *variable)
{
    const char *value = wick_vm_property(property);
    return *value ? value : getenv(variable);
}

void wick_publish_init(struct wick_labels *l)
{
    wick_store_release(&labels, l); /* pairs: the loads of it below */
}

jboolean JNICALL Java_wick_Native_publish(JNIEnv *env, jclass cls)
{
    (void)env;
    (void)cls;
    const struct wick_published_resource resource = {setting("otel.service.name", "OTEL_SERVICE_NAME"),
                                                     setting("otel.resource.attributes", "OTEL_RESOURCE_ATTRIBUTES")};
    struct wick_labels *l = wick_load_acquire(&labels); /* pairs: wick_publish_init */
    if (!l || !l->map || wick_published_begin(&published, &wick_vm.mem, &resource, WICK_LABELS_RECORDS))
        return JNI_FALSE;
    wick_store_release(&publishing, true); /* pairs: wick_publish_thread_end */
    return JNI_TRUE;
}

jint JNICALL Java_wick_Native_key(JNIEnv *env, jclass cls, jbyteArray utf8)
{
    char buf[WICK_LABELS_TEXT_MAX];
    (void)cls;
    jsize n = (*env)->GetArrayLength(env, utf8);
    if (n <= 0 || n > (jsize)sizeof buf)
        return -1;
    (*env)->GetByteArrayRegion(env, utf8, 0, n, (jbyte *)buf);
    return (jint)wick_published_key(&published, buf, (size_t)n);
}

/* The virtual thread that is mounted publishes what its own record says. */
static void on_mount(uint64_t virtual_id)
{
    uint32_t n = wick_labels_virtual(wick_load_acquire(&labels), virtual_id); /* pairs: wick_publish_init */
    wick_published_point(n ? wick_published_record(&published, n) : NULL);
}

jobject JNICALL Java_wick_Native_published(JNIEnv *env, jclass cls, jlong virtual_id)
{
    static _Atomic uint64_t writers;
    (void)cls;
    if (virtual_id && !wick_mounts_follow(on_mount))
        return NULL;
    struct wick_labels *l = wick_load_acquire(&labels); /* pairs: wick_publish_init */
    uint32_t n = wick_labels_bind(l, (int32_t)syscall(SYS_gettid), (uint64_t)virtual_id);
    struct wick_published_record *r = n ? wick_published_record(&published, n) : NULL;
    if (!r)
        return NULL;
    *(volatile uint8_t *)&r->valid = 0; /* its previous owner may have ended within a scope */
    r->writer = wick_add_relaxed(&writers, 1) + 1;
    wick_published_point(r);
    return (*env)->NewDirectByteBuffer(env, r, sizeof *r);
}

void wick_publish_thread_end(void)
{
    if (wick_load_acquire(&publishing)) /* pairs: Java_wick_Native_publish */
        wick_published_point(NULL);
}

void wick_publish_stop(void)
{
    if (wick_load_acquire(&publishing)) /* pairs: Java_wick_Native_publish */
        wick_published_end(&published);
}
