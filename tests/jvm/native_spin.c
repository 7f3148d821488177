/* SPDX-License-Identifier: Apache-2.0 */
/* A native program whose stack is known: main -> spin_outer -> spin_inner, until it is killed. Prints "up" first. */
#include <stdio.h>

static volatile unsigned long sink;

__attribute__((noinline)) static unsigned long spin_inner(unsigned long x)
{
    for (int i = 0; i < 20000; i++)
        x = x * 2862933555777941757u + 3037000493u;
    sink = x;
    return x;
}

__attribute__((noinline)) static unsigned long spin_outer(unsigned long x)
{
    unsigned long sum = 0;
    for (int i = 0; i < 1000; i++)
        sum += spin_inner(x + (unsigned long)i);
    sink = sum;
    return sum;
}

int main(void)
{
    unsigned long x = 1;
    puts("up");
    fflush(stdout);
    for (;;)
        x = spin_outer(x) + sink;
}
