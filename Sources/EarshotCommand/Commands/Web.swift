import ArgumentParser
import Earshot
import EarshotGateway
import Foundation

struct Web: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "web",
        abstract: "Open the page: conversations and people in a browser.",
        discussion: """
            The running node serves it on this machine alone, and to no other user of it. The address that is printed lets one \
            browser in, once, within a minute; ask again for another one. From then on the page opens from a bookmark, in as many \
            tabs as you like, for 30 days; it goes on when the node comes back. --stop ends that.

            EXAMPLES:
              earshot web
              earshot web --no-open              prints the address, and opens nothing
              earshot web --stop                 closes the page, and ends all its tabs' sessions
            """)

    @OptionGroup var common: CommonOptions

    @Option(help: "The port to serve on. By default a free one, if possible that of the last time.")
    var port: UInt16?

    @Flag(name: .customLong("no-open"), help: "Do not open a browser.")
    var opensNothing = false

    @Flag(help: "Close the page.")
    var stop = false

    private struct Stopped: Encodable { let isServed = false }

    func validate() throws {
        guard !stop || port == nil else { throw ValidationError("--stop takes no --port.") }
        guard port != 0 else { throw ValidationError("--port takes a number from 1 to 65535.") }
    }

    func execute(_ output: Output) async throws {
        let home = common.homeDirectory
        try home.check()
        guard Session.pid(of: home) != nil else {
            guard !stop else { return try reportClosed(output, "no node runs, so there is no page") }
            throw Failure(
                .noNode, "no node runs on \(SafeText.line(home.path)), and the page ends with the node",
                remedy: "earshot up --detach, or earshot service install; then earshot web")
        }
        let client = try GatewayClient(home: home)
        guard !stop else {
            try await client.closePage()
            return try reportClosed(output, "the page is closed")
        }
        try await Self.open(client, port: port, isShown: !opensNothing && Self.hasDesktop, output)
    }

    /// Lets the node serve the page, and says where it is.
    /// - Parameter isShown: whether a browser opens it.
    static func open(_ client: GatewayClient, port: UInt16? = nil, isShown: Bool, _ output: Output) async throws {
        let page = try await client.openPage(port: port.map(Int.init), inFile: isShown)
        try output.object(page)
        output.line(page.address)
        if let port = page.lostPort {
            StandardError.write(
                "port \(port), where the page was, is in use by another program: close the tabs and bookmarks that lead there\n"
            )
        }
        if let file = page.file { open(file) }
    }

    private func reportClosed(_ output: Output, _ words: String) throws {
        try output.object(Stopped())
        output.line(words)
    }

    static var hasDesktop: Bool {
        ["DISPLAY", "WAYLAND_DISPLAY"].contains { ProcessInfo.processInfo.environment[$0]?.isEmpty == false }
    }

    /// Gives a file to the desktop that leads to the page, and does not wait: some openers end with their browser. The address is
    /// on the screen, so one that does nothing costs nobody the page. It is not given to a program: every user of the machine
    /// can read that.
    private static func open(_ file: String) {
        let nothing = Foundation.open("/dev/null", O_RDWR | O_CLOEXEC)
        defer { close(nothing) }
        do {
            _ = try ChildProgram(
                "xdg-open", [file], descriptors: [nothing, nothing, nothing], isOwnSession: true)
        } catch { StandardError.write("no browser could be opened: \(error)\n") }
    }
}
