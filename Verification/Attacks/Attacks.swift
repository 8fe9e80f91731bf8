import ArgumentParser
import Earshot
import EarshotGateway
import EarshotModel
import Foundation
import TestSupport

/// Attacks real nodes on loopback, and reports what happened.
@main
struct Attacks: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "attacks",
        abstract: "Every attack and fault that is tried on a node, what was expected, and what happened.",
        version: "attacks \(Earshot.versionOfBuild)",
        subcommands: [Run.self, Burst.self], defaultSubcommand: Run.self)
}

struct Run: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Attacks.")

    @Flag(help: "Print one object as the last line but one.") var json = false
    @Option(help: "Only the attacks whose name has this in it.") var only: String?

    func run() async throws {
        // Hundreds of connections, both ends of each in this process.
        var limit = rlimit(rlim_cur: 8192, rlim_max: 8192)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        var results: [Trial] = []
        for result in try await attack() { results.append(result) }
        Table.print(results)
        let failed = results.count { !$0.isPassed }
        if json { print(Table.json(results)) }
        print(Build.present.driven)
        print("\(results.count - failed) passed, \(failed) failed")
        guard failed == 0, !results.isEmpty else { throw ExitCode.failure }
    }

    private var attacks: [Attack] {
        let all =
            Attack.beforeAuthentication + Attack.impersonation + Attack.devices + Attack.afterAuthentication
            + Attack.openConversations + Attack.invitations + Attack.folding + Attack.privateConversations
            + Attack.places
            + Attack.files
            + Attack.fileSpace + Attack.waiting + Attack.discovery + Attack.localAPI + Attack.faults
        return all.filter { only.map($0.name.contains) ?? true }
    }

    /// Runs the attacks one after another; those that wait for a time limit run beside the others.
    private func attack() async throws -> [Trial] {
        let arena = try await Arena.open()
        let gateway = Task { try await Gateway(node: arena.alice.node).run() }
        let results = await withTaskGroup(of: Trial.self) { group in
            let numbered = attacks.enumerated().map { (number: $0.offset + 1, attack: $0.element) }
            for (number, attack) in numbered where attack.isSlow {
                group.addTask { await Trial.of(attack, number, in: arena) }
            }
            var results: [Trial] = []
            for (number, attack) in numbered where !attack.isSlow {
                let result = await Trial.of(attack, number, in: arena)
                let note = result.isPassed ? "" : "FAILED: \(result.happened)"
                FileHandle.standardError.write(Data("\(number) \(attack.name) \(note)\n".utf8))
                results.append(result)
            }
            for await result in group { results.append(result) }
            return results.sorted { $0.number < $1.number }
        }
        gateway.cancel()
        do { try await gateway.value } catch { print("the local API ended: \(error)") }
        try await arena.close()
        return results
    }
}

/// A row of the table.
struct Trial: Sendable {
    let number: Int
    let attack: Attack
    let happened: String
    let isPassed: Bool

    /// Runs an attack, and then checks that the two honest users can still talk and that nothing they said has changed.
    static func of(_ attack: Attack, _ number: Int, in arena: Arena) async -> Trial {
        let outcome: Attack.Outcome
        do {
            outcome = try await withDeadline("an end of \"\(attack.name)\"") {
                try await attack.run(arena, "127.1.\(number).1")
            }
        } catch { outcome = Attack.Outcome("\(error)", false) }
        // Attacks that run beside the others are checked with them.
        do { if !attack.isSlow { try await arena.checkHonestPair() } } catch {
            return Trial(
                number: number, attack: attack, happened: "\(outcome.happened); honest pair: \(error)", isPassed: false)
        }
        return Trial(number: number, attack: attack, happened: outcome.happened, isPassed: outcome.isAsExpected)
    }
}

enum Table {
    static func print(_ results: [Trial]) {
        var kind: Attack.Kind?
        for result in results {
            if result.attack.kind != kind {
                kind = result.attack.kind
                Swift.print("\n\(result.attack.kind.rawValue)")
                Swift.print("  " + row("no", "attack", "expected", "ok", "happened"))
            }
            let ok = result.isPassed ? "ok" : "FAILED"
            Swift.print("  " + row("\(result.number)", result.attack.name, result.attack.expected, ok, result.happened))
        }
        Swift.print("\nAfter each of them alice and bob said something to each other, and had all that they ever said.")
    }

    private static func row(_ number: String, _ name: String, _ expected: String, _ ok: String, _ happened: String)
        -> String
    {
        let happened = happened.count > 110 ? happened.prefix(109) + "…" : happened
        return padded(number, 4) + padded(name, 62) + padded(expected, 66) + padded(ok, 7) + happened
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(1, width - text.count))
    }

    private struct Row: Encodable {
        let number: Int
        let kind, attack, expected, happened: String
        let passed: Bool
    }

    private struct Report: Encodable {
        let passed, failed: Int
        let attacks: [Row]
    }

    static func json(_ results: [Trial]) -> String {
        let rows = results.map {
            Row(
                number: $0.number, kind: $0.attack.kind.rawValue, attack: $0.attack.name,
                expected: $0.attack.expected, happened: $0.happened, passed: $0.isPassed)
        }
        let report = Report(
            passed: rows.count(where: \.passed), failed: rows.count { !$0.passed }, attacks: rows)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do { return String(decoding: try encoder.encode(report), as: UTF8.self) } catch {
            preconditionFailure("a table of texts can be encoded: \(error)")
        }
    }
}
