import Earshot
import EarshotForgery
import EarshotModel
import Foundation
import TestSupport

/// Attacks by what keeps others waiting.
extension Attack {
    static let waiting: [Attack] = [
        heldUpWebhook("60,000 quotation marks to somebody with a webhook", String(repeating: "\"", count: 60_000)),
        heldUpWebhook("15,000 escapes to somebody with a webhook", String(repeating: "\u{1}", count: 15_000)),
        heldUpWebhook("64 KiB of text to somebody with a webhook", String(repeating: "x", count: Limits.textBytes)),
    ]

    /// A message that is long as JSON, and one behind it.
    private static func heldUpWebhook(_ name: String, _ text: String) -> Attack {
        Attack(
            kind: .afterAuthentication, name: name,
            expected: "the next message waits no longer than 10 s; none is left out"
        ) { arena, source in
            let server = try HookServer()
            let node = arena.alice.node
            let target = "hook-\(UInt32.random(in: 0 ... .max))"
            try await node.notifications.register(
                .webhook(url: "http://127.0.0.1:\(server.port)/hook"), name: target)
            let (mallory, held) = try await acquaintance("q", arena, source)
            let start = ContinuousClock.now
            let isTaken = try await blocking {
                try held.with { link in
                    let (log, now) = (mallory.log(to: node.userID), Mallory.now)
                    let bodies = [Mallory.body(text, at: now), Mallory.body("behind \(source)", at: now + 1)]
                    link.send(Mallory.heads(), mallory.entries(log, bodies: bodies))
                    return link.waitForReceipt()
                }
            }
            guard isTaken else { return Outcome("the messages were not taken", false) }
            var waited = Duration.zero
            while !server.hasTaken("behind \(source)"), waited < .seconds(30) {
                try await Task.sleep(for: .milliseconds(50))
                waited = ContinuousClock.now - start
            }
            let lost = node.notifications.targets.first { $0.name == target }?.lostCount ?? 0
            try await node.notifications.deregister(target)
            return Outcome(
                "the next waited \(waited.milliseconds) ms; \(lost) left out", waited < .seconds(10) && lost == 0)
        }
    }
}
