"""Checks: a long history, paged through without a jump; and what is read of it."""
import statistics

from nodes import drove
from town import until

MESSAGES = 10_000
# The first paint is measured so often, each time beside what the browser takes to draw the same messages alone; the limit is for
# the medians.
TRIES = 7
# A node that was built for debugging takes longer to answer, and is no measure of speed.
FIRST_PAINT = 8 if "debug" in drove() else 6
# What the page keeps in its list at most: the messages of its window, and what stands between them.
LINES = 250 + 60
# An anchor may be drawn on another fraction of a pixel.
STEADY = 1.0

# Draws the messages that are shown once more, and takes them away again.
DRAW = """async () => {
  const list = document.querySelector('ol.messages'), frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  await frame();
  const began = performance.now(), copy = document.createElement('ol');
  copy.className = list.className;
  for (const each of [...list.querySelectorAll('li.message')].slice(-50)) copy.append(each.cloneNode(true));
  list.after(copy);
  await frame();
  await new Promise((resolve) => setTimeout(resolve));
  const took = performance.now() - began;
  copy.remove();
  return took;
}"""

# Scrolls up as a wheel does, and measures in each frame where the first message in sight stands.
PAGE_BACK = """async ([steps]) => {
  const scroller = document.querySelector('.scroller'), list = document.querySelector('ol.messages');
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  const first = () => list.querySelector('li.message')?.dataset.key;
  const inSight = () => {
    const top = scroller.getBoundingClientRect().top;
    return [...list.querySelectorAll('li.message')].find((each) => each.getBoundingClientRect().bottom > top + 1);
  };
  let worst = 0, pages = 0, lines = 0;
  for (let step = 0; step < steps; step += 1) {
    scroller.scrollTop = Math.max(0, scroller.scrollTop - 2000);
    const before = first(), anchor = inSight(), key = anchor.dataset.key;
    const offset = anchor.getBoundingClientRect().top;
    for (let wait = 0; wait < 400 && first() === before; wait += 1) {
      if (list.querySelector('.start') && scroller.scrollTop === 0) return {worst, pages, lines, isAtStart: true};
      if (scroller.scrollTop >= 800) break;
      await frame();
    }
    if (first() === before) continue;
    pages += 1;
    const now = [...list.children].find((each) => each.dataset.key === key);
    worst = now ? Math.max(worst, Math.abs(now.getBoundingClientRect().top - offset)) : Infinity;
    lines = Math.max(lines, list.children.length);
  }
  return {worst, pages, lines, isAtStart: false};
}"""


# Unread ones, of which the page follows each: more than a screen holds.
FEW = 120

# Messages of which at least a part is on the screen.
IN_SIGHT = """(text) => {
  const view = document.querySelector('.scroller').getBoundingClientRect();
  return [...document.querySelectorAll('li.message')].filter((each) => {
    const place = each.getBoundingClientRect();
    return each.textContent.includes(text) && place.bottom > view.top && place.top < view.bottom;
  }).length;
}"""


def run(town, page, rows):
    rows.trying("marks as read what was on the screen, and nothing else", lambda: marks(town, page))
    texts = [f"Line {number} of the log. " + "It goes on for a while. " * (number % 7) for number in range(MESSAGES)]
    if not rows.trying(f"{MESSAGES:,} messages come while the page is open", lambda: comes(town, page, texts)):
        return
    rows.trying("opens at the first unread message, and marks only what was on the screen", lambda: opens(town, page))
    rows.trying(f"pages back through {MESSAGES:,} messages with a steady place", lambda: pages_back(page, rows))
    rows.trying("stays where it is when messages come", lambda: stays(town, page))
    rows.trying("what is written in the middle of a history is shown at its end", lambda: writes(page))
    rows.trying("goes to the latest message, and marks all on request", lambda: ends(town, page))
    first_paint(page, rows)


def marks(town, page):
    page.choose("#ops")
    town.alice.call("POST", "conversations/carol/read", {"all": True})
    for number in range(FEW):
        town.carol.send("alice", f"Note {number} of many.")
    left = lambda: town.alice.call("GET", "conversations/carol")["unreadCount"]  # noqa: E731
    until("all are there", lambda: left() == FEW)
    page.row("carol").locator(f".count:has-text('{FEW}')").wait_for()
    page.row("carol").click()
    page.message("Note 0 of many.").wait_for()
    until("some are marked", lambda: left() < FEW)
    page.tab.wait_for_timeout(1000)
    shown, read = page.tab.evaluate(IN_SIGHT, "of many."), FEW - left()
    # Of the last ones there may be a part only.
    assert shown - 2 <= read <= shown, f"{shown} were on the screen, and {read} are read"
    states = [message["recipients"][0]["state"] for message in town.carol.history("alice", FEW)]
    assert states == ["read"] * read + ["delivered"] * (FEW - read), states

    def scrolled():
        page.scroller("scroller.scrollTop += scroller.clientHeight / 2")
        page.tab.wait_for_timeout(100)
        return left() == 0
    until("all are read that were scrolled through", scrolled)
    return f"{read} of {FEW}"


