import RPC
package import Sessions
import Support
package import Timers

/// The alerts of this daemon. The parts of the daemon begin and end alerts; operators see and acknowledge them. All calls are on
/// the loop's thread.
package final class AlertBoard {
    /// The maximum number of alerts. Beyond it, the oldest alert of an output ends; without one, the oldest alert.
    package static let limit = 1000
    /// The maximum number of alerts about outputs of one `on` line. Beyond it, the oldest ends.
    package static let limitPerLine = 100

    private struct BoardEntry {
        var alert: Alert
        let subject: Subject
    }

    /// What an alert is about.
    private enum Subject {
        /// An output that was given up, and that no journal records. `line` is the fingerprint of its `on` line.
        case output(line: UInt64)
        case recordedOutput(RecordedOutput)
        case other

        /// The fingerprint of the `on` line, if the alert is about an output.
        var line: UInt64? {
            switch self {
            case .output(let line): line
            case .recordedOutput(let output): output.key.line
            case .other: nil
            }
        }

        /// The record of the output, if the journal of this number has it.
        func key(in journal: Int) -> DeliveryRecord.Key? {
            if case .recordedOutput(let output) = self, output.journal == journal {
                output.key
            } else {
                nil
            }
        }
    }

    /// An output that was given up: the number of the journal that records it, and what identifies it there.
    package struct RecordedOutput {
        package let journal: Int
        package let key: DeliveryRecord.Key
        package let number: Int

        package init(journal: Int, _ key: DeliveryRecord.Key, number: Int) {
            (self.journal, self.key, self.number) = (journal, key, number)
        }
    }

    /// The alerts, in the order in which they began.
    private var entries: [BoardEntry] = []
    /// The outputs whose alerts were acknowledged since the last call of `takeAcknowledged`.
    @exclusivity(unchecked) private var acknowledged: [RecordedOutput] = []
    /// The journals whose alerts were restored.
    private var restoredJournals: Set<Int> = []
    /// The outputs whose alerts were acknowledged before the alerts of their journal were restored, by the journal. What is read
    /// of the journal may lack the acknowledgement.
    private var acknowledgedEarly: [Int: Set<DeliveryRecord.Key>] = [:]
    /// Counts the alerts about each thing, to decide which are logged.
    private var throttle = LogThrottle(limit: 1024)
    /// The present time on the sessions' clock.
    package let now: () -> Instant
    /// Called when an alert has begun, with the fingerprint of the `on` line if it is about an output. An alert that the journal of
    /// an earlier start has does not begin again.
    package var began: (_ alert: Alert, _ line: UInt64?) -> Void = { _, _ in }

    package init(now: @escaping () -> Instant) { self.now = now }

    package var alerts: [Alert] { entries.map(\.alert) }

    // MARK: alerts about other things than outputs

    /// Begins the alert `KIND:NAME`. If it has begun already, replaces its text. `text` says what is not done.
    package func begin(
        _ kind: Alert.Kind, _ name: String, _ text: String, session: SessionName? = nil,
        endsWhenAcknowledged: Bool = false
    ) {
        let id = Self.id(kind, name)
        if let index = index(of: id) {
            entries[index].alert.text = text
            return
        }
        let alert = Alert(
            id: id, kind, name, text, since: now(), session: session,
            endsWhenAcknowledged: endsWhenAcknowledged)
        append(BoardEntry(alert: alert, subject: .other))
        log(alert)
        began(alert, nil)
    }

    /// Ends the alert `KIND:NAME`. Does nothing if it has not begun.
    package func end(_ kind: Alert.Kind, _ name: String) {
        if let index = index(of: Self.id(kind, name)) { entries.remove(at: index) }
    }

    /// Begins the alert `KIND:NAME` with this text, or ends it if there is none.
    package func set(_ kind: Alert.Kind, _ name: String, _ text: String?) {
        if let text { begin(kind, name, text) } else { end(kind, name) }
    }

    private static func id(_ kind: Alert.Kind, _ name: String) -> String {
        "\(kind.rawValue):\(name)"
    }

    private func index(of id: String) -> Int? {
        entries.firstIndex { $0.alert.id.hasSameBytes(as: id) }
    }

    // MARK: alerts about outputs

    /// Begins the alert of an output that was given up. `line` is the fingerprint of its `on` line, and `record` is where a
    /// journal records it, if one does.
    package func beginOutput(
        _ id: String, to target: String, _ text: String, session: SessionName?, line: UInt64,
        _ record: RecordedOutput? = nil
    ) {
        guard index(of: id) == nil else { return }
        let alert = Alert(
            id: id, .output, target, text, since: now(), session: session,
            endsWhenAcknowledged: true)
        let subject = record.map { Subject.recordedOutput($0) } ?? .output(line: line)
        append(BoardEntry(alert: alert, subject: subject))
        log(alert)
        began(alert, line)
    }

    /// Begins the alerts that the journal of an earlier start, or of an earlier owner, has, oldest first. They come before the
    /// present ones. An alert that has begun since, or was acknowledged since, is left out.
    package func restore(_ recorded: [RecordedAlerts.Found], of journal: Int) {
        restoredJournals.insert(journal)
        let known = Set(entries.compactMap { $0.subject.key(in: journal) })
            .union(acknowledgedEarly.removeValue(forKey: journal) ?? [])
        let later = exchange(&entries, with: [])
        entries = recorded.filter { !known.contains($0.key) }.map { found in
            let alert = Alert(
                id: found.alert.id, .output, found.alert.target, found.alert.text,
                since: found.since, session: found.alert.session, endsWhenAcknowledged: true)
            return BoardEntry(
                alert: alert,
                subject: .recordedOutput(
                    RecordedOutput(journal: journal, found.key, number: found.number)))
        }
        for entry in later { append(entry) }
    }

    /// Ends the alerts about outputs that a journal records, because another process shows them now.
    package func removeOutputs(of journal: Int) {
        entries.removeAll { $0.subject.key(in: journal) != nil }
        restoredJournals.remove(journal)
        acknowledgedEarly[journal] = nil
    }

    /// Removes and returns the outputs whose alerts were acknowledged, so that a journal records this.
    package func takeAcknowledged() -> [RecordedOutput] {
        acknowledged.isEmpty ? [] : exchange(&acknowledged, with: [])
    }

    // MARK: all alerts

    package func acknowledge(_ id: String) {
        guard let index = index(of: id) else { return }
        guard entries[index].alert.endsWhenAcknowledged else {
            entries[index].alert.isAcknowledged = true
            return
        }
        guard case .recordedOutput(let output) = entries.remove(at: index).subject else { return }
        acknowledged.append(output)
        guard !restoredJournals.contains(output.journal) else { return }
        acknowledgedEarly[output.journal, default: []].insert(output.key)
    }

    /// The text of an alert about an output is left out, because it has data of a session. Another line has the reason.
    private func log(_ alert: Alert) {
        let session = alert.session.map { [LogField.session($0.text)] } ?? []
        let reason = alert.kind == .output ? "an output is given up" : alert.text
        throttle.write(
            .warning, .alert, of: "\(alert.kind.rawValue) \(alert.name)",
            "alert \(alert.id): \(reason)", session + [.reason(reason)])
    }

    /// Appends an alert, and ends the oldest beyond the limits.
    private func append(_ entry: BoardEntry) {
        entries.append(entry)
        if let line = entry.subject.line,
            entries.count(where: { $0.subject.line == line }) > Self.limitPerLine,
            let oldest = entries.firstIndex(where: { $0.subject.line == line })
        {
            entries.remove(at: oldest)
        }
        if entries.count > Self.limit {
            entries.remove(at: entries.firstIndex { $0.subject.line != nil } ?? 0)
        }
    }
}
