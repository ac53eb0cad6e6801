package import EventLoop
import Timers

/// Looks whether certificates have ended or end soon: at the start, at each call of `look`, and once a day.
package final class CertificateWatch {
    /// The paths of the files with certificates that clients and other nodes see. The first certificate of each is the daemon's.
    private let ownFiles: [String]
    /// The paths of the files with certificates of authorities.
    private let authorityFiles: [String]
    /// Called with what is wrong with a certificate's dates, at each look.
    private let report: (CertificateDates.Report) -> Void
    private var timer: ScopedPendulum?
    /// The time between two looks.
    private static let interval = Duration.seconds(86_400)

    /// Looks at the files at these paths now, and then once a day.
    package init(
        own ownFiles: [String], authorities authorityFiles: [String], on loop: LibeventLoop,
        report: @escaping (CertificateDates.Report) -> Void
    ) {
        (self.ownFiles, self.authorityFiles, self.report) = (ownFiles, authorityFiles, report)
        guard !ownFiles.isEmpty || !authorityFiles.isEmpty else { return }
        look()
        timer = ScopedPendulum(on: loop, Self.interval) { [unowned self] _ in look() }
    }

    /// Reads the dates in the files, and reports what is wrong with them.
    package func look() {
        let now = CertificateDates.now
        let own = ownFiles.map { ($0, CertificateDates($0)) }
        ends = own.compactMap { file, dates in dates.map { (file, $0.first) } }
        let dates = own.compactMap { $0.1 } + authorityFiles.compactMap { CertificateDates($0) }
        problems = dates.compactMap { $0.report(at: now) }
        for problem in problems { report(problem) }
    }

    /// What was wrong at the last look.
    package private(set) var problems: [CertificateDates.Report] = []

    /// The files with the daemon's own certificates, and when these end, in seconds since 1970.
    package private(set) var ends: [(file: String, end: Int)] = []
}
