import Net
import Parts

/// Begins and ends the alerts about certificates that end soon.
final class CertificateAlerts: AlertedState {
    private let watch: CertificateWatch
    /// The paths of the files that have an alert.
    private var paths: Set<String> = []

    init(_ watch: CertificateWatch) { self.watch = watch }

    func update(_ alerts: AlertBoard) {
        let problems = watch.problems
        guard !problems.isEmpty || !paths.isEmpty else { return }
        let newPaths = Set(problems.map(\.path))
        for path in paths.subtracting(newPaths) { alerts.end(.certificate, path) }
        for problem in problems {
            let consequence =
                problem.hasEnded
                ? "Clients that check it are not connected."
                : "Then clients that check it are not connected any more."
            alerts.begin(.certificate, problem.path, "\(problem.sentence). \(consequence)")
        }
        paths = newPaths
    }
}
