/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A native program that publishes labels as OpenTelemetry proposes (OTEP 4719, OTEP 4947): the service "paint", and in
 * red_work() and blue_work() the colour of what is done, as an attribute of the thread. None of it in plain_work().
 * Each of them uses a CPU, has a page fault and waits.
 *
 *      native_labels LIBRARY       native_labels_thread.so, whose thread-local memory is allocated when it is loaded
 *
 * Prints "up", and works until it is killed.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "codec/protobuf.h"
#include "labels/process_context.h"
#include "labels/resource.h"

typedef void publish_fn(const char *colour);

enum { PAGE = 4096 };

static volatile unsigned long sink;
static volatile char *page;

__attribute__((noinline)) static void spin(void)
{
    unsigned long x = sink;
    for (int i = 0; i < 2000000; i++)
        x = x * 2862933555777941757u + 3037000493u;
    sink = x;
}

/* A page fault, and a wait. */
__attribute__((noinline)) static void rest(void)
{
    madvise((void *)page, PAGE, MADV_DONTNEED);
    *page = (char)sink;
    usleep(2000);
    sink = sink + 4;
}

__attribute__((noinline)) static void red_work(void)
{
    spin();
    rest();
    sink = sink + 1;
}

__attribute__((noinline)) static void blue_work(void)
{
    spin();
    rest();
    sink = sink + 2;
}

__attribute__((noinline)) static void plain_work(void)
{
    spin();
    rest();
    sink = sink + 3;
}

int main(int argc, char **argv)
{
    static const char version[] = "tlsdesc_v1_dev";
    static const char *const keys[] = {"size", "colour", "process"};
    static struct wick_process_context context;
    struct wick_strbuf payload = WICK_STRBUF_INIT, resource = WICK_STRBUF_INIT;
    void *library = argc == 2 ? dlopen(argv[1], RTLD_NOW) : NULL;
    publish_fn *publish = library ? (publish_fn *)dlsym(library, "publish") : NULL;
    wick_resource_add(&resource, "paint", NULL);
    wick_pb_message(&payload, 1, &resource);
    wick_resource_text(&payload, 2, "threadlocal.schema_version", version, sizeof version - 1);
    wick_resource_texts(&payload, 2, "threadlocal.attribute_key_map", keys, sizeof keys / sizeof *keys);
    page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED || !publish || wick_process_context_publish(&context, &payload))
        return 1;
    puts("up");
    fflush(stdout);
    for (;;) {
        publish("red");
        red_work();
        publish("blue");
        blue_work();
        publish(NULL);
        plain_work();
    }
}
