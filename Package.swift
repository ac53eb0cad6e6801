// swift-tools-version: 6.2
import PackageDescription

/// The settings of all Swift targets but LibraryTests: every warning is an error, and imports are internal unless they say
/// otherwise.
///
/// No target of a product switches exclusivity checks off with a compiler flag: such a flag is unsafe, and another package could
/// not depend on a product with unsafe flags. Instead, stored properties that each event touches have `@exclusivity(unchecked)`;
/// docs/performance.md says why this is safe.
let commonSettings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

/// With this flag, the tested modules contain the faults that tests switch on. Debug builds have it; Scripts/test sets it for
/// its release build.
let faults: SwiftSetting = .define("FAULT_INJECTION", .when(configuration: .debug))

/// The settings of large test targets. The tested modules are optimized in a release build, but not these tests: to optimize them takes
/// more time than it saves. Other packages can depend on this package nevertheless: unsafe flags count in the targets of products only.
let testSettings = commonSettings + [.unsafeFlags(["-Onone"], .when(configuration: .release))]

/// Modules that are products only if GAMED_INTERNAL_PRODUCTS is set, because other packages should not depend on them. The
/// scripts of Benchmarks and Fuzz set it, because those packages measure and test single modules.
let internalProducts: [Product] =
    Context.environment["GAMED_INTERNAL_PRODUCTS"] == nil
    ? []
    : [
        "Access", "Bluetooth", "Connections", "Durability", "FlowFiles", "HTTP", "Inputs",
        "JSONCoding", "Journal",
        "Parts",
        "RPC", "Room", "SQLiteStore", "Sessions", "Shards",
    ].map { .library(name: $0, targets: [$0]) }

/// The commit that the programs name. `make build` sets the variable; a plain `swift build` leaves it out. It is a setting of a
/// C target with one function, so that a new commit compiles nothing else.
let buildSettings: [CSetting] =
    Context.environment["GAMED_COMMIT"].map { [.define("GAMED_COMMIT", to: "\"\($0)\"")] } ?? []

