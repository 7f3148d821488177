/* SPDX-License-Identifier: Apache-2.0 */
/* What a machine without a CPU to spare hides, or makes look like a fault. */
#include "explain_stacks.h"

#include <stdio.h>

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
        s->f.hungry_delay_ns = !starved ? 0 : serial ? 3 * S / 2 : 5 * S;
        s->f.gc_delay_ns = s->f.gc_wait_ns;
        uint32_t vm = thread_of(s, "VM Thread", 1);
        s->uses[vm].cpu_ns = S / 2;
        s->uses[vm].delay_ns = starved && serial ? 3 * S / 2 : 0;
        s->f.nuses = vm + 1;
        (starved ? has_not : has)(s, "promotion: ");
    }
}

/* Pauses of a collector without CPUs matter as far as they take more than threads without CPUs would give. Who waits
 * for an allocation waits for that collector, and is no thread that gets on. */
static void test_pauses__are_compared_with_what_threads_got(void **state)
{
    static const struct {
        int hungry; /* seconds for which threads waited for a CPU */
        enum wick_explain_state state;
        bool pauses;
    } cases[] = {{8, WICK_EXPLAIN_ALLOCATION, true}, {8, WICK_EXPLAIN_DISK, false}, {0, WICK_EXPLAIN_DISK, false}};
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct scene *s = scene();
        add(s, thread_of(s, "settle", 1), STACK(s, "app/Settle.run", "sun/nio/ch/FileChannelImpl.force"),
            cases[c].state, 10);
        s->f.gcs = 8;
        s->f.pauses_ns = 2 * S;
        s->f.gc_ns = S / 5;
        s->f.gc_wait_ns = s->f.gc_delay_ns = 4 * S / 5;
        s->f.got_ns = s->f.gc_ns + 2 * S / 5;
        s->f.hungry_delay_ns = s->f.gc_delay_ns + cases[c].hungry * S;
        (cases[c].pauses ? has : has_not)(s, "gc-pauses: ");
    }
}

/* What takes the CPUs of a machine makes no disk faster: what threads wait for those hides no wait for it. */
static void test_file_sync__is_a_share_of_what_crowds_leave(void **state)
{
    static const struct {
        int others, limited; /* percent of the machine's CPUs, of the periods of a CPU limit */
        int own;             /* seconds of CPU time that it got */
        const char *waits;
        enum wick_explain_state state;
        bool found;
    } cases[] = {
        {80, 0, 2, "sun/nio/ch/FileChannelImpl.force", WICK_EXPLAIN_DISK, true},
        {80, 0, 0, "sun/nio/ch/FileChannelImpl.force", WICK_EXPLAIN_DISK, false},  /* that is not known */
        {10, 0, 18, "sun/nio/ch/FileChannelImpl.force", WICK_EXPLAIN_DISK, false}, /* its own threads take the CPUs */
        {30, 0, 14, "sun/nio/ch/FileChannelImpl.force", WICK_EXPLAIN_DISK, false},
        {80, 60, 2, "sun/nio/ch/FileChannelImpl.force", WICK_EXPLAIN_DISK, false}, /* or a limit stops it */
        {80, 0, 2, "sun/nio/ch/FileChannelImpl.write", WICK_EXPLAIN_IO, false},    /* who reads the pipe needs one */
        {80, 0, 2, "java/util/concurrent/ArrayBlockingQueue.put", WICK_EXPLAIN_PARKED, false}};
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct scene *s = scene();
        uint32_t at = STACK(s, "app/Register.put", cases[c].waits);
        for (int t = 1; t <= 4; t++) {
            add(s, thread_of(s, "bank", t), at, cases[c].state, 1.2);
            add(s, thread_of(s, "bank", t), STACK(s, "app/Register.put"), WICK_EXPLAIN_WAITING_FOR_CPU, 8.4);
            add(s, thread_of(s, "bank", t), STACK(s, "app/Register.put"), WICK_EXPLAIN_RUNNABLE, 0.4);
        }
        s->f.others = cases[c].others;
        s->f.machines = 100;
        s->f.allowed = 2;
        s->f.got_ns = cases[c].own * S;
        s->f.throttled.grown = cases[c].limited;
        s->f.periods.grown = 100;
        if (cases[c].found)
            has(s,
                "waiting: 12 % of the time that threads have work (4.8 s) is waiting for fsync (data to reach the "
                "disk), at app.Register.put; 47 % if the time spent waiting for CPUs that other processes use is left "
                "out");
        else
            has_not(s, "waiting: 12 %");
    }
}

