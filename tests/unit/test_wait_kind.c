/* SPDX-License-Identifier: Apache-2.0 */
/* What threads wait for is known from their stacks, as JDK 8, 11, 17, 21 and 25 have them.
 *
 * wait_stacks.txt has a line for each: kind|JDKs|frames from the root to the leaf. They come from recordings of a
 * program (app.Main) with a thread for each kind of waiting; threads of the JDK are there as well. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/wait/wait_kind.h"
#include "base/strbuf.h"
#include "model/name.h"

/* Pushes "java.lang.Thread.sleep" as class java/lang/Thread and method sleep. */
static uint32_t push(struct wick_profile *p, uint32_t below, char *name)
{
    char *dot = strrchr(name, '.');
    assert_non_null(dot);
    *dot = 0;
    for (char *c = name; *c; c++)
        if (*c == '.')
            *c = '/';
    uint32_t function = wick_profile_function(p, wick_profile_cstring(p, name), wick_profile_cstring(p, dot + 1), 0);
    return wick_profile_push(p, below, wick_profile_frame(p, function, 0, -1, WICK_FRAME_C2));
}

/* A stack of frames that ';' separates, the root first; the text is taken apart. */
static uint32_t stack_of(struct wick_profile *p, char *frames)
{
    char *rest = NULL;
    uint32_t stack = 0;
    for (char *name = strtok_r(frames, ";", &rest); name; name = strtok_r(NULL, ";", &rest))
        stack = push(p, stack, name);
    return stack;
}

static struct wick_wait wait_of(struct wick_profile *p, const char *frames)
{
    char *copy = strdup(frames);
    assert_non_null(copy);
    uint32_t stack = stack_of(p, copy);
    free(copy);
    return wick_wait_of(p, stack);
}

static const char *own_class(const struct wick_profile *p, struct wick_wait w)
{
    return w.stack ? wick_profile_str(p, p->functions[p->frames[p->stacks[w.stack].frame].function].class_name) : "";
}

static void test_wait_kind__recorded_stacks_are_recognised(void **state)
{
    FILE *in = fopen(WICK_WAIT_STACKS, "re");
    struct wick_profile p;
    char *line = NULL;
    size_t cap = 0, lines = 0;
    (void)state;
    assert_non_null(in);
    assert_int_equal(wick_profile_init(&p), 0);
    while (getline(&line, &cap, in) > 0) {
        char *rest = NULL;
        line[strcspn(line, "\n")] = 0;
        const char *kind = strtok_r(line, "|", &rest), *jdks = strtok_r(NULL, "|", &rest);
        char *frames = strtok_r(NULL, "|", &rest);
        bool own = frames && !strncmp(frames, "app.", 4);
        assert_non_null(frames);
        struct wick_wait w = wick_wait_of(&p, stack_of(&p, frames));
        if (strcmp(wick_wait_name(w.kind), kind) != 0)
            fail_msg("JDK %s: %s is seen as %s", jdks, kind, wick_wait_name(w.kind));
        if (own && strcmp(own_class(&p, w), "app/Main") != 0)
            fail_msg("JDK %s: %s is said to be waited for by %s", jdks, kind, own_class(&p, w));
        if (!own)
            assert_int_equal(w.stack, 0);
        lines++;
    }
    assert_true(lines > 100);
    free(line);
    fclose(in);
    wick_profile_release(&p);
}

static void test_wait_kind__idle_workers_differ_from_consumers(void **state)
{
    struct wick_profile p;
    (void)state;
    assert_int_equal(wick_profile_init(&p), 0);
    struct wick_wait idle = wait_of(&p, "java.lang.Thread.run;java.util.concurrent.ThreadPoolExecutor$Worker.run;"
                                        "java.util.concurrent.ThreadPoolExecutor.runWorker;"
                                        "java.util.concurrent.ThreadPoolExecutor.getTask;"
                                        "java.util.concurrent.LinkedBlockingQueue.take"),
                     consumer = wait_of(&p, "app.Main.consume;java.util.concurrent.LinkedBlockingQueue.take");
    assert_int_equal(wick_wait_role_of(idle.kind), WICK_WAIT_IDLE);
    assert_int_equal(wick_wait_role_of(consumer.kind), WICK_WAIT_DEPENDS);
    wick_profile_release(&p);
}

