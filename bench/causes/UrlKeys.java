// SPDX-License-Identifier: Apache-2.0
// cause: URLs are keys of a map, and URL.hashCode() asks the name service for each host's address
// expect: waiting kind=dns frame=UrlKeys
// symptom: waiting lock-contention
// service: java.net.spi.InetAddressResolverProvider=UrlKeys$Resolvers
// jvm: -Dsun.net.inetaddr.ttl=0 -Dsun.net.inetaddr.stale.ttl=0
// jdk: 21
// set: fifth
import java.net.InetAddress;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.URL;
import java.net.UnknownHostException;
import java.net.spi.InetAddressResolver;
import java.net.spi.InetAddressResolverProvider;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/** Counts links of pages. The name service needs 25 ms; nothing is ever fetched from the hosts. */
public final class UrlKeys {
    private static final int CRAWLERS = 5;

    private final Map<URL, Integer> visits = new ConcurrentHashMap<>();

    public static final class Resolvers extends InetAddressResolverProvider {
        @Override
        public InetAddressResolver get(Configuration configuration) {
            return new SlowResolver();
        }

        @Override
        public String name() {
            return "25 ms away";
        }
    }

    private static final class SlowResolver implements InetAddressResolver {
        @Override
        public Stream<InetAddress> lookupByName(String host, LookupPolicy policy) throws UnknownHostException {
            for (long end = System.nanoTime() + 25_000_000; System.nanoTime() < end;) {
                LockSupport.parkNanos(end - System.nanoTime());
            }
            int hash = host.hashCode();
            byte[] address = {127, (byte) (hash >> 16), (byte) (hash >> 8), (byte) hash};
            return Stream.of(InetAddress.getByAddress(host, address));
        }

        @Override
        public String lookupByAddress(byte[] address) {
            return "host.example";
        }
    }

    private static List<String> links(int page) {
        List<String> links = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            links.add("http://shop-" + (page * 7 + i * 3) % 40 + ".example/item/" + i);
        }
        return links;
    }

    private int visit(URL url) {
        return visits.merge(url, 1, Integer::sum);
    }

    private void crawl(int crawler) {
        int most = 0;
        try {
            for (int page = crawler;; page += CRAWLERS) {
                for (String link : links(page)) {
                    most = Math.max(most, visit(URI.create(link).toURL()));
                }
            }
        } catch (MalformedURLException e) {
            throw new IllegalStateException(most + " at most", e);
        }
    }

    public static void main(String[] args) {
        UrlKeys counter = new UrlKeys();
        for (int i = 0; i < CRAWLERS; i++) {
            int crawler = i;
            new Thread(() -> counter.crawl(crawler), "crawler-" + i).start();
        }
        System.out.println("READY");
    }
}
