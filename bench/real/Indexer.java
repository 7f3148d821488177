// SPDX-License-Identifier: Apache-2.0
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.lucene.analysis.standard.StandardAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.StringField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.ConcurrentMergeScheduler;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.TieredMergePolicy;
import org.apache.lucene.store.FSDirectory;

/**
 * Indexes a folder of texts with Lucene, again and again, by several threads.
 *
 * <p>Arguments: folder of the index, folder of the texts, threads, MB of RAM that are buffered, merge threads, how many
 * segments are merged at a time. Prints READY, and how many documents were indexed each second.
 */
public final class Indexer {
    private static final long MOST_BYTES = 1 << 20;
    private static final AtomicLong DOCUMENTS = new AtomicLong();

    private Indexer() {}

    private static void index(IndexWriter writer, List<Path> files, int first, int step) {
        try {
            for (int i = first;; i = (i + step) % files.size()) {
                Document document = new Document();
                document.add(new StringField("path", files.get(i).toString(), Field.Store.YES));
                document.add(new TextField("contents", new String(Files.readAllBytes(files.get(i)), StandardCharsets.ISO_8859_1), Field.Store.YES));
                writer.addDocument(document);
                DOCUMENTS.incrementAndGet();
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws Exception {
        List<Path> files;
        try (Stream<Path> all = Files.walk(Path.of(args[1]))) {
            files = all.filter(Files::isRegularFile).filter(f -> f.toFile().length() < MOST_BYTES).sorted().limit(4000).collect(Collectors.toList());
        }
        ConcurrentMergeScheduler merges = new ConcurrentMergeScheduler();
        int mergeThreads = Integer.parseInt(args[4]), segments = Integer.parseInt(args[5]);
        merges.setMaxMergesAndThreads(mergeThreads + 1, mergeThreads);
        merges.disableAutoIOThrottle();
        IndexWriterConfig config = new IndexWriterConfig(new StandardAnalyzer()).setRAMBufferSizeMB(Double.parseDouble(args[3]));
        config.setMergeScheduler(merges);
        config.setMergePolicy(new TieredMergePolicy().setSegmentsPerTier(segments).setMaxMergeAtOnce(segments));
        IndexWriter writer = new IndexWriter(FSDirectory.open(Path.of(args[0])), config);
        int threads = Integer.parseInt(args[2]);
        for (int i = 0; i < threads; i++) {
            int first = i;
            new Thread(() -> index(writer, files, first, threads), "indexer-" + i).start();
        }
        System.out.println("READY");
        for (long before = 0;;) {
            Thread.sleep(1000);
            long now = DOCUMENTS.get();
            System.out.println("documents a second: " + (now - before));
            before = now;
        }
    }
}
