"""Real nodes on loopback, and what scripts in Python need before they start some."""
import json
import os
import pathlib
import signal
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
# What scripts build and drive: what users install, unless told otherwise while one works on it.
CONFIGURATION = os.environ.get("EARSHOT_CONFIGURATION", "release")


def build(configuration, product):
    """Builds a program of this package, and returns its path."""
    command = [ROOT / "script" / "build", configuration, product]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


def program(configuration=CONFIGURATION):
    """The program: $EARSHOT_BIN, or one that is built."""
    if not os.environ.get("EARSHOT_BIN"):
        os.environ["EARSHOT_BIN"] = build(configuration, "earshot")
    return os.environ["EARSHOT_BIN"]


def drove(*examples):
    """Which build a check drove, for its last lines."""
    command = [ROOT / "script" / "drove", program(), *examples]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


def install(packages):
    """Installs those of the distribution's packages that are missing."""
    listed = subprocess.run(
        ["dpkg-query", "--show", "--showformat", "${Package} ${db:Status-Status}\n", *packages], stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, text=True).stdout.splitlines()
    missing = [package for package in packages if f"{package} installed" not in listed]
    if not missing:
        return
    print(f"{pathlib.Path(sys.argv[0]).name}: installing {' '.join(missing)}", file=sys.stderr)
    apt = [*([] if os.geteuid() == 0 else ["sudo"]), "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "--quiet"]
    for words in [["update"], ["--option", "DPkg::Lock::Timeout=300", "install", "--yes", "--no-install-recommends", *missing]]:
        subprocess.run([*apt, *words], check=True, stdout=subprocess.DEVNULL)


# A network of its own for a check, and with it all processes that it starts: they end when it does. The shell is the first
# of them, because it waits for those whose parents have ended.
PRIVATE_HOST = [
    "unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "--propagation", "private",
    "bash", "-c", '"$@"; exit $?', "bash"]


def end_when_told():
    """Lets SIGTERM, as from timeout(1), end a script by an exception, so that it ends what it has started."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))


class Node:
    """A node that runs from the beginning until `stop`."""

    def __init__(self, folder, name, *options):
        self.home = pathlib.Path(folder) / name
        self.run("init", "--name", name)
        command = [program(), "up", "--home", self.home, "--json", "--no-discovery", *options]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        if not line:
            self.stop()
            raise RuntimeError(f"{name}'s node did not start")
        record = json.loads(line)
        self.port, self.http_port = record["status"]["port"], record.get("httpPort")

    def run(self, *command):
        """The output of a command for the node."""
        return subprocess.run(
            [program(), *command, "--home", self.home], check=True, stdout=subprocess.PIPE, text=True).stdout

    def resident(self):
        """The memory that it has, in MiB."""
        lines = pathlib.Path(f"/proc/{self.process.pid}/status").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1024

    def stop(self):
        self.process.terminate()
        self.process.wait(30)
