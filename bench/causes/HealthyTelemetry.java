// SPDX-License-Identifier: Apache-2.0
// healthy: telemetry is parsed into objects that die at once, so that short collections come several times a second
// jvm: -Xmx160m -Xmn32m -XX:+UseParallelGC
// jdk: 11
// cpu: 1
// set: sixth
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Each 50 ms twenty packets of 600 lines arrive, which take a few ms: lines are split, numbers parsed, values grouped,
 * sorted and encoded again. It needs a fifth of the CPU that it may use, and collections some per mille of the time.
 */
public final class HealthyTelemetry {
    private static final int LINES = 600;
    private static volatile int size;

    private static final class Reading {
        private final String sensor;
        private final double value;

        private Reading(String sensor, double value) {
            this.sensor = sensor;
            this.value = value;
        }

        private double value() {
            return value;
        }
    }

    private static byte[] receive(int packet) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < LINES; i++) {
            text.append("sensor-").append((packet + i) % 40).append(';').append(i * 7 % 1000).append('\n');
        }
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }

    private static List<String> lines(byte[] packet) {
        String text = new String(packet, StandardCharsets.UTF_8);
        List<String> lines = new ArrayList<>();
        int from = 0;
        for (int to = text.indexOf('\n'); to >= 0; to = text.indexOf('\n', from)) {
            lines.add(text.substring(from, to));
            from = to + 1;
        }
        return lines;
    }

    private static Reading parse(String line) {
        int semicolon = line.indexOf(';');
        return new Reading(line.substring(0, semicolon), Double.parseDouble(line.substring(semicolon + 1)));
    }

    private static Map<String, List<Double>> group(List<Reading> readings) {
        Map<String, List<Double>> groups = new HashMap<>();
        for (Reading reading : readings) {
            groups.computeIfAbsent(reading.sensor, s -> new ArrayList<>()).add(reading.value());
        }
        return groups;
    }

    private static Map<String, Double> medians(Map<String, List<Double>> groups) {
        Map<String, Double> medians = new TreeMap<>();
        for (Map.Entry<String, List<Double>> group : groups.entrySet()) {
            List<Double> values = group.getValue();
            values.sort(null);
            medians.put(group.getKey(), values.get(values.size() / 2));
        }
        return medians;
    }

    private static byte[] encode(Map<String, Double> medians, List<Reading> readings) {
        StringBuilder json = new StringBuilder("{");
        for (Reading reading : readings) {
            json.append('"').append(reading.sensor).append("\":").append((int) reading.value).append(',');
        }
        return json.append("\"medians\":").append(medians.size()).append('}').toString()
            .getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] handle(byte[] packet) {
        List<Reading> readings = new ArrayList<>();
        for (String line : lines(packet)) {
            readings.add(parse(line));
        }
        return encode(medians(group(readings)), readings);
    }

    public static void main(String[] args) throws InterruptedException {
        System.out.println("READY");
        for (int n = 0;; n++) {
            for (int part = 0; part < 20; part++) {
                size = handle(receive(n * 20 + part)).length;
            }
            Thread.sleep(50); // the next packets
        }
    }
}
