/// How a message looks where there is room for more than its text. Any part may be left out, and is then empty.
///
/// The text of a message has to say what the message is about without it: not every face shows a layout. A message that was
/// edited keeps its layout.
public struct MessageLayout: Hashable, Sendable {
    /// What it is about, in a few words.
    public var caption: String
    /// The line below the caption.
    public var subcaption: String
    /// The line at the picture, if there is one.
    public var imageTitle: String
    /// The line below that.
    public var imageSubtitle: String
    /// What a screen reader reads in place of the message.
    public var accessibilityLabel: String
    /// Where to find what a face cannot show. No node and no face ever fetches it unasked.
    public var url: WebLink?

    /// A layout; each text has at most `Limits.layoutTextBytes` of UTF-8.
    public init(
        caption: String = "", subcaption: String = "", imageTitle: String = "", imageSubtitle: String = "",
        accessibilityLabel: String = "", url: WebLink? = nil
    ) {
        self.caption = caption
        self.subcaption = subcaption
        self.imageTitle = imageTitle
        self.imageSubtitle = imageSubtitle
        self.accessibilityLabel = accessibilityLabel
        self.url = url
    }

    /// Whether it has no part at all: then the message has no layout.
    public var isEmpty: Bool { texts.isEmpty }

    /// What it says, in the order in which it is shown.
    package var texts: [String] {
        [imageTitle, imageSubtitle, caption, subcaption, accessibilityLabel, url?.description ?? ""].filter {
            !$0.isEmpty
        }
    }

    package var byteCount: Int { texts.reduce(0) { $0 + $1.utf8.count } }

    /// - Throws: `MessageDraft.Invalid` for the first text that is too long.
    func validate() throws(MessageDraft.Invalid) {
        for (name, text) in [
            ("caption", caption), ("subcaption", subcaption), ("image title", imageTitle),
            ("image subtitle", imageSubtitle), ("accessibility label", accessibilityLabel),
        ] where text.utf8.count > Limits.layoutTextBytes {
            throw .layoutTextTooLong(part: name, bytes: text.utf8.count)
        }
    }
}
