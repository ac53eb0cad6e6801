// swift-tools-version: 6.2
import PackageDescription

/// The house's settings: every warning is an error, and what a module shows is said at the import.
///
/// No unsafe flags: another package could not depend on the products. The stored properties on the path of an event have
/// `@exclusivity(unchecked)` instead; see docs/performance.md for what keeps that sound.
let house: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

/// Faults that only the code itself can make, for the tests to find: debug builds alone have them.
let faults: SwiftSetting = .define("FAULT_INJECTION", .when(configuration: .debug))

/// Modules that are no products, because other packages should not depend on them. The packages in Benchmarks and Fuzz,
/// which measure and try single modules, set this variable in their scripts.
let internalProducts: [Product] =
    Context.environment["GAMED_INTERNAL_PRODUCTS"] == nil
    ? []
    : [
        "Bluetooth", "Durability", "FlowFiles", "Inputs", "JSONCoding", "Journal", "RPC",
        "SQLiteStore",
        "Sessions",
    ].map { .library(name: $0, targets: [$0]) }

let package = Package(
    name: "gamed",
    products: [
        .library(name: "Timers", targets: ["Timers"]),
        .library(name: "GameFlow", targets: ["GameFlow"]),
        .library(name: "ShippedFlows", targets: ["ShippedFlows"]),
        .library(name: "FlowAnalysis", targets: ["FlowAnalysis"]),
        .library(name: "GameFlowTesting", targets: ["GameFlowTesting"]),
        .library(name: "EventLoop", targets: ["EventLoop"]),
        .library(name: "GamedServer", targets: ["GamedServer"]),
        .library(name: "GamectlTool", targets: ["GamectlTool"]),
        .executable(name: "gamed", targets: ["gamed"]),
        .executable(name: "gamectl", targets: ["gamectl"]),
    ] + internalProducts,
    targets: [
        .systemLibrary(
            name: "CEvent", pkgConfig: "libevent_core", providers: [.apt(["libevent-dev"])]),
        .systemLibrary(name: "CLinux"),
        .systemLibrary(
            name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(
            name: "CPostgreSQL", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(
            name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(
            name: "CEventHTTP", pkgConfig: "libevent_openssl", providers: [.apt(["libevent-dev"])]),
        .systemLibrary(
            name: "CSystemd", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
        .systemLibrary(
            name: "CQREncode", pkgConfig: "libqrencode", providers: [.apt(["libqrencode-dev"])]),
        .systemLibrary(
            name: "CYAML", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"])]),
        .target(name: "Support", swiftSettings: house),
        .target(
            name: "Timers", dependencies: ["Support"],
            swiftSettings: house + [.strictMemorySafety()]),
        .target(
            name: "EventLoop", dependencies: ["Support", "Timers", "CEvent", "CLinux"],
            swiftSettings: house + [.strictMemorySafety()]),
        .target(
            name: "TLSClient", dependencies: ["Support", "COpenSSL"], swiftSettings: house),
        .target(name: "Bluetooth", dependencies: ["Support", "Timers"], swiftSettings: house),
        .target(
            name: "Inputs", dependencies: ["Support", "EventLoop", "TLSClient", "Timers"],
            swiftSettings: house),
        .target(
            name: "Outputs", dependencies: ["Support", "Sessions", "GameFlow", "Timers"],
            swiftSettings: house),
        .target(name: "GameFlow", dependencies: ["Timers"], swiftSettings: house),
        .target(name: "JSONCoding", dependencies: ["Support", "GameFlow"], swiftSettings: house),
        .target(
            name: "ShippedFlows", dependencies: ["GameFlow", "Timers"], swiftSettings: house),
        .target(
            name: "Sessions", dependencies: ["Support", "GameFlow", "Timers"],
            swiftSettings: house + [faults]),
        .target(
            name: "FlowAnalysis",
            dependencies: ["Support", "GameFlow", "JSONCoding", "Timers"],
            swiftSettings: house),
        .target(
            name: "FlowFiles",
            dependencies: ["Support", "GameFlow", "Timers", "CYAML", "COpenSSL"],
            swiftSettings: house),
        .target(
            name: "GameFlowTesting", dependencies: ["FlowAnalysis", "GameFlow", "Timers"],
            swiftSettings: house),
        .target(
            name: "RPC",
            dependencies: [
                "Support", "Sessions", "FlowAnalysis", "GameFlow", "JSONCoding", "Timers",
            ],
            swiftSettings: house),
        .target(
            name: "Journal",
            dependencies: ["Support", "Sessions", "GameFlow", "JSONCoding", "CZlib", "Timers"],
            swiftSettings: house),
        .target(
            name: "SQLiteStore",
            dependencies: [
                "Support", "Journal", "Sessions", "EventLoop", "Timers", "CSQLite", "CZlib",
                "CLinux",
            ],
            swiftSettings: house),
        .target(name: "Ownership", swiftSettings: house),
        .target(
            name: "PostgresStore",
            dependencies: [
                "Support", "Shell", "Journal", "SQLiteStore", "Sessions", "EventLoop", "Timers",
                "CPostgreSQL",
            ],
            swiftSettings: house),
        .target(
            name: "Durability",
            dependencies: ["Support", "Journal", "Sessions", "GameFlow", "JSONCoding", "Timers"],
            swiftSettings: house),
        .target(
            name: "Statistics", dependencies: ["Support", "Sessions", "GameFlow", "Timers"],
            swiftSettings: house),
        .target(
            name: "WebPages",
            exclude: [
                "desk", "join", "leaderboard", "play", "shared", "stats", "flows", "openapi.json",
            ]),
        .target(name: "QRCode", dependencies: ["CQREncode"], swiftSettings: house),
        .target(name: "Shell", dependencies: ["CLinux", "Support"], swiftSettings: house),
        .target(
            name: "GamedServer",
            dependencies: [
                "Support", "FlowFiles", "Durability", "SQLiteStore", "PostgresStore", "Ownership",
                "Statistics", "Journal", "RPC", "Sessions", "GameFlow", "JSONCoding", "Bluetooth",
                "Inputs", "Outputs", "EventLoop", "TLSClient", "Timers", "QRCode", "Shell",
                "WebPages", "CLinux", "CSystemd", "CEventHTTP", "COpenSSL", "CZlib",
            ],
            swiftSettings: house),
        .target(
            name: "GamectlTool",
            dependencies: [
                "Support", "CLinux", "Durability", "SQLiteStore", "PostgresStore", "Statistics",
                "Journal",
                "FlowAnalysis", "FlowFiles", "Ownership",
                "RPC", "EventLoop", "Sessions", "GameFlow", "JSONCoding", "Timers", "QRCode",
                "Shell",
            ],
            swiftSettings: house),
        .executableTarget(
            name: "gamed", dependencies: ["GamedServer", "ShippedFlows"], swiftSettings: house),
        .executableTarget(
            name: "gamectl", dependencies: ["GamectlTool", "ShippedFlows"], swiftSettings: house),
        .target(
            name: "TestSupport", dependencies: ["ShippedFlows", "GameFlow"],
            path: "Tests/TestSupport", swiftSettings: house),
        .target(
            name: "GeneratedText", dependencies: ["TestSupport", "Shell", "RPC"],
            path: "Tests/GeneratedText",
            swiftSettings: house),
        .target(
            name: "JournalTestSupport",
            dependencies: [
                "Durability", "Journal", "RPC", "Sessions", "GameFlow", "JSONCoding",
            ],
            path: "Tests/JournalTestSupport", swiftSettings: house),
        .target(
            name: "Simulation",
            dependencies: [
                "FlowFiles", "ShippedFlows", "JournalTestSupport", "TestSupport", "Durability",
                "Journal",
                "RPC", "Sessions", "Outputs", "Ownership", "PostgresStore",
                "GameFlow", "JSONCoding",
                "Timers",
            ],
            path: "Tests/Simulation", swiftSettings: house + [faults]),
        .executableTarget(
            name: "simulate", dependencies: ["Simulation", "Shell"], path: "Tests/simulate",
            swiftSettings: house),
        .target(
            name: "PowerCut",
            dependencies: ["TestSupport", "SQLiteStore", "Journal", "Sessions", "CSQLite"],
            path: "Tests/PowerCut", swiftSettings: house),
        .executableTarget(
            name: "explore", dependencies: ["PowerCut", "Shell"], path: "Tests/explore",
            swiftSettings: house),
        .testTarget(
            name: "TimersTests", dependencies: ["EventLoop", "TestSupport", "Timers"],
            swiftSettings: house),
        .testTarget(
            name: "EventLoopTests", dependencies: ["TestSupport", "EventLoop", "Timers"],
            swiftSettings: house),
        .testTarget(
            name: "SupportTests", dependencies: ["TestSupport", "Support"], swiftSettings: house),
        .testTarget(name: "QRCodeTests", dependencies: ["QRCode"], swiftSettings: house),
        .testTarget(
            name: "BluetoothTests",
            dependencies: ["TestSupport", "Support", "Bluetooth", "Timers"], exclude: ["Captures"],
            swiftSettings: house),
        .testTarget(
            name: "InputsTests",
            dependencies: ["TestSupport", "Inputs", "EventLoop", "Timers"],
            swiftSettings: house),
        .testTarget(
            name: "OutputsTests", dependencies: ["TestSupport", "Outputs", "Sessions", "Timers"],
            swiftSettings: house),
        .testTarget(
            name: "JSONCodingTests", dependencies: ["TestSupport", "JSONCoding", "GameFlow"],
            swiftSettings: house),
        .testTarget(
            name: "GameFlowTests",
            dependencies: ["ShippedFlows", "TestSupport", "GameFlow", "Timers"],
            swiftSettings: house),
        .testTarget(
            name: "LibraryTests",
            dependencies: [
                "GameFlowTesting", "FlowAnalysis", "ShippedFlows", "GameFlow", "Timers",
            ],
            // Tests/FromOutside compiles it in another package, without the settings of this one.
            swiftSettings: [.treatAllWarnings(as: .error)]),
        .testTarget(
            name: "GameFlowTestingTests",
            dependencies: [
                "GameFlowTesting", "FlowAnalysis", "ShippedFlows", "GameFlow", "Timers",
            ],
            swiftSettings: house),
        .target(
            name: "Orchestrator", dependencies: ["ShippedFlows", "GameFlow", "Timers"],
            path: "Examples/Orchestrator/Sources/Orchestrator", swiftSettings: house),
        .testTarget(
            name: "OrchestratorTests",
            dependencies: ["Orchestrator", "ShippedFlows", "GameFlow", "Timers"],
            swiftSettings: house),
        .testTarget(
            name: "SessionsTests",
            dependencies: [
                "ShippedFlows", "EventLoop", "TestSupport", "Sessions", "RPC", "GameFlow",
                "JSONCoding",
                "Timers",
            ],
            swiftSettings: house),
        .testTarget(
            name: "RPCTests",
            dependencies: [
                "FlowFiles", "ShippedFlows", "GeneratedText", "TestSupport", "RPC", "Sessions",
                "Support",
                "GameFlow", "JSONCoding",
                "Timers",
            ],
            swiftSettings: house),
        .testTarget(
            name: "FlowAnalysisTests",
            dependencies: [
                "ShippedFlows", "TestSupport", "FlowAnalysis", "Sessions", "GameFlow",
                "Timers",
            ],
            swiftSettings: house),
        .testTarget(
            name: "FlowFilesTests",
            dependencies: [
                "FlowFiles", "ShippedFlows", "FlowAnalysis", "TestSupport", "GameFlow", "Timers",
            ],
            swiftSettings: house),
        .testTarget(
            name: "JournalTests",
            dependencies: [
                "ShippedFlows", "JournalTestSupport", "TestSupport", "Journal", "Sessions",
                "GameFlow", "JSONCoding", "Timers",
            ],
            swiftSettings: house),
        .testTarget(
            name: "SQLiteStoreTests",
            dependencies: [
                "EventLoop", "JournalTestSupport", "TestSupport", "SQLiteStore", "Journal",
                "Sessions", "Timers",
            ],
            swiftSettings: house),
        .testTarget(
            name: "OwnershipTests", dependencies: ["Ownership", "TestSupport"],
            swiftSettings: house),
        .target(
            name: "PostgresTestSupport", path: "Tests/PostgresTestSupport", swiftSettings: house),
        .testTarget(
            name: "PostgresStoreTests",
            dependencies: [
                "PostgresStore", "PostgresTestSupport", "SQLiteStore", "EventLoop",
                "JournalTestSupport", "TestSupport", "Journal", "Sessions", "Timers",
            ],
            exclude: ["Version1.sql"], swiftSettings: house),
        .testTarget(
            name: "DurabilityTests",
            dependencies: [
                "CSQLite", "ShippedFlows", "JournalTestSupport", "TestSupport", "Durability",
                "SQLiteStore", "Journal",
                "RPC", "Sessions", "GameFlow", "JSONCoding", "Timers",
            ],
            exclude: ["Version1"],
            swiftSettings: house),
        .testTarget(
            name: "StatisticsTests",
            dependencies: ["TestSupport", "Statistics", "Sessions", "GameFlow", "Timers"],
            swiftSettings: house),
        .testTarget(
            name: "SimulationTests", dependencies: ["TestSupport", "Simulation"],
            swiftSettings: house),
        .testTarget(
            name: "PowerCutTests",
            dependencies: ["TestSupport", "PowerCut"],
            swiftSettings: house),
        .testTarget(
            name: "gamedTests",
            dependencies: [
                "ShippedFlows", "GamedServer", "GeneratedText", "PostgresTestSupport",
                "TestSupport",
                "Support", "Durability",
                "SQLiteStore",
                "Journal", "RPC",
                "Sessions", "GameFlow", "Bluetooth", "Inputs", "FlowAnalysis", "EventLoop",
                "JSONCoding",
                "Timers", "QRCode", "Shell", "WebPages",
            ],
            exclude: ["Clients", "Browser"],
            swiftSettings: house),
        .testTarget(
            name: "gamectlTests",
            dependencies: [
                "ShippedFlows", "GamectlTool", "GeneratedText", "JournalTestSupport", "TestSupport",
                "Support",
                "Durability", "SQLiteStore",
                "Journal", "Sessions",
                "FlowAnalysis", "FlowFiles",
                "GameFlow", "RPC", "JSONCoding", "Timers", "Shell",
            ],
            swiftSettings: house),
    ],
    swiftLanguageModes: [.v6])
