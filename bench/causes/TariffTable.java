// SPDX-License-Identifier: Apache-2.0
// cause: the generated method has more than 8000 bytes of code, which HotSpot never compiles, so it is interpreted: TariffTable.rate
// share: 97 to 99 % of a batch is rate(), 8 to 15 ms; 0.6 to 0.9 ms with -XX:-DontCompileHugeMethods
// expect: hot-method frame=TariffTable.rate mode=interpreted | compile-queue frame=TariffTable.rate | deoptimisations frame=TariffTable.rate
// judge: right is that rate() is interpreted or not compiled; that it is hot is a symptom
// symptom: hot-method hot-calls hot-code
// jdk: 21
// set: tenth
import java.util.Random;
import java.util.concurrent.atomic.LongAdder;

/** Consignments of a quarter are rated again with all charges and rebates, which are generated from the carrier's list. */
public final class TariffTable {
    private static final LongAdder RATING = new LongAdder();
    private static final LongAdder ALL = new LongAdder();
    private static final LongAdder BATCHES = new LongAdder();

    private static long[] batch(Random random) {
        long[] consignments = new long[200];
        for (int i = 0; i < consignments.length; i++) {
            consignments[i] = random.nextInt(200) * 1_000_000L + random.nextInt(10_000) * 100L + random.nextInt(100);
        }
        return consignments;
    }

    private static long total(long[] consignments) {
        long sum = 0;
        for (long one : consignments) {
            long rate = rate((int) (one / 1_000_000), one / 100 % 10_000, one % 100);
            sum += rate - rate % 5;
        }
        return sum;
    }