def comes(town, page, texts):
    page.choose("The crew")
    town.fill(town.carol, town.alice, texts)
    until("all are there", lambda: unread(town) >= MESSAGES, 60)
    page.sees("conversation-list .row:has-text('carol') .count", timeout=30_000)


def unread(town):
    return town.alice.call("GET", "conversations/carol")["unreadCount"]


def opens(town, page):
    page.row("carol").click()
    page.sees("li.new")
    page.message("Line 0 of the log.").wait_for()
    box, view = page.tab.locator("li.new").bounding_box(), page.tab.locator(".scroller").bounding_box()
    assert view["y"] <= box["y"] < view["y"] + view["height"], f"the first unread one is at {box['y']:.0f}"
    # More are unread than the page follows one by one, so none is marked before somebody says so.
    before = unread(town)
    page.tab.mouse.move(700, 400)
    page.tab.mouse.wheel(0, 3000)
    page.tab.wait_for_timeout(500)
    assert unread(town) == before, f"{before - unread(town)} were marked"


def ends(town, page):
    page.tab.click("message-list .to-end")
    page.message(f"Line {MESSAGES - 1} of the log.").wait_for()
    page.tab.click("dialog-header button:has-text('Mark all as read')")
    until("all are read", lambda: unread(town) == 0)


def pages_back(page, rows):
    page.tab.click("message-list .to-end")
    page.message(f"Line {MESSAGES - 1} of the log.").wait_for()
    result = page.tab.evaluate(PAGE_BACK, [4000])
    rows.fact("pages", result["pages"])
    rows.fact("lines in the list at most", result["lines"])
    rows.fact("the anchor moved at most, in pixels", round(result["worst"], 2))
    assert result["isAtStart"], "the beginning was not reached"
    assert result["pages"] >= MESSAGES / 50 - 10, f"only {result['pages']} pages"
    assert result["worst"] <= STEADY, f"the anchor moved by {result['worst']} pixels"
    assert result["lines"] <= LINES, f"{result['lines']} lines"


def stays(town, page):
    """Above the end, what comes at the end moves nothing."""
    place = "() => document.querySelector('.scroller').scrollTop"
    page.scroller("scroller.scrollTop = 1200")
    page.tab.wait_for_timeout(200)
    before = page.tab.evaluate(place)
    town.carol.send("alice", "One more.")
    page.sees("message-list .to-end:has-text('1 new')")
    assert abs(page.tab.evaluate(place) - before) <= STEADY


def writes(page):
    assert page.tab.locator(f".text:has-text('Line {MESSAGES - 1} of the log.')").count() == 0, "this is the end"
    page.write("From far above.")
    page.message("From far above.").wait_for()
    page.message(f"Line {MESSAGES - 1} of the log.").wait_for()
    page.scroller("scroller.scrollTop = 0")


def first_paint(page, rows, name="carol", tries=TRIES):
    """From opening the dialog to the frame that shows its last messages, each time fetched anew."""
    tab, paints, floors, whole, requests = page.tab, [], [], [], set()
    for _ in range(tries):
        # With nothing open: the page is there, and has no message of the dialog.
        tab.goto(f"{page.origin}/#")
        tab.reload()
        page.row(name).wait_for()
        tab.wait_for_timeout(300)
        page.row(name).click()
        entry = painted(tab)
        assert entry["count"] >= 50, f"{entry['count']} messages"
        paints.append(entry["paint"])
        requests.add(entry["requests"])
        floors.append(tab.evaluate(DRAW))
        # With the dialog open: everything begins, from the request for the page itself.
        tab.reload()
        whole.append(painted(tab)["at"])
    rows.fact("from the reload of the whole page to its last 50 messages, in ms",
              f"{statistics.median(whole):.0f}, the median of {tries}; {min(whole):.0f} to {max(whole):.0f}")
    paint, floor = statistics.median(paints), statistics.median(floors)
    rows.check(f"first paint of the last 50 in at most {FIRST_PAINT} times what drawing them takes", paint <= FIRST_PAINT * floor,
               f"{paint / floor:.1f} times: {paint:.0f} ms for {floor:.0f}, the medians of {tries}; {min(paints):.0f} to {max(paints):.0f}")
    rows.check("one request fetches them", requests == {1}, requests)


def painted(tab):
    tab.wait_for_function("() => performance.getEntriesByName('earshot:first-paint').length > 0")
    return tab.evaluate("""() => ({
        paint: performance.getEntriesByName('earshot:first-paint').at(-1).duration,
        at: performance.getEntriesByName('earshot:painted').at(-1).startTime,
        count: document.querySelectorAll('li.message').length,
        requests: performance.getEntriesByType('resource').filter((each) => each.name.includes('/messages?')).length })""")
