// SPDX-License-Identifier: Apache-2.0
// healthy: a service loads some thousand classes when it starts, then answers a few requests of different kinds
// jdk: 17
// jvm: -Xmx128m
// set: fourth
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.LocalDate;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.xml.parsers.SAXParserFactory;
import org.xml.sax.helpers.DefaultHandler;

public final class HealthyFeatures {
    private static volatile int answered;

    private static int load(String module) throws IOException {
        Path root = FileSystems.getFileSystem(URI.create("jrt:/")).getPath("modules", module);
        List<String> names;
        try (Stream<Path> files = Files.walk(root)) {
            names = files.map(p -> root.relativize(p).toString()).filter(n -> n.endsWith(".class") && !n.endsWith("-info.class"))
                    .map(n -> n.substring(0, n.length() - 6).replace('/', '.')).collect(Collectors.toList());
        }
        int loaded = 0;
        for (String name : names) {
            try {
                Class.forName(name, false, HealthyFeatures.class.getClassLoader());
                loaded++;
            } catch (ClassNotFoundException | LinkageError e) {
                continue;
            }
        }
        return loaded;
    }

    private static int feed(int i) throws Exception {
        StringBuilder xml = new StringBuilder("<feed>");
        for (int k = 0; k < 60; k++) {
            xml.append("<entry id=\"").append(i + k).append("\">text</entry>");
        }
        int[] elements = {0};
        SAXParserFactory.newInstance().newSAXParser().parse(new ByteArrayInputStream(
                xml.append("</feed>").toString().getBytes(StandardCharsets.UTF_8)), new DefaultHandler() {
                    @Override
                    public void startElement(String uri, String local, String name, org.xml.sax.Attributes a) {
                        elements[0]++;
                    }
                });
        return elements[0];
    }

    private static int etag(int i) throws Exception {
        MessageDigest digest = MessageDigest.getInstance("SHA-256");
        for (int k = 0; k < 300; k++) {
            digest.update(("part " + (i + k)).getBytes(StandardCharsets.UTF_8));
        }
        return digest.digest()[0];
    }

    private static int calendar(int i) {
        LocalDate day = LocalDate.of(2026, 1, 1).plusDays(i % 365);
        int length = 0;
        for (int k = 0; k < 200; k++) {
            length += day.plusDays(k).format(DateTimeFormatter.ISO_WEEK_DATE).length();
        }
        return length;
    }

    private static int ranking(int i) {
        String[] names = new String[400];
        for (int k = 0; k < names.length; k++) {
            names[k] = "player " + (k * 7919 + i) % 1009;
        }
        Arrays.sort(names);
        return names[0].length();
    }

    public static void main(String[] args) throws Exception {
        System.out.println(load("java.xml") + load("jdk.compiler") + load("java.management") + " classes");
        System.out.println("READY");
        for (int i = 0;; i++) {
            answered += feed(i) + etag(i) + calendar(i) + ranking(i);
            Thread.sleep(10); // the next client
        }
    }
}
