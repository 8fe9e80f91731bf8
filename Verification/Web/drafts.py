"""Checks: what programs prepare, and a person sends or discards."""
from town import earshot_node, until


class Program:
    """A program whose token has the scope `draft` alone."""

    def __init__(self, town, name="quotes"):
        self.node, self.name = town.alice, name
        token = self.node.call("POST", "tokens", {"name": name, "scopes": ["draft"]})["token"]
        self.headers = {"authorization": f"Bearer {token}"}

    def call(self, method, path, body=None):
        return self.node.call(method, path, body, self.headers)

    def draft(self, text, to="bob"):
        return self.call("POST", "drafts", {"to": to, "text": text})

    def heard(self, draft, count):
        """What it hears of a draft, from the beginning, as far as there are so many events."""
        first = self.node.events_from_beginning(self.headers, count)
        return [event["name"] for event in first if event["draft"]["id"] == draft["id"]]


def run(town, page, rows):
    program = Program(town)
    rows.trying("a program with the scope draft cannot send", lambda: cannot_send(program))
    rows.trying("a draft stands above the field with who inserted it, and is announced", lambda: stands(town, page, program))
    rows.trying("a person sends a draft, and the program hears it", lambda: sends(town, page, program))
    rows.trying("a person changes a draft, and sends it as it is then", lambda: changes(town, page, program))
    rows.trying("a person discards a draft by keys, and the program hears it", lambda: discards(town, page, program))
    rows.trying("a draft that another face sends or discards goes from the page", lambda: goes(town, page, program))
    rows.trying("what turns direction or moves a cursor in a draft is shown as its code", lambda: codes(page, program))
    rows.trying("a draft to another conversation is announced", lambda: elsewhere(page, program))
    rows.trying("a draft shows all that it would bring along", lambda: besides(town, page, program))
    rows.trying("drafts can be used with a screen reader (axe)", lambda: judged(page, program))


def besides(town, page, program):
    page.choose("bob")
    path = town.folder / "prepared.txt"
    path.write_text("prepared")
    attachment = town.alice.call("POST", "files", {"path": str(path)})
    draft = program.call("POST", "drafts", {
        "to": "bob", "text": "With a file.", "attachments": [attachment],
        "layout": {"caption": "A caption", "url": "https://example.org/menu"}})
    shown = item(page, "With a file.").locator(".prepared-besides")
    shown.wait_for()
    for part in ["prepared.txt (8 bytes)", "A caption", "https://example.org/menu"]:
        assert part in shown.inner_text(), shown.inner_text()
    program.call("DELETE", f"drafts/{draft['id']}")


def item(page, text):
    return page.tab.locator("prepared-drafts li.prepared", has_text=text)


def cannot_send(program):
    draft = program.draft("not by me")
    for method, path, body in [("POST", "messages", {"to": "bob", "text": "x"}), ("POST", f"drafts/{draft['id']}/send", None)]:
        try:
            program.call(method, path, body)
        except earshot_node.Refused as refusal:
            assert refusal.status == 403 and "a person sends them" in str(refusal), refusal
        else:
            raise AssertionError(f"{path} was allowed")
    program.call("DELETE", f"drafts/{draft['id']}")


def stands(town, page, program):
    page.choose("bob")
    program.draft("A quote of the day.")
    item(page, "A quote of the day.").wait_for()
    page.sees("prepared-drafts .prepared-by:has-text('Draft by quotes, not sent')")
    page.tab.wait_for_function("() => document.getElementById('polite').textContent.includes('quotes has prepared a draft')")
    assert town.bob.last("alice")["text"] != "A quote of the day."


def sends(town, page, program):
    draft = program.call("GET", "drafts?conversation=bob")[0]
    page.tab.click("[aria-label='Send the draft by quotes']")
    page.message("A quote of the day.").wait_for()
    page.sees("prepared-drafts li", state="detached")
    until("bob has it", lambda: town.bob.last("alice")["text"] == "A quote of the day.")
    until("the program hears it", lambda: "draftSent" in program.heard(draft, 4))


def changes(town, page, program):
    program.draft("A qoute.")
    page.tab.click("[aria-label='Edit the draft by quotes']")
    page.tab.fill("prepared-drafts textarea", "A quote, rather.")
    page.tab.click("[aria-label='Send the draft by quotes']")
    until("bob has it", lambda: town.bob.last("alice")["text"] == "A quote, rather.")
    assert all(message["text"] != "A qoute." for message in town.bob.history("alice"))


def discards(town, page, program):
    draft = program.draft("Never mind.")
    item(page, "Never mind.").wait_for()
    page.tab.press("#field", "Alt+d")
    page.tab.wait_for_function("() => document.activeElement.getAttribute('aria-label') === 'Send the draft by quotes'")
    page.tab.keyboard.press("Tab")
    page.tab.keyboard.press("Tab")
    page.tab.keyboard.press("Enter")
    page.sees("prepared-drafts li", state="detached")
    page.tab.wait_for_function("() => document.activeElement.id === 'field'")
    until("the program hears it", lambda: program.heard(draft, 9)[-1:] == ["draftDiscarded"])
    assert all(message["text"] != "Never mind." for message in town.bob.history("alice"))


def goes(town, page, program):
    first, second = program.draft("Sent elsewhere."), program.draft("Withdrawn.")
    item(page, "Withdrawn.").wait_for()
    town.alice.run("draft", "send", first["id"])
    program.call("DELETE", f"drafts/{second['id']}")
    page.sees("prepared-drafts li", state="detached")
    page.message("Sent elsewhere.").wait_for()


def codes(page, program):
    draft = program.draft("\u202eevil\u0007")
    shown = page.tab.locator("prepared-drafts .escaped")
    shown.first.wait_for()
    assert shown.count() == 2, shown.count()
    program.call("DELETE", f"drafts/{draft['id']}")
    page.sees("prepared-drafts li", state="detached")


def elsewhere(page, program):
    draft = program.draft("For carol.", "carol")
    page.sees("#toast:has-text('quotes has prepared a draft')")
    assert page.tab.locator("prepared-drafts li").count() == 0
    program.call("DELETE", f"drafts/{draft['id']}")


def judged(page, program):
    draft = program.draft("Looked at.")
    page.tab.click("[aria-label='Edit the draft by quotes']")
    page.sees("prepared-drafts textarea")
    found = page.axe()
    assert found == [], found
    page.tab.keyboard.press("Escape")
    page.sees("prepared-drafts textarea", state="detached")
    program.call("DELETE", f"drafts/{draft['id']}")
    page.sees("prepared-drafts li", state="detached")
