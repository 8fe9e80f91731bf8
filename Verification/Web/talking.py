"""Checks: what people do with each other on the page."""
import http.server
import threading

from town import until


def run(town, page, rows):
    check = rows.trying
    town.bob.send("alice", "Hi Alice, are you in the office today?")
    check("a message comes, and is announced", lambda: comes(page))
    check("opening marks it as read for its sender", lambda: is_read(town, page))
    check("sends, and sees delivered and read come", lambda: states(town, page))
    check("typing shows on both sides", lambda: typing(town, page))
    check("replies, and shows what is answered", lambda: replies(town, page))
    check("edits", lambda: edits(town, page))
    check("reacts, and takes that back", lambda: reacts(town, page))
    check("takes a message back", lambda: retracts(town, page))
    check("shows any part of a layout, and fetches no link", lambda: cards(town, page))
    check("shows what comes before the last message of a session by its summary, at once", lambda: session(town, page))
    check("begins a group, and sees each recipient's state", lambda: group(town, page))
    check("joins an open conversation that others tell of", lambda: joins(town, page))
    check("is invited, accepts, and leaves", lambda: invited(town, page))
    check("a message that fails says why, and is sent again", lambda: fails(town, page))
    check("a message that was written long before is marked", lambda: late(town, page))
    check("a draft stays with its conversation", lambda: draft(page))
    check("works by keys alone", lambda: keys(town, page))
    search(town, page, rows)


def comes(page):
    page.row("bob").wait_for()
    page.sees("conversation-list .count:has-text('1')")
    page.tab.wait_for_function("() => document.getElementById('polite').textContent.includes('New message from bob')")
    assert page.tab.title().startswith("(1)"), page.tab.title()


def is_read(town, page):
    sent = town.bob.last("alice")
    assert town.bob.call("GET", f"messages/{sent['id']}")["recipients"][0]["state"] == "delivered"
    page.choose("bob")
    until("bob sees it read", lambda: town.bob.call("GET", f"messages/{sent['id']}")["recipients"][0]["state"] == "read")
    page.sees("conversation-list .count", state="detached")


def states(town, page):
    page.write("Yes! Third floor, by the window.")
    own = page.message("Third floor")
    own.locator(".state-delivered, .state-read").wait_for()
    town.bob.call("POST", "conversations/alice/read", {"all": True})
    own.locator(".state-read .state-word:has-text('Read')").wait_for()


def typing(town, page):
    town.bob.call("POST", "conversations/alice/typing", {"isTyping": True})
    page.sees("#typing:has-text('bob is typing')")
    town.bob.send("alice", "Great. Lunch at half past twelve?")
    page.message("Lunch at half past").wait_for()
    page.tab.wait_for_function("() => document.getElementById('typing').textContent === ''")
    with town.bob.hears("typingStarted") as heard:
        page.tab.locator("#field").press_sequentially("Hal")
        until("bob's node says that alice types", heard)
    page.tab.fill("#field", "")


def replies(town, page):
    page.command("Reply", "Lunch at half past")
    page.sees("message-composer .about:has-text('Replying to bob')")
    page.write("Gladly.")
    page.message("Gladly.").locator(".quote:has-text('Lunch at half past')").wait_for()
    until("bob has the reply", lambda: town.bob.last("alice").get("replyTo"))


def edits(town, page):
    page.tab.press("#field", "ArrowUp")
    page.sees("message-composer .about:has-text('Editing')")
    page.write("Gladly, at one.")
    page.message("Gladly, at one.").locator(".meta:has-text('edited')").wait_for()
    until("bob has the edit", lambda: town.bob.last("alice")["text"] == "Gladly, at one." and town.bob.last("alice")["isEdited"])


def reacts(town, page):
    page.command("React", "Lunch at half past")
    page.tab.click("dialog.sheet [aria-label='thumbs up']")
    reaction = page.message("Lunch at half past").locator(".reaction")
    reaction.wait_for()
    until("bob has the reaction", lambda: any(message["reactions"] for message in town.bob.history("alice")))
    reaction.click()
    reaction.wait_for(state="detached")
    town.bob.call("POST", f"messages/{town.bob.last('alice')['id']}/react", {"emoji": "🎉"})
    page.message("Gladly, at one.").locator(".reaction:has-text('🎉')").wait_for()


def retracts(town, page):
    page.write("Sorry, that was for somebody else.")
    page.message("for somebody else").wait_for()
    until("bob has it", lambda: "somebody else" in town.bob.last("alice")["text"])
    page.command("Take back", "for somebody else")
    page.tab.click("dialog.sheet .danger:has-text('Take back')")
    page.sees("li.message .text.gone:has-text('was taken back')")
    until("it is gone at bob's", lambda: town.bob.last("alice")["isRetracted"])


