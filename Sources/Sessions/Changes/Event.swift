package import GameFlow

/// The kinds of changes that events make. `Sessions.send` sends an event, and a timer's signal is one, too.
extension ChangeKind {
    static let enter = ChangeKind(.enter, [.isStep, .changesState], .transition)
    static let keep = ChangeKind(.keep, [.isStep, .changesState], .state)
    static let `defer` = ChangeKind(.defer, [.isStep], .word("deferred"))
    /// The details have the reason for which the deferred event was refused.
    static let drop = ChangeKind(
        .drop, [.isStep], .word("dropped"), details: Change.StatedReason.self)
}

extension Change {
    /// The reason of a change: an operator's, or the name of the `Reason` for which the machine dropped a deferred event.
    package struct StatedReason: ChangeDetails {
        /// Nil if the operator gave no reason.
        package let reason: String?

        package init(_ reason: String?) { self.reason = reason }

        package static let codes: ClosedRange<UInt8> = 0...1

        package init(code: UInt8, from reader: inout some DetailsReader) throws(UnreadableRowError)
        {
            reason = code == 0 ? nil : try reader.string()
        }

        package func write(to writer: inout some DetailsWriter) {
            guard let reason else { return writer.byte(0) }
            writer.byte(1)
            writer.string(reason)
        }

        package init?(in change: [Member]) { reason = change["reason"]?.text }

        package var members: [Member] { reason.map { [Member("reason", $0)] } ?? [] }

        package var weight: Int { reason?.utf8.count ?? 0 }
    }
}