static void test_wait_kind__pools_of_objects_but_not_of_threads(void **state)
{
    struct wick_profile p;
    (void)state;
    assert_int_equal(wick_profile_init(&p), 0);
    struct wick_wait w = wait_of(&p, "app.Dao.find;com.zaxxer.hikari.HikariDataSource.getConnection;"
                                     "com.zaxxer.hikari.pool.HikariPool.getConnection;"
                                     "java.util.concurrent.SynchronousQueue.poll");
    assert_int_equal(w.kind, WICK_WAIT_POOL);
    assert_string_equal(own_class(&p, w), "app/Dao");
    w = wait_of(&p, "app.Main.run;app.WorkerThreadPool.next;java.util.concurrent.LinkedBlockingQueue.take");
    assert_int_equal(w.kind, WICK_WAIT_QUEUE);
    w = wait_of(&p, "app.Worker.run;app.WorkerPool.next;java.util.concurrent.LinkedBlockingQueue.take");
    assert_int_equal(w.kind, WICK_WAIT_QUEUE);
    /* or by the method: what is lent is awaited, whatever its class is called */
    w = wait_of(&p, "app.Exam.grade;app.Sessions.borrow;java.util.concurrent.ArrayBlockingQueue.take");
    assert_int_equal(w.kind, WICK_WAIT_POOL);
    assert_string_equal(own_class(&p, w), "app/Exam");
    w = wait_of(&p, "app.Exam.grade;app.Sessions.borrowSession;java.lang.Object.wait");
    assert_int_equal(w.kind, WICK_WAIT_POOL);
    w = wait_of(&p, "app.Exam.grade;app.Desk.rental;java.util.concurrent.ArrayBlockingQueue.take");
    assert_int_equal(w.kind, WICK_WAIT_QUEUE);
    w = wait_of(&p, "app.Exam.grade;app.Desk.borrow;java.util.concurrent.locks.ReentrantLock.lock");
    assert_int_equal(w.kind, WICK_WAIT_LOCK);
    wick_profile_release(&p);
}

