"""What all parts need: the programs, folders on the disk, and how much is measured."""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

from shared.processes import LAST_CORE, pinned

ROOT = pathlib.Path(__file__).resolve().parents[2]
BENCHMARKS = ROOT / "Benchmarks"


class Bench:
    """The context of a run. In a smoke run, everything is measured with tiny counts, to see that it works."""

    def __init__(self, gamed, is_smoke):
        self.gamed, self.is_smoke = os.path.abspath(gamed), is_smoke
        # State directories must be on a disk; /tmp may be in memory.
        (ROOT / ".build").mkdir(exist_ok=True)
        self.disk = pathlib.Path(tempfile.mkdtemp(prefix="peers-", dir=ROOT / ".build"))
        # The path of a socket must be short.
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="peers-"))
        self.programs = self.folder / "programs"
        self.versions = {}
        self.number = 0
        subprocess.run([BENCHMARKS / "compile", self.programs, "load", "clients", "fanout", "echo", "beats", "lateness", "http"],
                       check=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.disk, ignore_errors=True)
        shutil.rmtree(self.folder, ignore_errors=True)

    def count(self, full, smoke):
        """How much is measured: `smoke` in a smoke run."""
        return smoke if self.is_smoke else full

    def new_path(self, suffix=""):
        """A short path that is not used yet."""
        self.number += 1
        return str(self.folder / f"{self.number}{suffix}")

    def new_folder(self, parent=None):
        return tempfile.mkdtemp(dir=parent or self.disk)

    def run(self, program, *arguments, core=LAST_CORE):
        """Runs a load program, and returns the numbers that it prints."""
        command = pinned([str(self.programs / program), *map(str, arguments)], core)
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(command)[:300]}: {done.stderr.strip()[:500]}")
        return [float(number) for number in done.stdout.split()]

    def load(self, server, in_flight, count, messages, *options):
        """The server's CPU time for a message in nanoseconds."""
        return self.run("load", *options, server.address, server.pid, in_flight, count, *messages)[0]

    def version(self, name, command):
        """Notes the version of a peer: the first number with dots that the command prints."""
        if name not in self.versions:
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
            number = re.search(r"\d+(\.\d+)+", done.stdout)
            self.versions[name] = number[0] if number else done.stdout.strip()[:40]
