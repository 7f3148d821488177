/* SPDX-License-Identifier: Apache-2.0 */
/* A program with the static probe wicktest:point, at an instruction that the kernel probes, or with -DREFUSED at one
 * that it does not: those with a lock prefix. Prints "up" first. */
#include <stdio.h>
#include <time.h>

#ifdef REFUSED
#define INSTRUCTION "lock incl %0"
#else
#define INSTRUCTION "nop; incl %0"
#endif

/* As <sys/sdt.h> makes it: a note of type 3 with the place, the base and no semaphore. */
#define NOTE                                                                    \
    ".pushsection .note.stapsdt, \"?\", \"note\"\n"                             \
    ".balign 4\n.4byte 8, 2f - 1f, 3\n"                                         \
    ".asciz \"stapsdt\"\n"                                                      \
    "1: .8byte 990b, _.stapsdt.base, 0\n"                                       \
    ".asciz \"wicktest\"\n.asciz \"point\"\n.asciz \"\"\n"                      \
    "2: .balign 4\n.popsection\n"                                               \
    ".ifndef _.stapsdt.base\n"                                                  \
    ".pushsection .stapsdt.base, \"aG\", \"progbits\", .stapsdt.base, comdat\n" \
    ".weak _.stapsdt.base\n.hidden _.stapsdt.base\n_.stapsdt.base: .space 1\n"  \
    ".size _.stapsdt.base, 1\n.popsection\n.endif\n"

int main(void)
{
    int passed = 0;
    puts("up");
    fflush(stdout);
    for (;;) {
        __asm__ volatile("990: " INSTRUCTION "\n" NOTE : "+m"(passed));
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
}
