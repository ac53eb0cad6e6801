import TestSupport
import Testing

@testable import GamedServer
@testable import HTTP

/// Compressed HTTP responses.
@Suite struct GzipTests {
    private let folder = Folder()

    @Test(arguments: [
        ("gzip", true), ("GZIP", true), ("deflate, gzip;q=0.5, br", true), ("*", true),
        ("x-gzip", true), ("gzip;q=0", false), ("gzip; q=0.000", false), ("*;q=0", false),
        ("gzip;q=0, *", false), ("identity", false), ("", false), ("gzipped", false),
        (";;,,;", false),
    ])
    func `the header Accept-Encoding tells whether a client accepts gzip`(
        _ header: String, _ isAccepted: Bool
    ) {
        #expect(Gzip.isAccepted(by: header) == isAccepted)
    }

    @Test func `a client without the header Accept-Encoding gets no compressed contents`() {
        #expect(!Gzip.isAccepted(by: nil))
    }

    @Test func `gzip can read the compressed text`() throws {
        for text in ["", "a", String(repeating: "gamed ", count: 100_000)] {
            let compressed = try #require(Array(text.utf8).withUnsafeBytes(Gzip.compress))
            #expect(compressed == Array(text.utf8).withUnsafeBytes(Gzip.compress))
            let hex = compressed.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            let file = folder.write("hex", hex)
            #expect(ShellCommand.run("xxd -r -p '\(file)' | gzip -dc") == text)
        }
    }

    @Test func `curl gets the same page compressed and plain, and the compressed page is smaller`()
        throws
    {
        let daemon = try DaemonProcess(["--clock", "virtual", "--http", "127.0.0.1:0"])
        for path in ["/", "/play/main", "/page/play/play.js", "/page/shared/icon.svg"] {
            let output = ShellCommand.run(
                "cd '\(folder.path)' && curl -sS -o plain -w '%{size_download} ' $WEB\(path)"
                    + " && curl -sS --compressed -o packed -w '%{size_download} ' $WEB\(path) && cmp plain packed && echo same",
                daemon
            ).split(separator: " ")
            #expect(output.last == "same\n", "\(output)")
            let sizes = output.prefix(2).compactMap { Int($0) }
            #expect(sizes.count == 2 && sizes[1] < sizes[0], "\(path): \(output)")
            let headers = ShellCommand.run(
                "curl -sS -D - -o /dev/null -H 'Accept-Encoding: gzip' $WEB\(path)", daemon)
            #expect(headers.contains("Content-Encoding: gzip"), "\(headers)")
            #expect(headers.contains("Vary: Accept-Encoding"), "\(headers)")
        }
        // Only the files of the pages are compressed.
        let response = ShellCommand.run(
            "curl -sS -D - -H 'Accept-Encoding: gzip' $WEB/healthz", daemon)
        #expect(!response.contains("Content-Encoding"), "\(response)")
    }
}
