/* SPDX-License-Identifier: Apache-2.0 */
/* Symbol names made of any bytes, on a stack no larger than demangle.h asks for. */
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "elf/demangle.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void *demangle(void *arg)
{
    char out[300];
    for (unsigned flags = 0; flags < 8; flags++) {
        size_t n = wick_demangle(arg, flags, out, sizeof out);
        if (n >= sizeof out || strlen(out) != n)
            abort();
    }
    return NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pthread_attr_t attr;
    pthread_t t;
    char *name = malloc(size + 1);
    memcpy(name, data, size);
    name[size] = 0;
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, 512 * 1024);
    if (pthread_create(&t, &attr, demangle, name))
        abort();
    pthread_join(t, NULL);
    pthread_attr_destroy(&attr);
    free(name);
    return 0;
}
