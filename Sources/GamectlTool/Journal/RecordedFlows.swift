import FlowFiles
import GameFlow
import Sessions

/// The flows that the sessions of a journal play: the program's flows, and the flow files whose texts the journal contains.
enum RecordedFlows {
    /// A catalog with the program's flows. It reads the texts of flow files when they are found in the journal.
    static func catalog(_ flows: [AnyFlow]) -> FlowCatalog {
        FlowCatalog(flows.map { FlowCatalog.OfferedFlow($0) }, read: FlowFile.flow(of:))
    }
}