/* Stacks of real servers and libraries, from the program's frame on. */
static void test_wait_kind__what_libraries_wait_for(void **state)
{
    static const struct {
        const char *frames;
        enum wick_wait_kind kind;
    } stacks[] = {
        {"app.Servlet.doGet;org.apache.tomcat.jdbc.pool.DataSourceProxy.getConnection;"
         "org.apache.tomcat.jdbc.pool.ConnectionPool.getConnection;"
         "org.apache.tomcat.jdbc.pool.ConnectionPool.borrowConnection;"
         "org.apache.tomcat.jdbc.pool.FairBlockingQueue.poll;java.util.concurrent.CountDownLatch.await;"
         "java.util.concurrent.locks.LockSupport.parkNanos",
         WICK_WAIT_POOL},
        {"app.Servlet.doGet;org.apache.tomcat.dbcp.dbcp2.BasicDataSource.getConnection;"
         "org.apache.tomcat.dbcp.dbcp2.PoolingDataSource.getConnection;"
         "org.apache.tomcat.dbcp.pool2.impl.GenericObjectPool.borrowObject;"
         "org.apache.tomcat.dbcp.pool2.impl.LinkedBlockingDeque.pollFirst;"
         "java.util.concurrent.locks.AbstractQueuedSynchronizer$ConditionObject.awaitNanos",
         WICK_WAIT_POOL},
        {"app.Servlet.doGet;org.apache.tomcat.jdbc.pool.ConnectionPool.getConnection;" /* makes one */
         "org.apache.tomcat.jdbc.pool.PooledConnection.connect;org.postgresql.Driver.connect;"
         "sun.nio.ch.NioSocketImpl.implRead",
         WICK_WAIT_PEER},
        {"app.Servlet.credit;org.apache.tomcat.jdbc.pool.StatementFacade$StatementProxy.invoke;"
         "org.postgresql.jdbc.PgPreparedStatement.executeUpdate;sun.nio.ch.NioSocketImpl.implRead",
         WICK_WAIT_PEER},
        {"app.Load.run;org.apache.zookeeper.ZooKeeper.setData;org.apache.zookeeper.ClientCnxn.submitRequest;"
         "java.lang.Object.wait",
         WICK_WAIT_PEER},
        {"app.Bank.transfer;org.h2.jdbc.JdbcPreparedStatement.executeUpdate;org.h2.mvstore.db.MVTable.lockRow;"
         "org.h2.mvstore.tx.Transaction.waitFor;org.h2.mvstore.tx.Transaction.waitForThisToEnd;java.lang.Object.wait",
         WICK_WAIT_ROW_LOCK},
        {"app.Bank.transfer;org.apache.derby.impl.jdbc.EmbedPreparedStatement.executeUpdate;"
         "org.apache.derby.impl.services.locks.ActiveLock.waitForGrant;java.lang.Object.wait",
         WICK_WAIT_ROW_LOCK},
        {"app.Indexer.add;org.apache.lucene.index.IndexWriter.addDocument;"
         "org.apache.lucene.index.ConcurrentMergeScheduler.maybeStall;"
         "org.apache.lucene.index.ConcurrentMergeScheduler.doStall;java.lang.Object.wait",
         WICK_WAIT_MERGE},
        {"app.Main.ask;java.util.concurrent.ExecutorCompletionService.take;"
         "java.util.concurrent.LinkedBlockingQueue.take",
         WICK_WAIT_FUTURE},
        {"app.Main.batch;java.util.concurrent.ThreadPoolExecutor.awaitTermination;"
         "java.util.concurrent.locks.AbstractQueuedSynchronizer$ConditionObject.awaitNanos",
         WICK_WAIT_POOL_END},
        {"app.Main.write;java.io.PipedOutputStream.write;java.io.PipedInputStream.receive;"
         "java.io.PipedInputStream.awaitSpace;java.lang.Object.wait",
         WICK_WAIT_QUEUE_FULL},
        {"app.Main.publish;java.util.concurrent.SubmissionPublisher.submit;java.util.concurrent.ForkJoinPool."
         "managedBlock;java.util.concurrent.locks.LockSupport.park",
         WICK_WAIT_QUEUE_FULL},
        {"app.Shop.order;kotlinx.coroutines.BuildersKt.runBlocking;kotlinx.coroutines.BuildersKt__BuildersKt."
         "runBlocking;kotlinx.coroutines.BlockingCoroutine.joinBlocking;java.util.concurrent.locks.LockSupport."
         "parkNanos",
         WICK_WAIT_FUTURE},
        {"app.Shop.order;scala.concurrent.Await$.result;scala.concurrent.impl.Promise$DefaultPromise.tryAwait;"
         "java.util.concurrent.locks.LockSupport.park",
         WICK_WAIT_FUTURE},
        {"app.core$order.invokeStatic;clojure.core$deref.invokeStatic;clojure.core$future_call$reify__8544.deref;"
         "java.util.concurrent.FutureTask.get;java.util.concurrent.locks.LockSupport.park",
         WICK_WAIT_FUTURE},
    };
    struct wick_profile p;
    (void)state;
    assert_int_equal(wick_profile_init(&p), 0);
    for (size_t i = 0; i < sizeof stacks / sizeof *stacks; i++) {
        struct wick_wait w = wait_of(&p, stacks[i].frames);
        if (w.kind != stacks[i].kind || strncmp(own_class(&p, w), "app/", 4) != 0)
            fail_msg("%s: %s of %s", stacks[i].frames, wick_wait_name(w.kind), own_class(&p, w));
    }
    wick_profile_release(&p);
}

static void test_wait_kind__a_servlet_works_for_a_client(void **state)
{
    struct wick_profile p;
    (void)state;
    assert_int_equal(wick_profile_init(&p), 0);
    struct wick_wait w = wait_of(&p, "java.lang.Thread.run;org.apache.tomcat.util.net.SocketProcessorBase.run;"
                                     "jakarta.servlet.http.HttpServlet.service;app.Prices.doGet;"
                                     "java.io.BufferedReader.readLine;sun.nio.ch.NioSocketImpl.implRead");
    assert_true(w.in_request && w.kind == WICK_WAIT_SOCKET);
    assert_false(wait_of(&p, "app.Server.serve;sun.nio.ch.NioSocketImpl.implRead").in_request);
    /* waiting for a request is not one */
    assert_false(wait_of(&p, "java.lang.Thread.run;org.apache.tomcat.util.threads.ThreadPoolExecutor.getTask;"
                             "java.util.concurrent.LinkedBlockingQueue.take")
                     .in_request);
    wick_profile_release(&p);
}

