/// What notify-send is called with.
package enum DesktopNotice {
    /// - Parameters:
    ///   - title: as it is shown.
    ///   - body: the same. Names are chosen by others, and a body is markup to the desktop, after notify-send has taken
    ///     escapes with backslashes out of it.
    package static func arguments(title: String, body: String) -> [String] {
        let text = body.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            .replacing("\\", with: "\\\\")
        return ["--app-name=Earshot", "--", title, text]
    }
}
