public import GameFlow
internal import Support

/// The flows that sessions play.
///
/// A session opens with the newest version of its flow. The session keeps that version and its settings until the session is
/// moved or closed. An older version exists as long as a session plays it; its text is in the journal.
public final class FlowCatalog {
    /// A flow with which sessions can be opened. The host, the person who runs the daemon, can set values of the flow's
    /// settings in the configuration.
    public struct OfferedFlow {
        /// The flow with its own values of the settings.
        public let withDefaults: AnyFlow
        /// The flow with the host's values of the settings. Sessions are opened with this flow.
        public let configured: AnyFlow

        public init(_ withDefaults: AnyFlow, configured: AnyFlow? = nil) {
            (self.withDefaults, self.configured) = (withDefaults, configured ?? withDefaults)
        }
    }

    /// Builds a flow from the text of a version.
    package typealias Reader = (FlowSource) throws(UnusableVersionError) -> AnyFlow

    /// The newest versions with the host's settings, in the order in which clients see them.
    public private(set) var flows: [AnyFlow] = []
    /// The flows of `flows`, by name.
    private var flowsByName: [String: AnyFlow] = [:]
    /// The newest versions with the flows' own values of the settings, by name.
    private var flowsWithDefaults: [String: AnyFlow] = [:]
    /// Builds older versions from their texts.
    private let read: Reader
    /// The texts of the versions that journals contain, by flow and version. Several `Sessions` objects, each with a
    /// journal of its own, can share a catalog. Each of them remembers by itself which texts its journal contains.
    private var recordedSources: [VersionKey: FlowSource] = [:]
    /// For each flow, the version whose text `addRecorded` received last: the newest version when the journal was read.
    private var newestVersions: [String: String] = [:]
    /// Flows of older versions or with other settings, while sessions play them.
    private var variants: [VariantKey: WeakFlow] = [:]
    /// If there are more variants than this, the entries of the variants that no session plays are removed.
    private var purgeThreshold = FlowCatalog.minimumPurgeThreshold
    /// The lowest value of `purgeThreshold`; fewer entries take little memory.
    private static let minimumPurgeThreshold = 64

    /// Identifies one version of a flow file.
    struct VersionKey: Hashable {
        let flow: String
        let version: String
    }

    /// Identifies a version of a flow with certain values of its settings.
    private struct VariantKey: Hashable {
        let flow: String
        /// Nil if the flow is compiled into the program.
        let version: String?
        /// The name of each changed setting, followed by its value as text.
        let settings: [ByteText]
    }

    private struct WeakFlow {
        weak var flow: AnyFlow?
    }

    /// Creates a catalog. `read` builds older versions from their texts.
    package init(
        _ offered: [OfferedFlow],
        read: @escaping Reader = { _ throws(UnusableVersionError) in
            throw UnusableVersionError(why: "this program reads no flow files")
        }
    ) {
        self.read = read
        replace(offered)
    }

