// swift-tools-version: 6.2
import PackageDescription

/// Compiles `Tests/LibraryTests` (the code in the library's documentation, as tests) in another package, which can import only
/// the products of gamed. The folder `LibraryTests` beside this file is a link to those tests.
///
/// With GAMED_URL, gamed is a tag of that repository, as for other people's packages. With GAMED_MAIN_ACTOR, everything is on the
/// main actor by default, as in new app targets of Xcode.
let gamed: Package.Dependency =
    Context.environment["GAMED_URL"].map { .package(url: $0, from: "9.0.0") }
    ?? .package(name: "gamed", path: "../..")

let isolation: [SwiftSetting] =
    Context.environment["GAMED_MAIN_ACTOR"] == nil ? [] : [.defaultIsolation(MainActor.self)]

let package = Package(
    name: "from-outside",
    dependencies: [gamed],
    targets: [
        .testTarget(
            name: "LibraryTests",
            dependencies: [
                "GameFlowTesting", "GameFlowHosting", "FlowAnalysis", "ShippedFlows", "GameFlow",
                "Timers",
            ].map { .product(name: $0, package: "gamed") }, path: "LibraryTests",
            swiftSettings: isolation + [.treatAllWarnings(as: .error)])
    ],
    swiftLanguageModes: [.v6])
