// swift-tools-version: 6.2
import PackageDescription

/// Adapters from gamed to packages of others. They are a package of their own, so that gamed itself needs no package.
///
/// With the environment variable GAMED_STAND_INS, the modules in `Tests/StandIns` take the place of the packages: a machine without
/// a network can then compile and test the adapters.
let hasStandIns = Context.environment["GAMED_STAND_INS"] != nil

/// A module of another package, or its stand-in.
func outside(_ module: String, of package: String) -> Target.Dependency {
    hasStandIns ? .target(name: module) : .product(name: module, package: package)
}

func gamed(_ names: String...) -> [Target.Dependency] {
    names.map { .product(name: $0, package: "gamed") }
}

let logging = outside("Logging", of: "swift-log")
let metrics = outside("Metrics", of: "swift-metrics")
let lifecycle = outside("ServiceLifecycle", of: "swift-service-lifecycle")

let packages: [Package.Dependency] = [
    .package(url: "https://github.com/apple/swift-log.git", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-metrics.git", from: "2.5.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.6.0"),
]

let standIns: [Target] = [
    .target(name: "Logging", path: "Tests/StandIns/Logging"),
    .target(name: "CoreMetrics", path: "Tests/StandIns/CoreMetrics"),
    .target(name: "Metrics", dependencies: ["CoreMetrics"], path: "Tests/StandIns/Metrics"),
    .target(
        name: "ServiceLifecycle", dependencies: ["Logging"], path: "Tests/StandIns/ServiceLifecycle"
    ),
]

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

let package = Package(
    name: "gamed-adapters",
    products: ["GamedLifecycle", "GameFlowLogging", "GameFlowMetrics"].map {
        .library(name: $0, targets: [$0])
    },
    dependencies: [.package(name: "gamed", path: "..")] + (hasStandIns ? [] : packages),
    targets: [
        .target(
            name: "GamedLifecycle", dependencies: gamed("GamedServer", "GameFlow") + [lifecycle],
            swiftSettings: settings),
        .target(
            name: "GameFlowLogging", dependencies: gamed("GameFlow", "Timers") + [logging],
            swiftSettings: settings),
        .target(
            name: "GameFlowMetrics", dependencies: gamed("GameFlow", "Timers") + [metrics],
            swiftSettings: settings),
        .testTarget(
            name: "AdaptersTests",
            dependencies: gamed("GameFlow", "ShippedFlows", "Timers")
                + [
                    "GamedLifecycle", "GameFlowLogging", "GameFlowMetrics", logging, metrics,
                    lifecycle,
                ],
            swiftSettings: settings),
    ] + (hasStandIns ? standIns : []),
    swiftLanguageModes: [.v6])
