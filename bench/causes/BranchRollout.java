// SPDX-License-Identifier: Apache-2.0
// healthy: the program is starting: it opens the branches of a chain of laundries one after another, and for each of them translates the price rules to classes, loads these, checks them and uses parts of the JDK for the first time; that classes load and code is compiled in this time is what a start is made of, and customers of the branches that are open are served at the same time without delay
// share: seven branches a second are opened at 0.2 to 0.4 CPUs, 70 to 100 classes loaded and 100 to 350 ms of compiling in a second; a sale takes 0.01 to 0.04 ms at the same time
// judge: RIGHT: nothing stands out, or a neutral statement of where time goes (class loading, compiling, RuleTranslator.define or .translate; that the program warms up), or that many methods wait for a compiler while it starts. WRONG: an accusation of the program (classes that come and go, a fault in Branch.open or RuleTranslator, locks or waits of tills, the pauses between branches, deoptimisations as a fault), a lack of CPUs or memory that the machine does not have; a true remark on a machine crowded by others is not wrong.
// jdk: 25
// set: thirty-third
import java.io.ByteArrayInputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.lang.invoke.MethodHandles;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.text.NumberFormat;
import java.time.LocalDate;
import java.time.format.DateTimeFormatter;
import java.time.format.FormatStyle;
import java.util.ArrayList;
import java.util.Currency;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.LongAdder;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Document;

/** Starts the till service of a chain of laundries: branch after branch is opened, those that are open sell. */
public class BranchRollout {
    static final int BRANCHES = 700;
    static final int RULES = 10;
    static final LongAdder sales = new LongAdder();
    static final LongAdder saleNanos = new LongAdder();
    static volatile int classes;

    /** A price rule of a branch, translated to a class of its own. */
    public interface PriceRule {
        double price(double kilos, double degrees);
    }

    record Term(char operator, double operand, boolean kilos) {
    }

    /** Translates rules, which the branches write as terms, to classes. */
    static final class RuleTranslator {
        private static final ClassDesc RULE = PriceRule.class.describeConstable().orElseThrow();
        private static final MethodTypeDesc PRICE = MethodTypeDesc.of(ConstantDescs.CD_double, ConstantDescs.CD_double, ConstantDescs.CD_double);
        private final MethodHandles.Lookup lookup = MethodHandles.lookup();

        byte[] translate(String name, List<Term> terms) {
            return ClassFile.of().build(ClassDesc.of(name), builder -> builder
                    .withFlags(ClassFile.ACC_PUBLIC | ClassFile.ACC_FINAL)
                    .withInterfaceSymbols(RULE)
                    .withMethodBody(ConstantDescs.INIT_NAME, ConstantDescs.MTD_void, ClassFile.ACC_PUBLIC,
                            code -> code.aload(0).invokespecial(ConstantDescs.CD_Object, ConstantDescs.INIT_NAME, ConstantDescs.MTD_void).return_())
                    .withMethodBody("price", PRICE, ClassFile.ACC_PUBLIC, code -> body(code, terms)));
        }

        private void body(CodeBuilder code, List<Term> terms) {
            code.dload(1);
            for (Term term : terms) {
                code.dload(term.kilos() ? 1 : 3).ldc(term.operand()).dmul();
                switch (term.operator()) {
                    case '+' -> code.dadd();
                    case '-' -> code.dsub();
                    default -> code.invokestatic(ClassDesc.of("java.lang.Math"), "max", PRICE);
                }
            }
            code.dreturn();
        }

        PriceRule define(String name, List<Term> terms) throws ReflectiveOperationException {
            Class<?> rule = lookup.defineClass(translate(name, terms));
            classes++;
            return (PriceRule) rule.getConstructor().newInstance();
        }
    }

    static final class Branch {
        private static final DocumentBuilderFactory XML = DocumentBuilderFactory.newInstance();
        private static final Locale[] LOCALES = Locale.getAvailableLocales();
        private static final Pattern ADDRESS = Pattern.compile("(\\p{L}+) (\\d+)");
        final int number;
        final Locale locale;
        final List<PriceRule> rules = new ArrayList<>();
        String sign;

        Branch(int number) {
            this.number = number;
            locale = LOCALES[number * 7 % LOCALES.length];
        }

