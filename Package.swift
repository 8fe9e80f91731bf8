// swift-tools-version: 6.1
import PackageDescription

/// What tries the product out is built only when asked for: `EARSHOT_VERIFICATION=1 swift build`. With `tests` it is what has
/// unit tests, and what these tests and the corpora of the fuzzers need.
let verification = Context.environment["EARSHOT_VERIFICATION"]
let withVerification = verification != nil

/// Set for `EARSHOT_CONFIGURATION=release script/test`: nodes tell the tests what they are asked, as they do in a debug build.
let exchanges: [SwiftSetting] = Context.environment["EARSHOT_RELEASE_TESTS"] != nil ? [.define("EXCHANGES")] : []

/// Set besides to instrument every module of this package for the fuzzers: `script/fuzz`.
let withInstrumentation = withVerification && Context.environment["EARSHOT_FUZZERS"] != nil
let instrumentation = ["-sanitize=fuzzer,address"]

/// Set once, shared by every target: the compiler holds the borders that `docs/ARCHITECTURE.md` draws.
let settings: [SwiftSetting] =
    [
        .swiftLanguageMode(.v6),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("ExistentialAny"),
    ] + (withInstrumentation ? [.unsafeFlags(instrumentation + ["-enable-testing"])] : [])

/// The command line's own code compiles last, with nothing beside it. Without optimization it takes a third of the time.
/// What each message passes through lies in the modules below. Tests are not what users get: in a release build, they drive
/// modules that are optimized, and need not be so themselves.
let quickToCompile: [SwiftSetting] = [.unsafeFlags(["-Onone"], .when(configuration: .release))]

/// What only the command line and the programs that try it out need. A package that depends on the SDK says `traits: []`, and
/// then neither downloads nor builds it.
func forCommandLine(_ product: String, package: String) -> Target.Dependency {
    .product(name: product, package: package, condition: .when(traits: ["CommandLine"]))
}

