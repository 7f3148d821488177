// SPDX-License-Identifier: Apache-2.0
// cause: each document waits for an external converter, which takes its time
// expect: waiting kind=process frame=PdfConvert.render
// symptom: waiting
// jdk: 21
// set: seventh

import java.nio.file.*;
import java.util.concurrent.*;

public class PdfConvert {
    static int render(String document) throws Exception {
        Path target = Files.createTempFile("document", ".pdf");
        try {
            Process converter = new ProcessBuilder("sh", "-c", "sleep 0.4; echo " + document + " > " + target).start();
            return converter.waitFor();
        } finally {
            Files.delete(target);
        }
    }

    static String stamp(String document) {
        return document + "-" + Long.toHexString(document.hashCode() * 0x9E3779B97F4A7C15L);
    }

    public static void main(String[] args) {
        ExecutorService pool = Executors.newFixedThreadPool(3, task -> new Thread(task, "documents"));
        for (int n = 0; n < 3; n++) {
            int number = n;
            pool.execute(() -> {
                try {
                    for (int i = 0; ; i++)
                        render(stamp("invoice-" + number + "-" + i));
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            });
        }
        System.out.println("READY");
    }
}
