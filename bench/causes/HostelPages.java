// SPDX-License-Identifier: Apache-2.0
// healthy: a booking page in six languages: each request's own Accept-Language header is parsed and matched (Locale.LanguageRange.parse, Locale.lookup), and the bundle comes from the JDK's cache; formats are made once for each language. That is a small part of a request, whose CPU time goes mostly to finding free beds (HostelPages$Beds), and of a CPU it is some hundredths
// share: 2000 pages a second of 50 us of CPU time, of which choosing the language takes 7 to 24 %, 0.01 to 0.03 CPUs; 0.1 CPUs in all
// judge: RIGHT: nothing stands out, or neutral findings of where time goes (HostelPages$Beds.free, Page.show; also that some hundredths of a CPU go to locales, if it is not called a fault). WRONG: an accusation of locales (Page.language, getBundle) or any other one: dates, formatting, building strings, the monitor of Style, collections. On a crowded machine a lack of CPUs is true and no mistake
// jdk: 25
// set: thirty-fifth
import java.lang.management.ManagementFactory;
import java.text.NumberFormat;
import java.time.LocalDate;
import java.time.format.DateTimeFormatter;
import java.time.format.FormatStyle;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.ListResourceBundle;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.ResourceBundle;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/** Shows free beds of mountain hostels, in the language that the guest's browser asks for. */
public class HostelPages {
    static final List<Locale> LANGUAGES = Arrays.asList(Locale.ENGLISH, Locale.GERMAN, Locale.FRENCH, Locale.ITALIAN, Locale.of("sl"), Locale.of("cs"));

    public static class Texts extends ListResourceBundle {
        @Override
        protected Object[][] getContents() {
            return new Object[][] {{"free", "beds free"}, {"from", "from"}, {"none", "no bed"}};
        }
    }

    public static class Texts_de extends ListResourceBundle {
        @Override
        protected Object[][] getContents() {
            return new Object[][] {{"free", "Betten frei"}, {"from", "ab"}, {"none", "kein Bett"}};
        }
    }

    public static class Texts_fr extends ListResourceBundle {
        @Override
        protected Object[][] getContents() {
            return new Object[][] {{"free", "lits libres"}, {"from", "du"}, {"none", "aucun lit"}};
        }
    }

    /** What depends on the language and is made once. */
    static final class Style {
        final DateTimeFormatter dates;
        final NumberFormat prices;

        Style(Locale locale) {
            dates = DateTimeFormatter.ofLocalizedDate(FormatStyle.MEDIUM).withLocale(locale);
            prices = NumberFormat.getNumberInstance(locale);
            prices.setMinimumFractionDigits(2);
        }
    }

    /** Which beds of each hostel are taken, by day of the year. */
    static final class Beds {
        private final BitSet[][] taken = new BitSet[16][366];
        private final int[] beds = new int[16];

        Beds(Random random) {
            for (int hostel = 0; hostel < taken.length; hostel++) {
                beds[hostel] = 20 + random.nextInt(60);
                for (int day = 0; day < 366; day++) {
                    taken[hostel][day] = new BitSet();
                    for (int bed = 0; bed < beds[hostel]; bed++) {
                        taken[hostel][day].set(bed, random.nextInt(10) < 4);
                    }
                }
            }
        }

        int free(int hostel, int day, int nights) {
            int free = 0;
            for (int bed = 0; bed < beds[hostel]; bed++) {
                boolean all = true;
                for (int night = 0; night < nights && all; night++) {
                    all = !taken[hostel][(day + night) % 366].get(bed);
                }
                free += all ? 1 : 0;
            }
            return free;
        }
    }

    static final class Page {
        private final Beds beds;
        private final Map<Locale, Style> styles = new HashMap<>();
        final LongAdder pages = new LongAdder();
        final LongAdder characters = new LongAdder();

        Page(Beds beds) {
            this.beds = beds;
            for (Locale locale : LANGUAGES) {
                styles.put(locale, new Style(locale));
            }
        }

