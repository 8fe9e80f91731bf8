import Foundation
import Synchronization

/// What was checked and counted, and how it is printed.
final class Report: Sendable {
    private struct Row: Sendable {
        let phase: String
        let messages: Int
        let kills: Int
        let faults: Faults
        let events: Int
    }

    private struct State {
        var passed = 0
        var failed = 0
        var checks: [String] = []
        var rows: [Row] = []
        var facts: [String: Int] = [:]
    }

    private let state = Mutex(State())

    var failed: Int { state.withLock { $0.failed } }

    func check(_ what: String, _ isGood: Bool, _ detail: String = "") {
        let padded = what.padding(toLength: max(what.count, 78), withPad: " ", startingAt: 0)
        let line = "\(padded) \(isGood ? "ok    " : "FAILED") \(detail)"
        state.withLock { state in
            if isGood { state.passed += 1 } else { state.failed += 1 }
            state.checks.append(line)
        }
        progress("  " + line)
    }

    /// A count of the whole run: kills, sleeps.
    func count(_ name: String, _ count: Int = 1) { state.withLock { $0.facts[name, default: 0] += count } }

    func add(_ phase: String, messages: Int, kills: Int, faults: Faults, events: Int) {
        let row = Row(phase: phase, messages: messages, kills: kills, faults: faults, events: events)
        state.withLock { $0.rows.append(row) }
    }

    func progress(_ line: String) { FileHandle.standardError.write(Data((line + "\n").utf8)) }

    /// Prints the table, and at the end how many checks passed and failed.
    /// - Parameter users: of a group: how many have to agree.
    func finish(seed: UInt64, json: Bool, users: Int? = nil) {
        let (state, total) = state.withLock { state in
            (state, state.rows.reduce(into: Faults.none) { $0 += $1.faults })
        }
        print("seed \(seed)")
        for line in state.checks { print(line) }
        print("")
        print(Self.line("phase", ["messages", "kills"] + Faults.fields.map(\.name)))
        for row in state.rows {
            print(Self.line(row.phase, [row.messages, row.kills].map(String.init) + Self.numbers(row.faults)))
        }
        let messages = state.rows.reduce(0) { $0 + $1.messages }
        let kills = state.rows.reduce(0) { $0 + $1.kills }
        print(Self.line("all", ["\(messages)", "\(kills)"] + Self.numbers(total)))
        let facts = state.facts.sorted { $0.key < $1.key }.map { ", \($0.value) \($0.key)" }.joined()
        print(
            "\(messages) messages, \(kills) kills\(facts): lost \(total.lost), doubled \(total.doubled), "
                + "reordered \(total.reordered), false delivered \(total.falselyDelivered)"
                + (users.map { ", \(Self.agreement(of: $0, total))" } ?? ""))
        if json { print(Self.object(state, seed: seed, messages: messages, kills: kills, total: total)) }
        print("\(state.passed) passed, \(state.failed) failed")
    }

    private static func agreement(of users: Int, _ faults: Faults) -> String {
        let word = GroupSoak.word(users)
        return faults.different == 0 ? "all \(word) agree" : "the \(word) do not agree"
    }

    private static func numbers(_ faults: Faults) -> [String] {
        Faults.fields.map { "\(faults[keyPath: $0.value])" }
    }

    private static func line(_ name: String, _ columns: [String]) -> String {
        let widths = [9, 6] + Faults.fields.map { $0.name.count }
        let cells = zip(columns, widths).map { String(repeating: " ", count: max(0, $1 - $0.count)) + $0 }
        return ([name.padding(toLength: 8, withPad: " ", startingAt: 0)] + cells).joined(separator: "  ")
    }

    private static func object(_ state: State, seed: UInt64, messages: Int, kills: Int, total: Faults) -> String {
        var fields = [("passed", state.passed), ("failed", state.failed), ("messages", messages), ("kills", kills)]
        fields += Faults.fields.map { ($0.name, total[keyPath: $0.value]) }
        fields += state.facts.sorted { $0.key < $1.key }.map { (Self.camelCase($0.key), $0.value) }
        return "{\"seed\":\(seed)," + fields.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ",") + "}"
    }

    private static func camelCase(_ words: String) -> String {
        let words = words.split(separator: " ")
        return words.prefix(1).joined() + words.dropFirst().map(\.capitalized).joined()
    }
}
