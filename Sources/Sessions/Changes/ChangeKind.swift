package import GameFlow
internal import Support

/// A kind of change: what the sessions, the journal, the statistics and gamectl need to know of it. Each kind is declared in one
/// file of this folder, together with the details of its changes and the command that makes them. `all` lists the kinds.
package struct ChangeKind: Sendable {
    /// What the steps of these changes have as their kind.
    package let kind: Step.Kind
    /// The word for the kind in JSON.
    package let name: String
    let traits: Traits
    package let phrase: Phrase
    /// The type of the details; nil if changes of this kind have none.
    package let details: (any ChangeDetails.Type)?
    /// Returns the request that made a recorded change. Nil if an event makes the changes.
    let request: RequestMaker?

    /// Makes a request to the session with a name.
    package typealias Request = (Sessions, SessionName, RequestContext) throws(RequestError) -> Void

    /// Makes a request from a recorded change and the session's status after it. Throws if the record lacks what the request needs.
    typealias RequestMaker =
        @Sendable (Change, SessionRecord.Status) throws(UnreadableRowError) -> Request

    /// Creates a kind. A machine's step has a name of its own.
    init(
        _ kind: Step.Kind, name: String? = nil, _ traits: Traits, _ phrase: Phrase,
        details: (any ChangeDetails.Type)? = nil, request: RequestMaker? = nil
    ) {
        (self.kind, self.name, self.traits) = (kind, name ?? kind.description, traits)
        (self.phrase, self.details, self.request) = (phrase, details, request)
    }

    /// Creates a kind whose changes all have details. `request` makes a recorded change of an open session again; the status is
    /// that of the session after the change.
    init<Details: ChangeDetails>(
        _ kind: Step.Kind, name: String? = nil, _ traits: Traits, _ phrase: Phrase,
        details: Details.Type,
        request:
            @escaping @Sendable (
                Details, SessionRecord.Status, Session, RequestContext
            ) throws(RequestError) -> Void
    ) {
        self.init(kind, name: name, traits, phrase, details: details) {
            (recorded, status) throws(UnreadableRowError) in
            guard let details = recorded.details?.value as? Details else {
                throw UnreadableRowError(why: "details: missing")
            }
            return { (sessions, name, context) throws(RequestError) in
                try request(details, status, sessions.session(name), context)
            }
        }
    }

    /// The properties by which the kinds differ.
    struct Traits: OptionSet, Sendable {
        let rawValue: UInt8

        /// The change is a step that an undo can take back, or a part of one.
        static let isStep = Traits(rawValue: 1)
        /// The details of the call belong to the change, and not only to other changes that follow.
        static let takesDetails = Traits(rawValue: 2)
        /// The session plays a flow that it did not play before. Such a change cannot be undone, nor any change before it.
        static let setsFlow = Traits(rawValue: 4)
        /// The machine enters a state, or its data may change.
        static let changesState = Traits(rawValue: 8)
        /// The answer to the request is the session, and not the change.
        static let answersWithStatus = Traits(rawValue: 16)
        /// The state after the change comes from the recording, so a replay with another flow cannot make the change.
        static let needsRecording = Traits(rawValue: 32)
    }

    /// How a line about a change begins.
    package enum Phrase: Sendable {
        /// `opened → start`
        case opening
        /// `start → closed`
        case closing
        /// `start → play`
        case transition
        /// `start → play  goto`, with the kind's name
        case namedTransition
        /// `play`
        case state
        /// `play  label`, with the kind's name
        case namedState
        /// `start  deferred`
        case word(String)
    }
}

extension ChangeKind {
    /// The kinds, each at the index of its number.
    private static let byNumber: [ChangeKind?] = {
        let count = 1 + Int(all.map(\.kind.number).max() ?? 0)
        var kinds = [ChangeKind?](repeating: nil, count: count)
        for kind in all { kinds[Int(kind.kind.number)] = kind }
        return kinds
    }()

    /// The traits of each kind, at the index of its number. The array is inline, because each change reads it.
    private static let traitsByNumber: InlineArray<32, Traits> = {
        var traits = InlineArray<32, Traits>(repeating: [])
        for kind in all { traits[Int(kind.kind.number)] = kind.traits }
        return traits
    }()

    /// The names of the kinds, each at the index of the kind's number.
    fileprivate static let namesByNumber: [String] = byNumber.map { $0?.name ?? "" }

    /// The types of details, each at the indexes of its codes.
    private static let detailsByCode: [(any ChangeDetails.Type)?] = {
        let types = all.compactMap { $0.details }
        let count = 1 + Int(types.map { $0.codes.upperBound }.max() ?? 0)
        var byCode = [(any ChangeDetails.Type)?](repeating: nil, count: count)
        for type in types { for code in type.codes { byCode[Int(code)] = type } }
        return byCode
    }()

    /// The kind of a step; nil if the number belongs to no kind.
    package static func find(number: UInt8) -> ChangeKind? {
        Int(number) < byNumber.count ? byNumber[Int(number)] : nil
    }

    /// The details that begin with a code in a journal; nil if the code belongs to no details.
    static func details(code: UInt8) -> (any ChangeDetails.Type)? {
        Int(code) < detailsByCode.count ? detailsByCode[Int(code)] : nil
    }

    /// The kind with this name; nil if no kind has it.
    package static func find(name: String) -> ChangeKind? {
        all.first { $0.name.hasSameBytes(as: name) }
    }

    /// Whether the changes of a kind have these traits.
    static func has(_ traits: Traits, _ kind: Step.Kind) -> Bool {
        traitsByNumber[Int(kind.number)].isSuperset(of: traits)
    }
}

extension Step.Kind {
    /// The word for the kind in JSON.
    package var name: String { ChangeKind.namesByNumber[Int(number)] }

    /// Whether the changes of this kind have the traits.
    func has(_ traits: ChangeKind.Traits) -> Bool { ChangeKind.has(traits, self) }

    /// Whether a replay with another flow can make changes of this kind.
    package var canBeMadeWithOtherFlow: Bool { !has(.needsRecording) }
}
