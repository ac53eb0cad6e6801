// swift-tools-version: 6.2
import PackageDescription

/// The tests of the library's listings, compiled in another package, which sees only the products.
let package = Package(
    name: "from-outside",
    dependencies: [.package(name: "gamed", path: "../..")],
    targets: [
        .testTarget(
            name: "LibraryTests",
            dependencies: [
                "GameFlowTesting", "FlowAnalysis", "ShippedFlows", "GameFlow", "Timers",
            ].map { .product(name: $0, package: "gamed") }, path: "LibraryTests")
    ],
    swiftLanguageModes: [.v6])