        String show(String acceptLanguage, LocalDate from, int nights) {
            Locale locale = language(acceptLanguage);
            ResourceBundle texts = ResourceBundle.getBundle("HostelPages$Texts", locale);
            Style style = styles.get(locale);
            StringBuilder html = new StringBuilder(4096);
            html.append("<h1>").append(texts.getString("from")).append(' ').append(style.dates.format(from)).append("</h1>");
            int best = -1;
            int most = 0;
            for (int hostel = 0; hostel < 16; hostel++) {
                int free = 0;
                for (int shift = 0; shift < 2; shift++) {
                    free = Math.max(free, beds.free(hostel, from.getDayOfYear() - 1 + shift, nights));
                }
                if (free > most) {
                    most = free;
                    best = hostel;
                }
                html.append("<li>").append(hostel).append(": ").append(free == 0 ? texts.getString("none") : free + " " + texts.getString("free")).append("</li>");
            }
            synchronized (style) {
                html.append("<p>").append(best).append(": ").append(style.prices.format(18.5 * nights + best)).append(" EUR</p>");
            }
            return html.toString();
        }

        private Locale language(String acceptLanguage) {
            List<Locale.LanguageRange> ranges = Locale.LanguageRange.parse(acceptLanguage);
            Locale found = Locale.lookup(ranges, LANGUAGES);
            return found == null ? Locale.ENGLISH : found;
        }
    }

    /** Browsers, each with preferences of its own. */
    static final class Browsers implements Runnable {
        private static final String[] TAGS = {"de-AT", "de", "fr-CH", "fr", "it-IT", "en-GB", "en", "sl-SI", "cs", "nl", "pl-PL", "sv"};
        private final Page page;
        private final Random random;

        Browsers(Page page, int seed) {
            this.page = page;
            this.random = new Random(seed);
        }

        @Override
        public void run() {
            for (int i = 0; i < 20; i++) {
                String header = header();
                LocalDate from = LocalDate.of(2031, 1, 1).plusDays(random.nextInt(360));
                page.characters.add(page.show(header, from, 1 + random.nextInt(4)).length());
                page.pages.increment();
            }
        }

        String header() {
            return TAGS[random.nextInt(TAGS.length)] + ",en;q=0." + (1 + random.nextInt(9)) + "," + TAGS[random.nextInt(TAGS.length)] + ";q=0." + (1 + random.nextInt(8))
                + "," + TAGS[random.nextInt(TAGS.length)] + ";q=0." + (1 + random.nextInt(8));
        }
    }

    public static void main(String[] args) throws Exception {
        Page page = new Page(new Beds(new Random(8)));
        ScheduledExecutorService doors = Executors.newScheduledThreadPool(2);
        for (int i = 0; i < 2; i++) {
            doors.scheduleAtFixedRate(new Browsers(page, i), i * 10, 20, TimeUnit.MILLISECONDS);
        }
        Thread.sleep(4000);
        System.out.println("READY");
        System.out.flush();
        var os = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        var threads = ManagementFactory.getThreadMXBean();
        long pages = page.pages.sum(), cpu = os.getProcessCpuTime(), at = System.nanoTime();
        Browsers guests = new Browsers(page, 77);
        for (;;) {
            Thread.sleep(1000);
            long pages2 = page.pages.sum(), cpu2 = os.getProcessCpuTime(), at2 = System.nanoTime();
            String[] headers = new String[50];
            for (int i = 0; i < headers.length; i++) {
                headers[i] = guests.header();
            }
            int length = 0;
            long from = threads.getCurrentThreadCpuTime();
            for (String header : headers) {
                length += page.language(header).toString().length();
            }
            double locale = (threads.getCurrentThreadCpuTime() - from) / (double) headers.length;
            double each = (double) (cpu2 - cpu) / Math.max(1, pages2 - pages);
            System.out.printf("measured: %d pages, %.0f us of CPU time each, of which the language %.0f us (%.0f %%, %.3f CPUs); %.2f CPUs in all (%d)%n",
                pages2 - pages, each / 1e3, locale / 1e3, 100 * locale / each, locale * (pages2 - pages) / (at2 - at), (double) (cpu2 - cpu) / (at2 - at), length);
            pages = pages2;
            cpu = cpu2;
            at = at2;
        }
    }
}
