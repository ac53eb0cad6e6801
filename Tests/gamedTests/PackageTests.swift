import GameFlow
import JSONCoding
import TestSupport
import Testing

/// The products of Package.swift, as SwiftPM describes them.
@Suite struct PackageTests {
    /// The libraries, and the programs.
    private static let libraries = [
        "Timers", "GameFlow", "ShippedFlows", "FlowAnalysis", "GameFlowTesting", "EventLoop",
        "GamedServer", "GamectlTool",
    ]
    /// The libraries that need no C library. They would build without the headers of any Debian package.
    private static let pure = [
        "Timers", "GameFlow", "ShippedFlows", "FlowAnalysis", "GameFlowTesting",
    ]

    private static func list(_ value: Value?) -> [Value] {
        guard case .array(let values)? = value else { return [] }
        return values
    }

    private static func names(_ value: Value?) -> [String] { list(value).compactMap { $0.text } }

    /// SwiftPM's description of the package. It uses another build folder, because that of the tests is locked.
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

    @Test func `the products match the table, and the portable ones depend on no C library`() throws
    {
        let package = try Self.description()
        let products = Self.list(package["products"])
        let libraries = products.filter { $0["type"]?["library"] != nil }
        #expect(libraries.compactMap { $0["name"]?.text } == Self.libraries)
        let programs = products.filter { $0["type"]?["library"] == nil }
        #expect(
            Set(["gamed", "gamectl"]).isSubset(of: Set(programs.compactMap { $0["name"]?.text })))

        var (dependencies, kinds): ([String: [String]], [String: String]) = ([:], [:])
        for target in Self.list(package["targets"]) {
            let name = try #require(target["name"]?.text)
            dependencies[name] = Self.names(target["target_dependencies"])
            kinds[name] = target["module_type"]?.text
        }
        /// The modules that a module needs, itself included.
        func closure(_ name: String, _ known: Set<String> = []) -> Set<String> {
            (dependencies[name] ?? []).reduce(known.union([name])) { known, next in
                known.contains(next) ? known : closure(next, known)
            }
        }
        for name in Self.pure {
            let needed = closure(name)
            #expect(needed.allSatisfy { kinds[$0] == "SwiftTarget" }, "\(name) needs \(needed)")
        }
        #expect(closure("EventLoop").contains("CEvent"))
        #expect(closure("GameFlow") == ["GameFlow", "Timers", "Support"])
        #expect(closure("ShippedFlows") == ["ShippedFlows", "GameFlow", "Timers", "Support"])
        #expect(
            closure("FlowAnalysis") == [
                "FlowAnalysis", "GameFlow", "Timers", "Support", "JSONCoding",
            ])
    }

    @Test func `Timers, GameFlow and ShippedFlows import no module of one platform`() {
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
