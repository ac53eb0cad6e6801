// swift-tools-version: 6.2
import PackageDescription

/// The rooms under test.
let rooms = [
    "Bluetooth", "RPC", "HTTP", "Access", "Sessions", "GameFlow", "ShippedFlows", "JSON", "Timers",
    "Journal",
    "Durability",
].map { Target.Dependency.product(name: $0, package: "gamed") }

/// Built by Fuzz/run, which has the sanitizers woven into all of it, the rooms under test included.
let package = Package(
    name: "fuzz",
    dependencies: [.package(name: "gamed", path: "..")],
    targets: [
        .target(name: "CFuzzer"),
        .target(name: "Fuzzing", dependencies: ["CFuzzer"]),
        .executableTarget(name: "LineFuzz", dependencies: ["Fuzzing"] + rooms),
        .executableTarget(name: "BodyFuzz", dependencies: ["Fuzzing"] + rooms),
        .executableTarget(name: "FramingFuzz", dependencies: ["Fuzzing"] + rooms),
        .executableTarget(name: "RowFuzz", dependencies: ["Fuzzing"] + rooms),
        .executableTarget(name: "CodecFuzz", dependencies: ["Fuzzing"] + rooms),
        .executableTarget(name: "RadioFuzz", dependencies: ["Fuzzing"] + rooms),
    ],
    swiftLanguageModes: [.v6])
