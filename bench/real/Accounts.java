// SPDX-License-Identifier: Apache-2.0
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Random;
import javax.sql.DataSource;
import org.apache.catalina.Context;
import org.apache.catalina.startup.Tomcat;

/**
 * Accounts in PostgreSQL behind Tomcat and its pool of connections. GET /balance/N reads the account N, POST /credit/N adds to it.
 *
 * <p>Arguments: folder, the database's URL, connections of the pool, accounts. Prints "READY port".
 */
public final class Accounts {
    static final class AccountServlet extends HttpServlet {
        private static final long serialVersionUID = 1;
        private final transient DataSource database;

        AccountServlet(DataSource database) {
            this.database = database;
        }

        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response) throws ServletException, IOException {
            try (Connection connection = database.getConnection()) {
                response.getWriter().println(balance(connection, number(request)));
            } catch (SQLException e) {
                throw new ServletException(e);
            }
        }

        @Override
        protected void doPost(HttpServletRequest request, HttpServletResponse response) throws ServletException, IOException {
            try (Connection connection = database.getConnection()) {
                credit(connection, number(request), 1);
                response.getWriter().println("credited");
            } catch (SQLException e) {
                throw new ServletException(e);
            }
        }

        private static int number(HttpServletRequest request) {
            return Integer.parseInt(request.getPathInfo().substring(1));
        }

        private static long balance(Connection connection, int account) throws SQLException {
            try (PreparedStatement query = connection.prepareStatement("SELECT balance FROM account WHERE id = ?")) {
                query.setInt(1, account);
                try (ResultSet row = query.executeQuery()) {
                    row.next();
                    return row.getLong(1);
                }
            }
        }

        private static void credit(Connection connection, int account, long amount) throws SQLException {
            try (PreparedStatement update = connection.prepareStatement("UPDATE account SET balance = balance + ? WHERE id = ?")) {
                update.setLong(1, amount);
                update.setInt(2, account);
                update.executeUpdate();
            }
        }
    }

    private Accounts() {}

    private static DataSource pool(String url, int connections, int accounts) throws SQLException {
        org.apache.tomcat.jdbc.pool.DataSource pool = new org.apache.tomcat.jdbc.pool.DataSource();
        pool.setDriverClassName("org.postgresql.Driver");
        pool.setUrl(url);
        pool.setMaxActive(connections);
        pool.setMaxIdle(connections);
        pool.setInitialSize(connections);
        pool.setMaxWait(600_000);
        try (Connection connection = pool.getConnection()) {
            connection.createStatement().execute("CREATE TABLE account (id integer PRIMARY KEY, balance bigint NOT NULL)");
            try (PreparedStatement insert = connection.prepareStatement("INSERT INTO account VALUES (?, ?)")) {
                for (int i = 0; i < accounts; i++) {
                    insert.setInt(1, i);
                    insert.setLong(2, new Random(i).nextInt(1000));
                    insert.addBatch();
                }
                insert.executeBatch();
            }
        }
        return pool;
    }

    public static void main(String[] args) throws Exception {
        Path base = Path.of(args[0]);
        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir(base.toString());
        tomcat.setPort(0);
        tomcat.getConnector().setProperty("address", "127.0.0.1");
        Context context = tomcat.addContext("", Files.createDirectories(base.resolve("ROOT")).toString());
        AccountServlet servlet = new AccountServlet(pool(args[1], Integer.parseInt(args[2]), Integer.parseInt(args[3])));
        Tomcat.addServlet(context, "accounts", servlet);
        context.addServletMappingDecoded("/balance/*", "accounts");
        context.addServletMappingDecoded("/credit/*", "accounts");
        tomcat.start();
        System.out.println("READY " + tomcat.getConnector().getLocalPort());
        tomcat.getServer().await();
    }
}
