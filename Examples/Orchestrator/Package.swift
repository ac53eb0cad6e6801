// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "orchestrator",
    dependencies: [.package(name: "gamed", path: "../..")],
    targets: [
        .target(
            name: "Orchestrator",
            dependencies: [
                .product(name: "GameFlow", package: "gamed"),
                .product(name: "ShippedFlows", package: "gamed"),
                .product(name: "Timers", package: "gamed"),
            ]),
        .executableTarget(name: "start-up", dependencies: ["Orchestrator"]),
    ])
