/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program of musl's that takes libwick.so in as a JVM does, with a JavaVM that has nothing: what works without Java.
 *
 *   musl_load LIBRARY     prints what came of it, then waits for the end of its standard input
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>

struct vm {
    const struct functions *functions;
};
struct functions {
    void *reserved[3];
    int32_t (*destroy)(struct vm *vm);
    int32_t (*attach)(struct vm *vm, void **env, void *args);
    int32_t (*detach)(struct vm *vm);
    int32_t (*get_env)(struct vm *vm, void **env, int32_t version);
    int32_t (*attach_daemon)(struct vm *vm, void **env, void *args);
};

static int32_t refuse(struct vm *vm)
{
    (void)vm;
    return -1;
}

static int32_t refuse_attach(struct vm *vm, void **env, void *args)
{
    (void)vm;
    (void)args;
    *env = NULL;
    return -1;
}

static int32_t refuse_env(struct vm *vm, void **env, int32_t version)
{
    (void)vm;
    (void)version;
    *env = NULL;
    return -3; /* JNI_EVERSION */
}

static const struct functions nothing = {{0}, refuse, refuse_attach, refuse, refuse_env, refuse_attach};

int main(int argc, char **argv)
{
    struct vm vm = {&nothing};
    void *lib = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!lib) {
        printf("not loaded: %s\n", argc > 1 ? dlerror() : "no library is named");
        return 1;
    }
    int32_t (*onload)(struct vm *, char *, void *) = dlsym(lib, "Agent_OnLoad");
    int32_t (*onattach)(struct vm *, char *, void *) = dlsym(lib, "Agent_OnAttach");
    void (*onunload)(struct vm *) = dlsym(lib, "Agent_OnUnload");
    if (!onload || !onattach || !onunload) {
        puts("loaded, but a function that a JVM calls is missing");
        return 1;
    }
    char options[] = "start,event=cpu,file=/tmp/none.jfr";
    printf("loaded; Agent_OnLoad %d", onload(&vm, options, NULL));
    printf(", Agent_OnAttach %d\n", onattach(&vm, NULL, NULL));
    fflush(stdout);
    while (getchar() != EOF)
        ;
    onunload(&vm);
    puts("ended");
    return 0;
}
