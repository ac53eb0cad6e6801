import FlowAnalysis
import FlowFiles
import GameFlow
import RPC
import Sessions

/// The flows of the daemon: those of the program, those of the flow files, and the versions in the journal, with the
/// host's settings.
final class FlowLibrary: FlowFileRegistry {
    private let builtIn: [AnyFlow]
    private var directory: FlowDirectory?
    private(set) var mistakes: [String] = []
    let catalog: FlowCatalog
    /// Draws the diagrams of the flow files as soon as they are read, so that the desk need not wait for them.
    var drawer: GraphvizDrawer? { didSet { drawDiagrams() } }

    init(_ builtIn: [AnyFlow], _ options: Options) {
        (self.builtIn, directory) = (builtIn, options.flowFiles)
        mistakes = directory?.mistakes ?? []
        catalog = FlowCatalog([], read: FlowFile.flow(of:))
        offer(options)
        for mistake in mistakes { Log.write(.error, "flow file: \(mistake)") }
    }

    /// Takes the flow files and settings that were read again. With a mistake in a file, all previous files stay.
    func reload(_ options: Options) {
        mistakes = options.flowFiles?.mistakes ?? []
        guard mistakes.isEmpty else {
            for mistake in mistakes { Log.write(.error, "SIGHUP: flow file: \(mistake)") }
            Log.write(.error, "SIGHUP: the flow files are unchanged")
            return offer(options)
        }
        let before = directory?.files.map(\.flow.versionText) ?? []
        directory = options.flowFiles
        offer(options)
        let files = directory?.files ?? []
        let new = files.filter { !before.contains($0.flow.versionText) }
        guard directory != nil else { return }
        drawDiagrams()
        Log.write(.info, "SIGHUP: \(files.count) flow files, \(new.count) of them new or changed")
    }

    /// Offers the flows with the settings of the configuration.
    private func offer(_ options: Options) {
        let flows = builtIn + (directory?.files.map(\.flow) ?? [])
        let recorded = directory?.mistakes.isEmpty == false ? catalog.newestRecorded : []
        let others = recorded.filter { flow in !flows.contains { $0.name == flow.name } }
        catalog.replace((flows + others).map { Self.offered($0, options.settings) })
    }

    /// If a file has mistakes at the start, offers the newest version of each other flow that the journal contains.
    func offerRecorded(_ options: Options) {
        if directory?.mistakes.isEmpty == false { offer(options) }
    }

    /// A diagram that cannot be drawn is reported to the desk that asks for it.
    private func drawDiagrams() {
        guard let drawer else { return }
        for flow in catalog.flows.filter({ $0.source != nil }).prefix(GraphvizDrawer.keptLimit) {
            drawer.draw(Diagram(flow, hiding: nil).text(.dot)) { _, _ in }
        }
    }

    private static func offered(_ flow: AnyFlow, _ settings: [FlowSettings]) -> FlowCatalog.Offered
    {
        let own = settings.filter { $0.flow == flow.name }.flatMap(\.values)
        do throws(Reason) {
            return FlowCatalog.Offered(flow, configured: try flow.with(settings: own))
        } catch {
            // The configuration was checked against another version of the flow.
            Log.write(.error, "set \(flow.name) \(error.subject): \(error.why)")
            return FlowCatalog.Offered(flow)
        }
    }

    // MARK: FlowFileRegistry

    func file(of flow: String) -> String? {
        directory?.files.first { $0.flow.name == flow }?.path
    }
}
