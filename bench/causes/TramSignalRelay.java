// SPDX-License-Identifier: Apache-2.0
// cause: TramSignalRelay$Relay.nextTelegram goes round the 64 ConcurrentLinkedQueues of the junctions without rest, polling each, though only some 300 telegrams a second come: both relay threads burn CPU time in polls that find nothing (called from Relay.run)
// share: 1.8 of 2 CPUs for 300 telegrams a second, some 2.7 million polls for each of them (0.6 to 1.0 CPUs while others crowd the machine)
// expect: hot-code kind=polling-queues frame=TramSignalRelay$Relay
// symptom: hot-method hot-calls saturated-thread
// judge: NAMED: CPU time is polling queues (ConcurrentLinkedQueue.poll) for TramSignalRelay$Relay.nextTelegram (or Relay.run), or any sentence that says that function spins/polls queues that are mostly empty. SYMPTOM ONLY: hot method ConcurrentLinkedQueue.poll or nextTelegram, or "what nextTelegram calls" (hot-calls) with no word of polling; saturated thread relay-0/relay-1; too few CPUs. WRONG: computing in Junction/Board code as the fault, locks, collections, waits of the sensors, or nothing stands out.
// jdk: 25
// set: thirty-first
// jvm: -Xmx256m

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/** Relays what the detectors at the junctions of a tram network report to the signals ahead. */
public class TramSignalRelay {
    static final int JUNCTIONS = 64;

    record Telegram(int junction, int line, int run, long at) { }

    enum Aspect { STOP, CAUTION, PROCEED }

    static final LongAdder polls = new LongAdder();
    static final LongAdder relayed = new LongAdder();
    static final LongAdder delayNanos = new LongAdder();

    /** A junction: what its detectors have sent, and the aspect that its signal shows. */
    static final class Junction {
        final int number;
        final Queue<Telegram> inbox = new ConcurrentLinkedQueue<>();
        volatile Aspect aspect = Aspect.STOP;

        Junction(int number) {
            this.number = number;
        }
    }

    /** Where each run of a line was last seen. */
    static final class PositionBoard {
        private final ConcurrentHashMap<Integer, Telegram> last = new ConcurrentHashMap<>();

        int headway(Telegram telegram) {
            Telegram before = last.put(telegram.line() * 1000 + telegram.run(), telegram);
            return before == null ? 600 : (int) Math.min(600, (telegram.at() - before.at()) / 1_000_000_000L);
        }
    }

    /** Serves every second junction. */
    static final class Relay implements Runnable {
        private final List<Junction> junctions = new ArrayList<>();
        private final PositionBoard board;
        private int next;

        Relay(List<Junction> all, int parity, PositionBoard board) {
            for (Junction junction : all) if (junction.number % 2 == parity) junctions.add(junction);
            this.board = board;
        }

        private Telegram nextTelegram() {
            int tried = 0;
            while (true) {
                Junction junction = junctions.get(next);
                next = next + 1 < junctions.size() ? next + 1 : 0;
                Telegram telegram = junction.inbox.poll();
                if (++tried == 4096 || telegram != null) {
                    polls.add(tried);
                    tried = 0;
                }
                if (telegram != null) return telegram;
            }
        }

        private void show(Junction junction, Aspect aspect) {
            if (junction.aspect != aspect) junction.aspect = aspect;
        }

        @Override
        public void run() {
            while (true) {
                Telegram telegram = nextTelegram();
                int headway = board.headway(telegram);
                Junction ahead = junctions.get((telegram.junction() / 2 + 1) % junctions.size());
                show(ahead, headway < 1 ? Aspect.STOP : headway < 4 ? Aspect.CAUTION : Aspect.PROCEED);
                relayed.increment();
                delayNanos.add(System.nanoTime() - telegram.at());
            }
        }
    }

    /** The detectors of a district, which send a telegram for each tram that passes. */
    static final class District implements Runnable {
        private final List<Junction> junctions;
        private final SplittableRandom random;

        District(List<Junction> junctions, int number) {
            this.junctions = junctions;
            this.random = new SplittableRandom(number);
        }

        @Override
        public void run() {
            while (true) {
                LockSupport.parkNanos(8_000_000L + random.nextInt(10_000_000));
                Junction junction = junctions.get(random.nextInt(junctions.size()));
                junction.inbox.add(new Telegram(junction.number, 1 + random.nextInt(12), random.nextInt(20), System.nanoTime()));
            }
        }
    }

    public static void main(String[] args) throws Exception {
        List<Junction> junctions = new ArrayList<>();
        for (int i = 0; i < JUNCTIONS; i++) junctions.add(new Junction(i));
        PositionBoard board = new PositionBoard();
        List<Thread> relays = new ArrayList<>();
        for (int i = 0; i < 2; i++) relays.add(Thread.ofPlatform().name("relay-" + i).start(new Relay(junctions, i, board)));
        for (int i = 0; i < 4; i++) {
            Thread.ofPlatform().name("district-" + i).start(new District(junctions.subList(i * 16, i * 16 + 16), i));
        }
        while (relayed.sum() < 200) Thread.sleep(100);
        System.out.println("READY");
        System.out.flush();
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        while (true) {
            long p = polls.sum(), n = relayed.sum(), d = delayNanos.sum(), began = System.nanoTime(), cpu = 0;
            for (Thread relay : relays) cpu -= threads.getThreadCpuTime(relay.threadId());
            Thread.sleep(1000);
            for (Thread relay : relays) cpu += threads.getThreadCpuTime(relay.threadId());
            double seconds = (System.nanoTime() - began) / 1e9;
            long dn = Math.max(1, relayed.sum() - n);
            System.out.printf("measured: %.2f CPUs for %.0f telegrams/s, %.0f polls for each of them, %.3f ms until relayed%n",
                cpu / 1e9 / seconds, dn / seconds, (double) (polls.sum() - p) / dn, (delayNanos.sum() - d) / 1e6 / dn);
        }
    }
}
