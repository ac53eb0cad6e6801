import FlowFiles
import GameFlow
import Sessions

/// The flows that the sessions of a journal play: those of the program, and the flow files whose texts the journal
/// contains.
enum RecordedFlows {
    static func catalog(_ flows: [AnyFlow]) -> FlowCatalog {
        FlowCatalog(flows.map { .init($0) }) { source throws(FlowCatalog.UnusableVersionError) in
            do throws(FlowFileError) {
                return try FlowFile(text: source.text, file: "version \(source.version)").flow
            } catch {
                throw .init(why: error.findings.first?.description ?? "it cannot be read")
            }
        }
    }
}
