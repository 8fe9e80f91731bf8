import EarshotGateway
import Foundation
import TestSupport
import Testing

@Suite("A second machine of a user", .keepsWhatItStarts)
struct DeviceCommandTests {
    /// Pairs over loopback, both sides saying yes.
    private func join(
        _ new: TestHome, to old: TestHome, port: String, _ options: String..., answer: String = "y"
    ) async throws -> (adding: Program.Result, joining: Program.Result) {
        let adding = try RunningProgram(["device", "add", "--home", old.path] + options)
        let code = try await adding.expect("(earshot-pairing-1-[0-9a-z-]+)")
        let joining = try RunningProgram([
            "init", "--join", "--home", new.path, "--peer", "127.0.0.1:\(port)", "--device-name", "desktop",
        ])
        joining.write(Data("\(code)\n".utf8))
        // Who says no at once is told of as one who has said no.
        try await adding.expect("\"desktop\" has the code")
        joining.write(Data("\(answer)\n".utf8))
        adding.write(Data("y\n".utf8))
        return (try await adding.end(), try await joining.end())
    }

    @Test("is paired with the code that the first one shows, and is listed, renamed and revoked")
    func whole() async throws {
        let (laptop, desktop) = (try await TestHome.named("alice"), try TestHome())
        #expect(try await laptop.run("network", "create").status == 0)
        let (_, port) = try await laptop.up()
        let (adding, joining) = try await join(desktop, to: laptop, port: port)
        #expect(adding.status == 0, "\(adding.errors)")
        #expect(joining.status == 0, "\(joining.errors)")
        #expect(adding.output.contains("is a device of yours now"))
        #expect(joining.output.contains("a linked device of alice"))
        // The new machine shows the user's fingerprint, and the first one the new machine's.
        let fingerprint = try await laptop.key().fingerprint
        #expect(adding.output.contains(fingerprint) && joining.output.contains(fingerprint))
        #expect(try desktop.mode(of: "/device.key") == 0o600)
        #expect(!FileManager.default.fileExists(atPath: desktop.path + "/identity.key"))
        let tags = [try await laptop.run("network", "show"), try await desktop.run("network", "show")].map(\.output)
        #expect(tags[0] == tags[1])

        let (desktopNode, _) = try await desktop.up("--peer", "127.0.0.1:\(port)")
        #expect(try await desktop.userID() == laptop.userID())
        try await laptop.until("the two are linked") { client in
            try await client.devices().contains { !$0.isThisDevice && $0.isOnline && !$0.isPrimary }
        }
        #expect(try await laptop.run("users", "--json").output.isEmpty)
        #expect(try await laptop.run("device", "rename", "desktop", "attic").status == 0)
        let listed = try await laptop.run("device", "list", "--json").objects()
        #expect(listed.map { $0["isPrimary"] as? Bool } == [true, false])
        #expect(listed.last?["name"] as? String == "attic")

        // A linked device holds no identity.
        for command in [["device", "add"], ["device", "revoke", "attic", "--yes"], ["export", "x.backup"]] {
            let passphrase = try TestHome()
            try FileManager.default.createDirectory(atPath: passphrase.path, withIntermediateDirectories: true)
            let file = passphrase.path + "/passphrase"
            _ = FileManager.default.createFile(
                atPath: file, contents: Data("secret\n".utf8), attributes: [.posixPermissions: 0o600])
            let options = command[0] == "export" ? ["--passphrase-file", file] : []
            let result = try await desktop.run(command + options)
            #expect(result.status != 0 && result.errors.contains("the identity"), "\(result.errors)")
        }

        #expect(try await laptop.run("device", "revoke", "attic", "--yes").status == 0)
        try await desktopNode.expectError("this device was revoked")
        let doctor = try await desktop.run("doctor")
        #expect(doctor.output.contains("revoked"), "\(doctor.output)")
        try await laptop.until("the link is gone") { client in
            try await client.devices().contains { $0.isRevoked && !$0.isOnline }
        }
    }

    @Test("shares what its user says of themselves, whichever of the two it was said on")
    func profile() async throws {
        let (laptop, desktop) = (try await TestHome.named("alice"), try TestHome())
        let bob = try await TestHome.named("bob")
        let (_, bobPort) = try await bob.up()
        let (_, port) = try await laptop.up("--peer", "127.0.0.1:\(bobPort)")
        let (adding, joining) = try await join(desktop, to: laptop, port: port)
        #expect(adding.status == 0 && joining.status == 0, "\(adding.errors)\(joining.errors)")
        _ = try await desktop.up("--peer", "127.0.0.1:\(port)")
        #expect(try await laptop.run("profile", "set", "--friendly-name", "Alice at home").status == 0)
        #expect(try await laptop.run("send", "bob", "hello", "--wait", "delivered").status == 0)
        try await desktop.until("the desktop knows the profile") { client in
            try await client.ownProfile().friendlyName == "Alice at home"
        }
        #expect(try await desktop.run("profile", "set", "--friendly-name", "Alice in the attic").status == 0)
        try await laptop.until("the laptop knows the later one") { client in
            try await client.ownProfile().friendlyName == "Alice in the attic"
        }
        try await bob.until("bob knows it, by way of the laptop") { client in
            try await client.profile(of: "alice").friendlyName == "Alice in the attic"
        }
    }

    @Test("gets the identity with --with-identity, and is a primary device then")
    func identity() async throws {
        let (laptop, desktop) = (try await TestHome.named("alice"), try TestHome())
        let (_, port) = try await laptop.up()
        let (adding, joining) = try await join(desktop, to: laptop, port: port, "--with-identity")
        #expect(adding.status == 0 && joining.status == 0, "\(adding.errors)\(joining.errors)")
        #expect(try desktop.mode(of: "/identity.key") == 0o600)
        let listed = try await desktop.run("device", "list", "--json").objects()
        #expect(listed.first?["isPrimary"] as? Bool == true)
    }

    @Test("gets nothing if its user says no")
    func declined() async throws {
        let (laptop, desktop) = (try await TestHome.named("alice"), try TestHome())
        let (_, port) = try await laptop.up()
        let (adding, joining) = try await join(desktop, to: laptop, port: port, answer: "n")
        #expect(joining.status != 0 && joining.errors.contains("declined"), "\(joining.errors)")
        #expect(adding.status != 0 && adding.errors.contains("declined on the new device"), "\(adding.errors)")
        #expect(!FileManager.default.fileExists(atPath: desktop.path + "/device.key"))
        #expect(try await laptop.run("device", "list", "--json").objects().count == 1)
    }

    @Test("finds nobody with a code that is not offered, and takes none that is mistyped")
    func wrongCode() async throws {
        let (laptop, desktop) = (try await TestHome.named("alice"), try TestHome())
        let (_, port) = try await laptop.up()
        let join = ["init", "--join", "--home", desktop.path, "--peer", "127.0.0.1:\(port)"]
        let mistyped = try await Program.run(join, input: Data("earshot-pairing-1-aaaa\n".utf8))
        #expect(mistyped.status != 0 && mistyped.errors.contains("not a pairing code"), "\(mistyped.errors)")
        let adding = try RunningProgram(["device", "add", "--home", laptop.path])
        let code = try await adding.expect("(earshot-pairing-1-[0-9a-z-]+)")
        // Another code takes its place.
        let second = try RunningProgram(["device", "add", "--home", laptop.path])
        _ = try await second.expect("(earshot-pairing-1-[0-9a-z-]+)")
        let late = try await Program.run(join, input: Data("\(code)\ny\n".utf8))
        #expect(late.status != 0 && late.errors.contains("no node was found"), "\(late.errors)")
    }
}
