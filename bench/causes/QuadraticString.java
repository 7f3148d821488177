// SPDX-License-Identifier: Apache-2.0
// cause: a report is built by adding to a string in a loop
// expect: hot-code kind=copying-arrays frame=QuadraticString.report
// symptom: hot-method hot-calls gc-pauses
// jdk: 8
public final class QuadraticString {
    private static volatile int length;

    private static String report(int rows) {
        String text = "";
        for (int i = 0; i < rows; i++) {
            text += "row " + i + "\n";
        }
        return text;
    }

    public static void main(String[] args) {
        System.out.println("READY");
        for (;;) {
            length = report(6000).length();
        }
    }
}
