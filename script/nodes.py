"""Real nodes on loopback, for scripts in Python."""
import json
import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent


def program():
    """The program: $EARSHOT_BIN, or a debug build."""
    if "EARSHOT_BIN" not in os.environ:
        build = subprocess.run(
            [ROOT / "script" / "build", "debug", "earshot"], check=True, stdout=subprocess.PIPE, text=True)
        os.environ["EARSHOT_BIN"] = build.stdout.strip()
    return os.environ["EARSHOT_BIN"]


class Node:
    """A node that runs from the beginning until `stop`."""

    def __init__(self, folder, name, *options):
        self.home = pathlib.Path(folder) / name
        self.run("init", "--name", name)
        command = [program(), "up", "--home", self.home, "--json", "--no-discovery", *options]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        record = json.loads(self.process.stdout.readline())
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
