import FlowAnalysis
import FlowFiles
import GameFlow
import RPC
import Sessions

/// The flows of the daemon: those of the program, those of the flow files, and older versions that the journal contains.
/// The settings of the configuration are applied to them.
final class FlowLibrary: FlowFileRegistry {
    private let builtIn: [AnyFlow]
    private var directory: FlowDirectory?
    /// The mistakes that were found when the files were last read.
    private(set) var mistakes: [String] = []
    /// Whether the files in use have mistakes: only files that were read at the start can have them.
    private var usesFaultyFiles: Bool { directory?.mistakes.isEmpty == false }
    let catalog: FlowCatalog
    /// Draws diagrams. When it is set, it draws the diagrams of the flow files, at most as many as it caches, so that the desk
    /// (the web page for operators) gets them at once.
    var drawer: GraphvizDrawer? { didSet { drawDiagrams() } }

    init(_ builtIn: [AnyFlow], _ options: Options) {
        (self.builtIn, directory) = (builtIn, options.flowFiles)
        mistakes = directory?.mistakes ?? []
        catalog = FlowCatalog([], read: FlowFile.flow(of:))
        offer(options)
        for mistake in mistakes { Log.write(.error, "flow file: \(mistake)") }
    }

    /// Applies flow files and settings that were read again. If a file has a mistake, all previous files stay in use.
    func reload(_ options: Options) {
        mistakes = options.flowFiles?.mistakes ?? []
        guard mistakes.isEmpty else {
            for mistake in mistakes { Log.write(.error, "SIGHUP: flow file: \(mistake)") }
            Log.write(.error, "SIGHUP: the flow files are unchanged")
            // Applies the new settings to the previous files.
            return offer(options)
        }
        let oldVersions = directory?.files.map(\.flow.versionText) ?? []
        directory = options.flowFiles
        offer(options)
        let files = directory?.files ?? []
        let new = files.filter { !oldVersions.contains($0.flow.versionText) }
        guard directory != nil else { return }
        drawDiagrams()
        Log.write(.info, "SIGHUP: \(files.count) flow files, \(new.count) of them new or changed")
    }

    /// Makes the flows available for new sessions, with the settings of the configuration.
    private func offer(_ options: Options) {
        let flows = builtIn + (directory?.files.map(\.flow) ?? [])
        let recorded = usesFaultyFiles ? catalog.newestRecorded : []
        let recordedOnly = recorded.filter { flow in !flows.contains { $0.name == flow.name } }
        catalog.replace((flows + recordedOnly).map { Self.offered($0, options.settings) })
    }

    /// If a flow file had mistakes at the start, also offers flows from the journal: the newest recorded version of each flow
    /// that has no valid file. Called when the sessions of the journal were restored.
    func offerRecorded(_ options: Options) {
        if usesFaultyFiles { offer(options) }
    }

    /// Draws the diagrams of the flow files. Errors are ignored here; the desk gets them when it requests the diagram.
    private func drawDiagrams() {
        guard let drawer else { return }
        for flow in catalog.flows.filter({ $0.source != nil }).prefix(GraphvizDrawer.cacheLimit) {
            drawer.draw(Diagram(flow, hiding: nil).text(.dot)) { _, _ in }
        }
    }

    /// The flow with its settings, or without them if they do not fit.
    private static func offered(_ flow: AnyFlow, _ settings: [FlowSettings])
        -> FlowCatalog.OfferedFlow
    {
        let flowSettings = settings.filter { $0.flow == flow.name }.flatMap(\.values)
        do throws(Reason) {
            return FlowCatalog.OfferedFlow(flow, configured: try flow.with(settings: flowSettings))
        } catch {
            // The settings were checked with another version of the flow, when the configuration was read.
            Log.write(.error, "set \(flow.name) \(error.subject): \(error.why)")
            return FlowCatalog.OfferedFlow(flow)
        }
    }

    // MARK: FlowFileRegistry

    func file(of flow: String) -> String? {
        directory?.files.first { $0.flow.name == flow }?.path
    }
}
