import EarshotGateway
import Foundation
import Testing

/// Alice has written to bob, and eve calls herself bob too.
struct Claim {
    let alice: TestHome
    let bob: TestHome
    let eve: TestHome
    let aliceNode: RunningProgram
    let bobNode: RunningProgram
    let eveNode: RunningProgram

    static func made() async throws -> Claim {
        let (alice, bob, eve) = (
            try await TestHome.named("alice"), try await TestHome.named("bob"), try await TestHome.named("bob")
        )
        let (aliceNode, port) = try await alice.up()
        let (bobNode, _) = try await bob.up("--peer", "127.0.0.1:\(port)")
        try await aliceNode.expect("bob was met")
        try #require(try await alice.run("send", "bob", "hi", "--wait", "delivered").status == 0)
        let (eveNode, _) = try await eve.up("--peer", "127.0.0.1:\(port)")
        try await aliceNode.expectError("claims the name bob")
        return Claim(alice: alice, bob: bob, eve: eve, aliceNode: aliceNode, bobNode: bobNode, eveNode: eveNode)
    }
}

/// Alice has met two who call themselves bob, and written to neither.
struct Namesakes {
    let alice: TestHome
    let first: TestHome
    let second: TestHome
    let nodes: [RunningProgram]

    static func met() async throws -> Namesakes {
        let (alice, first, second) = (
            try await TestHome.named("alice"), try await TestHome.named("bob"), try await TestHome.named("bob")
        )
        let (aliceNode, port) = try await alice.up()
        let (firstNode, _) = try await first.up("--peer", "127.0.0.1:\(port)")
        let (secondNode, _) = try await second.up("--peer", "127.0.0.1:\(port)")
        for home in [first, second] {
            let id = try await home.userID()
            try await alice.until("alice has met both") { client in
                try await client.users().contains { $0.id == id && $0.isOnline }
            }
        }
        return Namesakes(alice: alice, first: first, second: second, nodes: [aliceNode, firstNode, secondNode])
    }
}
