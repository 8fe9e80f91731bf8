"""Checks: each view by axe, on a desk and on a phone, light and dark; and the pictures of them."""
from browser import DESKTOP, PHONE, Page, compress
from town import until

# Each with what bob writes before it, so that something is unread.
LOOKS = [
    ("desktop", DESKTOP, "light", "The cable tester is on your desk. No hurry with it."),
    ("desktop", DESKTOP, "dark", "And thank you for the coffee!"),
    ("phone", PHONE, "light", "Are you still on the third floor?"),
    ("phone", PHONE, "dark", "I am at the window with the plants."),
]


def furnish(town):
    """Something to look at: a conversation as people have it."""
    bob, carol, alice = town.bob, town.carol, town.alice
    bob.send("#crew", "Morning! The new switch is in the rack. Everything on the third floor is on it now.")
    question = carol.send("#crew", "Lovely. Did the printer survive?")
    until("bob has the question", lambda: bob.last("%23crew")["id"] == question["id"])
    reply = bob.call("POST", f"messages/{question['id']}/reply", {"text": "It did. It even prints on both sides again."})
    until("all have the reply", lambda: all(person.last("%23crew")["id"] == reply["id"] for person in (alice, carol)))
    for person, emoji in ((carol, "🎉"), (alice, "🎉"), (alice, "👍")):
        person.call("POST", f"messages/{reply['id']}/react", {"emoji": emoji})
    carol.send("#crew", "@alice could you send round the new addresses?\nThe wiki still has the old ones.", mentions=["alice"])
    last = alice.send("#crew", "On it. You will have them before lunch.")
    for person in (bob, carol):
        until("it is there", lambda: person.last("%23crew")["id"] == last["id"])
    carol.call("POST", "conversations/%23crew/read", {"all": True})
    alice.call("POST", "conversations/%23crew/read", {"all": True})


def run(town, browser, rows, folder):
    furnish(town)
    pages = []
    for width, size, theme, text in LOOKS:
        town.bob.send("alice", text)
        context = browser.context(size, theme, has_touch=width == "phone")
        page = Page(context).open(town.address())
        for name, show in VIEWS.items():
            show(page)
            page.tab.wait_for_timeout(150)
            page.tab.screenshot(path=folder / f"{name}-{width}-{theme}.png")
            compress(folder / f"{name}-{width}-{theme}.png")
            found = page.axe()
            rows.check(f"axe finds nothing serious in {name}, {width}, {theme}", not found, "; ".join(found)[:900])
            page.close_sheet()
        overflow = page.tab.evaluate("document.documentElement.scrollWidth - innerWidth")
        rows.check(f"nothing is wider than the screen, {width}, {theme}", overflow <= 0, f"{overflow} pixels")
        pages.append(page)
    return pages


def people(page):
    to_list(page)
    page.tab.click("#tab-people")


def to_list(page):
    back = page.tab.locator("dialog-header .back")
    if back.is_visible():
        back.click()
        page.sees("conversation-list .row")
    page.tab.click("#tab-conversations")


def dialog(page, name):
    to_list(page)
    page.choose(name)


def sheet(page, command):
    to_list(page)
    page.tab.click(f"[data-command={command}]")
    page.sees("dialog.sheet")
    page.tab.wait_for_timeout(300)


def about(page, name):
    dialog(page, name)
    page.tab.click("dialog-header [aria-label='About this conversation']")
    page.sees("dialog.sheet .digits li, dialog.sheet .participants li")


def actions(page):
    dialog(page, "The crew")
    page.tab.locator("li.message").last.focus()


def reply(page):
    dialog(page, "bob")
    page.tab.locator("li.message.other").last.focus()
    page.tab.keyboard.press("r")
    page.sees("message-composer .about")


def details(page):
    dialog(page, "The crew")
    page.tab.keyboard.press("Escape")
    page.tab.locator("li.message.own").last.focus()
    page.tab.keyboard.press("Enter")
    page.sees("dialog.sheet .recipients")


def findings(page):
    sheet(page, "settings")
    page.tab.click("dialog.sheet button:has-text('What the doctor finds')")
    page.sees("dialog.sheet .finding")


def searching(page):
    sheet(page, "search")
    page.tab.fill("dialog.sheet-search .search-field", "cake")
    page.tab.wait_for_timeout(600)


# By name, in the order in which they are shown.
VIEWS = {
    "list": to_list,
    "people": people,
    "group": lambda page: dialog(page, "The crew"),
    "message": actions,
    "details": details,
    "participants": lambda page: about(page, "The crew"),
    "dialog": lambda page: dialog(page, "bob"),
    "reply": reply,
    "person": lambda page: about(page, "bob"),
    "search": searching,
    "begin": lambda page: sheet(page, "newConversation"),
    "settings": lambda page: sheet(page, "settings"),
    "findings": findings,
    "help": lambda page: sheet(page, "help"),
}
