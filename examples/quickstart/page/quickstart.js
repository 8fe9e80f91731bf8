// Talks in the open conversation #quickstart, over the node's local HTTP API: docs/http-api.md describes it.

// The token is in the address behind the #, which no browser sends to a server.
const token = new URLSearchParams(location.hash.slice(1)).get("token");
const messages = new Map(); // by their ids, as the node has them now
const say = (text) => { document.querySelector("#status").textContent = text; };

/** One request. What the node refuses, it explains. */
async function api(method, path, body, more = {}) {
  const response = await fetch(`/v1/${path}`, {
    method, headers: { authorization: `Bearer ${token}` }, body: body && JSON.stringify(body), ...more,
  });
  if (response.ok) return response;
  const answer = await response.json();
  throw new Error(answer.error.message);
}

const ask = async (...request) => (await api(...request)).json();

/** Draws all that is known. Texts and names are of others: textContent never takes them for markup. */
function draw() {
  const inOrder = [...messages.values()].sort((one, other) => one.timestampMilliseconds - other.timestampMilliseconds);
  document.querySelector("#messages").replaceChildren(...inOrder.map((message) => {
    const item = document.createElement("li");
    const delivered = message.counts ? ` (${message.counts.delivered} of ${message.counts.recipients} have it)` : "";
    item.textContent = `${message.sender.name ?? "somebody"}: ${message.text}${delivered}`;
    return item;
  }));
}

/** The events in an answer that does not end: server-sent events, each with one line of JSON. */
async function* events(response) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const parts = (text + value).split("\n\n");
    text = parts.pop(); // the beginning of the next one
    for (const part of parts) {
      const data = part.split("\n").find((line) => line.startsWith("data:"));
      if (data) yield JSON.parse(data.slice("data:".length));
    }
  }
}

async function live() {
  // The conversation with this name, which begins if nobody has it yet.
  const conversation = await ask("POST", "conversations", { uniqueName: "quickstart" });
  // The events first: what happens while the history is on its way comes twice, and is shown once.
  const stream = await api("GET", "events");
  const history = await ask("GET", `conversations/${conversation.id}/messages?limit=50`);
  for (const message of history) messages.set(message.id, message);
  draw();
  say("");
  for await (const event of events(stream)) {
    // A new message; or one that was edited, delivered or read, which is asked for as it is now.
    const about = event.message ?? event.update ?? event.stateChange;
    if (about?.conversationID !== conversation.id) continue;
    const id = about.messageID ?? about.id;
    messages.set(id, event.message ?? await ask("GET", `messages/${id}`));
    draw();
  }
}

document.querySelector("#form").addEventListener("submit", async (event) => {
  event.preventDefault();
  const field = document.querySelector("#text");
  try {
    // When the answer comes, the message is on the node's disk. It is drawn when its event comes.
    await api("POST", "messages", { to: "#quickstart", text: field.value });
    field.value = "";
  } catch (error) { say(error.message); }
});

if (!token) say("Open this page with a token: serve.py says how.");
// A node that is away comes back. Then all is asked for anew.
for (; token; await new Promise((resolve) => setTimeout(resolve, 2000))) {
  try { await live(); } catch (error) { say(error.message); }
}
