"""Checks: files that go with messages, and files that come with them."""
import base64
import os
import re
import pathlib
import signal
import struct
import zlib

from town import until

# A name that would be a script if it were not text.
MARKUP = "<img src=x onerror=alert(1)>.txt"
MEGABYTE = 1000 * 1000
# What takes long enough to be looked at, and fits on alice's disk beside all else.
LARGE = 40 * MEGABYTE
# What a browser is let send a second, so that a file takes a moment.
SLOW = 500_000
# As the page's own limit: pictures that are held at once.
PICTURES = 30
SOME_PICTURES = 60

# Gives the page files as a person does who drags or pastes them.
GIVE = """([selector, kind, files]) => {
  const data = new DataTransfer();
  for (const {name, type, base64} of files) data.items.add(new File([Uint8Array.from(atob(base64), (each) => each.charCodeAt(0))], name, {type}));
  const target = document.querySelector(selector), options = {bubbles: true, cancelable: true};
  if (kind === 'paste') return target.dispatchEvent(new ClipboardEvent('paste', {...options, clipboardData: data}));
  target.dispatchEvent(new DragEvent('dragover', {...options, dataTransfer: data}));
  const isHintShown = !document.querySelector('.drop-hint').hidden;
  target.dispatchEvent(new DragEvent('drop', {...options, dataTransfer: data}));
  return isHintShown;
}"""

# Counts the addresses that the page has made and not let go.
COUNT_ADDRESSES = """() => {
  const made = window.__addresses = new Set(), {createObjectURL, revokeObjectURL} = URL;
  URL.createObjectURL = (content) => { const address = createObjectURL.call(URL, content); made.add(address); return address; };
  URL.revokeObjectURL = (address) => { made.delete(address); revokeObjectURL.call(URL, address); };
}"""


def run(town, page, rows):
    folder = pathlib.Path(town.folder) / "files"
    folder.mkdir()
    # Counted from the beginning of the page on.
    page.tab.evaluate(COUNT_ADDRESSES)
    page.choose("bob")
    check = rows.trying
    check("files are attached, dropped and pasted, removed, and sent without a text", lambda: sends(town, page, folder))
    check("a picture that was sent is shown, and is read aloud by its name", lambda: shows_own(page))
    check("a name with markup stays text", lambda: stays_text(page))
    check("an upload shows its share, rate and time left, and the message goes when it is done", lambda: uploads(town, page, folder))
    check("an upload that fails says why, loses nothing, and is tried again", lambda: fails(town, page, folder))
    check("a page that holds files which were not sent is not left without a question", lambda: is_asked(town, page, folder))
    check("a file that is too large for the node says so", lambda: too_large(page))
    check("a picture in a layout is its card's, with the title over it and the subtitle under it", lambda: card(town, page, folder))
    check("an SVG, and what only says that it is a picture, are not shown", lambda: not_shown(town, page, folder))
    erin = town.add("erin", [town.alice])
    town.meet(town.alice, erin)
    check("a file of a stranger waits until it is fetched, and can be declined", lambda: waits(town, page, erin, folder))
    check("a file that is fetched shows how far it is, and is cancelled", lambda: fetches(page, erin, folder))
    check("a file is saved with what it contains", lambda: saves(page, erin, folder))
    erin.stop()
    check("few pictures are held, and none when their messages are not shown", lambda: lets_go(town, page, folder))
    check("files can be used with a screen reader (axe)", lambda: judged(page, folder))


def picture(red=200, width=320, height=200):
    """A PNG of one colour."""
    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
    lines = (b"\0" + bytes((red, 120, 90)) * width) * height
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(lines)) + chunk(b"IEND", b"")


def write(folder, name, content):
    (folder / name).write_bytes(content)
    return folder / name


def give(page, selector, kind, *files):
    return page.tab.evaluate(GIVE, [selector, kind, [
        {"name": name, "type": media, "base64": base64.b64encode(content).decode()} for name, media, content in files]])


def choose_files(page, *paths):
    page.tab.set_input_files("message-composer input[type=file]", [str(path) for path in paths])


def outgoing(page, name):
    return page.tab.locator("outgoing-files li.outgoing", has=page.tab.locator(f".file-name:text-is('{name}')"))


