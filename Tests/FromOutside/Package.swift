// swift-tools-version: 6.2
import PackageDescription

/// Compiles `Tests/LibraryTests` (the code in the library's documentation, as tests) in another package, which can import only
/// the products of gamed. The folder `LibraryTests` beside this file is a link to those tests.
let package = Package(
    name: "from-outside",
    dependencies: [.package(name: "gamed", path: "../..")],
    targets: [
        .testTarget(
            name: "LibraryTests",
            dependencies: [
                "GameFlowTesting", "GameFlowHosting", "FlowAnalysis", "ShippedFlows", "GameFlow",
                "Timers",
            ].map { .product(name: $0, package: "gamed") }, path: "LibraryTests")
    ],
    swiftLanguageModes: [.v6])
