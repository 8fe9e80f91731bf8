import ArgumentParser
import Earshot
import EarshotGateway
import Foundation

struct ProfileCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "profile",
        abstract: "Show what a user says of themselves, or say it of yourself.",
        discussion: """
            Everybody to whom you have written learns your profile: a friendly name, attributes for programs and a \
            picture. It is a label, as a name is: it proves nothing.

            EXAMPLES:
              earshot profile
              earshot profile bob
              earshot profile set --friendly-name "Alice from next door" --picture alice.png
              earshot profile set --friendly-name ""
              earshot profile set --command "/remind IN WHAT: Reminds you."
            """,
        subcommands: [ProfileShow.self, ProfileSet.self], defaultSubcommand: ProfileShow.self)
}

struct ProfileShow: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show what a user says of themselves.")

    @OptionGroup var common: CommonOptions

    @Argument(help: "The user; you unless given.", completion: UserArgument.completion)
    var name: String?

    @Option(help: ArgumentHelp("Write the picture to this file.", valueName: "file"))
    var savePicture: String?

    func execute(_ output: Output) async throws {
        let profile = try await Session.with(common.homeDirectory) { session in
            guard let name else { return try await session.client.ownProfile() }
            let user = try await UserLookup(session: session).known(name, try await session.names())
            return try await session.client.profile(of: user.id)
        }
        if let savePicture {
            do { try profile.picture.write(to: URL(filePath: savePicture), options: .withoutOverwriting) } catch {
                throw Failure(
                    .unusableFile, "the picture cannot be written to \(savePicture): \(SystemWords.words(for: error))")
            }
        }
        try ProfileReport(profile: profile, output: output).show()
    }
}

struct ProfileSet: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Say something of yourself. What is not named stays as it is.")

    @OptionGroup var common: CommonOptions

    @Option(help: ArgumentHelp("What faces may show beside your name; \"\" for nothing.", valueName: "text"))
    var friendlyName: String?

    @Option(help: ArgumentHelp("A JSON object for programs; \"\" for nothing.", valueName: "json"))
    var attributes: String?

    @Option(
        help: ArgumentHelp(
            "A picture of at most \(Limits.pictureBytes / 1024) KiB; \"\" for none.", valueName: "file"))
    var picture: String?

    @Flag(inversion: .prefixedNo, help: "Say that a program answers for you. --no-bot forgets its commands, too.")
    var bot: Bool?

    @Option(
        help: ArgumentHelp(
            "What people may type to the bot, and what it does; repeat it for each. They take the place of all.",
            valueName: "usage: summary"))
    var command: [String] = []

    func validate() throws {
        guard friendlyName != nil || attributes != nil || picture != nil || bot != nil || !command.isEmpty else {
            throw ValidationError("Name --friendly-name, --attributes, --picture, --bot or --command.")
        }
        guard bot != false || command.isEmpty else { throw ValidationError("Only a bot has commands.") }
        for text in command where Self.command(text) == nil {
            throw ValidationError("A command is written so: --command \"/remind IN WHAT: Reminds you.\"")
        }
    }

    private static func command(_ text: String) -> GatewayProfile.Command? {
        guard text.hasPrefix("/"), let colon = text.range(of: ": ") else { return nil }
        let usage = text[..<colon.lowerBound]
        let name = usage.dropFirst().prefix { $0 != " " }
        guard !name.isEmpty else { return nil }
        return GatewayProfile.Command(
            name: String(name), summary: String(text[colon.upperBound...]), usage: String(usage))
    }

    func execute(_ output: Output) async throws {
        let picture = try picture.map(Self.read)
        let profile = try await Session.with(common.homeDirectory) { session in
            try await session.client.updateProfile(
                friendlyName: friendlyName, attributes: attributes, picture: picture, isBot: bot,
                commands: command.isEmpty ? nil : command.compactMap(Self.command))
        }
        try ProfileReport(profile: profile, output: output).show()
    }

    /// - Throws: `Failure` `unusableFile`.
    private static func read(_ path: String) throws -> Data {
        guard !path.isEmpty else { return Data() }
        let file: FileHandle
        do { file = try FileHandle(forReadingFrom: URL(filePath: path)) } catch {
            throw Failure(.unusableFile, "the picture \(path) cannot be read: \(SystemWords.words(for: error))")
        }
        defer { try? file.close() }
        // One byte more than is allowed, so that what is too long is refused and not cut.
        return try file.read(upToCount: Limits.pictureBytes + 1) ?? Data()
    }
}
