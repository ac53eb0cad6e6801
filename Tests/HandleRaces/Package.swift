// swift-tools-version: 6.2
import PackageDescription

/// A program in which many tasks use the handles of timers that others own, and actors give a machine to each other. `swift run --sanitize=thread` ends with an error if
/// two of them touch the same memory at once.
let package = Package(
    name: "handle-races",
    dependencies: [.package(name: "gamed", path: "../..")],
    targets: [
        .executableTarget(
            name: "HandleRaces",
            dependencies: ["GameFlow", "Timers"].map { .product(name: $0, package: "gamed") })
    ],
    swiftLanguageModes: [.v6])
