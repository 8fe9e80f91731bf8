import Earshot
import Foundation
import TestSupport
import Testing

@testable import EarshotGateway

@Suite("The page")
struct PageTests {
    @Test("is served on loopback with its policy, to whoever asks, and nothing else without a token")
    func served() async throws {
        try await TestNode.with("alice") { alice in
            let page = try await alice.client.openPage()
            let index = try await RawRequest(path: "/").send(toPort: page.port)
            #expect(index.status == 200)
            #expect(index.head.lowercased().contains("content-type: text/html; charset=utf-8"))
            #expect(index.head.contains("default-src 'none'; script-src 'self'"))
            #expect(try await RawRequest(path: "/main.js").send(toPort: page.port).status == 200)
            #expect(try await RawRequest(path: "/v1/users").send(toPort: page.port).status == 401)
            #expect(try await RawRequest(path: "/nothing.js").send(toPort: page.port).status == 401)
            #expect(try await RawRequest(path: "/../page.js").send(toPort: page.port).status == 401)
            // The port of the API has no page.
            #expect(try await RawRequest(path: "/").send(toPort: alice.httpPort).status == 401)
            try await alice.client.closePage()
        }
    }

    @Test("is every file that lies in its folder, as it is there, and no other")
    func files() throws {
        let folder = PackageFolder.root.appending(path: "Sources/EarshotGateway/Page/Files")
        var lying: [String: String] = [:]
        for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path) where path.contains(".") {
            lying[path] = try String(contentsOf: folder.appending(path: path), encoding: .utf8)
        }
        #expect(lying.count > 50)
        #expect(PageFile.all.keys.sorted() == lying.keys.sorted(), "CServedFiles lists them")
        for (path, text) in lying { #expect(PageFile.all[path]?.text == text, "\(path)") }
        #expect(PageFile.all.values.allSatisfy { $0.contentType != "application/octet-stream" })
    }

    @Test("lets in with a login once, whoever proves to have it")
    func once() async throws {
        try await TestNode.with("alice") { alice in
            let page = try await alice.client.openPage()
            let login = try PageBrowser.login(of: page)
            for wrong in ["", "x", String(repeating: "0", count: 64), login.secret] {
                let request = PageBrowser.loginRequest(login.id, proof: wrong)
                #expect(try await request.send(toPort: page.port).status == 401)
            }
            #expect(try await PageBrowser.loginRequest("guessed", proof: "x").send(toPort: page.port).status == 401)
            let browser = try await PageBrowser(page)
            #expect(try await browser.ask("GET", "/v1/users").status == 200)
            #expect(try await PageBrowser.login(page).send(toPort: page.port).status == 401)
            try await alice.client.closePage()
        }
    }

