package import GameFlow
package import Timers

/// The kinds of changes that events make. `Sessions.send` sends an event, and a timer's signal is one, too.
extension ChangeKind {
    /// The details say when an event was received that has waited for others, also in the next two kinds.
    static let enter = ChangeKind(
        .enter, [.isStep, .changesState], .transition, details: Change.Receipt.self)
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

        package func write(to writer: inout some DetailsWriter & ~Copyable) {
            guard let reason else { return writer.byte(0) }
            writer.byte(1)
            writer.string(reason)
        }

        package init?(in change: [Member]) { reason = change["reason"]?.text }

        package var members: [Member] { reason.map { [Member("reason", $0)] } ?? [] }

        package var weight: Int { reason?.utf8.count ?? 0 }
    }
}

extension Change {
    /// When an event was received that has waited for others, and how old it was then.
    package struct Receipt: ChangeDetails {
        package let received: Instant
        /// What counts of the age that the sender gave, in milliseconds.
        package let ageMs: Int

        package init(received: Instant, ageMs: Int) {
            (self.received, self.ageMs) = (received, ageMs)
        }

        /// The instant at which the event was sent, as far as the sender is believed.
        package var sent: Instant { received + (.zero - .milliseconds(ageMs)) }

        package static let codes: ClosedRange<UInt8> = 11...11
        package static var isOfFirstStep: Bool { true }

        package init(code: UInt8, from reader: inout some DetailsReader) throws(UnreadableRowError)
        {
            try self.init(from: &reader)
        }

        /// Reads what `writeContent` has written.
        package init(from reader: inout some DetailsReader) throws(UnreadableRowError) {
            received = Instant(nanoseconds: try reader.signed())
            ageMs = try reader.count("an event's age")
        }

        package func write(to writer: inout some DetailsWriter & ~Copyable) {
            writer.byte(11)
            writeContent(to: &writer)
        }

        /// Writes the receipt without the code of details.
        package func writeContent(to writer: inout some DetailsWriter & ~Copyable) {
            writer.signed(received.nanoseconds)
            writer.count(ageMs)
        }

        package init?(in change: [Member]) {
            guard case .int(let received)? = change["receivedMs"],
                case .int(let ageMs)? = change["ageMs"]
            else { return nil }
            self.init(received: .zero + .milliseconds(received), ageMs: ageMs)
        }

        package var members: [Member] {
            [Member("receivedMs", Int(received.milliseconds)), Member("ageMs", ageMs)]
        }

        package var recordMembers: [Member] {
            [Member("receivedNs", Int(received.nanoseconds)), Member("ageMs", ageMs)]
        }
    }
}
