# SPDX-License-Identifier: Apache-2.0
"""nginx and PostgreSQL from Debian's packages, for tests and benchmarks: what to run in a folder of theirs, in the foreground, until SIGTERM."""
import glob
import os
import shutil
import socket

NGINX = "/usr/sbin/nginx"
AS_POSTGRES = ("setpriv", "--reuid", "postgres", "--regid", "postgres", "--clear-groups") if os.geteuid() == 0 else ()  # it refuses to run as root


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def nginx(where, port):
    """The command of a server with one worker, whose process number it writes into `where`/pid: it compresses /text for each who asks."""
    os.makedirs(where + "/www")
    with open(where + "/www/text", "w", encoding="utf-8") as f:
        f.write("".join(f"line {i * 7919 % 10007} of a text that can be compressed\n" for i in range(8000)))
    folders = "".join(f"{kind}_temp_path {where}/{kind}; " for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    with open(where + "/nginx.conf", "w", encoding="utf-8") as f:
        f.write(f"daemon off; worker_processes 1; pid {where}/pid; error_log {where}/log; user root;\nevents {{}}\nhttp {{ access_log off; gzip on; gzip_types *; "
                f"gzip_comp_level 6; {folders}server {{ listen 127.0.0.1:{port}; root {where}/www; }} }}\n")
    return (NGINX, "-c", where + "/nginx.conf")


class Postgres:
    """A database in a folder, reached through a socket in it and, if there is one, a port of the loopback: the commands that make it, run it and use it."""

    def __init__(self, where, port=None):
        binary = sorted(glob.glob("/usr/lib/postgresql/*/bin"))[-1]
        reached = ("-c", "listen_addresses=") if port is None else ("-c", "listen_addresses=127.0.0.1", "-p", str(port))
        os.makedirs(where)
        if AS_POSTGRES:
            shutil.chown(where, "postgres")
        os.chmod(os.path.dirname(where), 0o755)
        self.make = (*AS_POSTGRES, f"{binary}/initdb", "-U", "postgres", "-D", where + "/data", "--auth", "trust", "--no-sync")
        self.run = (*AS_POSTGRES, f"{binary}/postgres", "-D", where + "/data", "-k", where, *reached, "-c", "fsync=off", "-c", "shared_buffers=16MB")
        self.sql = (f"{binary}/psql", "-q", "-h", where, *(() if port is None else ("-p", str(port))), "-U", "postgres", "-d", "postgres")
        self.is_ready = (f"{binary}/pg_isready", "-h", where)
        self.fill = (f"{binary}/pgbench", "-h", where, "-U", "postgres", "-i", "-q", "postgres")
        self.ask = (f"{binary}/pgbench", "-h", where, "-U", "postgres", "-S", "-n", "-c", "1", "-T", "3600", "postgres")


def there_are():
    """Whether both are installed."""
    return os.path.exists(NGINX) and bool(glob.glob("/usr/lib/postgresql/*/bin/initdb"))
