import Connections
import GameFlow
import Parts

/// Begins and ends the alerts about pictures, sounds and videos that do not exist although a flow shows them: one for each flow that
/// is offered or played.
final class MediaAlerts: AlertedState {
    /// Returns the files for the players' pages, and the flows that show them.
    private let find: () -> (media: MediaDirectory, flows: [AnyFlow])
    /// The names of the flows that have an alert.
    private var names: Set<String> = []

    init(_ find: @escaping () -> (media: MediaDirectory, flows: [AnyFlow])) { self.find = find }

    func update(_ alerts: AlertBoard) {
        let (media, flows) = find()
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
