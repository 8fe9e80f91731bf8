import ArgumentParser
import Earshot
import EarshotGateway

struct Verify: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Compare safety numbers with a user, and mark them as verified.",
        discussion: """
            Both of you run it, and compare the 60 digits in person or by telephone. Make sure that the person who \
            reads them is the one whose voice or face you know. If the digits are the same, nobody is between you. A \
            terminal also shows them as a QR code, which any reader of such codes turns into the same digits.

            On a terminal it asks whether they are the same. Elsewhere it only prints, without --matches or --yes.

            EXAMPLES:
              earshot verify bob
              earshot verify bob --matches "30035 44776 92869 ..."
              earshot verify bob --yes
            """)

    @OptionGroup var common: CommonOptions

    @Argument(help: UserArgument.help, completion: UserArgument.completion)
    var name: String

    @Option(
        help: ArgumentHelp(
            "The number as the other side reads it out; spaces and dashes are ignored.", valueName: "number"))
    var matches: String?

    @Flag(name: .customLong("yes"), help: "The numbers were compared, and are the same.")
    var isSure = false

    func validate() throws {
        guard matches == nil || !isSure else { throw ValidationError("--matches or --yes, not both.") }
        if let matches, SafetyNumber(typed: matches) == nil {
            let count = matches.unicodeScalars.count { ("0"..."9").contains($0) }
            throw ValidationError(
                "A safety number is \(SafetyNumber.digitCount) digits and nothing else; there are \(count) digits here."
            )
        }
    }

    /// The safety number, and what the command adds to it.
    private struct Record: Encodable {
        let number: GatewaySafetyNumber
        let isVerified: Bool

        private enum CodingKeys: String, CodingKey {
            case isVerified
        }

        func encode(to encoder: any Encoder) throws {
            try number.encode(to: encoder)
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(isVerified, forKey: .isVerified)
        }
    }

    func execute(_ output: Output) async throws {
        let (number, status, names) = try await Session.with(common.homeDirectory) { session in
            let names = try await session.names()
            let user = try await UserLookup(session: session).known(name, names)
            let number = try await session.client.safetyNumber(with: user.id)
            return (number, try await session.client.status(), names)
        }
        show(number, status, names, output)
        guard try await isTheSame(number, names, output) else {
            try output.object(Record(number: number, isVerified: number.user.isVerified))
            return
        }
        try await mark(number, names, output)
    }

    private func mark(_ number: GatewaySafetyNumber, _ names: NameBook, _ output: Output) async throws {
        if number.user.isBlocked { throw names.blocked(number.user) }
        if let conflict = names.conflict(of: number.user) { throw conflict }
        if isSure {
            try KeyPrefix(name, of: number.user).checkDecides(isAsking: false, names) { "earshot verify \($0) --yes" }
        }
        let user = try await Session.with(common.homeDirectory) {
            try await $0.client.decide(.verify, about: number.user.id, named: number.user.name)
        }
        output.line("\(names.shown(user)) is \(output.style.green("verified"))")
        try output.object(Record(number: number, isVerified: user.isVerified))
    }

    /// - Returns: whether the numbers were compared; `false` if nobody is there to compare them.
    /// - Throws: `Failure` `safetyNumberDiffers` if they differ.
    private func isTheSame(
        _ number: GatewaySafetyNumber, _ names: NameBook, _ output: Output
    ) async throws -> Bool {
        let user = number.user
        if isSure { return true }
        if let matches {
            guard SafetyNumber(typed: matches)?.digits == number.digits else { throw difference(user, names) }
            return true
        }
        guard isAsking(output), !user.isVerified, !user.isBlocked, !user.isInConflict else { return false }
        guard try await Confirmation.ask("Are they the same on both sides?") else {
            throw Failure(.notConfirmed, "\(names.shown(user)) was not marked as verified")
        }
        return true
    }

    /// In JSON the number is not visible when the question is asked.
    private func isAsking(_ output: Output) -> Bool { Confirmation.isPossible && !output.isJSON }

    private func difference(_ user: GatewayUser, _ names: NameBook) -> Failure {
        Failure(
            .safetyNumberDiffers,
            "THE NUMBERS DIFFER: the key here is not the one that the other side has, or a digit was misread. "
                + "\(names.shown(user)) stays \(user.trust)",
            remedy: "compare once more; if they still differ, compare fingerprints (earshot status) before you write "
                + "anything that matters, or keep the key out: earshot block \(names.typed(user))")
    }

    // MARK: - On the screen

    private func show(
        _ number: GatewaySafetyNumber, _ status: GatewayStatus, _ names: NameBook, _ output: Output
    ) {
        let shown = names.shown(number.user)
        let width = max(DisplayWidth.of(shown), 3)
        output.line("\(DisplayWidth.pad("you", to: width))  \(status.fingerprint)")
        output.line("\(DisplayWidth.pad(shown, to: width))  \(number.user.fingerprint)")
        output.line("")
        output.line("safety number:")
        for line in SafetyNumber(typed: number.digits)?.lines ?? [number.text] {
            output.line("  " + output.style.bold(line))
        }
        output.line("")
        for line in code(number, output) { output.line(line) }
        for line in advice(number.user, status, names, output) { output.line(line) }
    }

    /// The digits for a camera, where a terminal can show them and somebody has yet to compare them. Without its own colours
    /// it would be light on dark on most terminals.
    private func code(_ number: GatewaySafetyNumber, _ output: Output) -> [String] {
        guard let rows = number.qr, matches == nil, !isSure, output.style.isColoured, Terminal.takesUTF8() else {
            return []
        }
        let code = TerminalCode(rows)
        guard code.width + Self.indent.count <= Terminal.size.columns else { return [] }
        return code.lines.map { Self.indent + output.style.inkOnPaper($0) } + [""]
    }

    private static let indent = "  "

    private func advice(_ user: GatewayUser, _ status: GatewayStatus, _ names: NameBook, _ output: Output) -> [String] {
        if user.isBlocked { return ["\(names.shown(user)) is blocked: earshot unblock \(names.typed(user))"] }
        if user.isVerified { return ["\(names.shown(user)) is verified already."] }
        var lines = [
            "Compare it in person or by telephone: earshot verify \(ShellWord.user(status.name, key: status.id)) "
                + "shows it on the other side.",
            "It must be the same there, digit for digit.",
        ]
        if !isAsking(output), !isSure, matches == nil {
            lines.append("If it is: earshot verify \(names.typedWhole(user)) --yes")
        }
        return lines
    }
}
