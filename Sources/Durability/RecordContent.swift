public import GameFlow
public import Sessions
internal import Timers

/// The content of a record, for display and comparison by `gamectl` and by the replays.
public struct RecordContent {
    public let record: SessionRecord
    /// The members of the record in the export format.
    public let members: [Member]

    public init(_ record: SessionRecord) { (self.record, members) = (record, record.members) }

    /// The value of a member; nil if it is missing or null.
    public func find(_ name: String) -> Value? { Self.find(name, in: members) }

    private static func find(_ name: String, in members: [Member]) -> Value? {
        guard let value = members[name], value != .null else { return nil }
        return value
    }

    /// The state and data after the record; nil if the session is closed or if the record does not contain the state.
    public var state: StateRecord? { record.change?.step.to }

    /// The recorded timer that sends a signal; nil if the record contains none. The timer's order number is replaced by 0, so
    /// that the timers of two records can be compared.
    func timer(_ signal: String) -> TimerRecord? {
        record.status?.machine?.timers.first { $0.fires == signal }?.numbered(0)
    }

    /// The members that clients can observe: what happened, when, and the resulting state; not the
    /// pending timers.
    private static let observableMembers = [
        "kind", "event", "source", "from", "to", "effects", "reason", "timer", "missed", "fired",
        "rest", "follows", "id",
    ]

    /// Whether clients received the same notification at the same time for both records.
    public func isSameForClients(as other: RecordContent) -> Bool {
        record.kind == other.record.kind && record.seq == other.record.seq
            && record.at == other.record.at
            && Self.observableMembers.allSatisfy { find($0) == other.find($0) }
    }

    /// The members in which two records differ, with both values, including those in nested objects and arrays. The timers'
    /// order numbers (the member `orders`) are compared only if all other members are equal. The numbers may then differ if
    /// they put the timers into the same order.
    public func differences(from other: RecordContent) -> [Difference] {
        let commonNames = Set(members.map(\.name)).intersection(other.members.map(\.name))
        // A journal of version 1 does not record these members: they are compared only if both records have them.
        var ignoredNames = Set(["entry", "version"]).subtracting(commonNames)
        // The same for the members that an older format than the third does not have.
        if !commonNames.contains("enteredNs") {
            ignoredNames.formUnion(["enteredNs", "say", "opening", "messageShown", "messageEnded"])
        }
        func comparable(_ members: [Member]) -> Value {
            .object(members.filter { $0.name != "orders" && !ignoredNames.contains($0.name) })
        }
        let found = Self.differences("", comparable(members), comparable(other.members))
        // All other members are equal: `isRepeated` is false only if the `orders` put the timers into different orders.
        guard found.isEmpty, !record.isRepeated(by: other.record) else { return found }
        return [
            Difference(member: "orders", value: find("orders"), otherValue: other.find("orders"))
        ]
    }

    /// A member with different values in two records.
    public struct Difference: Equatable, Sendable {
        /// The path of the member, for example `to.data.level` or `timers[0].untilNs`.
        public let member: String
        /// The value in the record itself.
        public let value: Value?
        /// The value in the other record.
        public let otherValue: Value?
    }

    /// Returns the differences between two values; `path` is the path of the member with these values, empty for the record.
    private static func differences(_ path: String, _ value: Value?, _ otherValue: Value?)
        -> [Difference]
    {
        guard value != otherValue else { return [] }
        switch (value, otherValue) {
        case (.object(let a), .object(let b)):
            let names = a.map(\.name) + b.map(\.name).filter { a[$0] == nil }
            return names.flatMap { differences(path.isEmpty ? $0 : "\(path).\($0)", a[$0], b[$0]) }
        case (.array(let a), .array(let b)) where a.count == b.count:
            return a.indices.flatMap { differences("\(path)[\($0)]", a[$0], b[$0]) }
        default: return [Difference(member: path, value: value, otherValue: otherValue)]
        }
    }
}
