import Glibc
import Net
import Shell

/// Checks until when the certificates that a configuration names are valid.
enum CertificateCheck {
    /// The settings that name files with certificates.
    private static let settings = ["tls-cert", "tls-client-ca", "node-cert", "node-ca"]

    static func findings(_ configuration: DoctorConfiguration, now: Int = CertificateDates.now)
        -> [DoctorFinding]
    {
        let paths = settings.flatMap { configuration.values(of: $0) }
        guard !paths.isEmpty else { return [.ok(.certificates, "no certificate is used")] }
        return paths.map { finding($0, now: now) }
    }

    private static func finding(_ path: String, now: Int) -> DoctorFinding {
        if ServiceCredential.isMissing(path) {
            return .skipped(.certificates, "only the service has \(path)")
        }
        guard let dates = CertificateDates(path) else {
            if access(path, R_OK) != 0, errno == EACCES {
                return .skipped(.certificates, "you may not read \(path)", "run this as root")
            }
            return .fault(
                .certificates, "\(path) has no certificate, or does not exist",
                "name a PEM file with the certificate")
        }
        let remedy = "renew the certificate, and run gamectl reload"
        guard let report = dates.report(at: now) else {
            return .ok(.certificates, "the certificate \(path) is valid")
        }
        return report.hasEnded
            ? .fault(.certificates, report.sentence, remedy)
            : .warning(.certificates, report.sentence, remedy)
    }
}
