import FlowAnalysis
import FlowFiles
import GameFlow
import RPC
import Sessions

/// The flows of the daemon: flows of the program, flows of the flow files, and older versions that the journal contains. The
/// library applies the values of the `set` lines to the flows, and fills `catalog`, with which sessions are opened.
/// `RunningDaemon` creates the library.
final class FlowLibrary: FlowFileRegistry {
    /// The flows of the program.
    private let builtIn: [AnyFlow]
    /// The flow files in use; nil without `--flows`.
    private var directory: FlowDirectory?
    /// The mistakes that were found when the files were last read.
    private(set) var mistakes: [String] = []
    /// Whether the directory in use has files with mistakes. At the start, the daemon uses a directory even if some of its
    /// files have mistakes. At a SIGHUP, the files are used only if they have no mistakes.
    private var usesFaultyFiles: Bool { directory?.mistakes.isEmpty == false }
    let catalog: FlowCatalog
    /// Draws the diagrams of flows. `RunningDaemon` sets it once, at the start. The diagrams of the flow files are then drawn,
    /// so that the desk (the web page for operators) does not wait for them.
    var diagramDrawer: GraphvizDrawer? { didSet { drawDiagrams() } }

    /// Makes the flows of the program and of the flow files available, and logs the mistakes in flow files.
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
            // Applies the new values of the `set` lines to the previous files.
            return offer(options)
        }
        let oldVersions = directory?.files.map(\.flow.versionText) ?? []
        directory = options.flowFiles
        offer(options)
        let files = directory?.files ?? []
        let changedFiles = files.filter { !oldVersions.contains($0.flow.versionText) }
        guard directory != nil else { return }
        drawDiagrams()
        Log.write(
            .info,
            "SIGHUP: \(files.count) flow files, \(changedFiles.count) of them new or changed")
    }

    /// Makes the flows available for new sessions, with the values of the `set` lines. If the directory in use has files with
    /// mistakes, also offers flows from the journal; see `offerRecorded`.
    private func offer(_ options: Options) {
        catalog.replace((validFlows + recordedFlows).map { Self.offered($0, options.settings) })
    }

    /// The flows of the program and of the files without mistakes.
    private var validFlows: [AnyFlow] { builtIn + (directory?.files.map(\.flow) ?? []) }

    /// If files in use have mistakes, the newest version of each flow that is in the journal and has no valid file.
    private var recordedFlows: [AnyFlow] {
        guard usesFaultyFiles else { return [] }
        let validNames = Set(validFlows.map(\.name))
        return catalog.newestRecorded.filter { !validNames.contains($0.name) }
    }

    /// If a flow file had mistakes at the start, also offers flows from the journal. For each recorded flow that has no valid
    /// file, it offers the newest recorded version. Called after a journal was read: by `Durability`, or by the `ShardHost`
    /// of each shard.
    func offerRecorded(_ options: Options) {
        // Most shards contain no version that is not offered yet.
        let isNew = recordedFlows.contains {
            catalog.newest($0.name)?.versionText != $0.versionText
        }
        if isNew { offer(options) }
    }

    /// Tells `diagramDrawer` to draw the diagrams of the flow files, at most as many as it caches. Errors are ignored here; the
    /// desk gets an error when it requests the diagram.
    private func drawDiagrams() {
        guard let diagramDrawer else { return }
        for flow in catalog.flows.filter({ $0.source != nil }).prefix(GraphvizDrawer.cacheLimit) {
            // nil: operators see all names.
            diagramDrawer.draw(Diagram(flow, hiding: nil).text(.dot)) { _, _ in }
        }
    }

    /// The flow with the values of its `set` lines. If the flow does not accept these values, the flow without them.
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

    /// The path of the file of a flow; nil for a flow without a file.
    func file(of flow: String) -> String? {
        directory?.files.first { $0.flow.name == flow }?.path
    }
}
