// SPDX-License-Identifier: Apache-2.0
// cause: a regular expression that backtracks on most inputs
// expect: hot-code kind=regular-expressions frame=RegexBacktracking.isValid
// symptom: hot-method hot-calls
// jdk: 11
import java.util.regex.Pattern;

public final class RegexBacktracking {
    private static final Pattern WORDS = Pattern.compile("(\\w+,?\\s?)+;");
    private static volatile int valid;

    private static boolean isValid(String line) {
        return WORDS.matcher(line).matches();
    }

    private static String line(int n) {
        StringBuilder s = new StringBuilder("alice bob");
        for (int i = 0; i < 5; i++) {
            s.append((char) ('a' + (n + i) % 26));
        }
        return s.append("!").toString();
    }

    public static void main(String[] args) {
        System.out.println("READY");
        for (int n = 0;; n++) {
            valid += isValid(line(n)) ? 1 : 0;
        }
    }
}
