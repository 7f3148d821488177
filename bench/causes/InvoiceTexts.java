// SPDX-License-Identifier: Apache-2.0
// cause: the bundle of texts is not cached, so each label searches classes and files of it, most of which are missing: InvoiceTexts.label
// share: 95 to 96 % of an invoice is label()
// expect: hot-method frame=InvoiceTexts.label | hot-method caller=InvoiceTexts.label | hot-calls frame=InvoiceTexts.label | hot-calls caller=InvoiceTexts.label | hot-code frame=InvoiceTexts.label | endpoint-cpu frame=InvoiceTexts.label | lock-contention frame=InvoiceTexts.label | waiting frame=InvoiceTexts.label
// judge: right is what names label() or getBundle() called by it, as CPU or as a search for classes that are missing
// symptom: hot-method hot-calls hot-code
// jdk: 17
// set: tenth
import java.util.ListResourceBundle;
import java.util.Locale;
import java.util.ResourceBundle;
import java.util.concurrent.atomic.LongAdder;

/** Invoices in the language of the customer; translators see their changes at once. */
public final class InvoiceTexts {
    private static final LongAdder SEARCHING = new LongAdder();
    private static final LongAdder ALL = new LongAdder();
    private static final LongAdder INVOICES = new LongAdder();
    private static final Locale[] LOCALES = {new Locale("de", "CH"), new Locale("de", "AT"), Locale.UK, new Locale("fr", "BE")};
    private static final String[] LABELS = {"invoice", "date", "item", "amount", "total"};

    private static final ResourceBundle.Control CONTROL = new ResourceBundle.Control() {
        @Override
        public long getTimeToLive(String baseName, Locale locale) {
            return TTL_DONT_CACHE;
        }
    };

    private static String label(Locale locale, String key) {
        return ResourceBundle.getBundle("Texts", locale, CONTROL).getString(key);
    }

    private static String invoice(Locale locale, int number) {
        StringBuilder text = new StringBuilder();
        for (String key : LABELS) {
            long start = System.nanoTime();
            String label = label(locale, key);
            SEARCHING.add(System.nanoTime() - start);
            text.append(label).append(": ").append(number % 1000 * label.length()).append('\n');
        }
        for (int line = 0; line < 30; line++) {
            text.append(line).append('\t').append(number * 31L % (line + 7)).append('\t').append(number % 100 / 4.0).append('\n');
        }
        return text.toString();
    }

    private static void print(int printer) {
        long length = 0;
        try {
            for (int n = printer; length >= 0; n += 2) {
                long start = System.nanoTime();
                length += invoice(LOCALES[n / 2 % LOCALES.length], n).length();
                ALL.add(System.nanoTime() - start);
                INVOICES.increment();
                if (n % 20 < 2) {
                    Thread.sleep(1);
                }
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws InterruptedException {
        for (int i = 0; i < 2; i++) {
            int printer = i;
            new Thread(() -> print(printer), "printer-" + i).start();
        }
        System.out.println("READY");
        for (;;) {
            Thread.sleep(1000);
            long all = ALL.sumThenReset();
            System.out.println("measured: " + 100 * SEARCHING.sumThenReset() / (all + 1) + " % of an invoice is label(), "
                    + all / (INVOICES.sumThenReset() + 1) / 1000 + " us an invoice");
        }
    }
}

class Texts extends ListResourceBundle {
    public Texts() {
    }

    @Override
    protected Object[][] getContents() {
        return new Object[][]{{"invoice", "Invoice"}, {"date", "Date"}, {"item", "Item"}, {"amount", "Amount"}, {"total", "Total"}};
    }
}

class Texts_de extends ListResourceBundle {
    public Texts_de() {
    }

    @Override
    protected Object[][] getContents() {
        return new Object[][]{{"invoice", "Rechnung"}, {"date", "Datum"}, {"item", "Posten"}, {"amount", "Betrag"}, {"total", "Summe"}};
    }
}
