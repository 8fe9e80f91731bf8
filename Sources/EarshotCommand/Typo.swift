import ArgumentParser
import Earshot

/// Explains an unknown command: the argument parser only says "unexpected argument".
enum Typo {
    /// - Parameter arguments: without the program's name.
    /// - Returns: `nil` if the command exists, or if none is named.
    static func failure(in arguments: [String]) -> Failure? {
        guard var name = arguments.first else { return nil }
        if name == "help", arguments.count > 1 { name = arguments[1] }
        guard !name.isEmpty, !name.hasPrefix("-"), !names.contains(name) else { return nil }
        return Failure(
            .unknownCommand, "there is no command \"\(name)\"",
            remedy: EditDistance.nearest(to: name, among: names).map { "earshot \($0)" }
                ?? "earshot --help lists the commands")
    }

    private static let names =
        EarshotProgram.configuration.groupedSubcommands.flatMap { $0.subcommands.map { $0._commandName } } + ["help"]
}

extension EditDistance {
    /// The word that was probably meant: two letters may be wrong, or one in a short word.
    static func nearest(to word: String, among words: [String]) -> String? {
        let lowercased = word.lowercased()
        let distances = words.map { ($0, between($0, lowercased)) }
        guard let (nearest, distance) = distances.min(by: { $0.1 < $1.1 }) else { return nil }
        return distance <= min(2, (word.count + 1) / 2) ? nearest : words.first { $0.hasPrefix(lowercased) }
    }
}

extension EarshotError.Code {
    /// The program has no such command.
    static let unknownCommand = Self("unknownCommand")
}
