package import Sessions
package import Timers

/// Collects, from the records of a journal, the alerts about outputs that no operator has acknowledged: the newest ones, up to the
/// limits of `AlertBoard`.
package final class RecordedAlerts {
    /// An alert, and the output that it is about.
    package struct Found {
        package let alert: DeliveryRecord.Alert
        package let key: DeliveryRecord.Key
        /// The number of the output among the outputs of its change.
        package let number: Int
        /// When the output was given up, on the sessions' clock.
        package let since: Instant
        /// The number of alerts that were found before.
        fileprivate let order: Int
    }

    /// The newest alerts of each line, oldest first, by the fingerprint of the line.
    private var foundOfLine: [UInt64: [Found]] = [:]
    private var count = 0

    package init() {}

    /// Adds the next record of the journal.
    package func add(_ record: SessionRecord) {
        guard case .deliveries(let deliveries) = record.body else { return }
        for delivery in deliveries { add(delivery, at: record.at) }
    }

    private func add(_ delivery: DeliveryRecord, at instant: Instant) {
        let line = delivery.key.line
        if let alert = delivery.alert {
            count += 1
            foundOfLine[line, default: []].append(
                Found(
                    alert: alert, key: delivery.key, number: delivery.number, since: instant,
                    order: count))
            if foundOfLine[line, default: []].count > AlertBoard.limitPerLine {
                foundOfLine[line]?.removeFirst()
            }
            // A journal can have the alerts of any number of lines. What `unacknowledged` leaves out is dropped now and then.
            if count.isMultiple(of: AlertBoard.limit) {
                foundOfLine = Dictionary(grouping: unacknowledged, by: \.key.line)
            }
        } else if delivery.outcome == .acknowledged {
            foundOfLine[line]?.removeAll { $0.key == delivery.key }
        }
    }

    /// The alerts that were not acknowledged, oldest first.
    package var unacknowledged: [Found] {
        foundOfLine.values.joined().sorted { $0.order < $1.order }.suffix(AlertBoard.limit)
    }
}