    /// Replaces the flows with which sessions are opened. Open sessions keep their flows.
    public func replace(_ offered: [OfferedFlow]) {
        flows = offered.map(\.configured)
        flowsByName = Dictionary(
            flows.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        flowsWithDefaults = Dictionary(
            offered.map { ($0.withDefaults.name, $0.withDefaults) },
            uniquingKeysWith: { first, _ in first })
    }

    /// The newest version of a flow; nil if no session can be opened with this flow.
    public func newest(_ name: String) -> AnyFlow? { flowsByName[name] }

    /// Returns the newest version of a flow with its own values of the settings; throws if there is none.
    func newestWithDefaults(_ name: String) throws(RequestError) -> AnyFlow {
        if let flow = flowsWithDefaults[name] { return flow }
        throw .unknownFlow(name, didYouMean: DidYouMean.suggest(name, flows.map(\.name)))
    }

    // MARK: versions and settings

    /// Returns a flow with other values of some settings. Sessions with the same settings share the result. Throws
    /// `invalid` with the setting's name.
    public func flow(_ flow: AnyFlow, with settings: [Member]) throws(Reason) -> AnyFlow {
        if settings.isEmpty { return flow }
        // Journals contain the settings as the key has them. Making a flow takes ten times as long as restoring a session.
        if flow.changedSettings.isEmpty, settings.allSatisfy({ $0.value.text != nil }),
            let existing = variants[variantKey(flow, settings)]?.flow
        {
            return existing
        }
        let variant = try flow.with(settings: settings)
        let key = variantKey(variant, variant.changedSettings)
        if let existing = variants[key]?.flow { return existing }
        addVariant(variant, key)
        return variant
    }

    /// The key of the variant of a flow's version that has these values of the settings, as texts.
    private func variantKey(_ flow: AnyFlow, _ settings: [Member]) -> VariantKey {
        VariantKey(
            flow: flow.name, version: flow.source?.version,
            settings: settings.flatMap { [ByteText($0.name), ByteText($0.value.text ?? "")] })
    }

    /// Returns the flow with the name, version and settings of a choice. Throws the reason if this version does not exist or
    /// cannot be used, or if a setting is not valid.
    public func flow(_ choice: FlowChoice) throws(FlowChoice.UnavailableError) -> AnyFlow {
        let flow = try version(choice.sourceVersion, of: choice.name)
        if choice.settings.isEmpty { return flow }
        do throws(Reason) { return try self.flow(flow, with: choice.settings) } catch {
            throw .init(why: "its setting \(error.subject): \(error.why)")
        }
    }

    /// Returns the flow that a recorded session plays. Throws the reason if this version does not exist or cannot be used, or
    /// if a setting is not valid.
    func flow(of status: SessionRecord.Status) throws(RestoreError) -> AnyFlow {
        do { return try flow(FlowChoice(status)) } catch { throw RestoreError(why: error.why) }
    }

    /// Returns a version of a flow with its own values of the settings. If `version` is nil, returns the flow that is compiled
    /// into the program. Throws the reason if the version does not exist or cannot be used.
    private func version(_ version: String?, of name: String)
        throws(FlowChoice.UnavailableError) -> AnyFlow
    {
        let newest = flowsWithDefaults[name]
        if let newest, newest.source?.version == version { return newest }
        guard let version else {
            let hasFlowFile = newest != nil
            throw .init(
                why: "there is no flow \(name)"
                    + (hasFlowFile ? " in the program, only a flow file of that name" : ""))
        }
        let key = VariantKey(flow: name, version: version, settings: [])
        if let existing = variants[key]?.flow { return existing }
        guard let source = recordedSources[VersionKey(flow: name, version: version)] else {
            throw .init(why: "the text of version \(version) of the flow \(name) is missing")
        }
        do throws(UnusableVersionError) {
            let flow = try read(source)
            addVariant(flow, key)
            return flow
        } catch {
            throw .init(
                why: "version \(version) of the flow \(name) cannot be used: \(error.why)")
        }
    }

    /// Remembers a flow as long as a session plays it. All sessions that play this flow then share one object.
    private func addVariant(_ flow: AnyFlow, _ key: VariantKey) {
        variants[key] = WeakFlow(flow: flow)
        guard variants.count > purgeThreshold else { return }
        variants = variants.filter { $0.value.flow != nil }
        // Twice the number of the remaining entries, so that the next removal is not due at once.
        purgeThreshold = max(Self.minimumPurgeThreshold, 2 * variants.count)
    }

    // MARK: the journal

    /// Adds the text of a version that the journal contains. While a journal is read, this function is called for each text,
    /// in the order of the rows.
    public func addRecorded(_ source: FlowSource, of name: String) {
        recordedSources[VersionKey(flow: name, version: source.version)] = source
        newestVersions[name] = source.version
    }

    /// For each flow, the newest version whose text was in the journal when the journal was read. Leaves out a flow whose
    /// newest version cannot be built.
    public var newestRecorded: [AnyFlow] {
        newestVersions.sorted { $0.key < $1.key }.compactMap { name, version in
            try? self.version(version, of: name)
        }
    }

    /// Keeps the text of a version that a session plays, so that the version can be built again later.
    func keep(_ source: FlowSource, of name: String) {
        recordedSources[VersionKey(flow: name, version: source.version)] = source
    }
}
