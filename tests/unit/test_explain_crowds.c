/* SPDX-License-Identifier: Apache-2.0 */
/* What a machine without a CPU to spare hides, or makes look like a fault. */
#include "explain_stacks.h"

/* Of a collector without CPUs, in a program that would hardly be stopped with them, what is promoted is what waits. */
static void test_promotion__of_a_program_without_cpus_is_none(void **state)
{
    static struct wick_explain_heap heaps[8];
    (void)state;
    for (int c = 0; c < 4; c++) {
        bool starved = c & 1, serial = c & 2; /* the serial collector has no threads of its own */
        struct scene *s = scene();
        for (size_t i = 0; i < 8; i++) /* young ones, each with a full one behind it */
            heaps[i] = (struct wick_explain_heap){.used = (i % 2 ? 10 : 30) << 20,
                                                  .cause = wick_profile_cstring(&s->p, "Allocation Failure"),
                                                  .full = i % 2};
        s->f.heaps = heaps;
        s->f.nheaps = 8;
        s->f.gcs = 8;
        s->f.pauses_ns = 2 * S;
        s->f.gc_ns = serial ? 0 : S / 2;
        s->f.gc_wait_ns = starved && !serial ? 5 * S : 0;
        s->f.got_ns = 5 * S;
        uint32_t vm = thread_of(s, "VM Thread", 1);
        s->uses[vm].cpu_ns = S / 2;
        s->uses[vm].delay_ns = starved && serial ? 5 * S : 0;
        s->f.nuses = vm + 1;
        (starved ? has_not : has)(s, "promotion: ");
    }
}

/* What takes the CPUs of a machine makes no disk faster: what threads wait for those hides no wait for it. */
static void test_file_sync__is_a_share_of_what_crowds_leave(void **state)
{
    static const struct {
        int others; /* percent of the machine's CPUs */
        const char *waits;
        bool found;
    } cases[] = {{90, "sun/nio/ch/FileChannelImpl.force", true},
                 {10, "sun/nio/ch/FileChannelImpl.force", false}, /* its own threads do */
                 {90, "java/util/concurrent/ArrayBlockingQueue.put", false}};
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct scene *s = scene();
        uint32_t at = STACK(s, "app/Register.put", cases[c].waits);
        bool disk = strstr(cases[c].waits, "force") != NULL;
        for (int t = 1; t <= 4; t++) {
            add(s, thread_of(s, "bank", t), at, disk ? WICK_EXPLAIN_DISK : WICK_EXPLAIN_PARKED, 1.2);
            add(s, thread_of(s, "bank", t), STACK(s, "app/Register.put"), WICK_EXPLAIN_WAITING_FOR_CPU, 8.4);
            add(s, thread_of(s, "bank", t), STACK(s, "app/Register.put"), WICK_EXPLAIN_RUNNABLE, 0.4);
        }
        s->f.others = cases[c].others;
        s->f.machines = 100;
        (cases[c].found ? has : has_not)(s, "waiting: 12 % of the time that threads have work (4.8 s) is waiting for ");
    }
}

/* An operation of a VM thread that has no CPU takes long without a fault of its own. */
static void test_vm_operations__count_with_the_cpu_that_the_vm_thread_got(void **state)
{
    (void)state;
    for (unsigned starved = 0; starved < 2; starved++) {
        struct scene *s = scene();
        struct wick_explain_row row = {.name = wick_profile_cstring(&s->p, "Cleanup"), .sum = 2.0 * S};
        uint32_t t = thread_of(s, "VM Thread", 1);
        s->uses[t].cpu_ns = S / 10;
        s->uses[t].delay_ns = starved ? S : 0;
        s->f.nuses = t + 1;
        s->f.operations.rows = &row;
        s->f.operations.n = 1;
        (starved ? has_not : has)(s, "vm-operations: the VM thread was at Cleanup");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_promotion__of_a_program_without_cpus_is_none),
        cmocka_unit_test(test_file_sync__is_a_share_of_what_crowds_leave),
        cmocka_unit_test(test_vm_operations__count_with_the_cpu_that_the_vm_thread_got),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
