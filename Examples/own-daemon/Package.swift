// swift-tools-version: 6.2
import PackageDescription

/// A daemon and its gamectl with one more flow than gamed has. In a package of your own, replace the path of the dependency by
/// the repository's address and a version.
let package = Package(
    name: "own-daemon",
    dependencies: [.package(name: "gamed", path: "../..")],
    targets: [
        .target(
            name: "HeistFlow",
            dependencies: [
                .product(name: "GameFlow", package: "gamed"),
                .product(name: "Timers", package: "gamed"),
            ]),
        .executableTarget(
            name: "heist",
            dependencies: [
                "HeistFlow", .product(name: "GamedServer", package: "gamed"),
                .product(name: "ShippedFlows", package: "gamed"),
            ]),
        .executableTarget(
            name: "heistctl",
            dependencies: [
                "HeistFlow", .product(name: "GamectlTool", package: "gamed"),
                .product(name: "ShippedFlows", package: "gamed"),
            ]),
        .testTarget(
            name: "HeistFlowTests",
            dependencies: [
                "HeistFlow", .product(name: "GameFlowTesting", package: "gamed"),
                .product(name: "GameFlow", package: "gamed"),
                .product(name: "Timers", package: "gamed"),
            ]),
    ],
    swiftLanguageModes: [.v6])
