import Connections
import GameFlow
import Parts

/// Begins and ends the alerts about pictures, sounds and videos that do not exist although a flow shows them: one for each flow that
/// is offered or played.
final class MediaAlerts: AlertedState {
    /// What is looked at: the files for the players' pages, how often these were read, and the flows that show them.
    typealias Shown = (media: MediaDirectory, readings: Int, flows: [AnyFlow])

    private let find: () -> Shown
    /// The names of the flows that have an alert.
    private var names: Set<String> = []
    /// What `find` returned last. A flow can show thousands of files, so they are looked up only after a change.
    private var (seenReadings, seenFlows) = (0, Set<ObjectIdentifier>())

    init(_ find: @escaping () -> Shown) { self.find = find }

    func update(_ alerts: AlertBoard) {
        let (media, readings, flows) = find()
        let identities = Set(flows.map(ObjectIdentifier.init))
        guard readings != seenReadings || identities != seenFlows else { return }
        (seenReadings, seenFlows) = (readings, identities)
        var sentences: [String: [String]] = [:]
        for flow in flows {
            let missing = media.missingFiles(shownBy: [flow])
            if !missing.isEmpty { sentences[flow.name, default: []] += missing }
        }
        for name in names where sentences[name] == nil { alerts.end(.media, name) }
        for (name, all) in sentences {
            let more = Set(all).count - 1
            let rest = more > 0 ? "; and \(more) more" : ""
            alerts.begin(
                .media, name, "\(all[0])\(rest). Copy the file, and reload the configuration.")
        }
        names = Set(sentences.keys)
    }
}
