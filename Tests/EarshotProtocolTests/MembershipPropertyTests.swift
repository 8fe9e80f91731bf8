import EarshotModel
import EarshotSimulation
import Testing

@testable import EarshotProtocol

@Suite("Whatever devices write about a private conversation")
struct MembershipPropertyTests {
    private static let seeds: Range<UInt64> = 0..<150

    private func built(_ logs: [ControlLog], _ revocations: [DeviceID: Set<LogPlace>]) throws -> Membership {
        try #require(
            Membership(conversationID: ControlDraft.conversationID, logs: logs, revocations: revocations))
    }

    @Test("the same entries give the same conversation, in whatever order they came")
    func order() throws {
        var terms = 0
        for seed in Self.seeds {
            var script = RandomControlLogs(seed: seed, steps: 30)
            let membership = try built(script.drafts.map(\.log), script.revocations)
            for _ in 0..<3 {
                let other = try built(script.shuffled(), script.revocations)
                let isEqual = other == membership
                #expect(isEqual, "seed \(seed)")
                for place in script.places {
                    #expect(other.state(at: place) == membership.state(at: place), "seed \(seed)")
                }
            }
            terms = max(terms, membership.term)
        }
        #expect(terms > 5, "the logs follow each other")
    }

    @Test("taking entries one after the other gives what building anew gives")
    func appending() throws {
        for seed in Self.seeds {
            var script = RandomControlLogs(seed: seed, steps: 30)
            var membership = try built([script.drafts[0].copy(upTo: script.drafts[0].records[0].place).log], [:])
            for run in script.runs() { membership.take(run, of: script) }
            for (deviceID, places) in script.revocations { membership.revoke(deviceID, after: places) }
            let isEqual = try membership == built(script.shuffled(), script.revocations)
            #expect(isEqual, "seed \(seed)")
        }
    }

    @Test("there is one owner, who is in at every version")
    func oneOwner() throws {
        for seed in Self.seeds {
            let script = RandomControlLogs(seed: seed, steps: 30)
            let membership = try built(script.drafts.map(\.log), script.revocations)
            let owners = membership.participants.filter { $0.role == .owner }
            #expect(owners.map(\.userID) == [membership.ownerID], "seed \(seed)")
            #expect(owners.allSatisfy { $0.status == (membership.isClosed ? .closed : .joined) }, "seed \(seed)")
            for place in script.places {
                guard let state = membership.state(at: place) else { continue }
                #expect(state.isIn(state.ownerID), "seed \(seed)")
            }
        }
    }

    @Test("only what the writer adds brings somebody in")
    func oneWriter() throws {
        let guest = TestUser(number: 77)
        for seed in Self.seeds {
            let script = RandomControlLogs(seed: seed, steps: 30)
            let membership = try built(script.drafts.map(\.log), script.revocations)
            for draft in script.drafts {
                var draft = draft
                let isWriters = membership.ends.contains(draft.end)
                let before = draft.end
                draft.add(guest)
                var other = membership
                let isHeld = other.append(draft.records.suffix(1), after: before)
                #expect(isHeld)
                if !isWriters && !membership.isOnLastLog(draft) { #expect(!other.has(guest), "seed \(seed)") }
                if isWriters && script.revocations[draft.deviceID] == nil && !membership.isClosed {
                    #expect(other.has(guest) && draft.deviceID == membership.writer, "seed \(seed)")
                }
            }
        }
    }

    @Test("who never owned it changes nothing")
    func othersChangeNothing() throws {
        for seed in Self.seeds {
            let script = RandomControlLogs(seed: seed, steps: 30)
            let membership = try built(script.drafts.map(\.log), script.revocations)
            let owners = Set(script.places.compactMap { membership.state(at: $0)?.ownerID })
            let theirs = script.drafts.filter { owners.contains($0.authorID) }
            let without = try built(theirs.map(\.log), script.revocations)
            let isEqual = without.participants == membership.participants
            #expect(isEqual, "seed \(seed)")
            #expect(without.attributes == membership.attributes && without.writer == membership.writer, "seed \(seed)")
        }
    }

    @Test("devices without the identity key never take the conversation from a user")
    func linkedDevicesKeepTheOwner() throws {
        for seed in Self.seeds {
            let script = RandomControlLogs(seed: seed, steps: 30)
            let membership = try built(script.drafts.map(\.log), [:])
            let founder = script.drafts[0].authorID
            let primaryLogs = Set(script.drafts.filter(\.isPrimary).map(\.description.logID))
            let handOvers = script.drafts.flatMap(\.records).filter { record in
                if case .handOver = record.entry { primaryLogs.contains(record.place.logID) } else { false }
            }
            if handOvers.isEmpty { #expect(membership.ownerID == founder, "seed \(seed)") }
            #expect(
                membership.ownerID == founder || handOvers.contains { $0.entry == .handOver(to: membership.ownerID) },
                "seed \(seed)")
        }
    }

    @Test("of who is out, nothing counts beyond the furthest cut that a removal names")
    func removedStayCut() throws {
        var cutCount = 0
        for seed in Self.seeds {
            let script = RandomControlLogs(seed: seed, steps: 30)
            let membership = try built(script.drafts.map(\.log), script.revocations)
            for user in RandomControlLogs.users where !membership.has(user) {
                let named = script.cuts(of: user.userID)
                for place in script.places {
                    switch membership.standing(of: user.userID, in: messageLog(user), at: place) {
                    case .counts: Issue.record("all of \(user) counts, seed \(seed)")
                    case .countsThrough(let cuts):
                        #expect(cuts.isSubset(of: named), "seed \(seed)")
                        cutCount += 1
                    case .doesNotCount, .unknownVersion: break
                    }
                }
            }
        }
        #expect(cutCount > 100, "removals name cuts")
    }

    @Test("whom a removal keeps out is no recipient at its version, nor owed anything")
    func removedGetNothing() throws {
        for seed in Self.seeds {
            let script = RandomControlLogs(seed: seed, steps: 30)
            let membership = try built(script.drafts.map(\.log), script.revocations)
            for draft in script.drafts where script.revocations[draft.deviceID] == nil {
                guard let last = draft.records.last, case .remove(let userID, _, _) = last.entry,
                    let state = membership.state(at: last.place), state.ownerID == draft.authorID, !state.isClosed,
                    userID != state.ownerID, membership.isBeforeHandOver(draft)
                else { continue }
                let recipients = try #require(membership.recipients(of: draft.authorID, at: last.place))
                #expect(!recipients.contains(userID), "seed \(seed)")
            }
            for user in RandomControlLogs.users where !membership.has(user) {
                #expect(!script.places.contains { membership.isOwed(user.userID, at: $0) }, "seed \(seed)")
            }
        }
    }

    @Test("no limit is passed, at any version")
    func limits() throws {
        for seed in Self.seeds.prefix(100) {
            var script = RandomControlLogs(seed: seed, steps: 10)
            let crowd = (200..<340).map { TestUser(number: $0) }
            script.addCrowd(crowd)
            let membership = try built(script.shuffled(), script.revocations)
            #expect(membership.participants.count <= Limits.participants, "seed \(seed)")
            #expect(membership.term <= Limits.controlTerms, "seed \(seed)")
            for draft in script.drafts {
                let state = membership.state(at: draft.end)
                #expect((state?.members.count ?? 0) <= Limits.participants, "seed \(seed)")
            }
        }
    }
}

extension Membership {
    fileprivate mutating func take(_ run: RandomControlLogs.Run, of script: RandomControlLogs) {
        let draft = script.drafts[run.draft]
        let records = draft.records[run.range]
        guard run.range.lowerBound > 0 else {
            insert(
                ControlLog(
                    description: draft.description, authorID: draft.authorID, isPrimary: draft.isPrimary,
                    branches: [Array(records)]))
            return
        }
        let isHeld = append(records, after: draft.records[run.range.lowerBound - 1].place)
        #expect(isHeld)
    }

    /// Whether a draft is a branch of the log that counts last.
    fileprivate func isOnLastLog(_ draft: ControlDraft) -> Bool {
        ends.contains { $0.logID == draft.description.logID }
    }

    /// Whether no hand-over has ended what the draft's author may remove.
    fileprivate func isBeforeHandOver(_ draft: ControlDraft) -> Bool { ownerID == draft.authorID }
}
