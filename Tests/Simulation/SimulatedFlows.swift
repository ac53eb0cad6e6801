import FlowFiles
import GameFlow
import Sessions
import ShippedFlows
import TestSupport

/// The flows of a simulated daemon: Swift flows, and flow files in two versions.
struct SimulatedFlows {
    /// The flows with which sessions are opened, in the version of this life.
    let offered: [AnyFlow]

    /// Reads the files; `isNewer` is the other version of each.
    init(isNewer: Bool) {
        let files = Self.texts.map { text in
            let version = text + (isNewer ? Array("# another version\n".utf8) : [])
            // The files are examples, which other tests check.
            return try! FlowFile(text: version, file: "example").flow
        }
        offered = AnyFlow.shipped() + [AnyFlow(Lamp())] + files
    }

    private static let texts: [[UInt8]] = ["game", "quiz", "vault"].map { name in
        Array(RepositoryFile.text("Examples/flows/\(name).yaml").utf8)
    }

    /// A catalog that can build the versions in a journal.
    var catalog: FlowCatalog {
        FlowCatalog(offered.map { .init($0) }, read: FlowFile.flow(of:))
    }
}
