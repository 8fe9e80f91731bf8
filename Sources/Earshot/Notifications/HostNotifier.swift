import EarshotModel

/// Notifies with the programs of this host: the desktop with notify-send, and servers with curl, whose certificates, proxies
/// and protocols then are those of the host.
struct HostNotifier: Notifier {
    private static let desktopProgram = "notify-send"
    private static let webProgram = "curl"
    private static let desktopPatience = Duration.seconds(10)
    /// A program may make a sound, or ask another host.
    private static let commandPatience = Duration.seconds(60)
    private static let webhookSeconds = 20

    func notify(_ record: NotificationTargetRecord, of notification: MessageNotification?) async -> NotificationOutcome
    {
        do {
            switch record.target {
            case .desktop: return try await show(notification)
            case .command(let path, let arguments):
                let input = try Self.payload(notification).encoded() + Array("\n".utf8)
                return try await Self.outcome(
                    of: ProgramRun(path, arguments, input: input, patience: Self.commandPatience))
            case .webhook(let url): return try await post(notification, to: url, key: record.secret ?? [])
            }
        } catch { return .failed(reason: error.message) }
    }

    private static func payload(_ notification: MessageNotification?) -> NotificationPayload {
        notification.map(NotificationPayload.init) ?? .test
    }

    private static func outcome(of run: ProgramRun) async throws(EarshotError) -> NotificationOutcome {
        let result = try await run.result()
        guard result.status != 0 else { return .taken }
        let words = result.output.split(whereSeparator: \.isNewline).last.map { ": \($0)" } ?? ""
        return .failed(reason: "\(run.path) has ended with \(result.status)\(words)")
    }

    // MARK: - The desktop

    private func show(_ notification: MessageNotification?) async throws(EarshotError) -> NotificationOutcome {
        let (title, body) = notification.map(Self.words) ?? ("Earshot", "Notifications will look like this.")
        return try await Self.outcome(
            of: ProgramRun(
                Self.desktopProgram, DesktopNotice.arguments(title: title, body: body), patience: Self.desktopPatience))
    }

    /// Arguments can be seen by other users of the machine, so they have nothing of what was written.
    private static func words(_ notification: MessageNotification) -> (title: String, body: String) {
        let sender = notification.senderName ?? notification.senderID.fingerprint
        let place = notification.conversationName.map { "#\($0)" }
        guard notification.count == 1 else {
            return (
                place ?? sender, "\(notification.count) new messages\(place == nil ? "" : ", the last from \(sender)")"
            )
        }
        let verb = notification.isMention ? "mentions you" : "has written"
        return (sender, "\(verb)\(place.map { " in \($0)" } ?? "")")
    }

    // MARK: - Webhooks

    private func post(
        _ notification: MessageNotification?, to url: String, key: [UInt8]
    ) async throws(EarshotError) -> NotificationOutcome {
        let body = try Self.payload(notification).encoded()
        let request = WebhookRequest(
            id: notification?.messageID.description ?? "test-\(UInt32.random(in: 0 ... .max))",
            seconds: Moment.now.wallClock / 1000, body: body, key: key)
        let arguments =
            WebhookRequest.curlArguments + [
                "--globoff", "--silent", "--show-error", "--max-time", "\(Self.webhookSeconds)", "--proto",
                "=http,https", "--output", "/dev/null", "--write-out", "%{http_code}\n",
            ]
        let result = try await ProgramRun(
            Self.webProgram, arguments, input: body, secondInput: Array(request.curlConfiguration(url: url).utf8),
            patience: .seconds(Self.webhookSeconds + 5)
        ).result()
        return WebhookAnswer.outcome(status: result.status, output: result.output)
    }
}
