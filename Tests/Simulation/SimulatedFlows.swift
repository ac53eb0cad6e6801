import FlowFiles
import GameFlow
import Sessions
import ShippedFlows
import TestSupport

/// The flows of a simulated daemon: Swift flows, and flow files in two versions.
struct SimulatedFlows {
    /// The flows with which sessions are opened.
    let offered: [AnyFlow]

    /// `isNewer` selects the second version of each file.
    init(isNewer: Bool) {
        let files = Self.texts.map { text in
            let version = text + (isNewer ? Array("# another version\n".utf8) : [])
            // Other tests check that the examples are valid.
            return try! FlowFile(text: version, file: "example").flow
        }
        offered = AnyFlow.shipped() + [AnyFlow(Lamp())] + files
    }

    private static let texts: [[UInt8]] = ["game", "quiz", "vault"].map { name in
        Array(RepositoryFile.text("Examples/flows/\(name).yaml").utf8)
    }

    /// A catalog that can also build the versions of flow files that are recorded in a journal.
    var catalog: FlowCatalog {
        FlowCatalog(offered.map { .init($0) }, read: FlowFile.flow(of:))
    }
}
