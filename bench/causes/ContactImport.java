// SPDX-License-Identifier: Apache-2.0
// cause: the regular expression ContactImport.Rules.ADDRESS ("^([a-z0-9]+[._-]?)+@...") has nested quantifiers and backtracks exponentially on the few long handles without '@' (used in ContactImport.Checker.validAddress)
// share: 10,000-13,500 imported/s faulty (7,000-17,000 at the end of 146 s), 50,000-109,000 imported/s fixed; measured at load average about 5-9, one-second values vary a lot
// judge: Named = catastrophic backtracking of the pattern ADDRESS in Checker.validAddress (nested quantifier, rewrite the pattern / check for '@' first). Symptom only = "CPU is in java.util.regex.Pattern match nodes" without backtracking. Wrong = Pattern compiled again and again (it is compiled once), string concatenation, GC, queue too small, locks.
// expect: hot-code kind=nested-repetitions
// symptom: hot-code
// jdk: 8
// set: sixteenth
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import java.util.regex.*;

public class ContactImport {
    static final boolean FIXED = Boolean.getBoolean("fixed");
    static final LongAdder imported = new LongAdder(), rejected = new LongAdder();

    static class Rules {
        static final Pattern ADDRESS = Pattern.compile(FIXED
            ? "^[a-z0-9]+([._-][a-z0-9]+)*[._-]?@[a-z0-9-]+(\\.[a-z]{2,6})+$"
            : "^([a-z0-9]+[._-]?)+@[a-z0-9-]+(\\.[a-z]{2,6})+$");
        static final Pattern PHONE = Pattern.compile("^\\+?[0-9]{2,4}[ /-][0-9 ]{5,12}$");
        static final Pattern POSTCODE = Pattern.compile("^[0-9]{5}$");
    }

    static class Row {
        final String name, address, phone, postcode;
        Row(String line) {
            String[] f = line.split(";", -1);
            name = f[0].trim(); address = f[1].trim(); phone = f[2].trim(); postcode = f[3].trim();
        }
    }

    static class Checker {
        boolean validAddress(String a) { return Rules.ADDRESS.matcher(a).matches(); }
        boolean validPhone(String p) { return Rules.PHONE.matcher(p).matches(); }
        boolean valid(Row r) {
            return !r.name.isEmpty() && Rules.POSTCODE.matcher(r.postcode).matches() && validPhone(r.phone) && validAddress(r.address);
        }
    }

    static class AddressBook {
        private final Map<String, Row> rows = new LinkedHashMap<String, Row>(1000, 0.75f, true) {
            protected boolean removeEldestEntry(Map.Entry<String, Row> e) { return size() > 20000; }
        };
        synchronized void put(Row r) { rows.put(r.address, r); }
    }

    static class Importer implements Runnable {
        final BlockingQueue<List<String>> files; final AddressBook book; final Checker checker = new Checker();
        Importer(BlockingQueue<List<String>> files, AddressBook book) { this.files = files; this.book = book; }
        public void run() {
            try {
                while (true) for (String line : files.take()) importLine(line);
            } catch (InterruptedException e) { Thread.currentThread().interrupt(); }
        }
        void importLine(String line) {
            Row r = new Row(line);
            if (checker.valid(r)) { book.put(r); imported.increment(); }
            else rejected.increment();
        }
    }

    static class Upload implements Runnable {
        final BlockingQueue<List<String>> files; final Random rnd;
        Upload(BlockingQueue<List<String>> files, int no) { this.files = files; rnd = new Random(no); }
        String word(int len) {
            StringBuilder b = new StringBuilder();
            for (int i = 0; i < len; i++) b.append((char) ('a' + rnd.nextInt(26)));
            return b.toString();
        }
        String line() {
            String address = rnd.nextInt(200) == 0 ? word(18) : word(5) + "." + word(7) + "@" + word(6) + ".org";
            return word(4) + " " + word(8) + ";" + address + ";" + "0301 " + (100000 + rnd.nextInt(900000)) + ";" + (10000 + rnd.nextInt(90000));
        }
        public void run() {
            try {
                while (true) {
                    List<String> file = new ArrayList<String>();
                    for (int i = 0; i < 300; i++) file.add(line());
                    files.put(file);
                }
            } catch (InterruptedException e) { Thread.currentThread().interrupt(); }
        }
    }

    static void start(String name, Runnable r) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        t.start();
    }

    public static void main(String[] args) throws Exception {
        BlockingQueue<List<String>> files = new ArrayBlockingQueue<List<String>>(20);
        AddressBook book = new AddressBook();
        for (int i = 0; i < 2; i++) start("importer-" + i, new Importer(files, book));
        for (int i = 0; i < 2; i++) start("upload-" + i, new Upload(files, i));
        for (int s = 0; s < 150; s++) {
            long a = imported.sum(), b = rejected.sum();
            Thread.sleep(1000);
            System.out.println("measured: imported/s=" + (imported.sum() - a) + " rejected/s=" + (rejected.sum() - b) + " waiting=" + files.size());
            if (s == 4) System.out.println("READY");
        }
        System.exit(0);
    }
}
