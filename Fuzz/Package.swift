// swift-tools-version: 6.2
import PackageDescription

/// Built by Fuzz/run, which has the sanitizers woven into all of it, the rooms under test included.
let package = Package(
    name: "fuzz",
    dependencies: [.package(name: "gamed", path: "..")],
    targets: [
        .target(name: "CFuzzer"),
        .executableTarget(
            name: "LineFuzz",
            dependencies: [
                "CFuzzer",
                .product(name: "Wire", package: "gamed"),
                .product(name: "Sessions", package: "gamed"),
                .product(name: "GameFlow", package: "gamed"),
                .product(name: "JSON", package: "gamed"),
                .product(name: "Timers", package: "gamed"),
            ]),
    ],
    swiftLanguageModes: [.v6])