    @Test("gives another login at the same port, as long as it is open")
    func again() async throws {
        try await TestNode.with("alice") { alice in
            let first = try await alice.client.openPage()
            let second = try await alice.client.openPage()
            #expect(first.port == second.port && first.address != second.address)
            let refused = await #expect(throws: GatewayError.self) {
                try await alice.client.openPage(port: first.port == 50_000 ? 50_001 : 50_000)
            }
            #expect(refused?.code == .portInUse)
            try await alice.client.closePage()
        }
    }

    @Test("ends its sessions with its port")
    func closed() async throws {
        try await TestNode.with("alice") { alice in
            let page = try await alice.client.openPage(port: Int(PortForOneTest.next()))
            let browser = try await PageBrowser(page)
            let unused = try await alice.client.openPage()
            try await alice.client.closePage()
            let next = try await alice.client.openPage(port: page.port)
            #expect(next.port == page.port)
            #expect(try await browser.status() == 401)
            #expect(try await browser.greeting().send(toPort: page.port).status == 401)
            #expect(try await PageBrowser.login(unused).send(toPort: page.port).status == 401)
            try await alice.client.closePage()
        }
    }

    @Test("holds as many sessions as it may: another one ends the oldest")
    func sessions() async throws {
        try await TestNode.with("alice") { alice in
            var browsers: [PageBrowser] = []
            for _ in 0...PageSession.limit { browsers.append(try await PageBrowser(try await alice.client.openPage())) }
            var statuses: [Int] = []
            for browser in browsers { statuses.append(try await browser.status()) }
            #expect(statuses == [401] + [Int](repeating: 200, count: PageSession.limit))
            try await alice.client.closePage()
        }
    }

    @Test("is opened again as soon as it is closed, and closed by those who find it closed")
    func turns() async throws {
        try await TestNode.with("alice") { alice in
            for _ in 0..<10 {
                let page = try await alice.client.openPage()
                #expect(try await RawRequest(path: "/").send(toPort: page.port).status == 200)
                try await alice.client.closePage()
            }
            try await alice.client.closePage()
        }
    }

    @Test(
        "is not for pages of others, nor under another host's name",
        arguments: [
            "host: evil.example", "origin: http://evil.example", "sec-fetch-site: cross-site",
        ])
    func foreign(header: String) async throws {
        try await TestNode.with("alice") { alice in
            let page = try await alice.client.openPage()
            for path in ["/", "/main.js", "/v1/users"] {
                #expect(try await RawRequest(path: path, headers: [header]).send(toPort: page.port).status == 403)
            }
            try await alice.client.closePage()
        }
    }

    @Test("may be gone to from elsewhere, such as the file that leads a browser to it, and is shown in no other page")
    func navigation() async throws {
        try await TestNode.with("alice") { alice in
            let page = try await alice.client.openPage()
            func status(of path: String, as destination: String, host: String = "127.0.0.1:\(page.port)") async throws
                -> Int
            {
                try await RawRequest(
                    path: path,
                    headers: [
                        "host: \(host)", "sec-fetch-site: cross-site", "sec-fetch-mode: navigate",
                        "sec-fetch-dest: \(destination)",
                    ]
                ).send(toPort: page.port).status
            }
            #expect(try await status(of: "/", as: "document") == 200)
            for destination in ["iframe", "frame", "embed", "object", "script"] {
                #expect(try await status(of: "/", as: destination) == 403, "\(destination)")
            }
            #expect(try await status(of: "/", as: "document", host: "evil.example") == 403)
            #expect(try await status(of: "/v1/users", as: "document") == 403)
            try await alice.client.closePage()
        }
    }

    @Test("is led to by a file that its owner alone can read, for as long as its login is good")
    func file() async throws {
        let homes = try TemporaryFolder()
        let left = try await TestNode.with("alice", homes: homes) { alice in
            #expect(try await alice.client.openPage().file == nil)
            let page = try await alice.client.openPage(inFile: true)
            let path = try #require(page.file)
            let login = try PageBrowser.login(of: page)
            #expect(path.hasPrefix("/") && !path.contains(login.text))
            for (path, mode) in [(path, 0o600), (URL(fileURLWithPath: path).deletingLastPathComponent().path, 0o700)] {
                let attributes = try FileManager.default.attributesOfItem(atPath: path)
                #expect(attributes[.posixPermissions] as? Int == mode)
            }
            #expect(try String(contentsOfFile: path, encoding: .utf8).contains("url=\(page.address)"))
            let other = try await alice.client.openPage(inFile: true)
            #expect(try await PageBrowser.login(page).send(toPort: page.port).status == 201)
            #expect(!FileManager.default.fileExists(atPath: path))
            #expect(FileManager.default.fileExists(atPath: try #require(other.file)))
            try await alice.client.closePage()
            #expect(!FileManager.default.fileExists(atPath: try #require(other.file)))
            return try #require(try await alice.client.openPage(inFile: true).file)
        }
        #expect(!FileManager.default.fileExists(atPath: left))
        // As a node leaves it that is killed.
        try Data().write(to: URL(fileURLWithPath: left))
        try await TestNode.with("alice", homes: homes) { _ in #expect(!FileManager.default.fileExists(atPath: left)) }
    }
}
