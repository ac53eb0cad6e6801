"""Starts servers, pins them to a core, and reads their CPU time and memory."""
import os
import signal
import socket
import subprocess
import tempfile
import threading
import time

# Client and server are pinned, because the results depend mostly on whether they share a core.
cores = sorted(os.sched_getaffinity(0))
FIRST_CORE, LAST_CORE = cores[0], cores[-1]


def free_port(socket_type=socket.SOCK_STREAM):
    with socket.socket(socket.AF_INET, socket_type) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def pinned(command, core):
    """The command, on one core; on all if the core is None."""
    return list(command) if core is None else ["taskset", "-c", str(core), *command]


def connect(address):
    """Connects to the path of a UNIX socket, or to HOST:PORT."""
    if ":" in address:
        host, port = address.rsplit(":", 1)
        return socket.create_connection((host, int(port)))
    client = socket.socket(socket.AF_UNIX)
    try:
        client.connect(address)
    except OSError:
        client.close()
        raise
    return client


class CPUTimes:
    """The user and system times of a process in seconds, and of the children that it has waited for."""

    def __init__(self, pid, with_children=False):
        pids = [pid]
        if with_children:
            with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
                pids += [int(child) for child in file.read().split()]
        self.user = self.system = 0.0
        for each in pids:
            try:
                with open(f"/proc/{each}/stat", encoding="ascii") as file:
                    fields = file.read().rsplit(")", 1)[1].split()
            except OSError:
                # The child has ended; its parent's times contain its times.
                continue
            # utime, stime, cutime and cstime; see proc_pid_stat(5).
            user, system, child_user, child_system = (int(field) / os.sysconf("SC_CLK_TCK") for field in fields[11:15])
            self.user += user + (child_user if with_children else 0)
            self.system += system + (child_system if with_children else 0)

    @property
    def total(self):
        return self.user + self.system


def cpu_seconds(pid, with_children=False):
    return CPUTimes(pid, with_children).total


def cpu_nanoseconds(pid):
    """The CPU time of a process and all its threads, more precise than `cpu_seconds`."""
    # The number of the clock that clock_getcpuclockid(3) gives.
    return time.clock_gettime_ns((~pid << 3) | 2)


def resident_bytes(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith("VmRSS:"))


class Server:
    """A running server. `address` is where its clients connect. Ends with the `with` block."""

    def __init__(self, command, address, *, core=None, folder=None, environment=None, first_seconds=60):
        self.address = address
        self.log_file = tempfile.NamedTemporaryFile("w+", dir=folder, suffix=".log")
        self.began = time.monotonic()
        self.process = subprocess.Popen(
            pinned(command, core), stdin=subprocess.DEVNULL, stdout=self.log_file, stderr=self.log_file, env=environment)
        try:
            self.seconds_to_connect = self.wait_for_connection(first_seconds)
        except BaseException:
            self.end()
            raise

    @property
    def pid(self):
        # taskset(1) replaces itself by the server.
        return self.process.pid

    def wait_for_connection(self, limit):
        """Waits until the server accepts a connection, and returns the seconds since its start."""
        while True:
            try:
                connect(self.address).close()
                return time.monotonic() - self.began
            except OSError:
                pass
            if self.process.poll() is not None or time.monotonic() - self.began > limit:
                raise RuntimeError(f"{self.process.args} does not start:\n{self.log}")
            time.sleep(0.0002)

    @property
    def log(self):
        with open(self.log_file.name, encoding="utf-8", errors="replace") as file:
            return file.read()

    def move_to(self, core):
        """Moves the server's first thread, which serves the clients, to another core."""
        os.sched_setaffinity(self.pid, {core})

    def end(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(60)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.log_file.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()


class Drain:
    """A client that subscribes with a line, and reads and drops all that it receives. Ends with the `with` block."""

    def __init__(self, address, line):
        self.client = connect(address)
        self.client.sendall(line.encode() + b"\n")
        self.client.recv(1 << 20)
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        while self.client.recv(1 << 20):
            pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.client.shutdown(socket.SHUT_RDWR)
        self.thread.join()
        self.client.close()
