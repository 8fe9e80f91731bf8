import ArgumentParser
import EarshotGateway

/// How a message is to look where there is room for more than its text.
struct LayoutOptions: ParsableArguments {
    @Option(help: ArgumentHelp("What it is about, shown below the text.", valueName: "text"))
    var caption: String?

    @Option(help: ArgumentHelp("The line below the caption.", valueName: "text"))
    var subcaption: String?

    @Option(help: ArgumentHelp("The line at its picture.", valueName: "text"))
    var imageTitle: String?

    @Option(help: ArgumentHelp("The line below that.", valueName: "text"))
    var imageSubtitle: String?

    @Option(help: ArgumentHelp("What a screen reader reads in place of the message.", valueName: "text"))
    var accessibilityLabel: String?

    @Option(
        help: ArgumentHelp("Where to find more: http:// or https://. Nobody fetches it unasked.", valueName: "link"))
    var url: String?

    /// `nil` if nothing was said of it.
    var request: LayoutRequest? {
        guard [caption, subcaption, imageTitle, imageSubtitle, accessibilityLabel, url].contains(where: { $0 != nil })
        else { return nil }
        return LayoutRequest(
            caption: caption, subcaption: subcaption, imageTitle: imageTitle, imageSubtitle: imageSubtitle,
            accessibilityLabel: accessibilityLabel, url: url)
    }
}
