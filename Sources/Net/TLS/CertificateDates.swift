import COpenSSL
import Glibc
import Support

/// Until when the certificates of a file are valid.
package struct CertificateDates {
    /// The first certificate of the file, and the earliest end of the others, in seconds since 1970.
    package let first: Int
    private let earliestOther: Int?
    private let path: String

    /// From how long before its end a certificate is reported.
    private static let warningTime = 30 * 86_400

    /// Reads the certificates of a PEM file. Returns nil if it has none, or cannot be read. Wraps PEM_read_bio_X509(3).
    package init?(_ path: String) {
        guard let file = BIO_new_file(path, "re") else {
            ERR_clear_error()
            return nil
        }
        defer {
            BIO_free(file)
            // The end of the file counts as an error.
            ERR_clear_error()
        }
        var ends: [Int] = []
        while let certificate = PEM_read_bio_X509(file, nil, nil, nil) {
            if let end = Self.end(of: certificate) { ends.append(end) }
            X509_free(certificate)
        }
        guard let first = ends.first else { return nil }
        (self.path, self.first, earliestOther) = (path, first, ends.dropFirst().min())
    }

    /// Wraps X509_get0_notAfter(3), ASN1_TIME_to_tm(3).
    private static func end(of certificate: OpaquePointer) -> Int? {
        var time = tm()
        guard let end = X509_get0_notAfter(certificate), ASN1_TIME_to_tm(end, &time) == 1 else {
            return nil
        }
        return timegm(&time)
    }

    /// What is wrong with the dates at an instant, in seconds since 1970.
    package struct Report: Equatable {
        package let sentence: String
        package let path: String
        /// Whether the first certificate has ended. Clients then refuse the connection.
        package let hasEnded: Bool
    }

    /// What is wrong at `now`; nil if nothing is. A further certificate of the file may have ended without harm: another one can
    /// lead to the authority.
    package func report(at now: Int) -> Report? {
        if first <= now {
            return Report(
                sentence: "\(path): the certificate has ended on \(Self.date(first))", path: path,
                hasEnded: true)
        }
        guard let end = [first, earliestOther].compactMap({ $0 }).min(),
            end - now < Self.warningTime
        else { return nil }
        let words =
            end <= now
            ? "has ended on \(Self.date(end))"
            : "ends on \(Self.date(end)), in \(CountText.write((end - now) / 86_400, "day"))"
        let subject = end == first ? "the certificate" : "a certificate after the first"
        return Report(sentence: "\(path): \(subject) \(words)", path: path, hasEnded: false)
    }

    /// A date such as `2026-11-26`, in UTC.
    private static func date(_ seconds: Int) -> String {
        var (time, parts) = (time_t(seconds), tm())
        gmtime_r(&time, &parts)
        func digits(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(1900 + parts.tm_year)-\(digits(parts.tm_mon + 1))-\(digits(parts.tm_mday))"
    }

    /// The wall clock, in seconds since 1970.
    package static var now: Int { time(nil) }
}
