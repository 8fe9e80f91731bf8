import ArgumentParser
import Foundation
import Logging

/// The format of the log on standard error.
enum LogFormat: String, ExpressibleByArgument, CaseIterable, Sendable {
    case text, json

    @Sendable func handler(label: String) -> any LogHandler {
        switch self {
        case .text: TextLogHandler(label: label)
        case .json: JSONLogHandler()
        }
    }
}

/// Writes each record as one line: the time, the level, who writes, the message, and metadata as `name=value`.
struct TextLogHandler: LogHandler {
    let label: String
    var logLevel = Logger.Level.info
    var metadata: Logger.Metadata = [:]

    init(label: String) { self.label = label }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let all = metadata.merging(event.metadata ?? [:]) { $1 }.mapValues { "\($0)" }
        StandardError.log(line(event.level, "\(event.message)", all, at: Date()))
    }

    func line(_ level: Logger.Level, _ message: String, _ metadata: [String: String], at time: Date) -> String {
        let moment = time.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        let pairs = metadata.sorted { $0.key < $1.key }.map { " \($0.key)=\(SafeText.line($0.value))" }.joined()
        return "\(moment) \(level.rawValue) \(label): \(SafeText.line(message))\(pairs)\n"
    }
}

/// Writes each record as one object on a line: `time`, `level`, `message`, and `metadata`.
struct JSONLogHandler: LogHandler {
    var logLevel = Logger.Level.info
    var metadata: Logger.Metadata = [:]

    private struct Record: Encodable {
        let time: String
        let level: String
        let message: String
        let metadata: [String: String]
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let all = metadata.merging(event.metadata ?? [:]) { $1 }.mapValues { "\($0)" }
        StandardError.log(Self.line(event.level, "\(event.message)", all, at: Date()))
    }

    static func line(
        _ level: Logger.Level, _ message: String, _ metadata: [String: String], at time: Date
    ) -> Data {
        let record = Record(
            time: time.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)), level: level.rawValue,
            message: message, metadata: metadata)
        do { return Data((try Output.encode(record) + "\n").utf8) } catch {
            preconditionFailure("a record of strings can be written as JSON: \(error)")
        }
    }
}
