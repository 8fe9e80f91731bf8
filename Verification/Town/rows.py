"""What was checked, and how it went."""
import json

from nodes import drove


class Rows:
    def __init__(self, is_json):
        self.is_json, self.passed, self.failed, self.skipped = is_json, 0, 0, 0

    def check(self, name, is_right, detail=""):
        self.passed, self.failed = self.passed + bool(is_right), self.failed + (not is_right)
        self._tell({"check": name, "passed": bool(is_right), "detail": str(detail)},
                   f"{'ok    ' if is_right else 'FAILED'} {name}{f': {detail}' if detail != '' else ''}")

    def skip(self, name, reason):
        self.skipped += 1
        self._tell({"check": name, "skipped": True, "detail": reason}, f"left out {name}: {reason}")

    def fact(self, name, value):
        self._tell({"fact": name, "value": value}, f"       {name}: {value}")

    def trying(self, name, work):
        """A check that holds if nothing is raised. What is returned is its detail."""
        try:
            detail = work()
        except Exception as error:  # Whatever the browser or the node raise: the other checks go on.
            self.check(name, False, " ".join(str(error).split())[:400])
            return False
        self.check(name, True, "" if detail is None else detail)
        return True

    def end(self):
        if not self.is_json:
            print(drove())
        self._tell({"passed": self.passed, "failed": self.failed, "skipped": self.skipped},
                   f"{self.passed} passed, {self.failed} failed")
        return 1 if self.failed else 0

    def _tell(self, value, text):
        print(json.dumps(value, ensure_ascii=False) if self.is_json else text, flush=True)