/* On a fast disk to force data takes more of a CPU than of waiting. */
static void test_hot_calls__of_fsync_have_its_advice(void **state)
{
    (void)state;
    for (int most = 0; most < 4; most++) {
        struct scene *s = scene();
        if (most < 2)
            cpu(s, STACK(s, "app/Dossier.save", "java/io/FileDescriptor.sync", "libc.so.6:fsync"), most ? 3 : 2);
        else { /* it opens files, or writes to memory, and what little it writes to a file reaches the disk */
            cpu(s,
                most == 2 ? STACK(s, "app/Dossier.save", "java/io/FileInputStream.open", "libc.so.6:open64")
                          : STACK(s, "app/Dossier.save", "java/io/CharArrayWriter.write"),
                3.4);
            cpu(s,
                STACK(s, "app/Dossier.save", "java/io/FileOutputStream.write", "libc.so.6:write",
                      "kernel:ext4_sync_file"),
                1.5);
        }
        cpu(s, STACK(s, "app/Dossier.save", "java/io/FileOutputStream.write", "libc.so.6:write"), most < 2 ? 2 : 0.5);
        cpu(s, STACK(s, "app/Dossier.save", "java/io/FileOutputStream.open"), most ? 0.5 : 1.5);
        cpu(s, STACK(s, "app/Intake.typed"), 2.5);
        cpu(s, STACK(s, "app/Intake.read"), most < 2 ? 0 : 1.5);
        struct wick_explain_findings all;
        struct wick_err err = {0};
        assert_int_equal(wick_explain_apply(&all, &s->f, &err), 0);
        assert_int_equal(all.n, 1);
        assert_string_equal(all.rows[0].rule->name, "hot-calls");
        const char *advice = all.rows[0].advice ? all.rows[0].advice : "";
        bool forces = strstr(advice, "force once for many records") != NULL;
        if (forces != (most == 1) || (wick_explain_figure_of(&all.rows[0], "forces") != NULL) != forces)
            fail_msg("%d: %s, most in %s", most, advice, wick_explain_figure_of(&all.rows[0], "most")->text);
        wick_explain_findings_release(&all);
        wick_profile_release(&s->p);
        free(s);
    }
}

/* A write to a file that was opened for synchronous output ends when the disk has it: frames of the kernel show it, in
 * CPU samples only, and the wait for it is also what the kernel computes. */
static void test_waits__for_writes_to_reach_the_disk_are_for_fsync(void **state)
{
    static const struct {
        const char *kernel;
        double synced;
        bool said;
    } cases[] = {{"kernel:ext4_sync_file", 1.2, true},
                 {"kernel:xfs_file_fsync", 1.2, true},
                 {"kernel:vfs_fsync_range", 1.2, true},
                 {"kernel:ext4_sync_file", 0.8, false}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene *s = scene();
        uint32_t write = STACK(s, "app/DayBook.run", "app/DayBook.enter", "java/io/RandomAccessFile.write",
                               "java/io/RandomAccessFile.writeBytes"),
                 t = thread_of(s, "day-book", 1);
        add(s, t, write, WICK_EXPLAIN_DISK, 2);
        add(s, t, write, WICK_EXPLAIN_RUNNABLE, 6);
        cpu(s, push(&s->p, push(&s->p, write, "libc.so.6:write"), cases[i].kernel), cases[i].synced);
        cpu(s, push(&s->p, push(&s->p, write, "libc.so.6:write"), "kernel:ext4_buffered_write_iter"), 1);
        (cases[i].said ? has : has_not)(
            s,
            "waiting: 100 % of the time that threads have work (8.0 s) is waiting for fsync (data to reach the disk)");
    }
}

/* A few collections are a part of what a program does that needs little CPU time; on a machine without CPUs they are
 * more than they seem. */
