import ArgumentParser
import Earshot
import Foundation

/// The configuration file of a home directory: the options of `earshot up` by their long names, as YAML.
///
/// Its entries become arguments that stand before those of the command line, so those win.
struct HomeConfiguration {
    static let fileName = "config.yaml"
    /// A longer file is refused.
    private static let maximumBytes = 64 * 1024
    /// Options of `earshot up` that make sense on a command line only. The manual learns them from the help.
    private static let commandLineOnly = ["detach", "home", "json", "passphrase-fd"]
    private static let excluded = Set(commandLineOnly + ["help", "version"])

    /// Which options may stand in the file, as the help says it.
    static let whichOptions: String = {
        let names = commandLineOnly.map { "--\($0)" }
        return "these options but \(names.dropLast().joined(separator: ", ")) and \(names.last ?? "")"
    }()

    private let path: String
    private let entries: [ConfigurationText.Entry]
    private let options: [String: CommandOption]

    /// - Throws: `Failure` `invalidConfiguration`, with the number of the line.
    init(of home: Home) async throws(Failure) {
        path = "\(home.path)/\(Self.fileName)"
        do { entries = try ConfigurationText(try Self.text(of: path)).entries } catch let problem {
            throw Self.failure(problem, path)
        }
        // The argument parser takes longer to describe the options than most commands take.
        options = entries.isEmpty ? [:] : CommandOption.all(of: Up.self).filter { !Self.excluded.contains($0.key) }
        for entry in entries {
            do { try await check(entry) } catch { throw Self.failure(error, path) }
        }
    }

    /// What the file says, as arguments for a command.
    /// - Returns: only what the command has an option for.
    func arguments(for command: any ParsableArguments.Type) -> [String] {
        guard !entries.isEmpty else { return [] }
        let known = CommandOption.all(of: command)
        return entries.filter { known[$0.key] != nil }.flatMap(arguments)
    }

    private func arguments(of entry: ConfigurationText.Entry) -> [String] {
        let name = "--\(entry.key)"
        if options[entry.key]?.isFlag == true { return entry.values == ["true"] ? [name] : [] }
        // The parser takes no value after "=" for an option that may stand alone, nor one with a dash after a blank.
        return entry.values.flatMap { $0.hasPrefix("-") ? ["\(name)=\($0)"] : [name, $0] }
    }

    /// Checks an entry as the command line would, so that what is wrong is found where it stands.
    private func check(_ entry: ConfigurationText.Entry) async throws(ConfigurationText.Problem) {
        func problem(_ message: String) -> ConfigurationText.Problem { .init(line: entry.line, message: message) }
        guard let option = options[entry.key] else {
            guard !Self.excluded.contains(entry.key) else {
                throw problem("\(entry.key) is for the command line only")
            }
            let nearest = EditDistance.nearest(to: entry.key, among: Array(options.keys).sorted())
            throw problem("there is no option \"\(entry.key)\"" + (nearest.map { "; did you mean \($0)?" } ?? ""))
        }
        guard !option.isFlag || entry.values == ["true"] || entry.values == ["false"] else {
            throw problem("\(entry.key) is true or false")
        }
        guard option.isRepeating || entry.values.count == 1 else { throw problem("\(entry.key) takes one value") }
        do { _ = try await Up.asyncParse(arguments(of: entry)) } catch { throw problem(Up.message(for: error)) }
    }

    private static func failure(_ problem: ConfigurationText.Problem, _ path: String) -> Failure {
        Failure(
            .invalidConfiguration, "\(path):\(problem.line): \(problem.message)",
            remedy: "the keys are the options of earshot up, without the dashes: earshot up --help")
    }

    /// - Returns: an empty text if there is no file.
    private static func text(of path: String) throws(ConfigurationText.Problem) -> String {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            guard errno != ENOENT else { return "" }
            throw .init(line: 1, message: "it cannot be read: \(String(cString: strerror(errno)))")
        }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw .init(line: 1, message: "it is no file")
        }
        let bytes: Data
        do { bytes = try file.read(upToCount: maximumBytes + 1) ?? Data() } catch {
            throw .init(line: 1, message: "it cannot be read: \(SystemWords.words(for: error))")
        }
        guard bytes.count <= maximumBytes else {
            throw .init(line: 1, message: "it is longer than \(maximumBytes) bytes")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw .init(line: 1, message: "it is not valid UTF-8")
        }
        return text
    }
}

/// An option of a command, as the argument parser describes it.
struct CommandOption {
    let isFlag: Bool
    let isRepeating: Bool

    private struct Tool: Decodable {
        struct Command: Decodable {
            let arguments: [Argument]?
        }

        struct Argument: Decodable {
            struct Name: Decodable {
                let kind: String
                let name: String
            }

            let kind: String
            let shouldDisplay: Bool
            let isRepeating: Bool
            let names: [Name]?
        }

        let command: Command
    }

    /// The options of a command by their long names; hidden ones are left out.
    static func all(of command: any ParsableArguments.Type) -> [String: CommandOption] {
        let tool: Tool
        do { tool = try JSONDecoder().decode(Tool.self, from: Data(command._dumpHelp().utf8)) } catch {
            preconditionFailure("the argument parser describes commands as JSON: \(error)")
        }
        var options: [String: CommandOption] = [:]
        for argument in tool.command.arguments ?? [] where argument.shouldDisplay && argument.kind != "positional" {
            for name in argument.names ?? [] where name.kind == "long" {
                options[name.name] = CommandOption(isFlag: argument.kind == "flag", isRepeating: argument.isRepeating)
            }
        }
        return options
    }
}

extension EarshotError.Code {
    /// The configuration file of a home directory cannot be used.
    static let invalidConfiguration = Self("invalidConfiguration")
}