def row(page, name):
    return page.tab.locator("li.message message-file", has=page.tab.locator(f".file-name:text-is('{name}')")).last


def bring(person, path, **more):
    """A message with a file, as a program sends it."""
    attachment = person.call("POST", "files", {"path": str(path)})
    return person.call("POST", "messages", {"to": "alice", "text": "", "attachments": [attachment], **more})


def sends(town, page, folder):
    contents = {MARKUP: os.urandom(300_000), "plan.bin": os.urandom(1_500_000), "photo.png": picture()}
    choose_files(page, *[write(folder, name, contents[name]) for name in (MARKUP, "plan.bin")])
    assert give(page, "message-list", "drop", ("photo.png", "image/png", contents["photo.png"])), "no hint where they may be dropped"
    give(page, "#field", "paste", ("clip.png", "image/png", picture(10)))
    for name, size in ((MARKUP, "300 kB"), ("plan.bin", "1.50 MB"), ("photo.png", ""), ("clip.png", "")):
        outgoing(page, name).locator(f".size:has-text('{size}')").first.wait_for()
    page.tab.wait_for_function("() => document.getElementById('polite').textContent.includes('Attached: clip.png')")
    page.tab.click("[aria-label='Remove clip.png']")
    outgoing(page, "clip.png").wait_for(state="detached")
    assert page.tab.input_value("#field") == ""
    page.tab.press("#field", "Enter")
    page.sees("outgoing-files li", state="detached")
    row(page, "plan.bin").wait_for()
    sent = until("bob has the message", lambda: (lambda last: last if len(last["attachments"]) == 3 else None)(town.bob.last("alice")))
    assert sent["text"] == "", sent["text"]
    assert [each["name"] for each in sent["attachments"]] == [MARKUP, "plan.bin", "photo.png"]
    saved = folder / "of bob"
    saved.mkdir()
    town.bob.run("save", sent["id"], str(saved))
    # A folder of any system can hold the name that it is saved by.
    names = {re.sub(r'[<>:"|?*/\\]', "_", name): content for name, content in contents.items()}
    assert {path.name: path.read_bytes() for path in saved.iterdir()} == names, "bob has something else"


def shows_own(page):
    shown = page.tab.locator("li.message.own message-picture img")
    shown.wait_for()
    assert shown.get_attribute("alt") == "photo.png"
    assert shown.get_attribute("src").startswith("blob:") and shown.evaluate("(each) => each.naturalWidth") == 320
    assert "photo.png" in page.tab.locator("li.message.own").last.get_attribute("aria-label")


def stays_text(page):
    assert row(page, MARKUP).locator(".file-name").inner_text() == MARKUP
    assert page.tab.evaluate("__attacked") == 0
    assert page.tab.locator("li.message img:not(message-picture img), outgoing-files img").count() == 0


