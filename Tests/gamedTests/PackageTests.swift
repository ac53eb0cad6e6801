import GameFlow
import JSONCoding
import TestSupport
import Testing

/// The products of Package.swift, as SwiftPM describes them.
@Suite struct PackageTests {
    /// The products that are libraries, in the order of Package.swift.
    private static let libraries = [
        "Timers", "GameFlow", "ShippedFlows", "FlowAnalysis", "GameFlowTesting", "GameFlowHosting",
        "EventLoop", "GamedServer", "GamectlTool",
    ]
    /// The libraries that need no C library. They build without the headers of any Debian package.
    private static let portableLibraries = [
        "Timers", "GameFlow", "ShippedFlows", "FlowAnalysis", "GameFlowTesting", "GameFlowHosting",
    ]

    private static func elements(of value: Value?) -> [Value] {
        guard case .array(let values)? = value else { return [] }
        return values
    }

    private static func texts(of value: Value?) -> [String] {
        elements(of: value).compactMap { $0.text }
    }

    /// SwiftPM's description of the package. SwiftPM uses a separate build folder here, because `swift test` holds the lock
    /// of the usual build folder.
    private static func description() throws -> Value {
        let folder = Folder()
        let text = ShellCommand.run(
            """
            unset GAMED_INTERNAL_PRODUCTS
            swift package --scratch-path '\(folder.path)' describe --type json 2>'\(folder.path)/log' || cat '\(folder.path)/log'
            """)
        var json = JSONText()
        try json.read(Array(text.utf8)[...])
        return json.value(at: JSONText.root)
    }

    @Test
    func `Package.swift has the expected products, and the portable libraries need no C library`()
        throws
    {
        let package = try Self.description()
        let products = Self.elements(of: package["products"])
        let libraries = products.filter { $0["type"]?["library"] != nil }
        #expect(libraries.compactMap { $0["name"]?.text } == Self.libraries)
        let programs = products.filter { $0["type"]?["library"] == nil }
        #expect(
            Set(["gamed", "gamectl"]).isSubset(of: Set(programs.compactMap { $0["name"]?.text })))

        var (dependencies, moduleTypes): ([String: [String]], [String: String]) = ([:], [:])
        for target in Self.elements(of: package["targets"]) {
            let name = try #require(target["name"]?.text)
            dependencies[name] = Self.texts(of: target["target_dependencies"])
            moduleTypes[name] = target["module_type"]?.text
        }
        /// The module itself, the modules that it needs directly or indirectly, and the modules in `found`.
        func neededModules(of name: String, _ found: Set<String> = []) -> Set<String> {
            (dependencies[name] ?? []).reduce(found.union([name])) { found, dependency in
                found.contains(dependency) ? found : neededModules(of: dependency, found)
            }
        }
        for name in Self.portableLibraries {
            let needed = neededModules(of: name)
            // CExecution is a header: it needs the runtime of Swift and threads of POSIX, which all platforms have.
            let others = needed.subtracting(["CExecution"])
            #expect(
                others.allSatisfy { moduleTypes[$0] == "SwiftTarget" }, "\(name) needs \(needed)")
        }
        #expect(neededModules(of: "EventLoop").contains("CEvent"))
        #expect(neededModules(of: "GameFlow") == ["GameFlow", "Timers", "Support", "CExecution"])
        #expect(
            neededModules(of: "ShippedFlows") == [
                "ShippedFlows", "GameFlow", "Timers", "Support", "CExecution",
            ])
        #expect(
            neededModules(of: "FlowAnalysis") == [
                "FlowAnalysis", "GameFlow", "Timers", "Support", "JSONCoding", "CExecution",
            ])
    }

    @Test func `Timers, GameFlow and ShippedFlows import no module that only some platforms have`()
    {
        let imports = ShellCommand.run(
            "grep -rnE '^[a-z ]*import (Glibc|Musl|Darwin|Foundation)' Sources/Timers Sources/GameFlow Sources/ShippedFlows"
        )
        #expect(imports.isEmpty, "\(imports)")
    }
}

extension Value {
    /// The member of an object.
    fileprivate subscript(name: String) -> Value? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name == name }?.value
    }
}