static void test_wait_kind__the_peer_of_a_driver_and_what_the_driver_waits_for(void **state)
{
    struct wick_profile p;
    (void)state;
    assert_int_equal(wick_profile_init(&p), 0);
    struct wick_wait w = wait_of(&p, "app.Dao.find;org.postgresql.jdbc.PgStatement.execute;"
                                     "org.postgresql.core.PGStream.receiveChar;java.net.SocketInputStream.read");
    assert_int_equal(w.kind, WICK_WAIT_PEER);
    assert_string_equal(own_class(&p, w), "app/Dao");
    w = wait_of(&p, "app.Dao.open;org.postgresql.Driver.connect;java.net.InetAddress.getAllByName;"
                    "java.net.Inet6AddressImpl.lookupAllHostAddr");
    assert_int_equal(w.kind, WICK_WAIT_DNS);
    assert_string_equal(own_class(&p, w), "app/Dao");
    w = wait_of(&p, "app.Server.serve;java.net.SocketInputStream.read"); /* the next request, or an answer */
    assert_int_equal(wick_wait_role_of(w.kind), WICK_WAIT_DEPENDS);
    wick_profile_release(&p);
}

/* The selector of a client's blocking call waits for an answer, as does that of a request; others wait for events. */
static void test_wait_kind__a_selector_below_a_call_waits_for_its_answer(void **state)
{
    struct wick_profile p;
    (void)state;
    assert_int_equal(wick_profile_init(&p), 0);
    struct wick_wait w = wait_of(&p, "app.Directory.find;javax.naming.directory.InitialDirContext.getAttributes;"
                                     "com.sun.jndi.dns.DnsContext.c_getAttributes;"
                                     "com.sun.jndi.dns.DnsClient.blockingReceive;"
                                     "sun.nio.ch.SelectorImpl.select;sun.nio.ch.EPoll.wait");
    assert_int_equal(w.kind, WICK_WAIT_DNS);
    assert_string_equal(own_class(&p, w), "app/Directory");
    w = wait_of(&p, "javax.servlet.http.HttpServlet.service;app.Shop.doGet;app.Client.ask;"
                    "sun.nio.ch.SelectorImpl.select;sun.nio.ch.EPoll.wait");
    assert_true(w.in_request && w.kind == WICK_WAIT_SOCKET);
    w = wait_of(&p, "app.Accounts.find;javax.naming.directory.InitialDirContext.search;"
                    "com.sun.jndi.ldap.Connection.readReply;java.util.concurrent.LinkedBlockingQueue.poll");
    assert_int_equal(w.kind, WICK_WAIT_PEER);
    w = wait_of(&p, "app.Server.loop;sun.nio.ch.SelectorImpl.select;sun.nio.ch.EPoll.wait");
    assert_int_equal(w.kind, WICK_WAIT_EVENT);
    wick_profile_release(&p);
}

/* Threads of asynchronous clients wait for events as long as nothing is asked; what a callback waits for is the
 * program's. */
static void test_wait_kind__reactors_of_clients_wait_for_events(void **state)
{
    static const struct {
        const char *frames, *own;
        enum wick_wait_kind kind;
    } stacks[] = {
        {"java.lang.Thread.run;org.apache.http.impl.nio.reactor.AbstractMultiworkerIOReactor$Worker.run;"
         "org.apache.http.impl.nio.reactor.BaseIOReactor.execute;"
         "org.apache.http.impl.nio.reactor.AbstractIOReactor.execute;sun.nio.ch.SelectorImpl.select;"
         "sun.nio.ch.EPoll.wait",
         NULL, WICK_WAIT_EVENT},
        {"java.lang.Thread.run;org.apache.http.impl.nio.client.CloseableHttpAsyncClientBase$1.run;"
         "org.apache.http.impl.nio.conn.PoolingNHttpClientConnectionManager.execute;"
         "org.apache.http.impl.nio.reactor.AbstractMultiworkerIOReactor.execute;sun.nio.ch.SelectorImpl.select",
         NULL, WICK_WAIT_EVENT},
        {"java.lang.Thread.run;org.apache.hc.core5.reactor.IOReactorWorker.run;"
         "org.apache.hc.core5.reactor.SingleCoreIOReactor.doExecute;sun.nio.ch.SelectorImpl.select",
         NULL, WICK_WAIT_EVENT},
        {"java.lang.Thread.run;io.netty.channel.nio.NioEventLoop.run;io.netty.channel.nio.NioEventLoop.select;"
         "sun.nio.ch.SelectorImpl.select",
         NULL, WICK_WAIT_EVENT},
        {"jdk.internal.net.http.HttpClientImpl$SelectorManager.run;sun.nio.ch.SelectorImpl.select", NULL,
         WICK_WAIT_EVENT},
        {"java.lang.Thread.run;org.apache.http.impl.nio.reactor.AbstractIOReactor.execute;app.Search.completed;"
         "java.util.concurrent.locks.ReentrantLock.lock",
         "app/Search", WICK_WAIT_LOCK},
        {"java.lang.Thread.run;org.apache.hc.core5.reactor.IOReactorWorker.run;"
         "org.apache.hc.client5.http.impl.async.InternalHttpAsyncClient$1.completed;app.Search.completed;"
         "java.util.concurrent.locks.ReentrantLock.lock",
         "app/Search", WICK_WAIT_LOCK},
        {"app.Shop.ask;org.apache.http.impl.client.InternalHttpClient.doExecute;"
         "org.apache.http.impl.io.SessionInputBufferImpl.fillBuffer;java.net.SocketInputStream.read",
         "app/Shop", WICK_WAIT_PEER},
        {"app.Shop.ask;org.apache.hc.client5.http.impl.classic.CloseableHttpClient.execute;"
         "org.apache.hc.core5.http.impl.io.SessionInputBufferImpl.fillBuffer;java.net.SocketInputStream.read",
         "app/Shop", WICK_WAIT_PEER},
    };
    struct wick_profile p;
    (void)state;
    assert_int_equal(wick_profile_init(&p), 0);
    for (size_t i = 0; i < sizeof stacks / sizeof *stacks; i++) {
        struct wick_wait w = wait_of(&p, stacks[i].frames);
        if (w.kind != stacks[i].kind)
            fail_msg("%s is seen as %s", stacks[i].frames, wick_wait_name(w.kind));
        if (stacks[i].own)
            assert_string_equal(own_class(&p, w), stacks[i].own);
    }
    wick_profile_release(&p);
}

