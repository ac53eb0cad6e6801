"""PostgreSQL, and its load program pgbench."""
import glob
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time

from shared.processes import Server, cpu_seconds

from ..rows import NotMeasured, require


def program(name):
    """The path of one of the server's programs, which Debian keeps out of PATH."""
    found = sorted(glob.glob(f"/usr/lib/postgresql/*/bin/{name}"))
    if not found:
        raise NotMeasured(f"{name} is missing (Debian package postgresql-15)")
    return found[-1]


def as_nobody(command):
    """PostgreSQL refuses to run as root."""
    if os.getuid() != 0:
        return command
    return ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups", *command]


class PostgreSQL(Server):
    """A server with its default settings, so each transaction waits until it is on the disk. At a UNIX socket, on all cores."""

    def __init__(self, bench):
        initdb, postgres = program("initdb"), program("postgres")
        require("pgbench", "postgresql-15")
        bench.version("PostgreSQL", [postgres, "--version"])
        self.folder = tempfile.mkdtemp(prefix="gamed-peers-", dir="/var/tmp")
        if os.getuid() == 0:
            shutil.chown(self.folder, "nobody")
        data = f"{self.folder}/data"
        try:
            subprocess.run(as_nobody([initdb, "-U", "bench", "-A", "trust", "-E", "UTF8", "--locale=C", "-D", data]),
                           check=True, stdout=subprocess.DEVNULL, cwd="/")
            super().__init__(
                as_nobody([postgres, "-D", data, "-c", "listen_addresses=", "-c", f"unix_socket_directories={self.folder}"]),
                f"{self.folder}/.s.PGSQL.5432", folder=bench.folder)
            self.wait_until_ready()
        except BaseException:
            shutil.rmtree(self.folder, ignore_errors=True)
            raise

    def wait_until_ready(self):
        """The server accepts connections before it serves them."""
        for _ in range(600):
            if subprocess.run(["pg_isready", "-q", "-h", self.folder], check=False).returncode == 0:
                return
            time.sleep(0.05)
        raise RuntimeError(f"PostgreSQL does not start:\n{self.log}")

    def execute(self, *statements, database="postgres"):
        command = ["psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-h", self.folder, "-U", "bench", "-d", database]
        for statement in statements:
            command += ["-c", statement]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)

    def prepare_for_gamed(self, bench):
        """Makes the database `rooms` with gamed's tables, and returns its URL."""
        self.execute("CREATE DATABASE rooms")
        url = f"postgresql://bench@/rooms?host={self.folder}"
        subprocess.run([bench.gamed, "--store", url, "--prepare"], check=True, stderr=subprocess.DEVNULL)
        return url

    def pgbench(self, bench, script, *options, database="postgres", clients=64):
        """Runs the script's transaction with many clients. Returns transactions per second, and the server's CPU time for one
        in microseconds."""
        path = bench.new_path(".sql")
        with open(path, "w", encoding="utf-8") as file:
            file.write(script)
        before = cpu_seconds(self.pid, with_children=True)
        done = subprocess.run(
            ["pgbench", "-n", "-h", self.folder, "-U", "bench", "-c", str(clients), "-j", "1", "-M", "prepared", "-f", path,
             *map(str, options), database], text=True, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        rate = re.search(r"^tps = ([0-9.]+)", done.stdout, re.MULTILINE)
        count = re.search(r"^number of transactions actually processed: ([0-9]+)", done.stdout, re.MULTILINE)
        if done.returncode != 0 or not rate or not count:
            raise RuntimeError(f"pgbench: {done.stdout[-500:]}")
        # The server's processes for the clients end after pgbench; their parent then has their times.
        time.sleep(0.3)
        return float(rate[1]), (cpu_seconds(self.pid, with_children=True) - before) / int(count[1]) * 1e6

    def end(self):
        # SIGTERM would wait for the clients.
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        super().end()
        shutil.rmtree(self.folder, ignore_errors=True)
