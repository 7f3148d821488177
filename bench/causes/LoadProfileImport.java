// SPDX-License-Identifier: Apache-2.0
// cause: LoadProfileImport$Calendar15.slot finds the quarter of an hour of a reading by going on from the start of the month in steps of ZonedDateTime.plusMinutes(15), up to 2,976 steps for each reading, in place of one difference of times (called by $Importer.take)
// share: 95 % or more of the CPU time is java.time arithmetic (ZonedDateTime, LocalDateTime, zone rules) for $Calendar15.slot; a reading takes some 100 us or more, of which all but 1 us or so is that
// expect: hot-code kind=dates frame=LoadProfileImport$Calendar15.slot | hot-calls frame=LoadProfileImport$Calendar15.slot
// symptom: hot-method saturated-thread
// judge: NAMED: work with dates and times (java.time, ZonedDateTime) for LoadProfileImport$Calendar15.slot, as hot code, hot calls or a hot method below it with slot named as its caller. SYMPTOM ONLY: CPU time in methods of java.time (LocalDateTime, ZoneRules, ZonedDateTime) without the program's function, or attributed to $Importer.take only, or that the thread "import" is saturated without what it computes. WRONG: parsing of lines ($Reading.parse), $Profile.add, the queue of files as full or the reader as blocked (it runs ahead), the collector or allocation as the main cause, nothing stands out
// jdk: 17
// set: thirty-fourth
// jvm: -Xmx256m
import java.time.Instant;
import java.time.YearMonth;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.LongAdder;

/** Takes the readings of electricity meters into load profiles of a quarter of an hour, as the market rules ask for. */
public class LoadProfileImport {
    static final LongAdder imported = new LongAdder();
    static final LongAdder files = new LongAdder();

    record Reading(String meter, Instant time, double kilowattHours) {
        /** A line like DE0004711;1711929600;0.125 */
        static Reading parse(String line) {
            int first = line.indexOf(';');
            int second = line.indexOf(';', first + 1);
            return new Reading(line.substring(0, first), Instant.ofEpochSecond(Long.parseLong(line, first + 1, second, 10)),
                    Double.parseDouble(line.substring(second + 1)));
        }
    }

    /** Quarters of an hour of a month in local time, days of 23 and 25 hours included. */
    static final class Calendar15 {
        final ZoneId zone = ZoneId.of("Europe/Berlin");

        int slot(Instant time, YearMonth month) {
            ZonedDateTime start = month.atDay(1).atStartOfDay(zone);
            int slot = 0;
            while (!start.plusMinutes(15).toInstant().isAfter(time)) {
                start = start.plusMinutes(15);
                slot++;
            }
            return slot;
        }
    }

    static final class Profile {
        final double[] energy = new double[31 * 96 + 4];

        void add(int slot, double kilowattHours) {
            energy[slot] += kilowattHours;
        }

        double peak() {
            double peak = 0;
            for (double e : energy) peak = Math.max(peak, e * 4);
            return peak;
        }
    }

    /** What a meter operator sends: the readings of one meter for some days. */
    static final class Inbox {
        final LinkedBlockingQueue<List<String>> queue = new LinkedBlockingQueue<>();
        final Random random = new Random(96);
        final long monthStart = Instant.parse("2024-09-30T22:00:00Z").getEpochSecond();

        List<String> file() {
            String meter = "DE" + (4_000_000 + random.nextInt(300));
            int from = random.nextInt(29);
            List<String> lines = new ArrayList<>();
            for (int i = 0; i < 96; i++) {
                lines.add(meter + ";" + (monthStart + from * 86_400L + i * 900L + random.nextInt(30)) + ";" + random.nextInt(900) / 1000.0);
            }
            return lines;
        }

        void fill() {
            while (queue.size() < 20) queue.add(file());
        }
    }

    static final class Importer implements Runnable {
        final Inbox inbox;
        final Map<String, Profile> profiles = new HashMap<>();
        final Calendar15 calendar = new Calendar15();
        final YearMonth month = YearMonth.of(2024, 10);

        Importer(Inbox inbox) {
            this.inbox = inbox;
        }

        void take(String line) {
            Reading r = Reading.parse(line);
            profiles.computeIfAbsent(r.meter(), m -> new Profile()).add(calendar.slot(r.time(), month), r.kilowattHours());
            imported.increment();
        }

        @Override
        public void run() {
            while (true) {
                inbox.fill();
                List<String> lines = inbox.queue.poll();
                for (String line : lines) take(line);
                files.increment();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Importer importer = new Importer(new Inbox());
        Thread thread = new Thread(importer, "import");
        thread.setDaemon(true);
        thread.start();
        Thread.sleep(2_000);
        System.out.println("READY");
        System.out.flush();
        Inbox other = new Inbox();
        Calendar15 calendar = new Calendar15();
        long checked = 0;
        while (true) {
            imported.reset();
            files.reset();
            Thread.sleep(1_000);
            long n = imported.sum();
            // a file by hand: what one reading needs to be parsed, and to get its quarter of an hour
            List<String> lines = other.file();
            long t0 = cpu();
            List<Reading> readings = new ArrayList<>();
            for (String line : lines) readings.add(Reading.parse(line));
            long t1 = cpu();
            for (Reading r : readings) checked += calendar.slot(r.time(), importer.month);
            long t2 = cpu();
            System.out.printf("measured: %d files, %d readings a second; parsing takes %.1f us of CPU time, the quarter of an hour %.1f us (%.1f %%), checked %d%n", files.sum(), n,
                    (t1 - t0) / 1e3 / 96, (t2 - t1) / 1e3 / 96, 100.0 * (t2 - t1) / (t2 - t0), checked);
            System.out.flush();
        }
    }

    static long cpu() {
        return java.lang.management.ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }
}