let package = Package(
    name: "earshot",
    products: [
        .library(name: "Earshot", targets: ["Earshot"]),
        .library(name: "EarshotTesting", targets: ["EarshotTesting"]),
        .executable(name: "earshot", targets: ["EarshotCommand"]),
    ],
    traits: [
        .default(enabledTraits: ["CommandLine"]),
        .trait(
            name: "CommandLine", description: "The program earshot, and what reads its command line and configuration."),
        .trait(
            name: "ServiceLifecycle",
            description: "Node and Bot are services of swift-service-lifecycle, and end gracefully in a ServiceGroup."),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-protobuf", from: "1.39.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        // What the system provides, each behind one Swift target.
        .systemLibrary(name: "CSodium", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"])]),
        .systemLibrary(name: "COpenSSL", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CQREncode", pkgConfig: "libqrencode", providers: [.apt(["libqrencode-dev"])]),
        .systemLibrary(name: "CLinuxNetwork"),
        .systemLibrary(name: "CLinuxFiles"),
        .systemLibrary(name: "CLinuxMemory"),
        .systemLibrary(name: "CAvahi", providers: [.apt(["libavahi-client-dev", "libavahi-core-dev"])]),

        // The words: identifiers, message, limits. Imports nothing.
        .target(name: "EarshotModel", swiftSettings: settings),

        .target(
            name: "EarshotCrypto", dependencies: ["EarshotModel", "CSodium", "COpenSSL"], swiftSettings: settings),
        .target(
            name: "EarshotProtocol",
            dependencies: [
                "EarshotModel", "EarshotCrypto",
                .product(name: "DequeModule", package: "swift-collections"),
            ],
            exclude: ["Wire/earshot.proto"],
            swiftSettings: settings),
        .target(
            name: "EarshotStore",
            dependencies: [
                "EarshotModel", "EarshotCrypto", .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ],
            swiftSettings: settings),
        .target(
            name: "EarshotFiles", dependencies: ["EarshotModel", "EarshotCrypto", "CLinuxFiles"],
            swiftSettings: settings),
        .target(
            name: "EarshotDiscovery", dependencies: ["EarshotModel", "CAvahi", "CLinuxNetwork"],
            swiftSettings: settings),

        // The SDK.
        .target(
            name: "Earshot",
            dependencies: [
                "CLinuxFiles", "EarshotModel", "EarshotCrypto", "EarshotFiles", "EarshotProtocol", "EarshotStore",
                "EarshotDiscovery",
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(
                    name: "ServiceLifecycle", package: "swift-service-lifecycle",
                    condition: .when(traits: ["ServiceLifecycle"])),
            ],
            swiftSettings: settings),

        // The faces of a node.
        .target(name: "CServedFiles"),
        .target(
            name: "EarshotGateway",
            dependencies: [
                "CQREncode", "CServedFiles", "Earshot",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            // CServedFiles puts them into the program.
            exclude: ["Page/Files"],
            swiftSettings: settings + exchanges),
        .executableTarget(
            name: "EarshotCommand",
            dependencies: [
                "CLinuxMemory", "Earshot", "EarshotDiscovery", "EarshotGateway", "EarshotTesting",
                forCommandLine("ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
                forCommandLine("Yams", package: "Yams"),
            ],
            swiftSettings: settings + quickToCompile),

        // For tests of what users of the SDK build: nodes in memory.
        .target(
            name: "EarshotTesting",
            dependencies: [
                "Earshot", "EarshotDiscovery", "EarshotModel", "EarshotProtocol", "EarshotStore",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: settings),

        // Examples that a reader can start from; tests run them. They see what any other package sees.
        .executableTarget(
            name: "hello", dependencies: ["Earshot"], path: "examples/hello", packageAccess: false,
            swiftSettings: settings),
        .executableTarget(
            name: "quickstart", dependencies: ["Earshot"], path: "examples/quickstart/Swift", packageAccess: false,
            swiftSettings: settings),
        .target(
            name: "EchoBot", dependencies: ["Earshot"], path: "examples/echo-bot/EchoBot", packageAccess: false,
            swiftSettings: settings),
        .executableTarget(
            name: "echo-bot", dependencies: ["Earshot", "EchoBot"], path: "examples/echo-bot/Command",
            packageAccess: false, swiftSettings: settings),
        .testTarget(
            name: "EchoBotTests", dependencies: ["Earshot", "EarshotTesting", "EchoBot"],
            path: "examples/echo-bot/Tests", packageAccess: false, swiftSettings: settings + quickToCompile),

        // Tests, what they share, the simulator that tests of the protocol and the store run in, and what attackers write.
        .target(
            name: "TestSupport", dependencies: [.product(name: "GRDB", package: "GRDB.swift")],
            path: "Tests/TestSupport", exclude: ["judge.py", "requirements.txt"],
            swiftSettings: settings + quickToCompile),
        .target(
            name: "EarshotForgery", dependencies: ["EarshotCrypto", "EarshotModel", "EarshotProtocol"],
            path: "Verification/Forgery", swiftSettings: settings),
        .target(
            name: "EarshotSimulation",
            dependencies: ["EarshotModel", "EarshotCrypto", "EarshotForgery", "EarshotProtocol", "EarshotStore"],
            path: "Verification/Simulation", swiftSettings: settings),
        .testTarget(
            name: "EarshotModelTests", dependencies: ["EarshotModel", "EarshotSimulation"],
            swiftSettings: settings + quickToCompile),
        .testTarget(
            name: "EarshotCryptoTests", dependencies: ["CSodium", "EarshotModel", "EarshotCrypto", "TestSupport"],
            exclude: ["Fixtures"], swiftSettings: settings + quickToCompile),
        .testTarget(
            name: "EarshotFilesTests", dependencies: ["EarshotModel", "EarshotCrypto", "EarshotFiles", "TestSupport"],
            swiftSettings: settings + quickToCompile),
        .testTarget(
            name: "EarshotProtocolTests",
            dependencies: [
                "EarshotModel", "EarshotCrypto", "EarshotForgery", "EarshotProtocol", "EarshotSimulation",
                "EarshotStore",
                "TestSupport", .product(name: "SwiftProtobuf", package: "swift-protobuf"),
            ],
            swiftSettings: settings + quickToCompile),
        .testTarget(
            name: "EarshotStoreTests",
            dependencies: [
                "EarshotModel", "EarshotProtocol", "EarshotSimulation", "EarshotStore", "TestSupport",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ],
            swiftSettings: settings + quickToCompile),
        .testTarget(
            name: "EarshotDiscoveryTests",
            dependencies: ["EarshotModel", "EarshotDiscovery", "CLinuxNetwork", "TestSupport"],
            swiftSettings: settings + quickToCompile),
        .testTarget(
            name: "EarshotTests",
            dependencies: [
                "Earshot", "EarshotCrypto", "EarshotDiscovery", "EarshotFiles", "EarshotModel", "EarshotProtocol",
                "EarshotStore", "TestSupport",
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            exclude: ["Fixtures"], swiftSettings: settings + quickToCompile),
        .testTarget(
            name: "EarshotTestingTests", dependencies: ["Earshot", "EarshotTesting"],
            swiftSettings: settings + quickToCompile),
        .testTarget(
            name: "EarshotGatewayTests",
            dependencies: [
                "Earshot", "EarshotGateway", "TestSupport", .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ],
            swiftSettings: settings + quickToCompile),
        .testTarget(
            name: "EarshotCommandTests",
            dependencies: [
                "Earshot", "EarshotCommand", "EarshotCrypto", "EarshotGateway", "EarshotModel", "EarshotProtocol",
                "EarshotStore", "TestSupport", "hello", "quickstart",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: settings + quickToCompile),
    ]
)

if withVerification {
    package.targets += [
        // What script/bench and script/flood measure.
        .executableTarget(
            name: "EarshotBench",
            dependencies: [
                "Earshot", "EarshotCrypto", "EarshotDiscovery", "EarshotModel",
                forCommandLine("ArgumentParser", package: "swift-argument-parser"),
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            path: "Verification/Bench", swiftSettings: settings),
        .testTarget(
            name: "EarshotBenchTests", dependencies: ["EarshotBench"], path: "Verification/BenchTests",
            swiftSettings: settings + quickToCompile),

        // Hostile bytes for every parser, for script/fuzz.
        .executableTarget(
            name: "EarshotFuzz",
            dependencies: [
                "CLinuxNetwork", "Earshot", "EarshotCrypto", "EarshotDiscovery", "EarshotFiles", "EarshotForgery",
                "EarshotGateway", "EarshotModel", "EarshotProtocol", "EarshotSimulation", "EarshotStore",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ] + (withInstrumentation ? ["CLibFuzzer"] : []),
            path: "Verification/Fuzz", exclude: ["CLibFuzzer", "Corpora"],
            swiftSettings: settings + (withInstrumentation ? [.define("INSTRUMENTED")] : []),
            // gold stumbles over the address sanitizer's symbols.
            linkerSettings: withInstrumentation ? [.unsafeFlags(instrumentation + ["-use-ld=lld"])] : []),

        // Real nodes that are killed, stopped and filled, for script/soak, and the tests of its judge.
        .executableTarget(
            name: "EarshotSoak",
            dependencies: [
                "Earshot", "EarshotGateway", "EarshotModel", "EarshotProtocol", "EarshotSimulation", "TestSupport",
                forCommandLine("ArgumentParser", package: "swift-argument-parser"),
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            path: "Verification/Soak", swiftSettings: settings),
        .testTarget(
            name: "EarshotSoakTests",
            dependencies: [
                "EarshotModel", "EarshotProtocol", "EarshotSoak", "EarshotStore", "TestSupport",
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            path: "Verification/SoakTests", swiftSettings: settings + quickToCompile),
    ]
}

if withVerification && verification != "tests" {
    package.targets += [
        // Hostile peers, for script/attacks.
        .executableTarget(
            name: "EarshotAttacks",
            dependencies: [
                "Earshot", "EarshotCrypto", "EarshotDiscovery", "EarshotForgery", "EarshotGateway", "EarshotModel",
                "EarshotProtocol", "TestSupport", forCommandLine("ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Verification/Attacks", swiftSettings: settings),

        // A crowd on the network, for script/churn.
        .executableTarget(
            name: "EarshotChurn",
            dependencies: [
                "EarshotDiscovery", "EarshotModel",
                forCommandLine("ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Verification/Churn", swiftSettings: settings),

        // What a message passes through, without sockets and threads, for script/instructions.
        .executableTarget(
            name: "EarshotPaths",
            dependencies: ["EarshotCrypto", "EarshotModel", "EarshotProtocol", "EarshotSimulation", "EarshotStore"],
            path: "Verification/Paths", exclude: ["instructions.json"], swiftSettings: settings),

        // The simulator's command, for script/simulate.
        .executableTarget(
            name: "EarshotSimulate",
            dependencies: [
                "EarshotCrypto", "EarshotModel", "EarshotSimulation",
                forCommandLine("ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Verification/Simulate", swiftSettings: settings),
    ]
}

if withInstrumentation {
    package.targets.append(.systemLibrary(name: "CLibFuzzer", path: "Verification/Fuzz/CLibFuzzer"))
}
