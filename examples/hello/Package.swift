// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "hello",
    dependencies: [.package(name: "earshot", path: "../..")],
    targets: [
        .executableTarget(
            name: "hello", dependencies: [.product(name: "Earshot", package: "earshot")],
            swiftSettings: [.swiftLanguageMode(.v6)])
    ]
)
