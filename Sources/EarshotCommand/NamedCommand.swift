import ArgumentParser

/// Has a command parse its own arguments, without the rest of the program. That is quicker: the argument parser makes itself
/// a picture of every command that it may come to.
enum NamedCommand {
    /// - Parameter arguments: without the program's name.
    /// - Returns: the command, ready to run; `nil` for all about which the whole program has more to say: commands with
    ///   commands of their own, questions for help, and mistakes; and for `completions`, which does not run in a task.
    static func parse(_ arguments: [String]) async -> (any AsyncParsableCommand)? {
        guard let name = arguments.first,
            let named = EarshotProgram.commands.first(where: { $0._commandName == name }),
            let command = named as? any AsyncParsableCommand.Type, command.configuration.subcommands.isEmpty
        else { return nil }
        do { return try await command.asyncParse(Array(arguments.dropFirst())) } catch { return nil }
    }
}
