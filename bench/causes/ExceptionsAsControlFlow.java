// SPDX-License-Identifier: Apache-2.0
// cause: numbers are recognised by catching the exception of those that are none, deep in the stack
// expect: hot-code kind=exceptions frame=ExceptionsAsControlFlow.isNumber
// symptom: hot-method hot-calls
// jdk: 17
public final class ExceptionsAsControlFlow {
    private static volatile int numbers;

    private static boolean isNumber(String word) {
        try {
            Integer.parseInt(word);
            return true;
        } catch (NumberFormatException e) {
            return false;
        }
    }

    private static int walk(String[] words, int depth) {
        if (depth > 0) {
            return walk(words, depth - 1);
        }
        int found = 0;
        for (String word : words) {
            found += isNumber(word) ? 1 : 0;
        }
        return found;
    }

    public static void main(String[] args) {
        String[] words = "the 12 quick brown 7 foxes jump over 3 lazy dogs".split(" ");
        System.out.println("READY");
        for (;;) {
            numbers += walk(words, 40);
        }
    }
}
