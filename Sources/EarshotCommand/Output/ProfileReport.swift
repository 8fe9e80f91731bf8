import EarshotGateway

/// What a user says of themselves, for people or programs.
struct ProfileReport {
    let profile: GatewayProfile
    let output: Output

    func show() throws {
        try output.object(profile)
        let lines = [
            ("friendly name", profile.friendlyName), ("attributes", profile.attributes),
            ("picture", profile.picture.isEmpty ? "" : Counted.text(profile.picture.count, "byte", "bytes")),
        ]
        for (name, value) in lines where !value.isEmpty { output.line("\(name): \(SafeText.line(value))") }
        if profile.isBot { output.line("a bot") }
        for command in profile.commands {
            output.line("  \(SafeText.line(command.usage))  \(SafeText.line(command.summary))")
        }
        if profile.isSilent { output.line("nothing") }
    }
}

extension GatewayProfile {
    /// Whether the user says nothing of themselves.
    var isSilent: Bool { friendlyName.isEmpty && attributes.isEmpty && picture.isEmpty && !isBot }
}
