import EventLoop
import Timers

/// Warns in the log of certificates that have ended or end soon: at the start, at each reload, and once a day.
final class CertificateWatch {
    private let options: Options
    private var timer: ScopedPendulum?
    /// The time between two looks.
    private static let interval = Duration.seconds(86_400)

    init(_ options: Options, on loop: LibeventLoop) {
        self.options = options
        let files = [
            options.network.certificate, options.node.certificate, options.network.clientAuthority,
            options.node.authority,
        ]
        guard files.contains(where: { $0 != nil }) else { return }
        look()
        timer = ScopedPendulum(on: loop, Self.interval) { [unowned self] _ in look() }
    }

    /// Reads the dates in the files, and logs what is wrong with them.
    func look() {
        let now = CertificateDates.now
        let own = options.ownCertificates
        earliestEnd = own.map(\.first).min()
        for report in (own + options.authorityCertificates).compactMap({ $0.report(at: now) }) {
            Log.write(report.hasEnded ? .error : .warning, report.sentence)
        }
    }

    /// When the first of the daemon's own certificates ends, in seconds since 1970; nil without a certificate.
    private(set) var earliestEnd: Int?
}
