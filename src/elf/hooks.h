/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hooks.h - interposing functions of ours on calls between the images of this process, and restoring the true ones
 *
 * A hook replaces what the words of the global offset tables hold (elf/got.h), of all images that are loaded and, by
 * wick_elf_hooks_refresh, of those that come later. Nothing of an image's code is changed. A word is touched only if it
 * holds the true function, or leads to the loader that would put it there (lazy binding); what another library has put
 * there stays. _off puts the true function into each word that holds ours, so nobody has to remember anything about
 * images that were unloaded. Pages that are read-only are writable for a moment and get their protection back.
 *
 * Left alone: the image that holds our function (its own calls stay its own), the one that holds the true function,
 * and the loader. Calls within the C library do not go through such words. Addresses of functions that a program took
 * itself (dlsym, tables of pointers) are not found; one that it took from a word while a hook was on is ours and stays
 * good, because a hook must go on working after _off.
 *
 * Threads: one at a time, but any for wick_elf_hooks_shared; calls of the hooked functions may go on. Never in a signal
 *          handler, nor while the loader works for the calling thread.
 * Memory:  the caller's struct.
 */
#ifndef WICK_ELF_HOOKS_H
#define WICK_ELF_HOOKS_H

#include <pthread.h>

#include "base/err.h"
#include "elf/got.h"

enum { WICK_HOOKS_MOST = 24, WICK_HOOKS_IMAGES = 512 };

struct wick_elf_hook {
    const char *name;
    uintptr_t truth, ours; /* truth 0: this C library has no such function */
    wick_addr not_in;      /* an address in another image that is left alone; 0 = none */
};

struct wick_elf_hooks {
    const struct wick_elf_hook *hooks;
    uint32_t n;
    struct wick_mem mem;
    char versions[WICK_HOOKS_MOST][WICK_GOT_VERSION_MAX]; /* of the true functions, as our own image is linked, or "" */
    unsigned long long adds, subs;                        /* images ever loaded and unloaded, at the last pass */
    struct {
        wick_addr bias, dyn;
    } done[WICK_HOOKS_IMAGES]; /* images that need no other check */
    uint32_t ndone;
    uint32_t idle, rest; /* calls of _refresh since the last pass; how many to let pass */
    bool unfinished;     /* some image was still being loaded */
};

/* What is hooked. */
struct wick_elf_hooks_count {
    uint32_t images, words;
};

/* Puts all hooks in place; n at most WICK_HOOKS_MOST, borrowed. Waits for a dlopen that is under way. 0, or
 * -WICK_E_PERM if the process's own memory cannot be read. */
int wick_elf_hooks_on(struct wick_elf_hooks *h, const struct wick_elf_hook *hooks, uint32_t n);

/* Searches for images loaded since. A microsecond if there are none. */
void wick_elf_hooks_refresh(struct wick_elf_hooks *h);

/* Takes all away. Threads may be in our functions, and will return through them. */
void wick_elf_hooks_off(struct wick_elf_hooks *h);

/* Counts the words that hold functions of ours. */
void wick_elf_hooks_count(const struct wick_elf_hooks *h, struct wick_elf_hooks_count *out);

/* Hooks that one thread turns on and off while another one still refreshes them, as the drain thread does until it has
 * ended. A recording's hooks are written by the thread that turns them on, before it does. */
struct wick_elf_hooks_shared {
    pthread_mutex_t lock; /* of the rest */
    struct wick_elf_hooks placed;
    bool on;
};
#define WICK_ELF_HOOKS_SHARED_INIT        \
    {                                     \
        .lock = PTHREAD_MUTEX_INITIALIZER \
    }

/* As wick_elf_hooks_on. what: whose functions they are, for the sentence of the error. */
int wick_elf_hooks_shared_on(struct wick_elf_hooks_shared *s, const struct wick_elf_hook *hooks, uint32_t n,
                             const char *what, struct wick_err *err);

/* As the functions above; nothing, or no words, while the hooks are off. */
void wick_elf_hooks_shared_refresh(struct wick_elf_hooks_shared *s);
void wick_elf_hooks_shared_off(struct wick_elf_hooks_shared *s);
void wick_elf_hooks_shared_count(struct wick_elf_hooks_shared *s, struct wick_elf_hooks_count *out);

#endif
