// SPDX-License-Identifier: Apache-2.0
// cause: TimetableKiosk$Bundle.page opens the zip file of all timetables (7,000 entries) anew for each page that is asked for: new ZipFile() reads its whole directory each time, to get at one small entry, and closes it again
// share: @SHARE@
// expect: hot-code kind=archives frame=TimetableKiosk$Bundle
// symptom: hot-code hot-calls hot-method
// judge: NAMED: opening or reading archives (archives: zip, jar) for TimetableKiosk$Bundle.page, or ZipFile's opening, reading of its central directory (initCEN, checkAndAddEntry, ...) called from there. SYMPTOM ONLY: hot-calls or "computes" at TimetableKiosk$Bundle.page without what it calls; a hot method in java.util.zip without the function; file reads at that place; threads of terminals that wait for the kiosk's answers. WRONG: compression or inflating as the cause (entries are small), TimetableKiosk$Board.render or departures as the cause, the heap, locks, collections
// jdk: 21
// set: thirty-fifth
// jvm: -Xmx256m
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;

/** Shows departures at the stops of a city, from the bundle of timetables that the operator publishes each night. */
public class TimetableKiosk {
    static final int STOPS = 7000;
    static final LongAdder boards = new LongAdder();
    static final LongAdder fetchNanos = new LongAdder();
    static final LongAdder renderNanos = new LongAdder();
    static final LongAdder skipped = new LongAdder();

    /** The operator's publication: a zip file with a page for each stop. */
    static final class Bundle {
        private final Path file;

        Bundle(Path file) {
            this.file = file;
        }

        static Bundle publish(Path file) throws IOException {
            Random random = new Random(5);
            try (ZipOutputStream zip = new ZipOutputStream(new BufferedOutputStream(Files.newOutputStream(file)))) {
                for (int stop = 0; stop < STOPS; stop++) {
                    zip.putNextEntry(new ZipEntry(name(stop)));
                    StringBuilder page = new StringBuilder();
                    int minute = 4 * 60 + random.nextInt(40);
                    for (int i = 0; i < 30 && minute < 24 * 60; i++) {
                        page.append(minute).append(';').append(1 + random.nextInt(60)).append(";terminus-").append(random.nextInt(80)).append('\n');
                        minute += 5 + random.nextInt(60);
                    }
                    zip.write(page.toString().getBytes(StandardCharsets.UTF_8));
                    zip.closeEntry();
                }
            }
            return new Bundle(file);
        }

        private static String name(int stop) {
            return "stops/zone-" + stop % 12 + "/stop-" + stop + ".csv";
        }

        String page(int stop) throws IOException {
            try (ZipFile zip = new ZipFile(file.toFile())) {
                ZipEntry entry = zip.getEntry(name(stop));
                try (InputStream in = zip.getInputStream(entry)) {
                    return new String(in.readAllBytes(), StandardCharsets.UTF_8);
                }
            }
        }
    }

    record Departure(int minute, int line, String terminus) {
    }

    /** The next departures of a stop, as the display shows them. */
    static final class Board {
        static String render(String page, int now) {
            StringBuilder text = new StringBuilder(400);
            int shown = 0;
            int from = 0;
            while (from < page.length() && shown < 8) {
                int end = page.indexOf('\n', from);
                Departure departure = parse(page, from, end);
                if (departure.minute() >= now) {
                    int wait = departure.minute() - now;
                    text.append(departure.line()).append('\t').append(departure.terminus()).append('\t').append(wait > 60 ? "later" : wait + " min").append('\n');
                    shown++;
                }
                from = end + 1;
            }
            return text.toString();
        }

        private static Departure parse(String page, int from, int end) {
            int a = page.indexOf(';', from);
            int b = page.indexOf(';', a + 1);
            return new Departure(Integer.parseInt(page, from, a, 10), Integer.parseInt(page, a + 1, b, 10), page.substring(b + 1, end));
        }
    }

    /** Answers the displays. */
    static final class Kiosk {
        private final Bundle bundle;

        Kiosk(Bundle bundle) {
            this.bundle = bundle;
        }

        int show(int stop, int now) {
            try {
                long a = System.nanoTime();
                String page = bundle.page(stop);
                long b = System.nanoTime();
                String board = Board.render(page, now);
                fetchNanos.add(b - a);
                renderNanos.add(System.nanoTime() - b);
                boards.increment();
                return board.length();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Path file = Files.createTempFile("timetables", ".zip");
        file.toFile().deleteOnExit();
        Kiosk kiosk = new Kiosk(Bundle.publish(file));
        AtomicInteger number = new AtomicInteger();
        ThreadPoolExecutor displays = new ThreadPoolExecutor(2, 2, 1, TimeUnit.MINUTES, new ArrayBlockingQueue<>(60), task -> {
            Thread thread = new Thread(task, "display-" + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        }, (task, pool) -> skipped.increment());
        Thread polling = new Thread(() -> {
            Random random = new Random(9);
            try {
                for (;;) {
                    for (int i = 0; i < 20; i++) {
                        int stop = random.nextInt(STOPS);
                        int now = 300 + random.nextInt(1000);
                        displays.execute(() -> kiosk.show(stop, now));
                    }
                    Thread.sleep(20);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }, "polling");
        polling.setDaemon(true);
        polling.start();
        for (int second = 0; ; second++) {
            Thread.sleep(1000);
            long n = Math.max(1, boards.sumThenReset());
            long fetch = fetchNanos.sumThenReset();
            long render = renderNanos.sumThenReset();
            System.out.printf(Locale.ROOT, "measured: %d boards; fetching the page %.2f ms each (%.1f %% of the work), rendering %.3f ms; %d polls skipped%n",
                    n, fetch / 1e6 / n, 100.0 * fetch / Math.max(1, fetch + render), render / 1e6 / n, skipped.sumThenReset());
            if (second == 3) {
                System.out.println("READY");
            }
            System.out.flush();
        }
    }
}
