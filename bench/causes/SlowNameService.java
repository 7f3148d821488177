// SPDX-License-Identifier: Apache-2.0
// cause: a host name is resolved for every request, by a slow name service
// expect: waiting kind=dns frame=SlowNameService.request
// service: java.net.spi.InetAddressResolverProvider=SlowNameService$Provider
// jvm: -Dsun.net.inetaddr.ttl=0 -Dsun.net.inetaddr.stale.ttl=0 -Djava.security.properties=
// jdk: 21
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.net.spi.InetAddressResolver;
import java.net.spi.InetAddressResolverProvider;
import java.util.stream.Stream;

public final class SlowNameService {
    public static final class Provider extends InetAddressResolverProvider {
        @Override
        public InetAddressResolver get(Configuration configuration) {
            return new InetAddressResolver() {
                @Override
                public Stream<InetAddress> lookupByName(String host, LookupPolicy policy) throws UnknownHostException {
                    try {
                        Thread.sleep(40);
                    } catch (InterruptedException e) {
                        throw new UnknownHostException(host);
                    }
                    return Stream.of(InetAddress.getByAddress(host, new byte[] {127, 0, 0, 1}));
                }

                @Override
                public String lookupByAddress(byte[] address) {
                    return "localhost";
                }
            };
        }

        @Override
        public String name() {
            return "slow";
        }
    }

    private static int request(int n) throws UnknownHostException {
        return InetAddress.getByName("backend-" + n).getAddress().length;
    }

    private static void serve(int worker) {
        try {
            for (int n = worker;; n += 4) {
                request(n);
            }
        } catch (UnknownHostException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) {
        for (int i = 0; i < 4; i++) {
            int worker = i;
            new Thread(() -> serve(worker), "http-" + i).start();
        }
        System.out.println("READY");
    }
}
