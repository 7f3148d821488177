/* SPDX-License-Identifier: Apache-2.0 */
/*
 * locked.c - two locks of the C library, one of which inherits priorities: a thread has each for 20 ms at a time, and
 * another one waits for it
 */
#include <pthread.h>
#include <time.h>
#include <unistd.h>

enum { HELD_NS = 20000000, FREE_NS = 1000000 };

static void nap(long ns)
{
    nanosleep(&(struct timespec){0, ns}, NULL);
}

static void *hold(void *lock)
{
    pthread_setname_np(pthread_self(), "holds");
    for (;;) {
        pthread_mutex_lock(lock);
        nap(HELD_NS);
        pthread_mutex_unlock(lock);
        nap(FREE_NS);
    }
    return NULL;
}

static void *wait_for_it(void *lock)
{
    pthread_setname_np(pthread_self(), "waits");
    for (;;) {
        pthread_mutex_lock(lock);
        pthread_mutex_unlock(lock);
        nap(FREE_NS);
    }
    return NULL;
}

int main(void)
{
    static pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER, inherits;
    pthread_mutexattr_t attr;
    pthread_t thread;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT);
    pthread_mutex_init(&inherits, &attr);
    pthread_mutex_t *const locks[] = {&plain, &inherits};
    for (int i = 0; i < 2; i++)
        if (pthread_create(&thread, NULL, hold, locks[i]) || pthread_create(&thread, NULL, wait_for_it, locks[i]))
            return 1;
    for (;;)
        pause();
}
