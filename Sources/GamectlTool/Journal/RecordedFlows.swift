import FlowFiles
import GameFlow
import Sessions

/// The flows that the sessions of a journal play: those of the program, and the flow files whose texts the journal
/// contains.
enum RecordedFlows {
    static func catalog(_ flows: [AnyFlow]) -> FlowCatalog {
        FlowCatalog(flows.map { FlowCatalog.OfferedFlow($0) }, read: FlowFile.flow(of:))
    }
}