class Counting(http.server.BaseHTTPRequestHandler):
    """Somewhere that a link leads to."""
    seen = []

    def do_GET(self):
        # The other one is for a picture of the site.
        if self.path == "/menu":
            Counting.seen.append(self.headers.get("referer"))
        self.send_response(200)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


def cards(town, page):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Counting)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    host = f"127.0.0.1:{server.server_port}"
    label = "An invitation to dinner at Luigi's"
    try:
        town.bob.send("alice", "Dinner on Friday?", layout={
            "imageTitle": "The house", "caption": "Luigi's", "subcaption": "at <b>eight</b>", "accessibilityLabel": label,
            "url": f"http://{host}/menu"})
        town.bob.send("alice", "Only a caption", layout={"caption": "Just this"})
        only = page.message("Only a caption")
        only.locator(".card-caption:text-is('Just this')").wait_for()
        assert only.locator(".card > *").count() == 1
        whole = page.message("Dinner on Friday?")
        assert whole.locator(".card > p").all_inner_texts() == ["The house", "Luigi's", "at <b>eight</b>"]
        assert label in whole.get_attribute("aria-label") and "Dinner on" not in whole.get_attribute("aria-label")
        link = whole.locator(".card-link")
        assert host in link.inner_text() and link.get_attribute("rel") == "noopener noreferrer"
        assert Counting.seen == [], Counting.seen
        with page.tab.context.expect_page() as opened:
            link.click()
        opened.value.wait_for_load_state()
        assert opened.value.evaluate("window.opener") is None
        opened.value.close()
        assert Counting.seen == [None], Counting.seen
    finally:
        server.shutdown()


def session(town, page):
    first = town.bob.send("alice", "My move: e4", session={"summary": "1. e4"})
    page.message("My move: e4").wait_for()
    second = town.alice.send("bob", "My move: e5", session={"id": first["session"]["id"], "summary": "1. … e5"})
    assert second["session"]["counter"] == 2
    page.message("My move: e5").wait_for()
    page.sees("li.message .text.step:text-is('1. e4')")
    town.bob.send("alice", "My move: Nf3", session={"id": first["session"]["id"], "summary": "2. Nf3"})
    page.message("My move: Nf3").wait_for()
    page.sees("li.message .text.step:text-is('1. … e5')")
    assert page.tab.locator("li.message .text:has-text('My move')").count() == 1


def group(town, page):
    page.tab.click("[data-command=newConversation]")
    page.tab.fill("#begin-name", "crew")
    page.tab.check("input[value=private]")
    page.tab.fill("#begin-friendly", "The crew")
    for name in ("bob", "carol"):
        page.tab.check(f".picker label:has-text('{name}') input")
    page.tab.click("dialog.sheet button:has-text('Begin or join')")
    page.sees("dialog-header h2:has-text('The crew')")
    for person in (town.bob, town.carol):
        until(f"{person.name} is invited", lambda: any(each["status"] == "invited" for each in person.call("GET", "conversations")))
        person.call("POST", "conversations/%23crew/join")
    until("both are in", lambda: sum(
        each["status"] == "joined" for each in town.alice.call("GET", "conversations/%23crew/participants")) == 3)
    page.write("Who brings the cake, @bob?")
    own = page.message("Who brings the cake")
    own.locator(".state-word:has-text('Delivered by all')").wait_for()
    assert until("bob is named", lambda: town.bob.last("%23crew").get("mentions"))[0]["name"] == "bob"
    town.carol.call("POST", "conversations/%23crew/read", {"all": True})
    own.locator(".state-word:has-text('Read by 1 of 2')").wait_for()
    own.locator("button.state").click()
    page.sees("dialog.sheet .recipients li:has-text('carol'):has-text('Read')")
    page.sees("dialog.sheet .recipients li:has-text('bob'):has-text('Delivered')")
    page.close_sheet()
    town.carol.send("#crew", "I do. Chocolate.")
    page.message("I do. Chocolate.").locator(".sender:has-text('carol')").wait_for()


def joins(town, page):
    town.carol.call("POST", "conversations", {"uniqueName": "ops"})
    town.bob.call("POST", "conversations", {"uniqueName": "ops"})
    page.tab.click("#tab-people")
    page.tab.locator("people-list .row:has-text('#ops')").click()
    page.sees("dialog-header h2:has-text('#ops')")
    page.tab.click("#tab-conversations")
    town.carol.send("#ops", "The build machine is back.\nIts disk has moved to the new shelf.")
    page.message("The build machine is back.").wait_for()
    town.bob.send("#ops", "Thank you! @alice, can you start the nightly run?", mentions=["alice"])
    page.sees("li.message.mentions-me")