let package = Package(
    name: "gamed",
    // For the products without a C library; the others are for Linux. Observation needs these versions.
    platforms: [.macOS(.v14), .iOS(.v17), .tvOS(.v17), .watchOS(.v10), .visionOS(.v1)],
    products: [
        .library(name: "Timers", targets: ["Timers"]),
        .library(name: "GameFlow", targets: ["GameFlow"]),
        .library(name: "ShippedFlows", targets: ["ShippedFlows"]),
        .library(name: "FlowAnalysis", targets: ["FlowAnalysis"]),
        .library(name: "GameFlowTesting", targets: ["GameFlowTesting"]),
        .library(name: "GameFlowHosting", targets: ["GameFlowHosting"]),
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
        // A header only: where code runs, and a lock.
        .systemLibrary(name: "CExecution"),
        // Loads the libraries of the targets after it when a program first calls one of their functions. Each such target has its
        // library's headers, and a list of the functions that gamed uses.
        //
        // It is the only code in C that calls functions which glibc can check. The flag is for an optimized build, as in Debian's
        // packages.
        .target(
            name: "CLibrary",
            cSettings: [.define("_FORTIFY_SOURCE", to: "2", .when(configuration: .release))]),
        .target(name: "CPostgreSQL", dependencies: ["CLibrary"]),
        .target(name: "COpenSSL", dependencies: ["CLibrary"]),
        .target(name: "CEventHTTP", dependencies: ["CLibrary"]),
        .target(name: "CSystemd", dependencies: ["CLibrary"]),
        .target(name: "CXKBCommon", dependencies: ["CLibrary"]),
        .target(name: "CQREncode", dependencies: ["CLibrary"]),
        .target(name: "CSQLite", dependencies: ["CLibrary"]),
        .target(name: "CDeflate", dependencies: ["CLibrary"]),
        .target(name: "CYAML", dependencies: ["CLibrary"]),
        .target(name: "CNcurses", dependencies: ["CLibrary"]),
        .target(name: "Support", dependencies: ["CExecution"], swiftSettings: commonSettings),
        .target(name: "Digest", dependencies: ["COpenSSL"], swiftSettings: commonSettings),
        .target(
            name: "Timers", dependencies: ["Support", "CExecution"],
            swiftSettings: commonSettings + [.strictMemorySafety()]),
        .target(
            name: "EventLoop", dependencies: ["Support", "Timers", "CEvent", "CLinux"],
            swiftSettings: commonSettings + [.strictMemorySafety()]),
        .target(
            name: "Net",
            dependencies: ["Support", "EventLoop", "Timers", "CLinux", "CEventHTTP", "COpenSSL"],
            swiftSettings: commonSettings),
        .target(
            name: "HTTP", dependencies: ["Support", "CDeflate"], swiftSettings: commonSettings),
        .target(
            name: "Bluetooth", dependencies: ["Support", "Timers"], swiftSettings: commonSettings),
        .target(
            name: "Inputs", dependencies: ["Support", "EventLoop", "Net", "Timers", "CXKBCommon"],
            swiftSettings: commonSettings),
        .target(
            name: "Outputs", dependencies: ["Support", "Sessions", "GameFlow", "Timers"],
            swiftSettings: commonSettings),
        .target(
            name: "GameFlow", dependencies: ["Support", "Timers"], swiftSettings: commonSettings),
        .target(
            name: "JSONCoding", dependencies: ["Support", "GameFlow"], swiftSettings: commonSettings
        ),
        .target(
            name: "ShippedFlows", dependencies: ["Support", "GameFlow", "Timers"],
            swiftSettings: commonSettings),
        .target(
            name: "Sessions", dependencies: ["Support", "GameFlow", "Timers", "Digest"],
            swiftSettings: commonSettings + [faults]),
        .target(
            name: "FlowAnalysis",
            dependencies: ["Support", "GameFlow", "JSONCoding", "Timers"],
            swiftSettings: commonSettings),
        .target(
            name: "FlowFiles",
            dependencies: ["Support", "GameFlow", "Timers", "CYAML", "Digest"],
            swiftSettings: commonSettings),
        .target(
            name: "GameFlowHosting", dependencies: ["GameFlow", "Timers", "Support"],
            swiftSettings: commonSettings),
        .target(
            name: "GameFlowTesting", dependencies: ["FlowAnalysis", "GameFlow", "Timers"],
            swiftSettings: commonSettings),
        .target(
            name: "RPC",
            dependencies: [
                "Support", "Sessions", "FlowAnalysis", "GameFlow", "JSONCoding", "Timers",
            ],
            swiftSettings: commonSettings),
        .target(
            name: "Journal",
            dependencies: [
                "Support", "Sessions", "GameFlow", "JSONCoding", "EventLoop", "CLinux", "CDeflate",
                "Timers",
            ],
            swiftSettings: commonSettings),
        .target(
            name: "SQLiteStore",
            dependencies: [
                "Support", "Journal", "Sessions", "EventLoop", "Timers", "CSQLite", "CLinux",
            ],
            swiftSettings: commonSettings),
        .target(
            name: "LocalJournals", dependencies: ["Journal", "SQLiteStore"],
            swiftSettings: commonSettings),
        .target(
            name: "JournalVersion1",
            dependencies: ["Journal", "Sessions", "GameFlow", "JSONCoding", "Timers"],
            swiftSettings: commonSettings),
        .target(name: "Ownership", swiftSettings: commonSettings),
        .target(
            name: "PostgresStore",
            dependencies: [
                "Support", "Shell", "Journal", "Sessions", "EventLoop", "Timers", "CPostgreSQL",
            ],
            swiftSettings: commonSettings),
        .target(
            name: "Durability",
            dependencies: ["Support", "Journal", "Sessions", "GameFlow", "JSONCoding", "Timers"],
            swiftSettings: commonSettings),
        .target(
            name: "Statistics", dependencies: ["Support", "Sessions", "GameFlow", "Timers"],
            swiftSettings: commonSettings),
        .target(
            name: "WebPages",
            exclude: [
                "desk", "join", "leaderboard", "play", "shared", "stats", "flows", "openapi.json",
            ]),
        .target(name: "QRCode", dependencies: ["CQREncode"], swiftSettings: commonSettings),
        .target(name: "CBuild", cSettings: buildSettings),
        .target(
            name: "Shell", dependencies: ["CBuild", "CLinux", "Support"],
            swiftSettings: commonSettings),
        .target(
            name: "Parts",
            dependencies: [
                "Support", "RPC", "Sessions", "GameFlow", "JSONCoding", "EventLoop", "Net",
                "PostgresStore", "Timers", "Shell", "CLinux", "COpenSSL", "CSystemd",
            ],
            swiftSettings: commonSettings),
        .target(
            name: "Access",
            dependencies: [
                "Support", "Digest", "Parts", "RPC", "Sessions", "GameFlow", "JSONCoding",
                "Journal",
                "EventLoop", "Net", "Timers", "QRCode",
            ],
            swiftSettings: commonSettings),
        .target(
            name: "Shards",
            dependencies: [
                "Support", "Parts", "Access", "FlowFiles", "Durability", "LocalJournals",
                "PostgresStore", "Journal", "RPC", "Sessions", "GameFlow", "JSONCoding",
                "EventLoop", "Net", "Timers", "Shell", "FlowAnalysis", "CLinux",
            ],
            swiftSettings: commonSettings),
        .target(
            name: "Cluster",
            dependencies: [
                "Support", "Digest", "Parts", "Access", "Shards", "Outputs", "Durability",
                "PostgresStore",
                "Ownership", "Journal", "RPC", "Sessions", "GameFlow", "JSONCoding", "EventLoop",
                "Net", "Timers", "Shell", "CLinux",
            ],
            swiftSettings: commonSettings),
        .target(
            name: "Room",
            dependencies: [
                "Support", "Digest", "Parts", "Shards", "Cluster", "Inputs", "Outputs",
                "Durability",
                "Journal", "RPC", "Sessions", "GameFlow", "JSONCoding", "EventLoop", "Net", "HTTP",
                "Timers", "Shell", "CLinux", "CEventHTTP", "COpenSSL",
            ],
            swiftSettings: commonSettings),
        .target(
            name: "BluetoothPart",
            dependencies: [
                "Support", "Parts", "Shards", "Bluetooth", "RPC", "Sessions", "GameFlow",
                "JSONCoding", "EventLoop", "Net", "Timers", "Shell",
            ],
            swiftSettings: commonSettings),
        .target(
            name: "StatisticsPart",
            dependencies: [
                "Support", "Parts", "Shards", "Statistics", "PostgresStore", "Journal", "RPC",
                "Sessions", "GameFlow", "JSONCoding", "EventLoop", "Timers",
            ],
            swiftSettings: commonSettings),
        .target(
            name: "Connections",
            dependencies: [
                "Support", "Parts", "Access", "Shards", "Cluster", "Room", "Durability", "Outputs",
                "RPC", "Sessions", "GameFlow", "JSONCoding", "EventLoop", "Net", "HTTP", "Timers",
                "Shell", "WebPages", "CLinux",
            ],
            swiftSettings: commonSettings),
        .target(
            name: "GamedServer",
            dependencies: [
                "Support", "Digest", "Parts", "Access", "Shards", "Cluster", "Room",
                "BluetoothPart",
                "StatisticsPart", "Connections", "Durability", "LocalJournals", "PostgresStore",
                "Ownership", "Journal", "RPC", "Sessions", "GameFlow", "JSONCoding", "EventLoop",
                "Net", "Timers", "Shell", "CLinux", "CSystemd",
            ],
            swiftSettings: commonSettings),
        .target(
            name: "GamectlTool",
            dependencies: [
                "Support", "CLinux", "CNcurses", "Durability", "JournalVersion1", "LocalJournals",
                "Net",
                "PostgresStore", "Statistics", "Journal",
                "FlowAnalysis", "FlowFiles", "Ownership",
                "RPC", "EventLoop", "Sessions", "GameFlow", "JSONCoding", "Timers", "QRCode",
                "Shell",
            ],
            swiftSettings: commonSettings),
        .executableTarget(
            name: "gamed", dependencies: ["GamedServer", "ShippedFlows"],
            swiftSettings: commonSettings),
        .executableTarget(
            name: "gamectl", dependencies: ["GamectlTool", "ShippedFlows"],
            swiftSettings: commonSettings),
        .target(
            name: "OtherFramework", path: "Tests/OtherFramework", swiftSettings: commonSettings),
        .target(
            name: "TestSupport", dependencies: ["ShippedFlows", "GameFlow", "HTTP", "EventLoop"],
            path: "Tests/TestSupport", swiftSettings: commonSettings),
        .target(
            name: "GeneratedText", dependencies: ["TestSupport", "Shell", "RPC"],
            path: "Tests/GeneratedText",
            swiftSettings: commonSettings),
        .target(
            name: "JournalTestSupport",
            dependencies: [
                "Durability", "JournalVersion1", "Journal", "RPC", "Sessions", "GameFlow",
                "JSONCoding",
            ],
            path: "Tests/JournalTestSupport", swiftSettings: commonSettings),
        .target(
            name: "Simulation",
            dependencies: [
                "FlowFiles", "ShippedFlows", "JournalTestSupport", "TestSupport", "Durability",
                "Journal",
                "RPC", "Sessions", "Outputs", "Ownership", "PostgresStore",
                "GameFlow", "JSONCoding",
                "Timers",
            ],
            path: "Tests/Simulation", swiftSettings: commonSettings + [faults]),
        .executableTarget(
            name: "simulate", dependencies: ["Simulation", "Shell"], path: "Tests/simulate",
            swiftSettings: commonSettings),
        .target(
            name: "PowerCut",
            dependencies: ["TestSupport", "SQLiteStore", "Journal", "Sessions", "CSQLite"],
            path: "Tests/PowerCut", swiftSettings: commonSettings),
        // `make explore`: explores power cuts and disk errors of a journal.
        .executableTarget(
            name: "explore", dependencies: ["PowerCut", "Shell"], path: "Tests/explore",
            swiftSettings: commonSettings),
        // A program that runs the daemon in a task; `ProcessCalls` notes what it changes of the process.
        .target(name: "ProcessCalls", path: "Tests/ProcessCalls"),
        .executableTarget(
            name: "embed",
            dependencies: ["ProcessCalls", "GamedServer", "ShippedFlows", "GameFlow", "EventLoop"],
            path: "Tests/embed", swiftSettings: commonSettings),
        .testTarget(
            name: "TimersTests", dependencies: ["EventLoop", "TestSupport", "Timers"],
            swiftSettings: commonSettings),
        .testTarget(
            name: "EventLoopTests", dependencies: ["TestSupport", "EventLoop", "Timers"],
            swiftSettings: commonSettings),
        .testTarget(name: "NetTests", dependencies: ["Net"], swiftSettings: commonSettings),
        .testTarget(
            name: "HTTPTests", dependencies: ["HTTP", "TestSupport"], swiftSettings: commonSettings),
        .testTarget(
            name: "SupportTests", dependencies: ["TestSupport", "Support"],
            swiftSettings: commonSettings),
        .testTarget(name: "QRCodeTests", dependencies: ["QRCode"], swiftSettings: commonSettings),
        .testTarget(
            name: "BluetoothTests",
            dependencies: ["TestSupport", "Support", "Bluetooth", "Timers"], exclude: ["Captures"],
            swiftSettings: testSettings),
        .testTarget(
            name: "InputsTests",
            dependencies: ["TestSupport", "Inputs", "EventLoop", "Timers"],
            swiftSettings: commonSettings),
        .testTarget(
            name: "OutputsTests",
            dependencies: ["TestSupport", "Outputs", "Sessions", "Support", "Timers"],
            swiftSettings: commonSettings),
        .testTarget(
            name: "JSONCodingTests", dependencies: ["TestSupport", "JSONCoding", "GameFlow"],
            swiftSettings: commonSettings),
        .testTarget(
            name: "GameFlowTests",
            dependencies: ["OtherFramework", "ShippedFlows", "TestSupport", "GameFlow", "Timers"],
            swiftSettings: testSettings),
        .testTarget(
            name: "LibraryTests",
            dependencies: [
                "GameFlowTesting", "GameFlowHosting", "FlowAnalysis", "ShippedFlows", "GameFlow",
                "Timers",
            ],
            // Tests/FromOutside compiles these tests in another package, which does not have `commonSettings`.
            swiftSettings: [.treatAllWarnings(as: .error)]),
        .testTarget(
            name: "GameFlowHostingTests",
            dependencies: [
                "GameFlowHosting", "ShippedFlows", "GameFlow", "Support", "TestSupport",
            ],
            swiftSettings: commonSettings),
        .testTarget(
            name: "GameFlowTestingTests",
            dependencies: [
                "GameFlowTesting", "FlowAnalysis", "ShippedFlows", "GameFlow", "Timers",
            ],
            swiftSettings: commonSettings),
        .target(
            name: "Orchestrator", dependencies: ["ShippedFlows", "GameFlow", "Timers"],
            path: "Examples/Orchestrator/Sources/Orchestrator", swiftSettings: commonSettings),
        .testTarget(
            name: "OrchestratorTests",
            dependencies: ["Orchestrator", "ShippedFlows", "GameFlow", "Timers"],
            swiftSettings: commonSettings),
        .testTarget(
            name: "SessionsTests",
            dependencies: [
                "ShippedFlows", "FlowFiles", "EventLoop", "TestSupport", "Sessions", "RPC",
                "GameFlow", "JSONCoding", "Timers",
            ],
            swiftSettings: testSettings),
        .testTarget(
            name: "RPCTests",
            dependencies: [
                "FlowFiles", "ShippedFlows", "GeneratedText", "TestSupport", "RPC", "Sessions",
                "Support",
                "GameFlow", "JSONCoding",
                "Timers",
            ],
            swiftSettings: testSettings),
        .testTarget(
            name: "FlowAnalysisTests",
            dependencies: [
                "ShippedFlows", "TestSupport", "FlowAnalysis", "Sessions", "GameFlow",
                "Timers",
            ],
            swiftSettings: testSettings),
        .testTarget(
            name: "FlowFilesTests",
            dependencies: [
                "FlowFiles", "ShippedFlows", "FlowAnalysis", "TestSupport", "GameFlow", "Timers",
            ],
            swiftSettings: testSettings),
        .testTarget(
            name: "JournalTests",
            dependencies: [
                "ShippedFlows", "JournalTestSupport", "TestSupport", "Journal", "Sessions",
                "GameFlow", "JSONCoding", "Timers",
            ],
            swiftSettings: commonSettings),
        .testTarget(
            name: "SQLiteStoreTests",
            dependencies: [
                "EventLoop", "JournalTestSupport", "TestSupport", "SQLiteStore", "Journal",
                "Sessions", "Timers",
            ],
            swiftSettings: commonSettings),
        .testTarget(
            name: "OwnershipTests", dependencies: ["Ownership", "TestSupport"],
            swiftSettings: commonSettings),
        .target(
            name: "PostgresTestSupport", path: "Tests/PostgresTestSupport",
            swiftSettings: commonSettings),
        .testTarget(
            name: "PostgresStoreTests",
            dependencies: [
                "PostgresStore", "PostgresTestSupport", "SQLiteStore", "EventLoop",
                "JournalTestSupport", "TestSupport", "Journal", "Sessions", "Timers",
            ],
            exclude: ["Version1.sql"], swiftSettings: commonSettings),
        .testTarget(
            name: "DurabilityTests",
            dependencies: [
                "CSQLite", "ShippedFlows", "FlowFiles", "JournalTestSupport", "TestSupport",
                "Durability", "JournalVersion1", "SQLiteStore", "Journal",
                "RPC", "Sessions", "GameFlow", "JSONCoding", "Timers",
            ],
            exclude: ["Version1Journal", "Version2Journal"],
            swiftSettings: testSettings),
        .testTarget(
            name: "StatisticsTests",
            dependencies: ["TestSupport", "Statistics", "Sessions", "GameFlow", "Timers"],
            swiftSettings: testSettings),
        .testTarget(
            name: "SimulationTests", dependencies: ["TestSupport", "Simulation"],
            swiftSettings: commonSettings),
        .testTarget(
            name: "PowerCutTests",
            dependencies: ["TestSupport", "PowerCut"],
            swiftSettings: commonSettings),
        .testTarget(
            name: "gamedTests",
            dependencies: [
                "ShippedFlows", "GamedServer", "Connections", "Parts", "Access", "Shards",
                "Cluster", "Room",
                "BluetoothPart",
                "StatisticsPart", "GeneratedText", "PostgresTestSupport",
                "TestSupport",
                "Support", "Durability",
                "SQLiteStore",
                "Journal", "RPC",
                "Sessions", "GameFlow", "Bluetooth", "Inputs", "FlowAnalysis", "EventLoop",
                "JSONCoding", "Net", "HTTP", "CLinux",
                "Timers", "QRCode", "Shell", "WebPages",
            ],
            exclude: [
                "Arduino", "Clients", "Browser", "HomeAssistant", "Prometheus",
                "Flows/WarnedJournal",
            ],
            swiftSettings: testSettings),
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
            swiftSettings: testSettings),
    ],
    swiftLanguageModes: [.v6])