def uploads(town, page, folder):
    network = page.context.new_cdp_session(page.tab)
    network.send("Network.enable")
    network.send("Network.emulateNetworkConditions", {"offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": SLOW})
    content = os.urandom(2 * MEGABYTE)
    try:
        choose_files(page, write(folder, "slow.bin", content))
        outgoing(page, "slow.bin").locator(".size", has_text="left").wait_for()
        text = outgoing(page, "slow.bin").locator(".file-state .size").inner_text()
        assert " %, " in text and "/s, 0:0" in text, text
        assert 0 < outgoing(page, "slow.bin").locator("progress").evaluate("(bar) => bar.value") < 100
        page.tab.fill("#field", "With a slow file.")
        page.tab.press("#field", "Enter")
        page.sees("outgoing-files .outgoing-note:has-text('as soon as its files are uploaded')")
        assert page.message("With a slow file.").count() == 0
        # Meanwhile others can be written to.
        page.choose("The crew")
        page.write("Nothing waits for that.")
        page.message("Nothing waits for that.").wait_for()
        page.choose("bob")
        page.message("With a slow file.").wait_for()
    finally:
        network.send("Network.emulateNetworkConditions", {"offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1})
        network.detach()
    assert page.tab.input_value("#field") == "" and outgoing(page, "slow.bin").count() == 0
    until("bob has it", lambda: town.bob.last("alice")["attachments"][0]["byteCount"] == len(content))


def fails(town, page, folder):
    page.tab.route("**/v1/files/upload?*", lambda route: route.abort())
    choose_files(page, write(folder, "broken.txt", b"It got through."))
    page.tab.fill("#field", "This text stays.")
    outgoing(page, "broken.txt").locator(".problem:has-text('the node does not answer')").wait_for()
    page.tab.wait_for_function("() => document.getElementById('urgent').textContent.includes('broken.txt was not uploaded')")
    page.tab.press("#field", "Enter")
    page.sees("#composer-note:has-text('Your draft is kept')")
    assert page.tab.input_value("#field") == "This text stays."
    page.tab.unroute("**/v1/files/upload?*")
    page.tab.click("[aria-label='Try broken.txt again']")
    outgoing(page, "broken.txt").locator(".problem").wait_for(state="detached")
    page.tab.press("#field", "Enter")
    page.message("This text stays.").wait_for()
    row(page, "broken.txt").wait_for()
    until("bob has both", lambda: (lambda last: last["text"] == "This text stays." and last["attachments"])(town.bob.last("alice")))


def is_asked(town, page, folder):
    """In a tab of its own: the browser asks the person, and not the page."""
    tab = page.context.new_page()
    tab.goto(town.address())
    tab.wait_for_selector("#shell:not([hidden])")
    tab.click("conversation-list .row:has-text('bob')")
    tab.set_input_files("message-composer input[type=file]", [str(folder / "broken.txt")])
    tab.wait_for_selector("outgoing-files li.ready")
    with tab.expect_event("dialog") as asked:
        tab.close(run_before_unload=True)
    assert asked.value.type == "beforeunload", asked.value.type
    with tab.expect_event("close"):
        asked.value.accept()


def too_large(page):
    """What the node says is what a person reads."""
    def refuse(route):
        # The page believes nobody but its node.
        proof = route.fetch().headers["authentication-info"]
        route.fulfill(status=413, headers={"content-type": "application/json", "authentication-info": proof},
                      body='{"error": {"code": "fileTooLarge", "message": "it is larger than files may be", "parameters": {}}}')
    page.tab.route("**/v1/files/upload?*", refuse)
    give(page, "message-list", "drop", ("huge.bin", "", b"x"))
    outgoing(page, "huge.bin").locator(".problem:text-is('Not uploaded: it is larger than files may be')").wait_for()
    page.tab.unroute("**/v1/files/upload?*")
    page.tab.click("[aria-label='Remove huge.bin']")
    page.sees("outgoing-files li", state="detached")


def card(town, page, folder):
    layout = {"imageTitle": "The terrace", "imageSubtitle": "at noon", "caption": "Luigi's", "accessibilityLabel": "A terrace with six tables"}
    bring(town.bob, write(folder, "terrace.png", picture(60)), layout=layout)
    shown = page.tab.locator("li.message .card", has_text="The terrace")
    shown.locator("message-picture img").wait_for()
    assert shown.locator("img").get_attribute("alt") == "A terrace with six tables"
    assert shown.evaluate("(card) => [...card.children].map((each) => each.localName)")[:4] == ["p", "message-picture", "p", "p"]
    assert shown.locator("> p").all_inner_texts() == ["The terrace", "at noon", "Luigi's"]
    # It is shown once.
    assert page.tab.locator("li.message:has(.card-image:text-is('The terrace')) img").count() == 1


def not_shown(town, page, folder):
    bring(town.bob, write(folder, "drawing.svg", b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>"))
    row(page, "drawing.svg").locator("button:has-text('Save')").wait_for()
    bring(town.bob, write(folder, "no-picture.png", b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>"))
    row(page, "no-picture.png").locator("button:has-text('Save')").wait_for()
    message = page.tab.locator("li.message").last
    message.locator(".picture-note:has-text('Not shown as a picture: ')").wait_for()
    reason = message.locator(".picture-note").inner_text()
    assert message.locator("img").count() == 0 and page.tab.locator("li.message:has-text('drawing.svg') message-picture").count() == 0
    assert page.tab.evaluate("__attacked") == 0
    return reason


def waits(town, page, erin, folder):
    bring(erin, write(folder, "offer.txt", b"An offer."))
    page.row("erin").wait_for()
    page.choose("erin")
    offer = row(page, "offer.txt")
    offer.locator("[aria-label='Fetch offer.txt']").wait_for()
    offer.locator("[aria-label='Decline offer.txt']").click()
    offer.locator(".size:text-is('Declined')").wait_for()
    # Whoever has declined by keys goes on from there.
    page.tab.wait_for_function("() => document.activeElement.getAttribute('aria-label') === 'Fetch again offer.txt'")
    page.tab.keyboard.press("Enter")
    offer.locator("[aria-label='Save offer.txt']").wait_for()
    page.tab.wait_for_function("() => document.getElementById('polite').textContent.includes('offer.txt is here')")


def fetches(page, erin, folder):
    bring(erin, write(folder, "large.bin", os.urandom(LARGE)))
    large = row(page, "large.bin")
    fetch = large.locator("[aria-label='Fetch large.bin']")
    fetch.wait_for()
    text = lambda: large.locator(".file-state .size").inner_text()  # noqa: E731
    share = lambda: large.locator("progress").evaluate("(bar) => bar.value")  # noqa: E731
    # Erin's node runs for a moment now and then, so that there is something to look at.
    os.killpg(erin.process.pid, signal.SIGSTOP)
    try:
        fetch.click()
        large.locator(".size:text-is('0 %, waits for somebody who has it')").wait_for()

        def moved():
            os.killpg(erin.process.pid, signal.SIGCONT)
            page.tab.wait_for_timeout(40)
            os.killpg(erin.process.pid, signal.SIGSTOP)
            page.tab.wait_for_timeout(600)
            return "left" in text() and share() > 0
        until("it comes", moved)
        shown, at = text(), share()
        assert " %, " in shown and "/s, " in shown and 0 < at < 100, (shown, at)
        assert large.locator("progress").get_attribute("aria-label") == "large.bin is fetched"
        large.locator("[aria-label='Cancel large.bin']").click()
        large.locator(".size:text-is('Declined')").wait_for()
    finally:
        os.killpg(erin.process.pid, signal.SIGCONT)
    return shown


def saves(page, erin, folder):
    large = row(page, "large.bin")
    large.locator("[aria-label='Fetch again large.bin']").click()
    large.locator("[aria-label='Save large.bin']").wait_for(timeout=60_000)
    with page.tab.expect_download() as saved:
        large.locator("[aria-label='Save large.bin']").click()
    assert saved.value.suggested_filename == "large.bin"
    assert pathlib.Path(saved.value.path()).read_bytes() == (folder / "large.bin").read_bytes(), "something else was saved"


def lets_go(town, page, folder):
    page.choose("bob")
    attachments = []
    for number in range(SOME_PICTURES):
        path = write(folder, f"{number}.png", picture(number, 40, 600))
        attachments.append(town.bob.call("POST", "files", {"path": str(path)}))
    town.bob.call("POST", "messages", {"to": "alice", "text": "Many pictures", "attachments": attachments})
    many = page.message("Many pictures")
    many.wait_for()
    until("all are here", lambda: all(
        town.alice.call("GET", f"files/{each['fileID']}")["state"] == "held" for each in attachments))
    seen, held = set(), 0
    many.scroll_into_view_if_needed()
    for number in range(SOME_PICTURES):
        many.locator("message-file").nth(number).scroll_into_view_if_needed()
        many.locator("message-picture").nth(number).locator("img").wait_for()
        seen.add(number)
        held = max(held, many.locator("img").count())
    assert len(seen) == SOME_PICTURES and held <= PICTURES, f"{held} pictures were held"
    before = page.tab.evaluate("() => __addresses.size")
    assert 0 < before <= PICTURES + 1, before
    page.choose("The crew")
    page.tab.wait_for_function("() => [...__addresses].length <= 1")
    return f"at most {held}"


def judged(page, folder):
    page.choose("bob")
    choose_files(page, folder / "broken.txt")
    outgoing(page, "broken.txt").wait_for()
    found = page.axe()
    assert found == [], found
    page.tab.click("[aria-label='Remove broken.txt']")
    page.sees("outgoing-files li", state="detached")
    page.choose("erin")
    found = page.axe()
    assert found == [], found
