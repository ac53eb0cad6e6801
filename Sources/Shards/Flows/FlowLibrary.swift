package import EventLoop
import FlowFiles
package import GameFlow
package import Parts
package import RPC
package import Sessions
import Support

/// The flows of the daemon: flows of the program, flows of the flow files, and older versions that the journal contains. The
/// library applies the values of the `set` lines to the flows, and fills `catalog`, with which sessions are opened.
/// `RunningDaemon` creates the library.
package final class FlowLibrary: Part {
    /// The flows of the program.
    private let builtIn: [AnyFlow]
    /// The flow files in use.
    private var files: [FlowDirectory.LoadedFile]
    /// The mistakes that were found when the files were last read, at the start or at SIGHUP: a sentence each.
    package private(set) var mistakes: [String] = []
    /// Whether the directory in use has files with mistakes. At the start, the daemon uses a directory even if some of its
    /// files have mistakes. At a SIGHUP, the files are used only if they have no mistakes.
    private var usesFaultyFiles: Bool
    package let catalog: FlowCatalog
    private let diagramDrawer: GraphvizDrawer
    /// Surveys the flows of flow files.
    package private(set) lazy var surveyor = SurveyWorker(on: loop) { [unowned self] in
        fileName(of: $0)
    }
    /// Releases the flows of files that were read again.
    private let replacedFlows: ReplacedFlows
    private let loop: LibeventLoop
    /// The flows of files that were surveyed, by name. At a SIGHUP, an unchanged flow takes over the survey.
    private var surveyedFlows: [String: AnyFlow] = [:]
    /// The warnings about each file that is in use, by its path. The survey of a file adds further ones.
    private var warningsByPath: [String: [String]] = [:]

    /// Makes the flows of the program and of the flow files available, and logs the mistakes in flow files. The flow files are
    /// then surveyed and drawn, so that the desk (the web page for operators) does not wait for them.
    package init(
        _ builtIn: [AnyFlow], _ options: Options, _ diagramDrawer: GraphvizDrawer,
        on loop: LibeventLoop
    ) {
        (self.builtIn, files) = (builtIn, options.sessions.flowFiles?.files ?? [])
        (self.diagramDrawer, self.loop) = (diagramDrawer, loop)
        replacedFlows = ReplacedFlows(on: loop)
        mistakes = options.sessions.flowFiles?.mistakes ?? []
        usesFaultyFiles = !mistakes.isEmpty
        catalog = FlowCatalog([], read: FlowFile.flow(of:))
        offer(options)
        for mistake in mistakes { Log.write(.error, .flow, "flow file: \(mistake)") }
        addWarnings(files, options)
        surveyFiles(files)
    }

    package var methods: [any PartMethod] { [FlowsMethod(self)] }

    /// Applies flow files and settings that were read again. If a file has a mistake, all previous files stay in use.
    package func reload(_ options: Options) {
        mistakes = options.sessions.flowFiles?.mistakes ?? []
        guard mistakes.isEmpty else {
            for mistake in mistakes { Log.write(.error, .reload, "reload: flow file: \(mistake)") }
            Log.write(.error, .reload, "reload: the flow files are unchanged")
            // Applies the new values of the `set` lines to the previous files.
            return offer(options)
        }
        let oldVersions = Set(files.map(\.flow.versionText))
        replacedFlows.add(catalog.flows + files.map(\.flow))
        (files, usesFaultyFiles) = (options.sessions.flowFiles?.files ?? [], false)
        offer(options)
        let changedFiles = files.filter { !oldVersions.contains($0.flow.versionText) }
        guard options.sessions.flowFiles != nil else { return }
        warningsByPath = [:]
        addWarnings(files, options)
        surveyFiles(files)
        Log.write(
            .info, .reload,
            "reload: \(CountText.write(files.count, "flow file")), \(changedFiles.count) of them new or changed"
        )
    }

    /// Makes the flows available for new sessions, with the values of the `set` lines. If the directory in use has files with
    /// mistakes, also offers flows from the journal; see `offerRecorded`.
    private func offer(_ options: Options) {
        catalog.replace(
            (validFlows + recordedFlows).map { Self.offered($0, options.sessions.settings) })
    }

    /// The flows of the program and of the files without mistakes.
    private var validFlows: [AnyFlow] { builtIn + files.map(\.flow) }

    /// If files in use have mistakes, the newest version of each flow that is in the journal and has no valid file.
    private var recordedFlows: [AnyFlow] {
        guard usesFaultyFiles else { return [] }
        let validNames = Set(validFlows.map(\.name))
        return catalog.newestRecorded.filter { !validNames.contains($0.name) }
    }

    /// If a flow file had mistakes at the start, also offers flows from the journal. For each recorded flow that has no valid
    /// file, it offers the newest recorded version. Each shard calls it after its journal was read.
    func offerRecorded(_ options: Options) {
        // Most shards contain no version that is not offered yet.
        let isNew = recordedFlows.contains {
            catalog.newest($0.name)?.versionText != $0.versionText
        }
        if isNew { offer(options) }
    }

    /// Surveys the flows of files in the background, and adds the warnings that a survey finds. Then searches the flows, and draws the
    /// diagrams of at most as many as the drawer caches. Errors of drawings are ignored here; the desk gets an error when it requests
    /// the diagram.
    private func surveyFiles(_ files: [FlowDirectory.LoadedFile]) {
        let earlierFlows = exchange(&surveyedFlows, with: [:])
        for (index, file) in files.enumerated() {
            guard let flow = catalog.newest(file.flow.name) else { continue }
            if let known = earlierFlows[flow.name], known.isSurveyed,
                known.versionText == flow.versionText,
                known.changedSettings == flow.changedSettings
            {
                flow.adopt(known.surveyResult, warnings: known.warnings)
            }
            surveyedFlows[flow.name] = flow
            surveyor.surveyInBackground(flow) { [weak self] in
                self?.addWarnings(of: flow, file)
            }
            surveyor.searchInBackground(flow) { [diagramDrawer] dot in
                // The diagram of a flow that was searched before has been drawn.
                guard index < GraphvizDrawer.cacheLimit, let dot else { return }
                diagramDrawer.draw(dot) { _, _ in }
            }
        }
    }

    /// Logs the warnings about files, and keeps them.
    private func addWarnings(_ files: [FlowDirectory.LoadedFile], _ options: Options) {
        for file in files { add(file.warnings(with: options), file.path) }
    }

    /// Adds the warnings of a survey, if the file is still in use.
    private func addWarnings(of flow: AnyFlow, _ file: FlowDirectory.LoadedFile) {
        guard catalog.newest(flow.name) === flow else { return }
        add(flow.warnings, file.path)
    }

    /// Logs the warnings about a file that are new, and keeps them.
    private func add(_ warnings: [String], _ path: String) {
        for warning in warnings where warningsByPath[path]?.contains(warning) != true {
            Log.write(.warning, .flow, "flow file: \(warning)")
            warningsByPath[path, default: []].append(warning)
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
            Log.write(.error, .flow, "set \(flow.name) \(error.subject): \(error.why)")
            return FlowCatalog.OfferedFlow(flow)
        }
    }

    // MARK: what operators see

    /// The possible mistakes in the flow files that are in use: a sentence each.
    package var warnings: [String] { warningsByPath.sorted { $0.key < $1.key }.flatMap(\.value) }

    /// The name of a flow's file in warnings: its path, or the version of a flow whose file is not in use.
    package func fileName(of flow: AnyFlow) -> String {
        let file = files.first { $0.flow.name == flow.name }
        guard let file, file.flow.versionText == flow.versionText else {
            return "version \(flow.versionText)"
        }
        return file.path
    }

    /// The version and the file of each flow with which sessions can be opened, by the names of the flows. A reload compares it
    /// before and after.
    package var offeredVersions: [String: [String]] {
        var versions: [String: [String]] = [:]
        for flow in catalog.flows { versions[flow.name] = [flow.versionText] }
        for file in files { versions[file.flow.name]?.append(file.path) }
        return versions
    }

    /// The path of the file of a flow; nil for a flow without a file.
    package func file(of flow: String) -> String? {
        files.first { $0.flow.name == flow }?.path
    }
}
