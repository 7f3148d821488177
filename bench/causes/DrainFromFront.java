// SPDX-License-Identifier: Apache-2.0
// cause: a backlog of 200,000 jobs is an ArrayList whose first element is removed, which moves all others
// expect: hot-code kind=copying-arrays frame=DrainFromFront.next | hot-method caller=DrainFromFront.next | hot-calls frame=DrainFromFront.next
// symptom: hot-method hot-code
// jvm: -XX:+UseSerialGC
// jdk: 21
// set: fifth
import java.util.ArrayList;
import java.util.List;

/** Jobs that are retried until they succeed: what fails goes to the end of the list. */
public final class DrainFromFront {
    private static final int BACKLOG = 200_000;
    private static volatile long done;

    private final List<Job> jobs = new ArrayList<>(BACKLOG + 1);

    private static final class Job {
        private final int number;
        private int attempts;
        private long checksum;

        private Job(int number) {
            this.number = number;
        }

        private boolean attempt() {
            for (int i = 0; i < 300; i++) {
                checksum = checksum * 31 + (number ^ i);
            }
            return ++attempts % 4 == 0;
        }
    }

    private Job next() {
        return jobs.remove(0);
    }

    private void add(Job job) {
        jobs.add(job);
    }

    private void fill() {
        for (int number = 0; number < BACKLOG; number++) {
            add(new Job(number));
        }
    }

    private void drain() {
        int number = BACKLOG;
        for (;;) {
            Job job = next();
            if (job.attempt()) {
                done++;
                add(new Job(number++)); // as many come as are done
            } else {
                add(job);
            }
        }
    }

    private static void report() {
        try {
            for (;;) {
                Thread.sleep(5000);
                System.out.println(done + " jobs done");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] args) {
        DrainFromFront queue = new DrainFromFront();
        queue.fill();
        Thread reporter = new Thread(DrainFromFront::report, "reporter");
        reporter.setDaemon(true);
        reporter.start();
        System.out.println("READY");
        queue.drain();
    }
}
