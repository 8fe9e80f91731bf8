import ArgumentParser
import Earshot
import EarshotGateway
import Foundation

/// The argument that names another user.
enum UserArgument {
    static let help: ArgumentHelp =
        "A user's name, a name and the beginning of the fingerprint (bob@3fk9qbmj), or a key."

    static let conversationHelp: ArgumentHelp =
        "A user's name, a name and the beginning of the fingerprint (bob@3fk9qbmj), or a key; or '#ops', in quotes."

    static let severalHelp: ArgumentHelp =
        "A user's name, a name and the beginning of the fingerprint (bob@3fk9qbmj), or a key; or '#ops', in quotes; or several, as bob,carol."

    /// The users whom an argument names. A name with a comma, which is older than the rule against it, names nobody here:
    /// its user is named by key.
    static func split(_ text: String) -> [String] {
        var seen: Set<String> = []
        return text.split(separator: ",", omittingEmptySubsequences: false)
            .map { String(withoutBlanks($0)) }.filter { seen.insert($0).inserted }
    }

    /// Without Foundation, whose `trimmingCharacters` took 2 % of the instructions of a `send`.
    private static func withoutBlanks(_ text: Substring) -> Substring {
        func isBlank(_ character: Character) -> Bool { character.isWhitespace && !character.isNewline }
        var text = text.drop(while: isBlank)
        while let last = text.last, isBlank(last) { text.removeLast() }
        return text
    }

    /// The users that the node knows, for a shell that completes a command line.
    static let completion = CompletionKind.custom { words, _, _ in await candidates(in: words) }

    /// The names of conversations of many, without the `#`, which a shell would have to quote.
    static let conversationCompletion = CompletionKind.custom { words, _, _ in
        await complete(words) { client in
            let joined = try await client.allConversations().compactMap(\.uniqueName)
            let advertised = try await client.advertisedConversations().map(\.uniqueName)
            return (joined + advertised).filter(ShellWord.isPlain)
        }
    }

    /// The same for the last of several users.
    static let severalCompletion = CompletionKind.custom { words, index, _ in
        let typed = words.indices.contains(index) ? words[index] : ""
        let others = typed.lastIndex(of: ",").map { String(typed[...$0]) } ?? ""
        return await candidates(in: words).map { others + $0 }
    }

    /// Nobody waits longer for a completion.
    private static let patience = Duration.seconds(1)

    /// Asks only a running node: a key press must not open a home directory. If anything fails, nothing is completed,
    /// because a shell has no place for an error.
    private static func candidates(in words: [String]) async -> [String] {
        await complete(words) { client in
            let names = try await client.names()
            return try await client.users().filter { !$0.isInConflict }.map { candidate($0, names) }
        }
    }

    private static func complete(
        _ words: [String], _ find: @escaping @Sendable (GatewayClient) async throws -> [String]
    ) async -> [String] {
        let home = home(in: words)
        guard HomeLock.holder(of: home) != nil else { return [] }
        do {
            return try await within(patience) { try await find(try GatewayClient(home: home)) } ?? []
        } catch { return [] }
    }

    /// Shells expand the candidates that they get. A name in which a shell would see more than letters is never
    /// offered; its key is offered instead.
    private static func candidate(_ user: GatewayUser, _ names: NameBook) -> String {
        let argument = names.argument(user)
        return ShellWord.isPlain(argument) ? argument : user.id
    }

    /// The home directory that the line names, else the usual one. The shell has not yet removed quotes.
    private static func home(in words: [String]) -> Home {
        for (word, next) in zip(words, words.dropFirst()) where word == "--home" { return Home(path: unquoted(next)) }
        let path = words.first { $0.hasPrefix("--home=") }?.dropFirst("--home=".count)
        return path.map { Home(path: unquoted(String($0))) } ?? .standard()
    }

    private static func unquoted(_ word: String) -> String {
        let text = word.filter { $0 != "\"" && $0 != "'" && $0 != "\\" }
        return text.hasPrefix("~/") ? (text as NSString).expandingTildeInPath : text
    }
}
