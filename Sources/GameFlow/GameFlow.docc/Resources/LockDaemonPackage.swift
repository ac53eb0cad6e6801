// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "lock",
    dependencies: [.package(name: "gamed", path: "../gamed")],
    targets: [
        .target(
            name: "Lock",
            dependencies: ["GameFlow", "Timers"].map { .product(name: $0, package: "gamed") }),
        .executableTarget(
            name: "lockd",
            dependencies: [
                "Lock", .product(name: "GamedServer", package: "gamed"),
                .product(name: "ShippedFlows", package: "gamed"),
            ]),
        .testTarget(
            name: "LockTests",
            dependencies: ["Lock"]
                + ["FlowAnalysis", "GameFlow", "GameFlowTesting", "Timers"].map {
                    .product(name: $0, package: "gamed")
                }),
    ])
