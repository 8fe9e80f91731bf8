"""Checks: the page in front of a history that is as long as histories get."""
import os
import statistics
import subprocess

import history
from browser import Page
from nodes import ROOT
from town import Person, until

# As Verification/Bench/LongHistory.swift writes it.
CONVERSATION, RAREST, COMMON = "#log", "chrysanthemum", "message"
TRIES = 20
# From the last key of a search to its results on the screen, with the pause in which somebody may type on.
SEARCH = 500

# Types words into the field of the search, and waits for the frame after the one in which the results are there.
SEARCH_FOR = """async ([words]) => {
  const sheet = document.querySelector('dialog.sheet-search'), field = sheet.querySelector('.search-field');
  const found = () => sheet.querySelectorAll('.results button:has(mark)').length;
  field.value = '';
  field.dispatchEvent(new Event('input', {bubbles: true}));
  while (found() > 0) await new Promise(requestAnimationFrame);
  const began = performance.now();
  field.value = words;
  field.dispatchEvent(new Event('input', {bubbles: true}));
  while (found() === 0 && performance.now() - began < 10000) await new Promise(requestAnimationFrame);
  await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
  return {milliseconds: performance.now() - began, count: found()};
}"""


def bench():
    """The program that writes long histories: $EARSHOT_BENCH_BIN, or a release build."""
    if "EARSHOT_BENCH_BIN" in os.environ:
        return os.environ["EARSHOT_BENCH_BIN"]
    build = subprocess.run([ROOT / "script" / "build", "release", "EarshotBench"], check=True, stdout=subprocess.PIPE, text=True)
    return build.stdout.strip()


def run(browser, rows, folder, count):
    subprocess.run([bench(), "fill", "--folder", folder, "--messages", str(count)], check=True)
    alice = Person(folder, "alice")
    try:
        looks(alice, browser, rows, count)
    finally:
        alice.stop()


def looks(alice, browser, rows, count):
    page = Page(browser.context())
    page.open(alice.page_address())
    until("the conversation is there", lambda: alice.call("GET", "conversations/%23log"))
    rows.fact("messages", f"{count:,}")
    history.first_paint(page, rows, CONVERSATION, TRIES)
    rows.trying("the last messages are shown", lambda: page.message(f"message {count - 1} ").wait_for())
    search(page, rows)
    rows.check("no script of the page has failed", not page.errors, "; ".join(page.errors[:3]))


def search(page, rows):
    page.tab.keyboard.press("Control+k")
    page.sees("dialog.sheet-search .search-field")
    for words, expected in ((RAREST, 1), (COMMON, 20)):
        found = [page.tab.evaluate(SEARCH_FOR, [words]) for _ in range(TRIES)]
        median = statistics.median(each["milliseconds"] for each in found)
        counts = {each["count"] for each in found}
        rows.check(f"a search for {'one message' if expected == 1 else 'what all hold'} shows it in at most {SEARCH} ms",
                   median <= SEARCH and counts == {expected}, f"{median:.0f} ms, the median of {TRIES}; {sorted(counts)} found")
