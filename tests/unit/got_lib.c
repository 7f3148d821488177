/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A library whose calls test_got.c hooks; built with words of every sort.
 */
#include <pthread.h>

int got_lock(pthread_mutex_t *m);
int got_lock(pthread_mutex_t *m)
{
    return pthread_mutex_lock(m);
}

int got_unlock(pthread_mutex_t *m);
int got_unlock(pthread_mutex_t *m)
{
    return pthread_mutex_unlock(m);
}
