// swift-tools-version: 6.2
import PackageDescription

/// The benchmarks in Swift. Benchmarks/run builds and runs them and their counterparts in C. Some modules of gamed are
/// products only if the environment variable `GAMED_INTERNAL_PRODUCTS` is set; the scripts set it.
let package = Package(
    name: "benchmarks",
    dependencies: [.package(name: "gamed", path: "..")],
    targets: [
        .executableTarget(
            name: "TimerBench", dependencies: [.product(name: "Timers", package: "gamed")]),
        // The files of this target are symbolic links to the shipped game. So the game is compiled outside of the package
        // gamed, as the flows of users are.
        .target(
            name: "GameOutsidePackage",
            dependencies: ["GameFlow", "Timers"].map {
                .product(name: $0, package: "gamed")
            }),
        .target(name: "CMalloc"),
        .executableTarget(
            name: "FlowBench",
            dependencies: ["CMalloc", "GameOutsidePackage"]
                + ["GameFlow", "Sessions", "ShippedFlows", "Timers"].map {
                    .product(name: $0, package: "gamed")
                }),
        .executableTarget(
            name: "FileBench",
            dependencies: ["FlowAnalysis", "FlowFiles", "GameFlow", "ShippedFlows", "Timers"].map {
                .product(name: $0, package: "gamed")
            }),
        .executableTarget(
            name: "JSONBench", dependencies: [.product(name: "JSONCoding", package: "gamed")]),
        .executableTarget(
            name: "LineBench",
            dependencies: [
                "GameFlow", "ShippedFlows", "JSONCoding", "Sessions", "Timers", "RPC", "Journal",
                "Durability",
            ].map {
                .product(name: $0, package: "gamed")
            }),
        .executableTarget(
            name: "RestoreBench",
            dependencies: [
                "GameFlow", "ShippedFlows", "SQLiteStore", "Journal", "Durability", "Sessions",
                "Timers",
            ].map {
                .product(name: $0, package: "gamed")
            }),
    ],
    swiftLanguageModes: [.v6])
