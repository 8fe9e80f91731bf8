"""A terminal that nobody sees: a pane of tmux with a shell, in which the chat is started as a person would."""
import re
import subprocess

from town import until

PROMPT = "prompt%"


class Screen:
    """One pane, of its own tmux server."""
    count = 0

    def __init__(self, folder, program, columns=100, rows=30):
        Screen.count += 1
        self.socket, self.program = folder / f"tmux{Screen.count}", program
        self.buffer = folder / f"buffer{Screen.count}"
        shell = f"env PS1={PROMPT} TERM=tmux-256color LC_ALL=C.UTF-8 PATH={program.parent}:/usr/bin:/bin bash --norc --noprofile"
        self.tmux("set-option", "-g", "history-limit", "60000", ";", "new-session", "-d", "-s", "chat", "-x", str(columns),
                  "-y", str(rows), shell)
        self.sees(re.escape(PROMPT))

    def tmux(self, *words):
        return subprocess.run(["tmux", "-u", "-S", self.socket, "-f", "/dev/null", *words], check=True, text=True,
                              stdout=subprocess.PIPE).stdout

    def text(self):
        """What is on the screen."""
        return self.tmux("capture-pane", "-p", "-t", "chat")

    def all(self):
        """What is on the screen and above it."""
        return self.tmux("capture-pane", "-p", "-S", "-", "-t", "chat")

    def joined(self):
        """The same with the rows joined that the terminal has broken."""
        return self.tmux("capture-pane", "-p", "-J", "-S", "-", "-t", "chat")

    def sees(self, pattern, seconds=20, everywhere=False):
        try:
            return until(pattern, lambda: re.search(pattern, self.all() if everywhere else self.text(), re.M), seconds)
        except RuntimeError as error:
            raise RuntimeError(f"{error}; the screen: {self.text().strip()!r}") from None

    def type(self, text):
        self.tmux("send-keys", "-t", "chat", "-l", "--", text)

    def press(self, *keys):
        self.tmux("send-keys", "-t", "chat", *keys)

    def line(self, text):
        self.type(text)
        self.press("Enter")

    def paste(self, text):
        self.buffer.write_text(text)
        self.tmux("load-buffer", str(self.buffer), ";", "paste-buffer", "-p", "-t", "chat")

    def program_pid(self):
        """What runs in the shell."""
        shell = self.tmux("display-message", "-p", "-t", "chat", "#{pane_pid}").strip()
        return int(subprocess.run(["pgrep", "-P", shell], check=True, text=True, stdout=subprocess.PIPE).stdout.split()[0])

    def resize(self, columns, rows):
        self.tmux("resize-window", "-t", "chat", "-x", str(columns), "-y", str(rows))

    def end(self):
        subprocess.run(["tmux", "-S", self.socket, "kill-server"], check=False, stderr=subprocess.DEVNULL)