    private static void work(int depot) {
        Random random = new Random(depot);
        long sum = 0;
        try {
            long[][] days = new long[90][];
            for (int day = 0; day < days.length; day++) {
                days[day] = batch(random);
            }
            for (int day = 0; sum >= 0; day = (day + 1) % days.length) {
                long start = System.nanoTime();
                long[] consignments = days[day].clone();
                long rated = System.nanoTime();
                sum += total(consignments);
                long end = System.nanoTime();
                RATING.add(end - rated);
                ALL.add(end - start);
                BATCHES.increment();
                if (day % 10 == 0) {
                    Thread.sleep(1);
                }
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws InterruptedException {
        for (int i = 0; i < 2; i++) {
            int depot = i;
            new Thread(() -> work(depot), "depot-" + i).start();
        }
        System.out.println("READY");
        for (;;) {
            Thread.sleep(1000);
            long all = ALL.sumThenReset();
            long batches = BATCHES.sumThenReset() + 1;
            System.out.println("measured: " + 100 * RATING.sumThenReset() / (all + 1) + " % of a batch is total() of rate(), "
                    + all / batches / 1000 + " us a batch");
        }
    }

    // Generated from the carrier's list of charges and rebates, do not edit.
    private static long rate(int zone, long weight, long volume) {
        long cents = 390L;
        cents += (weight * 60L + volume * 16L + zone) % 19 == 0 ? 1593L : 3L;
        cents += (weight * 46L + volume * 30L + zone) % 23 == 0 ? 8452L : 3L;
        cents += (weight * 53L + volume * 9L + zone) % 11 == 6 ? 4425L : 1L;
        cents += (weight * 55L + volume * 12L + zone) % 23 == 6 ? 1484L : 3L;
        cents += (weight * 47L + volume * 21L + zone) % 29 == 9 ? 8763L : 1L;
        cents += (weight * 76L + volume * 32L + zone) % 11 == 3 ? 1381L : 3L;
        cents += (weight * 94L + volume * 15L + zone) % 17 == 6 ? 2181L : 3L;
        cents += (weight * 47L + volume * 26L + zone) % 23 == 2 ? 1844L : 3L;
        cents += (weight * 76L + volume * 19L + zone) % 17 == 1 ? 5487L : 3L;
        cents += (weight * 44L + volume * 10L + zone) % 23 == 3 ? 5066L : 3L;
        cents += (weight * 74L + volume * 34L + zone) % 17 == 7 ? 5796L : 2L;
        cents += (weight * 63L + volume * 26L + zone) % 13 == 2 ? 6726L : 1L;
        cents += (weight * 45L + volume * 26L + zone) % 23 == 7 ? 8169L : 2L;
        cents += (weight * 86L + volume * 35L + zone) % 17 == 9 ? 1599L : 1L;
        cents += (weight * 72L + volume * 33L + zone) % 13 == 5 ? 2245L : 2L;
        cents += (weight * 66L + volume * 9L + zone) % 29 == 1 ? 7263L : 3L;
        cents += (weight * 76L + volume * 27L + zone) % 17 == 5 ? 5869L : 2L;
        cents += (weight * 77L + volume * 36L + zone) % 11 == 1 ? 8738L : 2L;
        cents += (weight * 70L + volume * 11L + zone) % 11 == 4 ? 6301L : 3L;
        cents += (weight * 83L + volume * 35L + zone) % 17 == 6 ? 8266L : 3L;
        cents += (weight * 62L + volume * 8L + zone) % 19 == 5 ? 2376L : 3L;
        cents += (weight * 47L + volume * 38L + zone) % 11 == 3 ? 7293L : 2L;
        cents += (weight * 48L + volume * 22L + zone) % 19 == 6 ? 8510L : 2L;
        cents += (weight * 45L + volume * 17L + zone) % 19 == 6 ? 5501L : 2L;
        cents += (weight * 96L + volume * 15L + zone) % 19 == 8 ? 3280L : 3L;
        cents += (weight * 66L + volume * 29L + zone) % 29 == 6 ? 8845L : 1L;
        cents += (weight * 49L + volume * 12L + zone) % 13 == 2 ? 2900L : 3L;
        cents += (weight * 54L + volume * 7L + zone) % 19 == 9 ? 2493L : 2L;
        cents += (weight * 58L + volume * 7L + zone) % 13 == 6 ? 5379L : 2L;
        cents += (weight * 79L + volume * 27L + zone) % 13 == 8 ? 8784L : 3L;
        cents += (weight * 81L + volume * 10L + zone) % 19 == 8 ? 4214L : 2L;
        cents += (weight * 65L + volume * 32L + zone) % 11 == 7 ? 6196L : 2L;
        cents += (weight * 43L + volume * 19L + zone) % 11 == 3 ? 4609L : 1L;
        cents += (weight * 47L + volume * 28L + zone) % 23 == 0 ? 1838L : 1L;
        cents += (weight * 76L + volume * 16L + zone) % 23 == 1 ? 8773L : 2L;
        cents += (weight * 79L + volume * 8L + zone) % 11 == 3 ? 6030L : 2L;
        cents += (weight * 49L + volume * 23L + zone) % 17 == 9 ? 3983L : 2L;
        cents += (weight * 47L + volume * 14L + zone) % 19 == 7 ? 4935L : 2L;
        cents += (weight * 59L + volume * 12L + zone) % 13 == 1 ? 7141L : 2L;
        cents += (weight * 87L + volume * 23L + zone) % 19 == 2 ? 5229L : 1L;
        cents += (weight * 53L + volume * 30L + zone) % 13 == 8 ? 8488L : 1L;
        cents += (weight * 88L + volume * 26L + zone) % 29 == 1 ? 6703L : 2L;
        cents += (weight * 73L + volume * 30L + zone) % 13 == 5 ? 7323L : 1L;
        cents += (weight * 74L + volume * 39L + zone) % 17 == 3 ? 6023L : 1L;
        cents += (weight * 91L + volume * 22L + zone) % 19 == 3 ? 2637L : 3L;
        cents += (weight * 71L + volume * 29L + zone) % 29 == 0 ? 1228L : 2L;
        cents += (weight * 70L + volume * 23L + zone) % 13 == 9 ? 8835L : 2L;
        cents += (weight * 68L + volume * 29L + zone) % 17 == 1 ? 2806L : 1L;
        cents += (weight * 54L + volume * 37L + zone) % 13 == 5 ? 2674L : 2L;
        cents += (weight * 79L + volume * 7L + zone) % 19 == 5 ? 7550L : 3L;
        cents += (weight * 45L + volume * 14L + zone) % 19 == 3 ? 4916L : 1L;
        cents += (weight * 67L + volume * 28L + zone) % 11 == 6 ? 4794L : 2L;
        cents += (weight * 87L + volume * 12L + zone) % 29 == 2 ? 2392L : 1L;
        cents += (weight * 41L + volume * 16L + zone) % 23 == 7 ? 7606L : 3L;
        cents += (weight * 49L + volume * 37L + zone) % 29 == 5 ? 2277L : 3L;
        cents += (weight * 75L + volume * 15L + zone) % 11 == 0 ? 7548L : 3L;
        cents += (weight * 81L + volume * 13L + zone) % 23 == 2 ? 4553L : 1L;
        cents += (weight * 92L + volume * 20L + zone) % 11 == 4 ? 2743L : 2L;
        cents += (weight * 72L + volume * 22L + zone) % 23 == 5 ? 3124L : 3L;
        cents += (weight * 66L + volume * 15L + zone) % 11 == 5 ? 8353L : 2L;
        cents += (weight * 82L + volume * 33L + zone) % 23 == 2 ? 5356L : 1L;
        cents += (weight * 73L + volume * 39L + zone) % 11 == 7 ? 7361L : 1L;
        cents += (weight * 78L + volume * 7L + zone) % 13 == 2 ? 2159L : 2L;
        cents += (weight * 79L + volume * 14L + zone) % 23 == 0 ? 3670L : 3L;
        cents += (weight * 73L + volume * 37L + zone) % 11 == 8 ? 1465L : 1L;
        cents += (weight * 52L + volume * 24L + zone) % 11 == 1 ? 5159L : 2L;
        cents += (weight * 75L + volume * 8L + zone) % 11 == 7 ? 3667L : 3L;
        cents += (weight * 72L + volume * 39L + zone) % 13 == 4 ? 4705L : 3L;
        cents += (weight * 74L + volume * 37L + zone) % 23 == 3 ? 6727L : 3L;
        cents += (weight * 96L + volume * 23L + zone) % 23 == 3 ? 7881L : 2L;
        cents += (weight * 48L + volume * 33L + zone) % 11 == 6 ? 4621L : 2L;
        cents += (weight * 44L + volume * 22L + zone) % 19 == 1 ? 2742L : 3L;
        cents += (weight * 59L + volume * 14L + zone) % 13 == 5 ? 2171L : 2L;
        cents += (weight * 96L + volume * 15L + zone) % 19 == 3 ? 7116L : 1L;
        cents += (weight * 65L + volume * 38L + zone) % 13 == 3 ? 2322L : 3L;
        cents += (weight * 67L + volume * 39L + zone) % 19 == 5 ? 4451L : 1L;
        cents += (weight * 62L + volume * 27L + zone) % 11 == 5 ? 1159L : 2L;
        cents += (weight * 75L + volume * 36L + zone) % 19 == 0 ? 4148L : 2L;
        cents += (weight * 73L + volume * 25L + zone) % 23 == 1 ? 1924L : 1L;
        cents += (weight * 96L + volume * 13L + zone) % 11 == 4 ? 3227L : 1L;
        cents += (weight * 97L + volume * 18L + zone) % 17 == 2 ? 7715L : 2L;
        cents += (weight * 94L + volume * 23L + zone) % 19 == 2 ? 5395L : 3L;
        cents += (weight * 76L + volume * 38L + zone) % 29 == 5 ? 1732L : 2L;
        cents += (weight * 43L + volume * 18L + zone) % 19 == 1 ? 3203L : 1L;
        cents += (weight * 80L + volume * 12L + zone) % 17 == 1 ? 5982L : 1L;
        cents += (weight * 44L + volume * 23L + zone) % 11 == 7 ? 1094L : 2L;
        cents += (weight * 75L + volume * 33L + zone) % 17 == 9 ? 2058L : 1L;
        cents += (weight * 73L + volume * 22L + zone) % 11 == 2 ? 3145L : 1L;
        cents += (weight * 51L + volume * 19L + zone) % 17 == 4 ? 5350L : 1L;
        cents += (weight * 58L + volume * 35L + zone) % 23 == 2 ? 3216L : 2L;
        cents += (weight * 91L + volume * 8L + zone) % 17 == 0 ? 1125L : 1L;
        cents += (weight * 86L + volume * 39L + zone) % 23 == 3 ? 5212L : 2L;
        cents += (weight * 55L + volume * 35L + zone) % 11 == 6 ? 6378L : 2L;
        cents += (weight * 74L + volume * 32L + zone) % 23 == 4 ? 6633L : 1L;
        cents += (weight * 54L + volume * 28L + zone) % 13 == 2 ? 4315L : 2L;
        cents += (weight * 43L + volume * 15L + zone) % 11 == 1 ? 6123L : 3L;
        cents += (weight * 96L + volume * 23L + zone) % 19 == 2 ? 1453L : 1L;
        cents += (weight * 82L + volume * 31L + zone) % 23 == 4 ? 5905L : 1L;
        cents += (weight * 84L + volume * 25L + zone) % 11 == 7 ? 2518L : 1L;
        cents += (weight * 57L + volume * 35L + zone) % 11 == 4 ? 3983L : 2L;
        cents += (weight * 75L + volume * 27L + zone) % 13 == 0 ? 8910L : 2L;
        cents += (weight * 53L + volume * 29L + zone) % 13 == 0 ? 3747L : 2L;
        cents += (weight * 45L + volume * 37L + zone) % 17 == 8 ? 6374L : 1L;
        cents += (weight * 55L + volume * 39L + zone) % 11 == 1 ? 3164L : 1L;
        cents += (weight * 49L + volume * 32L + zone) % 23 == 0 ? 4227L : 1L;
        cents += (weight * 59L + volume * 26L + zone) % 29 == 3 ? 1692L : 3L;
        cents += (weight * 73L + volume * 16L + zone) % 29 == 9 ? 4190L : 2L;
        cents += (weight * 86L + volume * 38L + zone) % 13 == 4 ? 6932L : 3L;
        cents += (weight * 81L + volume * 16L + zone) % 11 == 8 ? 6139L : 2L;
        cents += (weight * 86L + volume * 39L + zone) % 13 == 8 ? 7167L : 3L;
        cents += (weight * 76L + volume * 8L + zone) % 29 == 9 ? 7536L : 3L;
        cents += (weight * 83L + volume * 21L + zone) % 11 == 0 ? 1342L : 1L;
        cents += (weight * 80L + volume * 30L + zone) % 11 == 6 ? 7847L : 2L;
        cents += (weight * 75L + volume * 10L + zone) % 29 == 0 ? 6130L : 3L;
        cents += (weight * 83L + volume * 22L + zone) % 19 == 4 ? 1027L : 2L;
        cents += (weight * 91L + volume * 11L + zone) % 29 == 8 ? 8355L : 3L;
        cents += (weight * 45L + volume * 11L + zone) % 29 == 7 ? 3065L : 1L;
        cents += (weight * 94L + volume * 23L + zone) % 13 == 3 ? 2890L : 3L;
        cents += (weight * 81L + volume * 36L + zone) % 19 == 6 ? 1628L : 2L;
        cents += (weight * 98L + volume * 25L + zone) % 11 == 9 ? 6183L : 3L;
        cents += (weight * 52L + volume * 11L + zone) % 23 == 2 ? 3717L : 2L;
        cents += (weight * 81L + volume * 26L + zone) % 23 == 9 ? 2093L : 1L;
        cents += (weight * 70L + volume * 10L + zone) % 19 == 4 ? 8966L : 3L;
        cents += (weight * 46L + volume * 20L + zone) % 29 == 7 ? 3382L : 3L;
        cents += (weight * 73L + volume * 25L + zone) % 19 == 7 ? 4820L : 1L;
        cents += (weight * 97L + volume * 19L + zone) % 17 == 1 ? 8669L : 2L;
        cents += (weight * 41L + volume * 25L + zone) % 19 == 1 ? 7716L : 3L;
        cents += (weight * 68L + volume * 24L + zone) % 19 == 3 ? 8508L : 1L;
        cents += (weight * 44L + volume * 12L + zone) % 13 == 8 ? 3144L : 2L;
        cents += (weight * 48L + volume * 39L + zone) % 17 == 1 ? 6761L : 2L;
        cents += (weight * 54L + volume * 38L + zone) % 19 == 6 ? 1203L : 1L;
        cents += (weight * 40L + volume * 38L + zone) % 29 == 7 ? 4321L : 2L;
        cents += (weight * 86L + volume * 16L + zone) % 19 == 5 ? 4081L : 2L;
        cents += (weight * 47L + volume * 28L + zone) % 11 == 5 ? 7150L : 2L;
        cents += (weight * 93L + volume * 32L + zone) % 11 == 3 ? 6841L : 1L;
        cents += (weight * 97L + volume * 25L + zone) % 17 == 5 ? 1532L : 2L;
        cents += (weight * 64L + volume * 11L + zone) % 17 == 6 ? 7190L : 2L;
        cents += (weight * 94L + volume * 10L + zone) % 17 == 1 ? 1422L : 3L;
        cents += (weight * 58L + volume * 16L + zone) % 13 == 4 ? 4573L : 3L;
        cents += (weight * 60L + volume * 19L + zone) % 17 == 6 ? 8243L : 1L;
        cents += (weight * 91L + volume * 32L + zone) % 23 == 8 ? 2666L : 3L;
        cents += (weight * 45L + volume * 10L + zone) % 29 == 6 ? 4693L : 3L;
        cents += (weight * 88L + volume * 15L + zone) % 29 == 4 ? 4977L : 1L;
        cents += (weight * 98L + volume * 15L + zone) % 13 == 7 ? 4398L : 2L;
        cents += (weight * 58L + volume * 26L + zone) % 17 == 4 ? 4327L : 3L;
        cents += (weight * 55L + volume * 26L + zone) % 19 == 8 ? 6479L : 2L;
        cents += (weight * 47L + volume * 17L + zone) % 29 == 2 ? 1615L : 1L;
        cents += (weight * 72L + volume * 38L + zone) % 23 == 3 ? 4710L : 2L;
        cents += (weight * 88L + volume * 35L + zone) % 19 == 2 ? 5487L : 1L;
        cents += (weight * 55L + volume * 12L + zone) % 13 == 5 ? 5553L : 1L;
        cents += (weight * 60L + volume * 22L + zone) % 17 == 4 ? 7630L : 3L;
        cents += (weight * 52L + volume * 8L + zone) % 29 == 6 ? 4136L : 2L;
        cents += (weight * 87L + volume * 20L + zone) % 19 == 4 ? 3770L : 1L;
        cents += (weight * 71L + volume * 24L + zone) % 23 == 5 ? 2031L : 3L;
        cents += (weight * 72L + volume * 20L + zone) % 11 == 4 ? 8346L : 1L;
        cents += (weight * 64L + volume * 32L + zone) % 29 == 7 ? 4537L : 2L;
        cents += (weight * 94L + volume * 8L + zone) % 13 == 0 ? 4483L : 3L;
        cents += (weight * 88L + volume * 37L + zone) % 23 == 7 ? 1001L : 1L;
        cents += (weight * 65L + volume * 36L + zone) % 19 == 3 ? 7415L : 1L;
        cents += (weight * 54L + volume * 16L + zone) % 13 == 8 ? 8961L : 3L;
        cents += (weight * 46L + volume * 36L + zone) % 11 == 8 ? 7364L : 1L;
        cents += (weight * 40L + volume * 15L + zone) % 13 == 9 ? 8535L : 1L;
        cents += (weight * 81L + volume * 26L + zone) % 13 == 4 ? 5327L : 3L;
        cents += (weight * 67L + volume * 14L + zone) % 11 == 1 ? 3460L : 3L;
        cents += (weight * 77L + volume * 19L + zone) % 19 == 4 ? 2831L : 3L;
        cents += (weight * 40L + volume * 7L + zone) % 23 == 4 ? 4773L : 2L;
        cents += (weight * 60L + volume * 22L + zone) % 19 == 8 ? 2923L : 3L;
        cents += (weight * 55L + volume * 8L + zone) % 19 == 4 ? 1453L : 1L;
        cents += (weight * 52L + volume * 38L + zone) % 29 == 6 ? 1664L : 2L;
        cents += (weight * 54L + volume * 34L + zone) % 17 == 3 ? 5038L : 1L;
        cents += (weight * 84L + volume * 28L + zone) % 29 == 6 ? 3968L : 3L;
        cents += (weight * 65L + volume * 19L + zone) % 11 == 4 ? 7054L : 3L;
        cents += (weight * 44L + volume * 20L + zone) % 19 == 3 ? 3553L : 1L;
        cents += (weight * 54L + volume * 36L + zone) % 13 == 4 ? 7229L : 2L;
        cents += (weight * 46L + volume * 38L + zone) % 23 == 2 ? 8343L : 1L;
        cents += (weight * 71L + volume * 33L + zone) % 29 == 0 ? 8772L : 3L;
        cents += (weight * 49L + volume * 32L + zone) % 11 == 3 ? 1193L : 3L;
        cents += (weight * 49L + volume * 33L + zone) % 11 == 0 ? 2508L : 2L;
        cents += (weight * 68L + volume * 27L + zone) % 29 == 1 ? 1650L : 1L;
        cents += (weight * 61L + volume * 19L + zone) % 13 == 8 ? 7113L : 2L;
        cents += (weight * 42L + volume * 26L + zone) % 29 == 6 ? 7874L : 2L;
        cents += (weight * 61L + volume * 35L + zone) % 13 == 1 ? 1023L : 1L;
        cents += (weight * 57L + volume * 12L + zone) % 17 == 6 ? 8827L : 1L;
        cents += (weight * 75L + volume * 20L + zone) % 19 == 5 ? 7297L : 2L;
        cents += (weight * 92L + volume * 34L + zone) % 11 == 0 ? 6777L : 2L;
        cents += (weight * 52L + volume * 30L + zone) % 23 == 7 ? 2581L : 2L;
        cents += (weight * 63L + volume * 37L + zone) % 11 == 6 ? 3031L : 3L;
        cents += (weight * 89L + volume * 32L + zone) % 11 == 6 ? 1285L : 2L;
        cents += (weight * 44L + volume * 10L + zone) % 17 == 3 ? 7121L : 1L;
        cents += (weight * 97L + volume * 28L + zone) % 17 == 4 ? 3744L : 3L;
        cents += (weight * 42L + volume * 23L + zone) % 29 == 5 ? 8571L : 2L;
        cents += (weight * 59L + volume * 7L + zone) % 29 == 9 ? 8507L : 3L;
        cents += (weight * 44L + volume * 8L + zone) % 13 == 1 ? 4892L : 3L;
        cents += (weight * 69L + volume * 31L + zone) % 17 == 6 ? 7674L : 2L;
        cents += (weight * 48L + volume * 38L + zone) % 13 == 0 ? 7574L : 3L;
        cents += (weight * 59L + volume * 16L + zone) % 23 == 3 ? 3685L : 2L;
        cents += (weight * 69L + volume * 30L + zone) % 23 == 1 ? 5193L : 1L;
        cents += (weight * 65L + volume * 17L + zone) % 13 == 6 ? 1530L : 3L;
        cents += (weight * 42L + volume * 37L + zone) % 23 == 8 ? 3668L : 1L;
        cents += (weight * 67L + volume * 13L + zone) % 11 == 4 ? 6116L : 1L;
        cents += (weight * 53L + volume * 13L + zone) % 19 == 7 ? 6814L : 2L;
        cents += (weight * 51L + volume * 21L + zone) % 13 == 6 ? 4775L : 3L;
        cents += (weight * 97L + volume * 22L + zone) % 29 == 8 ? 7938L : 3L;
        cents += (weight * 88L + volume * 14L + zone) % 17 == 4 ? 3288L : 3L;
        cents += (weight * 57L + volume * 30L + zone) % 17 == 4 ? 2631L : 2L;
        cents += (weight * 55L + volume * 18L + zone) % 13 == 3 ? 2256L : 2L;
        cents += (weight * 96L + volume * 19L + zone) % 17 == 1 ? 4244L : 2L;
        cents += (weight * 55L + volume * 39L + zone) % 23 == 3 ? 6321L : 1L;
        cents += (weight * 81L + volume * 36L + zone) % 11 == 1 ? 1036L : 2L;
        cents += (weight * 96L + volume * 21L + zone) % 19 == 5 ? 1330L : 2L;
        cents += (weight * 54L + volume * 14L + zone) % 11 == 3 ? 5919L : 3L;
        cents += (weight * 52L + volume * 11L + zone) % 17 == 8 ? 8095L : 1L;
        cents += (weight * 68L + volume * 23L + zone) % 29 == 0 ? 1866L : 3L;
        cents += (weight * 78L + volume * 29L + zone) % 13 == 0 ? 4020L : 2L;
        cents += (weight * 49L + volume * 9L + zone) % 13 == 4 ? 1313L : 3L;
        cents += (weight * 86L + volume * 20L + zone) % 11 == 5 ? 4350L : 3L;
        cents += (weight * 63L + volume * 18L + zone) % 23 == 4 ? 1638L : 1L;
        cents += (weight * 42L + volume * 38L + zone) % 23 == 7 ? 1518L : 2L;
        cents += (weight * 46L + volume * 32L + zone) % 29 == 8 ? 2266L : 3L;
        cents += (weight * 74L + volume * 12L + zone) % 29 == 2 ? 4258L : 3L;
        cents += (weight * 57L + volume * 33L + zone) % 17 == 4 ? 4422L : 1L;
        cents += (weight * 59L + volume * 29L + zone) % 19 == 6 ? 1149L : 2L;
        cents += (weight * 81L + volume * 19L + zone) % 19 == 6 ? 2668L : 1L;
        cents += (weight * 67L + volume * 17L + zone) % 19 == 1 ? 7720L : 1L;
        cents += (weight * 65L + volume * 30L + zone) % 19 == 2 ? 2064L : 1L;
        cents += (weight * 43L + volume * 16L + zone) % 29 == 6 ? 1729L : 3L;
        cents += (weight * 79L + volume * 30L + zone) % 29 == 8 ? 2406L : 1L;
        cents += (weight * 62L + volume * 25L + zone) % 13 == 8 ? 2407L : 1L;
        cents += (weight * 46L + volume * 31L + zone) % 19 == 3 ? 3470L : 1L;
        cents += (weight * 93L + volume * 9L + zone) % 19 == 5 ? 1437L : 3L;
        cents += (weight * 99L + volume * 31L + zone) % 11 == 9 ? 6637L : 1L;
        cents += (weight * 80L + volume * 21L + zone) % 23 == 6 ? 6035L : 1L;
        cents += (weight * 93L + volume * 37L + zone) % 13 == 9 ? 2786L : 1L;
        cents += (weight * 65L + volume * 17L + zone) % 19 == 5 ? 2008L : 1L;
        cents += (weight * 55L + volume * 19L + zone) % 11 == 8 ? 7901L : 3L;
        cents += (weight * 42L + volume * 27L + zone) % 11 == 6 ? 5911L : 2L;
        cents += (weight * 75L + volume * 26L + zone) % 29 == 6 ? 3524L : 3L;
        cents += (weight * 55L + volume * 34L + zone) % 19 == 5 ? 4660L : 3L;
        cents += (weight * 68L + volume * 18L + zone) % 11 == 0 ? 6069L : 2L;
        cents += (weight * 69L + volume * 22L + zone) % 19 == 9 ? 7389L : 2L;
        cents += (weight * 93L + volume * 18L + zone) % 19 == 6 ? 1877L : 1L;
        cents += (weight * 48L + volume * 29L + zone) % 19 == 5 ? 1751L : 2L;
        cents += (weight * 72L + volume * 39L + zone) % 29 == 0 ? 1333L : 3L;
        cents += (weight * 48L + volume * 12L + zone) % 29 == 5 ? 7370L : 3L;
        cents += (weight * 72L + volume * 12L + zone) % 11 == 8 ? 8330L : 2L;
        cents += (weight * 81L + volume * 15L + zone) % 11 == 1 ? 6030L : 3L;
        cents += (weight * 84L + volume * 14L + zone) % 13 == 2 ? 8255L : 2L;
        cents += (weight * 58L + volume * 17L + zone) % 29 == 3 ? 1536L : 2L;
        cents += (weight * 79L + volume * 23L + zone) % 13 == 5 ? 8344L : 3L;
        cents += (weight * 57L + volume * 36L + zone) % 13 == 4 ? 5114L : 2L;
        cents += (weight * 53L + volume * 23L + zone) % 23 == 8 ? 2944L : 2L;
        cents += (weight * 63L + volume * 9L + zone) % 13 == 2 ? 4305L : 1L;
        cents += (weight * 80L + volume * 24L + zone) % 29 == 5 ? 8335L : 2L;
        cents += (weight * 50L + volume * 23L + zone) % 11 == 8 ? 1397L : 3L;
        cents += (weight * 94L + volume * 30L + zone) % 19 == 8 ? 5271L : 3L;
        cents += (weight * 84L + volume * 13L + zone) % 17 == 8 ? 6159L : 2L;
        cents += (weight * 87L + volume * 30L + zone) % 17 == 6 ? 4022L : 3L;
        cents += (weight * 49L + volume * 30L + zone) % 17 == 1 ? 4623L : 1L;
        cents += (weight * 51L + volume * 10L + zone) % 17 == 8 ? 3077L : 2L;
        cents += (weight * 80L + volume * 27L + zone) % 29 == 0 ? 7120L : 1L;
        cents += (weight * 54L + volume * 16L + zone) % 17 == 9 ? 6125L : 2L;
        cents += (weight * 66L + volume * 39L + zone) % 17 == 0 ? 2081L : 2L;
        cents += (weight * 54L + volume * 9L + zone) % 11 == 0 ? 1021L : 3L;
        cents += (weight * 62L + volume * 26L + zone) % 11 == 8 ? 3925L : 3L;
        cents += (weight * 54L + volume * 33L + zone) % 23 == 4 ? 5825L : 1L;
        cents += (weight * 53L + volume * 30L + zone) % 23 == 7 ? 2299L : 1L;
        cents += (weight * 40L + volume * 22L + zone) % 29 == 2 ? 4693L : 1L;
        cents += (weight * 44L + volume * 16L + zone) % 29 == 4 ? 4292L : 2L;
        cents += (weight * 40L + volume * 10L + zone) % 29 == 8 ? 8312L : 2L;
        cents += (weight * 78L + volume * 35L + zone) % 23 == 8 ? 7009L : 2L;
        cents += (weight * 55L + volume * 17L + zone) % 11 == 0 ? 1504L : 3L;
        cents += (weight * 41L + volume * 32L + zone) % 13 == 3 ? 2304L : 1L;
        cents += (weight * 98L + volume * 13L + zone) % 11 == 9 ? 5513L : 3L;
        cents += (weight * 52L + volume * 16L + zone) % 19 == 3 ? 5245L : 3L;
        cents += (weight * 81L + volume * 39L + zone) % 29 == 6 ? 7663L : 3L;
        cents += (weight * 51L + volume * 39L + zone) % 17 == 1 ? 3459L : 3L;
        cents += (weight * 43L + volume * 37L + zone) % 29 == 8 ? 1052L : 2L;
        cents += (weight * 94L + volume * 34L + zone) % 29 == 7 ? 1659L : 3L;
        cents += (weight * 81L + volume * 35L + zone) % 13 == 3 ? 1862L : 2L;
        cents += (weight * 54L + volume * 9L + zone) % 11 == 5 ? 8301L : 3L;
        cents += (weight * 99L + volume * 23L + zone) % 29 == 0 ? 3178L : 3L;
        cents += (weight * 75L + volume * 34L + zone) % 29 == 8 ? 8961L : 2L;
        cents += (weight * 58L + volume * 20L + zone) % 11 == 8 ? 1124L : 1L;
        cents += (weight * 56L + volume * 22L + zone) % 29 == 3 ? 8738L : 1L;
        cents += (weight * 87L + volume * 27L + zone) % 13 == 6 ? 3691L : 3L;
        cents += (weight * 55L + volume * 31L + zone) % 29 == 8 ? 4846L : 2L;
        cents += (weight * 93L + volume * 7L + zone) % 11 == 6 ? 8829L : 3L;
        cents += (weight * 54L + volume * 26L + zone) % 13 == 6 ? 6100L : 3L;
        cents += (weight * 44L + volume * 17L + zone) % 13 == 0 ? 1220L : 1L;
        cents += (weight * 46L + volume * 17L + zone) % 17 == 2 ? 6740L : 1L;
        cents += (weight * 41L + volume * 9L + zone) % 13 == 0 ? 6709L : 1L;
        cents += (weight * 87L + volume * 9L + zone) % 11 == 9 ? 7240L : 2L;
        cents += (weight * 52L + volume * 11L + zone) % 29 == 6 ? 1877L : 1L;
        cents += (weight * 53L + volume * 20L + zone) % 11 == 0 ? 1282L : 3L;
        cents += (weight * 45L + volume * 25L + zone) % 19 == 1 ? 2086L : 1L;
        cents += (weight * 90L + volume * 20L + zone) % 17 == 5 ? 3756L : 2L;
        cents += (weight * 56L + volume * 8L + zone) % 17 == 4 ? 8619L : 2L;
        cents += (weight * 43L + volume * 30L + zone) % 17 == 9 ? 5126L : 2L;
        cents += (weight * 94L + volume * 25L + zone) % 23 == 0 ? 7463L : 2L;
        cents += (weight * 41L + volume * 34L + zone) % 23 == 1 ? 3840L : 2L;
        return cents;
    }
}