        void open(RuleTranslator translator) throws Exception {
            SplittableRandom random = new SplittableRandom(number);
            Document settings = settings(random);
            int count = settings.getElementsByTagName("rule").getLength();
            for (int i = 0; i < count; i++) {
                List<Term> terms = new ArrayList<>();
                int length = 8 + random.nextInt(50);
                for (int t = 0; t < length; t++) {
                    terms.add(new Term("+-m".charAt(random.nextInt(3)), random.nextDouble(), random.nextBoolean()));
                }
                rules.add(translator.define("Branch" + number + "Rule" + i, terms));
            }
            check();
            sign = sign(settings.getDocumentElement().getAttribute("address"));
        }

        private Document settings(SplittableRandom random) throws Exception {
            StringBuilder xml = new StringBuilder("<branch address='Street " + (1 + random.nextInt(200)) + "'>");
            for (int i = 0; i < RULES; i++) {
                xml.append("<rule id='").append(i).append("'/>");
            }
            byte[] bytes = xml.append("</branch>").toString().getBytes(StandardCharsets.UTF_8);
            return XML.newDocumentBuilder().parse(new ByteArrayInputStream(bytes));
        }

        /** Each rule must give a price for all that can be washed. */
        private void check() {
            for (PriceRule rule : rules) {
                for (int kilos = 1; kilos <= 60; kilos++) {
                    for (int degrees = 20; degrees <= 95; degrees += 5) {
                        if (Double.isNaN(rule.price(kilos, degrees))) {
                            throw new IllegalStateException("branch " + number);
                        }
                    }
                }
            }
        }

        private String sign(String address) throws Exception {
            String street = ADDRESS.matcher(address).replaceAll("$2 $1");
            String since = DateTimeFormatter.ofLocalizedDate(FormatStyle.LONG).withLocale(locale).format(LocalDate.of(2024, 1, 1).plusDays(number));
            String price = NumberFormat.getCurrencyInstance(locale).format(4.5);
            byte[] digest = MessageDigest.getInstance("SHA-256").digest((street + since).getBytes(StandardCharsets.UTF_8));
            return List.of(street, since, price, HexFormat.of().formatHex(digest, 0, 4), Currency.getInstance("EUR").getSymbol(locale)).stream().collect(Collectors.joining(" | "));
        }

        String sell(SplittableRandom random) {
            double price = rules.get(random.nextInt(rules.size())).price(1 + random.nextInt(20), 20 + 5 * random.nextInt(15));
            return new BigDecimal(Math.abs(price) % 1000).setScale(2, RoundingMode.HALF_EVEN) + " " + sign;
        }
    }

    private static void till(List<Branch> open, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        try {
            while (true) {
                Thread.sleep(10);
                long begin = System.nanoTime();
                Branch branch = open.get(random.nextInt(open.size()));
                if (!branch.sell(random).isEmpty()) {
                    sales.increment();
                }
                saleNanos.add(System.nanoTime() - begin);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] args) throws Exception {
        List<Branch> open = new CopyOnWriteArrayList<>();
        RuleTranslator translator = new RuleTranslator();
        Branch first = new Branch(0);
        first.open(translator);
        open.add(first);
        for (int i = 1; i <= 4; i++) {
            long seed = i;
            Thread.ofPlatform().daemon().name("till-" + i).start(() -> till(open, seed));
        }
        System.out.println("READY");
        System.out.flush();
        Thread.ofPlatform().daemon().name("rollout").start(() -> {
            try {
                for (int i = 1; i < BRANCHES; i++) {
                    Branch branch = new Branch(i);
                    branch.open(translator);
                    open.add(branch);
                    Thread.sleep(120);
                }
            } catch (Exception e) {
                System.out.println("rollout ended: " + e);
            }
        });
        var loading = java.lang.management.ManagementFactory.getClassLoadingMXBean();
        var compiler = java.lang.management.ManagementFactory.getCompilationMXBean();
        long lastSales = 0, lastNanos = 0, lastLoaded = 0, lastCompiled = 0;
        while (true) {
            Thread.sleep(1000);
            long s = sales.sum(), n = saleNanos.sum(), l = loading.getTotalLoadedClassCount(), c = compiler.getTotalCompilationTime();
            System.out.printf("measured: %d branches open, %d rules; in this second %d classes loaded, %d ms of compiling; %d sales, %.3f ms each%n", open.size(), classes, l - lastLoaded, c - lastCompiled,
                    s - lastSales, (n - lastNanos) / 1e6 / Math.max(1, s - lastSales));
            System.out.flush();
            lastSales = s;
            lastNanos = n;
            lastLoaded = l;
            lastCompiled = c;
        }
    }
}
