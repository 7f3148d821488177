// SPDX-License-Identifier: Apache-2.0
// cause: VaccineDepots$Depot guards its stock by a String literal ("stock"), which is one and the same object for all ten depots: Depot.receive, Depot.issue and Depot.forecast of unrelated depots exclude each other (monitor contention)
// share: about 7 of the 10 clerks, each with a depot of its own, wait for the monitor at any time, 60 to 75 % of their time (see "measured")
// expect: waiting kind=monitor frame=VaccineDepots$Depot | lock-contention frame=VaccineDepots$Depot
// symptom: hot-method
// judge: NAMED: threads (clerks) wait for monitors / lock contention at VaccineDepots$Depot.receive, .issue and/or .forecast. SYMPTOM ONLY: computing in Depot.oldest, Depot.demand, Depot.forecast (hot method) without the monitor; only one CPU used. WRONG: anything else as the cause (CPU starvation, collections, Clerk's sleep, the Delivery records, map lookups).
// jdk: 21
// set: thirty-fourth
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;

public class VaccineDepots {
    record Delivery(int vaccine, int batch, int doses, int expiresOnDay) { }

    static final class Lot {
        final int batch, expiresOnDay;
        int doses;

        Lot(Delivery d) {
            batch = d.batch();
            expiresOnDay = d.expiresOnDay();
            doses = d.doses();
        }
    }

    /** The cold store of one district. */
    static final class Depot {
        static final int VACCINES = 12, LOTS = 400;
        static final LongAdder waitedNs = new LongAdder(), calls = new LongAdder();

        final String district;
        private final String guard = "stock";
        private final List<List<Lot>> stock = new ArrayList<>();
        private final double[][] used = new double[VACCINES][120];

        Depot(String district) {
            this.district = district;
            for (int v = 0; v < VACCINES; v++) {
                stock.add(new ArrayList<>());
                for (int i = 0; i < LOTS; i++) {
                    stock.get(v).add(new Lot(new Delivery(v, i, 50 + i % 40, 30 + i * 7 % 300)));
                }
            }
        }

        void receive(Delivery d) {
            long asked = System.nanoTime();
            synchronized (guard) {
                waited(asked);
                List<Lot> lots = stock.get(d.vaccine());
                int at = 0;
                while (at < lots.size() && lots.get(at).expiresOnDay < d.expiresOnDay()) {
                    at++;
                }
                lots.add(at, new Lot(d));
                while (lots.size() > LOTS) {
                    lots.remove(oldest(lots));
                }
                demand(d.vaccine(), 0);
            }
        }

        int issue(int vaccine, int doses, int day) {
            long asked = System.nanoTime();
            synchronized (guard) {
                waited(asked);
                List<Lot> lots = stock.get(vaccine);
                int given = 0;
                for (int tries = 0; given < doses && tries < 60; tries++) {
                    Lot lot = lots.get(oldest(lots));
                    int take = Math.min(doses - given, lot.doses);
                    lot.doses = lot.doses - take + (lot.doses == take ? 60 : 0);
                    given += take;
                }
                used[vaccine][day % 120] += given;
                demand(vaccine, day);
                return given;
            }
        }

        double forecast(int day) {
            long asked = System.nanoTime();
            synchronized (guard) {
                waited(asked);
                double all = 0;
                for (int v = 0; v < VACCINES; v++) {
                    all += demand(v, day);
                }
                return all;
            }
        }

        private int oldest(List<Lot> lots) {
            int best = 0;
            for (int i = 1; i < lots.size(); i++) {
                if (lots.get(i).expiresOnDay < lots.get(best).expiresOnDay && lots.get(i).doses > 0) {
                    best = i;
                }
            }
            return best;
        }

        private double demand(int vaccine, int day) {
            double sum = 0;
            for (int lag = 1; lag <= 90; lag++) {
                double u = used[vaccine][(day + 120 - lag) % 120];
                for (int k = 1; k <= 8; k++) {
                    sum += u / k * Math.cos(lag * k * 2 * Math.PI / 90);
                }
            }
            return sum;
        }

        private static void waited(long asked) {
            waitedNs.add(System.nanoTime() - asked);
            calls.increment();
        }
    }

    static final class Clerk implements Runnable {
        private final Depot depot;
        private double outlook;
        private int given;

        Clerk(Depot depot) {
            this.depot = depot;
        }

        @Override public void run() {
            ThreadLocalRandom r = ThreadLocalRandom.current();
            try {
                for (int n = 0;; n++) {
                    int day = n / 50;
                    for (int i = 0; i < 40; i++) {
                        depot.receive(new Delivery(r.nextInt(Depot.VACCINES), n * 40 + i, 20 + r.nextInt(80), 30 + r.nextInt(300)));
                        given += depot.issue(r.nextInt(Depot.VACCINES), 200 + r.nextInt(400), day);
                        outlook = depot.forecast(day);
                    }
                    Thread.sleep(1);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        String[] districts = {"Altmark", "Boerde", "Flaeming", "Harz", "Lausitz", "Rhoen", "Solling", "Spessart", "Uckermark", "Wendland"};
        for (String d : districts) {
            Thread t = new Thread(new Clerk(new Depot(d)), "clerk-" + d);
            t.setDaemon(true);
            t.start();
        }
        Thread.sleep(2500);
        System.out.println("READY");
        System.out.flush();
        while (true) {
            long w = Depot.waitedNs.sum(), c = Depot.calls.sum(), at = System.nanoTime();
            Thread.sleep(1000);
            double s = (System.nanoTime() - at) / 1e9;
            long n = Math.max(1, Depot.calls.sum() - c);
            System.out.printf(Locale.ROOT, "measured: %.0f bookings a second, each waits %.2f ms for the monitor; %.1f of %d clerks wait%n",
                n / s, (Depot.waitedNs.sum() - w) / 1e6 / n, (Depot.waitedNs.sum() - w) / 1e9 / s, districts.length);
        }
    }
}
