// SPDX-License-Identifier: Apache-2.0
// cause: EnergyBills$Contracts.recent is a least-recently-used cache of 2,000 entries, but each billing run goes through 2,200 customers in the same order, so every entry is evicted shortly before it is needed again, the hit rate is 0 and EnergyBills$ContractFile.read reads and parses a 4 KB block for each bill.
// share: faulty 112,000-134,000 bills/s, fixed (capacity 2,400) 1,505,000-1,553,000 bills/s: about 12 times better
// expect: cache-misses
// symptom: hot-calls hot-code hot-method
// judge: NAMED: the LRU cache in EnergyBills$Contracts (of / removeEldestEntry, CACHE_ENTRIES=2000) never hits because the cyclic pass over 2,200 customers is larger than its capacity, so each contract is read again by ContractFile.read. SYMPTOM ONLY: ContractFile.read / String.split / Double.parseDouble is hot, contracts are parsed again and again, many small file reads, high allocation. Saying 'the cache does not hold / does not hit' with the class named counts as NAMED. WRONG: slow disk, GC or heap size, LinkedHashMap being slow, Contract.price as the cause, lock contention.
// jdk: 11
// set: twenty-third
// jvm:
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;

public class EnergyBills {
    private static final int CUSTOMERS = 2200;
    private static final int CACHE_ENTRIES = Boolean.getBoolean("fixed") ? 2400 : 2000;
    private static final int BLOCK = 4096;
    private static final AtomicLong BILLED = new AtomicLong();
    private static final AtomicLong HITS = new AtomicLong();
    private static final AtomicLong RUNS = new AtomicLong();

    static final class Contract {
        final int customer;
        final int[] bandLimits;
        final double[] bandPrices;
        final double standing;

        Contract(int customer, int[] bandLimits, double[] bandPrices, double standing) {
            this.customer = customer;
            this.bandLimits = bandLimits;
            this.bandPrices = bandPrices;
            this.standing = standing;
        }

        double price(int kwh) {
            double sum = standing;
            int left = kwh;
            for (int i = 0; i < bandLimits.length && left > 0; i++) {
                int take = Math.min(left, bandLimits[i]);
                sum += take * bandPrices[i];
                left -= take;
            }
            return sum;
        }
    }

    static final class ContractFile {
        private final FileChannel channel;
        private final ByteBuffer block = ByteBuffer.allocate(BLOCK);

        ContractFile(Path path) throws IOException {
            channel = FileChannel.open(path, StandardOpenOption.READ);
        }

        Contract read(int customer) throws IOException {
            block.clear();
            long pos = (long) customer * BLOCK;
            while (block.hasRemaining()) {
                int n = channel.read(block, pos);
                if (n < 0) {
                    throw new IOException("no contract " + customer);
                }
                pos += n;
            }
            String text = new String(block.array(), 0, BLOCK, "US-ASCII").trim();
            String[] fields = text.split(";");
            int bands = Integer.parseInt(fields[1]);
            int[] limits = new int[bands];
            double[] prices = new double[bands];
            for (int i = 0; i < bands; i++) {
                limits[i] = Integer.parseInt(fields[3 + 2 * i]);
                prices[i] = Double.parseDouble(fields[4 + 2 * i]);
            }
            return new Contract(Integer.parseInt(fields[0]), limits, prices, Double.parseDouble(fields[2]));
        }

        static void create(Path path) throws IOException {
            Random random = new Random(23);
            try (FileChannel out = FileChannel.open(path, StandardOpenOption.WRITE)) {
                for (int c = 0; c < CUSTOMERS; c++) {
                    StringBuilder b = new StringBuilder(BLOCK);
                    b.append(c).append(";40;").append(4 + random.nextInt(8)).append(".25");
                    for (int i = 0; i < 40; i++) {
                        b.append(';').append(50 + random.nextInt(200));
                        b.append(';').append("0.").append(1000 + random.nextInt(3000));
                    }
                    while (b.length() < BLOCK) {
                        b.append(' ');
                    }
                    out.write(ByteBuffer.wrap(b.toString().getBytes("US-ASCII")));
                }
            }
        }
    }

    static final class Contracts {
        private final ContractFile file;
        private final Map<Integer, Contract> recent = new LinkedHashMap<>(4096, 0.75f, true) {
            @Override
            protected boolean removeEldestEntry(Map.Entry<Integer, Contract> eldest) {
                return size() > CACHE_ENTRIES;
            }
        };

        Contracts(ContractFile file) {
            this.file = file;
        }

        Contract of(int customer) throws IOException {
            Contract c = recent.get(customer);
            if (c == null) {
                c = file.read(customer);
                recent.put(customer, c);
            } else {
                HITS.incrementAndGet();
            }
            return c;
        }
    }

    static void bill(Contracts contracts, long end) throws IOException {
        Random random = new Random(1);
        double revenue = 0;
        while (System.nanoTime() < end) {
            for (int c = 0; c < CUSTOMERS; c++) {
                Contract contract = contracts.of(c);
                for (int hour = 0; hour < 24; hour++) {
                    revenue += contract.price(100 + random.nextInt(2500));
                }
                BILLED.incrementAndGet();
            }
            RUNS.incrementAndGet();
        }
        System.out.println("revenue " + Math.round(revenue));
    }

    public static void main(String[] args) throws Exception {
        Path path = Files.createTempFile("contracts", ".dat");
        path.toFile().deleteOnExit();
        ContractFile.create(path);
        Contracts contracts = new Contracts(new ContractFile(path));
        long end = System.nanoTime() + 170L * 1_000_000_000L;
        Thread worker = new Thread(() -> {
            try {
                bill(contracts, end);
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }, "billing-run");
        worker.start();
        System.out.println("READY");
        long before = 0;
        while (worker.isAlive()) {
            worker.join(1000);
            long n = BILLED.get();
            System.out.println("measured: " + (n - before) + " bills/s, runs=" + RUNS.get());
            before = n;
        }
    }
}
