// SPDX-License-Identifier: Apache-2.0
// cause: LedgerImport$VmNames.of calls String.intern for every account and cost-centre field; the JVM string table holds 160,000 account names but has only 1,009 buckets (-XX:StringTableSize=1009, JDK 8 does not grow it), so each lookup walks a chain of about 160 entries in native code.
// share: faulty 48,000-172,000 postings/s, fixed (own HashMap, same strings) 1,024,000-1,464,000 postings/s: about 13 times better (a full run of 170 s of the faulty one on the loaded machine gave 32,000-360,000)
// expect: hot-code kind=interning
// symptom: gc-pauses
// judge: NAMED: String.intern called from LedgerImport$VmNames.of (reached from parse) is slow because the string table is too small for the number of strings (naming StringTableSize=1009, or 'intern per field, use an own map') - String.intern or the string table must be named. SYMPTOM ONLY: the CPU is busy in LedgerImport.parse / the import thread; native VM time; GC pauses made longer by scanning the string table. WRONG: substring or BufferedReader parsing as the cause, heap too small, memory leak, lock contention, disk I/O.
// jdk: 8
// set: twenty-third
// jvm: -XX:StringTableSize=1009
import java.io.BufferedReader;
import java.io.IOException;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;

public class LedgerImport {
    private static final boolean FIXED = Boolean.getBoolean("fixed");
    private static final int ACCOUNTS = 160000;
    private static final int LINES_PER_FILE = 4000;

    static final class Posting {
        final String account;
        final String costCentre;
        final long cents;

        Posting(String account, String costCentre, long cents) {
            this.account = account;
            this.costCentre = costCentre;
            this.cents = cents;
        }
    }

    interface Names {
        String of(String raw);
    }

    static final class VmNames implements Names {
        @Override
        public String of(String raw) {
            return raw.intern();
        }
    }

    static final class MapNames implements Names {
        private final Map<String, String> known = new HashMap<>(1 << 18);

        @Override
        public String of(String raw) {
            String s = known.get(raw);
            if (s == null) {
                known.put(raw, raw);
                s = raw;
            }
            return s;
        }
    }

    private final Names names = FIXED ? new MapNames() : new VmNames();
    private final String[] accounts = new String[ACCOUNTS];
    private final long[] balances = new long[ACCOUNTS];
    private final Random random = new Random(17);
    private final AtomicLong lines = new AtomicLong();
    private final AtomicLong files = new AtomicLong();
    private final String[] inbox = new String[10];
    private long rejected;
    private long total;

    void openAccounts() {
        for (int i = 0; i < ACCOUNTS; i++) {
            accounts[i] = names.of(accountName(i));
        }
        for (int i = 0; i < inbox.length; i++) {
            inbox[i] = nextFile();
        }
    }

    static String accountName(int i) {
        StringBuilder b = new StringBuilder(16);
        b.append("AC").append(i % 97).append('-');
        b.append(100000 + i);
        return b.toString();
    }

    String nextFile() {
        StringBuilder b = new StringBuilder(LINES_PER_FILE * 30);
        b.append("H;").append(LINES_PER_FILE).append('\n');
        for (int i = 0; i < LINES_PER_FILE; i++) {
            int a = random.nextInt(ACCOUNTS);
            b.append("P;").append(accountName(a)).append(";CC");
            b.append(a % 400).append(';');
            b.append(random.nextInt(500000) - 250000).append('\n');
        }
        b.append("T;").append(LINES_PER_FILE).append('\n');
        return b.toString();
    }

    List<Posting> parse(String text) throws IOException {
        List<Posting> out = new ArrayList<>(LINES_PER_FILE);
        BufferedReader in = new BufferedReader(new StringReader(text));
        String line;
        while ((line = in.readLine()) != null) {
            char kind = line.charAt(0);
            if (kind == 'H') {
                continue;
            }
            if (kind == 'T') {
                int expected = Integer.parseInt(line.substring(2));
                if (expected != out.size()) {
                    rejected++;
                }
                continue;
            }
            int a = line.indexOf(';', 2);
            int c = line.indexOf(';', a + 1);
            String account = names.of(line.substring(2, a));
            String centre = names.of(line.substring(a + 1, c));
            long cents = Long.parseLong(line.substring(c + 1));
            out.add(new Posting(account, centre, cents));
        }
        return out;
    }

    void post(List<Posting> postings) {
        for (Posting p : postings) {
            int dash = p.account.indexOf('-');
            int number = 0;
            for (int i = dash + 1; i < p.account.length(); i++) {
                number = number * 10 + (p.account.charAt(i) - '0');
            }
            int slot = number - 100000;
            if (accounts[slot] != p.account) {
                rejected++;
                continue;
            }
            balances[slot] += p.cents;
            total += p.cents;
        }
        lines.addAndGet(postings.size());
        files.incrementAndGet();
    }

    void importLoop(long end) throws IOException {
        while (System.nanoTime() < end) {
            post(parse(inbox[(int) (files.get() % inbox.length)]));
        }
    }

    public static void main(String[] args) throws Exception {
        final LedgerImport imp = new LedgerImport();
        imp.openAccounts();
        final long end = System.nanoTime() + 170L * 1000000000L;
        Thread worker = new Thread("ledger-import") {
            @Override
            public void run() {
                try {
                    imp.importLoop(end);
                } catch (IOException e) {
                    throw new IllegalStateException(e);
                }
            }
        };
        worker.start();
        System.out.println("READY");
        long before = 0;
        while (worker.isAlive()) {
            worker.join(1000);
            long now = imp.lines.get();
            System.out.println("measured: " + (now - before) + " postings/s, files=" + imp.files.get()
                    + ", rejected=" + imp.rejected);
            before = now;
        }
        System.out.println("done total=" + imp.total + " sum=" + Arrays.stream(imp.balances).sum());
    }
}