/* From JDK 17 on conditions are awaited by way of ForkJoinPool, which is no pool of objects. */
static void test_wait_kind__the_way_of_conditions_is_no_pool(void **state)
{
    struct wick_profile p;
    (void)state;
    assert_int_equal(wick_profile_init(&p), 0);
    struct wick_wait w = wait_of(&p, "app.Main.handle;ch.qos.logback.classic.Logger.info;"
                                     "ch.qos.logback.core.AsyncAppenderBase.put;"
                                     "java.util.concurrent.ArrayBlockingQueue.put;"
                                     "java.util.concurrent.locks.AbstractQueuedSynchronizer$ConditionObject.await;"
                                     "java.util.concurrent.ForkJoinPool.managedBlock;"
                                     "java.util.concurrent.ForkJoinPool.unmanagedBlock;"
                                     "java.util.concurrent.locks.LockSupport.park");
    assert_int_equal(w.kind, WICK_WAIT_QUEUE_FULL);
    assert_string_equal(own_class(&p, w), "app/Main");
    wick_profile_release(&p);
}

/* Who logs is the program, and what the appender waits for is what it waits for. */
static void test_wait_kind__frameworks_for_logging_are_passed_through(void **state)
{
    struct wick_profile p;
    (void)state;
    assert_int_equal(wick_profile_init(&p), 0);
    struct wick_wait w = wait_of(&p, "app.Main.serve;ch.qos.logback.classic.Logger.info;"
                                     "ch.qos.logback.core.OutputStreamAppender.writeBytes;"
                                     "java.util.concurrent.locks.ReentrantLock.lock");
    assert_int_equal(w.kind, WICK_WAIT_LOCK);
    assert_string_equal(own_class(&p, w), "app/Main");
    w = wait_of(&p, "app.Main.serve;ch.qos.logback.classic.Logger.info;"
                    "ch.qos.logback.core.OutputStreamAppender.writeBytes;java.io.FileOutputStream.writeBytes");
    assert_int_equal(w.kind, WICK_WAIT_FILE_WRITE);
    assert_string_equal(own_class(&p, w), "app/Main");
    wick_profile_release(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wait_kind__recorded_stacks_are_recognised),
        cmocka_unit_test(test_wait_kind__idle_workers_differ_from_consumers),
        cmocka_unit_test(test_wait_kind__pools_of_objects_but_not_of_threads),
        cmocka_unit_test(test_wait_kind__the_way_of_conditions_is_no_pool),
        cmocka_unit_test(test_wait_kind__frameworks_for_logging_are_passed_through),
        cmocka_unit_test(test_wait_kind__what_libraries_wait_for),
        cmocka_unit_test(test_wait_kind__a_servlet_works_for_a_client),
        cmocka_unit_test(test_wait_kind__the_peer_of_a_driver_and_what_the_driver_waits_for),
        cmocka_unit_test(test_wait_kind__a_selector_below_a_call_waits_for_its_answer),
        cmocka_unit_test(test_wait_kind__reactors_of_clients_wait_for_events),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
