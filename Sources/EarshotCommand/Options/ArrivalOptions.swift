import ArgumentParser

/// What a node does when a message arrives.
struct ArrivalOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Run this program for each message, which it gets as JSON on its standard input. It gets no arguments, and no "
                + "shell runs it.", valueName: "program"), completion: .file())
    var onMessage: String?

    @Flag(name: .customLong("notify"), help: "Show a notification on the desktop, with notify-send.")
    var isNotifying = false

    @Flag(name: .customLong("bell"), help: "Ring the terminal's bell.")
    var isRinging = false

    var isAsked: Bool { onMessage != nil || isNotifying || isRinging }

    func handler(_ output: Output) -> Arrivals {
        Arrivals(program: onMessage, isNotifying: isNotifying, isRinging: isRinging, output: output)
    }
}
