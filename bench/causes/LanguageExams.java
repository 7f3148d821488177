// SPDX-License-Identifier: Apache-2.0
// cause: LanguageExams.grade returns early for withdrawn candidates without giving its archive session back (Sessions.giveBack is skipped), so the pool of 8 sessions runs dry and callers wait until the caretaker reclaims lost sessions after 3 s.
// share: about 92 % of the latency; mean 87 ms against 6.7 ms with -Dfixed=true, 150 against 730 papers/s (ratio about 4.8)
// judge: must say that sessions are leaked / not returned to the pool on a path of LanguageExams.grade (the callers wait in Sessions.borrow for sessions that nobody uses). "Pool too small" or "waiting in Sessions.borrow" alone, or "slow queries", is only a symptom.
// expect: waiting kind=pool peak=.
// symptom: waiting
// set: twentieth
// jdk: 21
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;

public class LanguageExams {
    static final boolean REVISED = Boolean.getBoolean("fixed");

    static final class Session {
        final int number;

        Session(int number) {
            this.number = number;
        }

        int[] answers(int candidate) throws InterruptedException {
            Thread.sleep(5);
            int[] sheet = new int[60];
            for (int i = 0; i < sheet.length; i++) {
                sheet[i] = (candidate * 31 + i * 7) & 3;
            }
            return candidate % 60 == 0 ? new int[0] : sheet;
        }
    }

    static final class Sessions {
        final BlockingQueue<Session> free = new ArrayBlockingQueue<>(8);
        final Map<Session, Long> lent = new ConcurrentHashMap<>();

        Sessions() {
            for (int i = 0; i < 8; i++) {
                free.add(new Session(i));
            }
        }

        Session borrow() throws InterruptedException {
            Session s = free.take();
            lent.put(s, System.nanoTime());
            return s;
        }

        void giveBack(Session s) {
            if (lent.remove(s) != null) {
                free.add(s);
            }
        }

        void caretaker() {
            try {
                while (true) {
                    Thread.sleep(250);
                    long limit = System.nanoTime() - 3_000_000_000L;
                    for (Map.Entry<Session, Long> e : lent.entrySet()) {
                        if (e.getValue() < limit && lent.remove(e.getKey(), e.getValue())) {
                            free.add(new Session(e.getKey().number));
                        }
                    }
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    final Sessions sessions = new Sessions();
    final LongAdder graded = new LongAdder();
    final LongAdder micros = new LongAdder();

    int grade(int candidate) throws InterruptedException {
        Session s = sessions.borrow();
        int[] sheet = s.answers(candidate);
        if (sheet.length == 0) {
            if (REVISED) {
                sessions.giveBack(s);
            }
            return -1;
        }
        sessions.giveBack(s);
        int points = 0;
        for (int i = 0; i < sheet.length; i++) {
            points += sheet[i] == ((i * 5) & 3) ? 2 : 0;
        }
        return points;
    }

    void examiner() {
        ThreadLocalRandom r = ThreadLocalRandom.current();
        try {
            while (true) {
                long t = System.nanoTime();
                int points = grade(r.nextInt(100000));
                micros.add((System.nanoTime() - t) / 1000);
                if (points >= -1) {
                    graded.increment();
                }
                Thread.sleep(6 + r.nextInt(5));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    static void start(Runnable r, String name) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        t.start();
    }

    public static void main(String[] args) throws Exception {
        LanguageExams board = new LanguageExams();
        start(board.sessions::caretaker, "caretaker");
        for (int i = 0; i < 12; i++) {
            start(board::examiner, "examiner-" + i);
        }
        System.out.println("READY");
        long lastN = 0;
        long lastT = 0;
        for (int i = 0; i < 240; i++) {
            Thread.sleep(1000);
            long n = board.graded.sum();
            long t = board.micros.sum();
            System.out.println("measured: " + (n - lastN) + " papers/s, mean "
                    + (n == lastN ? 0 : (t - lastT) / (n - lastN)) + " us");
            lastN = n;
            lastT = t;
        }
    }
}