static void test_gc_cpu__is_what_the_collector_would_use(void **state)
{
    static struct wick_explain_heap heaps[4];
    (void)state;
    for (int c = 0; c < 3; c++) { /* with CPUs, without, with a heap that is full */
        struct scene *s = scene();
        for (size_t i = 0; i < 4; i++)
            heaps[i] = (struct wick_explain_heap){.used = c == 2 ? 90 << 20 : 30 << 20};
        s->f.heaps = heaps;
        s->f.nheaps = s->f.gcs = 4;
        s->f.heap_max = 100 << 20;
        s->f.gc_ns = 7 * S / 10;
        s->f.got_ns = 2 * S;
        s->f.hungry_delay_ns = c == 1 ? 2 * S : 0;
        (c ? has : has_not)(s, "gc-cpu: threads of the collector use 35 % of the CPU time (700 ms)");
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

/* Threads that are ready to run for that long, one in ten seconds of it on a CPU. */
static struct scene *crowd(unsigned n, double ready)
{
    struct scene *s = scene();
    s->f.allowed = 2;
    for (unsigned i = 0; i < n; i++) {
        char name[16], method[32];
        snprintf(name, sizeof name, "calc-%u", i);
        snprintf(method, sizeof method, "app/Main.step%u", i);
        uses(s, thread_of(s, name, i + 1), STACK(s, "app/Main.run", method), 1, ready - 1);
    }
    s->f.hungry_got_ns = n * S;
    s->f.hungry_delay_ns = (int64_t)(n * (ready - 1) * S);
    return s;
}

/* Starvation is the same time: it is said once. */
static void test_too_many_threads__that_compute_on_few_cpus(void **state)
{
    (void)state;
    begins(crowd(8, 9), "too-many-threads: 8 threads need a CPU all the time, and the process may use 2: each gets one "
                        "for 11 % of it, and they are put on a CPU 800 times a second; 8 of them are calc\n\n");
    begins(crowd(7, 9), "cpu-starvation:");
    begins(crowd(12, 7), "cpu-starvation:");   /* they also do something else */
    for (int held = 2; held <= 5; held += 3) { /* seconds at safepoints; 5: more than they need a CPU */
        struct scene *s = crowd(8, 9 - held);
        for (uint32_t i = 0; i < 8; i++)
            add(s, s->cpu[i].thread, s->cpu[i].stack, WICK_EXPLAIN_SAFEPOINT, held);
        if (held == 2)
            begins(s,
                   "too-many-threads: 8 threads need a CPU all the time, and the process may use 2: each gets one for "
                   "11 % of it, ");
        else
            has_not(s, "too-many-threads");
    }
}

/* What needs little CPU time waits for a CPU before it goes on as well; what computes does so all the time. */
static void test_object_wait__is_trouble_where_nobody_computes_on_a_crowded_machine(void **state)
{
    static const struct {
        int64_t cpu_ms, delay_ms, slices; /* of each that waits */
        bool said;
    } cases[] = {{20, 900, 200, true},
                 {900, 8100, 2000, false},
                 {400, 900, 150, false}, /* it computes until a CPU is taken from it */
                 {0, 0, 200, false}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene *s = scene();
        for (unsigned k = 0; k < 4; k++) {
            uint32_t t = thread_of(s, "truck", 10 + k);
            uint32_t stack = STACK(s, "app/Dock.run", "app/Dock.put", "java/lang/Object.wait");
            add(s, t, stack, WICK_EXPLAIN_OBJECT_WAIT, 9);
            add(s, t, STACK(s, "app/Dock.run"), WICK_EXPLAIN_WAITING_FOR_CPU, 0.9);
            s->uses[t] = (struct wick_explain_use){.slices = cases[i].slices,
                                                   .cpu_ns = cases[i].cpu_ms * S / 1000,
                                                   .delay_ns = cases[i].delay_ms * S / 1000};
        }
        s->f.nuses = MOST;
        (cases[i].said ? has : has_not)(s,
                                        "(Object.wait), at app.Dock.put; during these waits hardly any thread works");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_promotion__of_a_program_without_cpus_is_none),
        cmocka_unit_test(test_pauses__are_compared_with_what_threads_got),
        cmocka_unit_test(test_hot_calls__of_fsync_have_its_advice),
        cmocka_unit_test(test_waits__for_writes_to_reach_the_disk_are_for_fsync),
        cmocka_unit_test(test_object_wait__is_trouble_where_nobody_computes_on_a_crowded_machine),
        cmocka_unit_test(test_gc_cpu__is_what_the_collector_would_use),
        cmocka_unit_test(test_file_sync__is_a_share_of_what_crowds_leave),
        cmocka_unit_test(test_vm_operations__count_with_the_cpu_that_the_vm_thread_got),
        cmocka_unit_test(test_too_many_threads__that_compute_on_few_cpus),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
