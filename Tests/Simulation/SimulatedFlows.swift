import FlowFiles
import GameFlow
import Sessions
import ShippedFlows
import TestSupport

/// The flows of a simulated daemon: Swift flows, and flow files in two versions.
struct SimulatedFlows {
    /// The flows with which sessions are opened.
    let offered: [AnyFlow]

    /// A version of the flow files. A comment at its end distinguishes the second version from the first.
    enum FileVersion { case first, second }

    init(_ version: FileVersion) {
        let comment = version == .second ? Array("# another version\n".utf8) : []
        let files = Self.texts.map { text in
            // Other tests check that the examples are valid.
            try! FlowFile(text: text + comment, file: "example").flow
        }
        offered = AnyFlow.shipped() + [AnyFlow(Lamp())] + files
    }

    /// The texts of the flow files.
    private static let texts: [[UInt8]] = ["game", "quiz", "vault"].map { name in
        Array(RepositoryFile.text("Examples/flows/\(name).yaml").utf8)
    }

    /// A catalog that can also build the versions of flow files that are recorded in a journal.
    var catalog: FlowCatalog {
        FlowCatalog(offered.map { .init($0) }, read: FlowFile.flow(of:))
    }
}
