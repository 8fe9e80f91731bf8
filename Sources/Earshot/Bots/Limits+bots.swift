extension Limits {
    /// Commands of a bot.
    public static let botCommands = 64
    /// Messages that a bot is handed at once. Of these, `botHandlers` are handled at once, one of each sender.
    public static let botMessages = 64
    /// Handlers of a bot that run at once.
    public static let botHandlers = 8
    /// Answers to one message.
    public static let botReplies = 64
}