def invited(town, page):
    town.bob.call("POST", "conversations", {"uniqueName": "surprise", "kind": "private", "friendlyName": "Surprise", "invite": ["alice"]})
    page.row("Surprise").wait_for()
    page.choose("Surprise")
    assert page.tab.is_disabled("#field")
    page.tab.click("dialog-header button:has-text('Accept')")
    page.tab.wait_for_function("() => !document.querySelector('#field').disabled")
    page.tab.click("dialog-header [aria-label='About this conversation']")
    page.tab.click("dialog.sheet button:has-text('Leave…')")
    page.tab.click("dialog.sheet .danger:has-text('Leave')")
    page.tab.wait_for_function("() => document.querySelector('#field').disabled")


def fails(town, page):
    dave = town.add("dave", [town.alice])
    town.meet(town.alice, dave)
    town.alice.send("dave", "Are you coming, too?")
    until("dave has it", lambda: dave.call("GET", "conversations"))
    dave.stop()
    until("dave is away", lambda: not town.alice.knows("dave"))
    town.alice.send("dave", "Bring the long cable.", timeToLiveSeconds=0.5)
    page.choose("dave")
    failed = page.message("Bring the long cable.")
    failed.locator(".failure:has-text('it was not delivered in time')").wait_for()
    failed.locator("button:has-text('Send again')").click()
    page.tab.locator("li.message .state-queued").first.wait_for()
    dave.start()
    page.tab.locator("li.message:has(.text:has-text('Bring the long cable.')) .state-delivered").wait_for(timeout=20_000)
    dave.stop()


def late(town, page):
    dave = next(person for person in town.people if person.name == "dave")
    dave.start("faketime", "-f", "-10m")
    dave.send("alice", "I am on my way.")
    page.message("I am on my way.").locator(".late:has-text('arrived late')").wait_for(timeout=20_000)
    dave.stop()


def draft(page):
    page.choose("bob")
    page.tab.fill("#field", "Not finished ye")
    page.choose("The crew")
    assert page.tab.input_value("#field") == ""
    page.row("bob").locator(".preview:has-text('Draft: Not finished ye')").wait_for()
    page.choose("bob")
    assert page.tab.input_value("#field") == "Not finished ye"
    page.tab.fill("#field", "")


def keys(town, page):
    tab = page.tab
    tab.focus("#field")
    tab.keyboard.press("Escape")
    tab.wait_for_function("() => document.activeElement.matches('li.message')")
    tab.keyboard.press("ArrowUp")
    tab.keyboard.press("r")
    page.sees("message-composer .about")
    tab.keyboard.type("By keys alone")
    tab.keyboard.press("Enter")
    page.message("By keys alone").wait_for()
    before = tab.inner_text("dialog-header h2")
    tab.keyboard.press("Alt+ArrowDown")
    tab.wait_for_function("(name) => document.querySelector('dialog-header h2').textContent !== name", arg=before)
    tab.keyboard.press("Control+k")
    page.sees("dialog.sheet-search input:focus")
    tab.keyboard.type("bob")
    page.sees("dialog.sheet-search .results button")
    tab.keyboard.press("ArrowDown")
    tab.keyboard.press("Enter")
    page.sees("dialog-header h2:text-is('bob')")
    tab.keyboard.press("F6")
    tab.keyboard.press("F6")
    tab.wait_for_function("() => document.activeElement.matches('li.message')")
    tab.keyboard.press("?")
    page.sees("dialog.sheet-help")
    tab.keyboard.press("Escape")
    page.sees("dialog.sheet", state="detached")
    tab.wait_for_function("() => document.activeElement.matches('li.message')")
    page.choose("bob")


def search(town, page, rows):
    name = "searches, and goes to what was found"
    try:
        until("the index has it", lambda: town.alice.call("GET", "search?text=chocolate"), 5)
    except Exception as error:  # A node without search answers 404.
        if "404" in repr(getattr(error, "status", "")):
            rows.skip(name, "this node has no /v1/search")
            return
    rows.trying(name, lambda: finds(page))


def finds(page):
    page.tab.keyboard.press("Control+k")
    page.tab.fill("dialog.sheet-search .search-field", "chocolate")
    found = page.tab.locator("dialog.sheet-search .results button:has(mark)")
    found.first.wait_for()
    assert found.count() == 1, f"{found.count()} found"
    found.click()
    page.sees("dialog-header h2:has-text('The crew')")
    page.tab.wait_for_function("() => document.activeElement.textContent.includes('I do. Chocolate.')")
    page.tab.keyboard.press("Control+k")
    page.tab.fill("dialog.sheet-search .search-field", "chocolate")
    page.tab.select_option("dialog.sheet-search select >> nth=1", label="bob")
    page.sees("dialog.sheet-search [role=status]:has-text('No message')")
    page.close_sheet()
