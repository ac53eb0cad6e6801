// swift-tools-version: 6.2
import PackageDescription

/// The modules under test. Most are products only if `GAMED_INTERNAL_PRODUCTS` is set; Fuzz/run sets it.
let modules = [
    "Bluetooth", "RPC", "Sessions", "GameFlow", "ShippedFlows", "JSONCoding",
    "Timers", "Journal", "Durability", "FlowFiles", "FlowAnalysis",
    "Inputs", "EventLoop", "HTTP", "Parts", "Access", "Shards", "Room", "Connections",
].map { Target.Dependency.product(name: $0, package: "gamed") }

/// Fuzz/run builds the package and the modules under test with the sanitizers.
let package = Package(
    name: "fuzz",
    dependencies: [.package(name: "gamed", path: "..")],
    targets: [
        .target(name: "CFuzzer"),
        .target(name: "Fuzzing", dependencies: ["CFuzzer"]),
        .executableTarget(name: "LineFuzz", dependencies: ["Fuzzing"] + modules),
        .executableTarget(name: "BodyFuzz", dependencies: ["Fuzzing"] + modules),
        .executableTarget(name: "FramingFuzz", dependencies: ["Fuzzing"] + modules),
        .executableTarget(name: "RowFuzz", dependencies: ["Fuzzing"] + modules),
        .executableTarget(name: "CodecFuzz", dependencies: ["Fuzzing"] + modules),
        .executableTarget(name: "FlowFileFuzz", dependencies: ["Fuzzing"] + modules),
        .executableTarget(name: "MQTTFuzz", dependencies: ["Fuzzing"] + modules),
        .executableTarget(name: "OSCFuzz", dependencies: ["Fuzzing"] + modules),
        .executableTarget(name: "SerialFuzz", dependencies: ["Fuzzing"] + modules),
        .executableTarget(name: "EvdevFuzz", dependencies: ["Fuzzing"] + modules),
        .executableTarget(name: "PatternFuzz", dependencies: ["Fuzzing"] + modules),
        .executableTarget(name: "ReplyFuzz", dependencies: ["Fuzzing"] + modules),
        .executableTarget(name: "RadioFuzz", dependencies: ["Fuzzing"] + modules),
    ],
    swiftLanguageModes: [.v6])
