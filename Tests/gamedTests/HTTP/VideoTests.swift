import TestSupport
import Testing

@testable import Connections

/// Videos of the media directory: the daemon sends them from the disk, in parts.
@Suite struct VideoTests {
    private let folder = Folder()
    /// Three pieces and a bit.
    private static let size = FilePieces.pieceSize * 3 + 17

    private func startDaemon(_ options: String...) throws -> DaemonProcess {
        _ = ShellCommand.run(
            "cd '\(folder.path)' && mkdir media && head -c \(Self.size) /dev/urandom >media/intro.mp4 && : >media/empty.webm"
        )
        let file = folder.write("gamed.conf", "allow source:web observe\n")
        return try DaemonProcess(
            [
                "--config", file, "--http", "127.0.0.1:0", "--media", "\(folder.path)/media",
            ] + options)
    }

    private func curl(_ options: String, _ daemon: DaemonProcess, file: String = "intro.mp4")
        -> String
    {
        ShellCommand.run("curl -sS -m 120 \(options) $WEB/media/\(file)", daemon)
    }

    @Test func `a video arrives completely, and in the parts that a client asks for`() throws {
        let daemon = try startDaemon()
        let check = "| cmp - '\(folder.path)/media/intro.mp4' && echo same"
        #expect(
            ShellCommand.run("curl -sS -m 120 $WEB/media/intro.mp4 \(check)", daemon) == "same\n")
        let headers = curl("-D - -o '\(folder.path)/part' -r 1000-600000", daemon)
        #expect(headers.hasPrefix("HTTP/1.1 206 "), "\(headers)")
        #expect(headers.contains("Content-Range: bytes 1000-600000/\(Self.size)\r\n"))
        #expect(headers.contains("Content-Type: video/mp4\r\n"))
        #expect(
            ShellCommand.run(
                "tail -c +1001 '\(folder.path)/media/intro.mp4' | head -c 599001 | cmp - '\(folder.path)/part' && echo same"
            ) == "same\n")
    }

    @Test func `a part that a video does not have is an error with its size`() throws {
        let daemon = try startDaemon()
        let headers = curl("-D - -r \(Self.size)-", daemon)
        #expect(headers.hasPrefix("HTTP/1.1 416 "), "\(headers)")
        #expect(headers.contains("Content-Range: bytes */\(Self.size)\r\n"))
        #expect(curl("-w '%{http_code} %{size_download}'", daemon, file: "empty.webm") == "200 0")
    }

    @Test func `a HEAD has the length and no body, and a part of a changed video is the whole`()
        throws
    {
        let daemon = try startDaemon()
        let head = curl("-I", daemon)
        #expect(head.contains("Content-Length: \(Self.size)\r\n"), "\(head)")
        #expect(head.contains("Accept-Ranges: bytes\r\n"))
        let tag = try #require(
            head.split(whereSeparator: \.isNewline).first { $0.hasPrefix("ETag: ") }?.dropFirst(6))
        let words = "-o /dev/null -w '%{http_code} %{size_download}' -r 0-9"
        #expect(curl("\(words) -H 'If-Range: \(tag)'", daemon) == "206 10")
        #expect(curl("\(words) -H 'If-Range: \"old\"'", daemon) == "200 \(Self.size)")
    }

    @Test
    func
        `a video that becomes shorter while it is sent ends the connection, and the daemon goes on`()
        throws
    {
        let daemon = try startDaemon()
        _ = ShellCommand.run("truncate -s 1000 '\(folder.path)/media/intro.mp4'")
        let code = ShellCommand.run(
            "curl -sS -m 120 -o /dev/null $WEB/media/intro.mp4 2>/dev/null; echo $?", daemon)
        // The transfer ended before its length.
        #expect(code == "18\n")
        #expect(curl("-w '%{http_code}' -o /dev/null", daemon, file: "empty.webm") == "200")
    }

    /// A client that does not read takes no memory, and others are served.
    @Test func `a client that does not read a video holds nobody up`() throws {
        let daemon = try startDaemon()
        _ = ShellCommand.run("truncate -s 1G '\(folder.path)/media/intro.mp4'")
        _ = ShellCommand.run("gamectl --socket $S reload", daemon)
        let address = String(daemon.webAddress.dropFirst("http://".count))
        let clients = try (0..<20).map { _ in try Client(tcp: address) }
        for client in clients {
            client.write("GET /media/intro.mp4 HTTP/1.1\r\nHost: \(address)\r\n\r\n")
        }
        #expect(
            curl("-r 0-9 -o /dev/null -w '%{http_code} %{size_download}'", daemon) == "206 10")
        let memory = ShellCommand.run("grep VmRSS /proc/\(daemon.pid)/status")
        let kilobytes = try #require(Int(memory.filter(\.isNumber)))
        #expect(kilobytes < 200_000, "\(memory)")
    }

    @Test func `a transfer that a client breaks off leaves no connection, with TLS too`() throws {
        TestCertificates.ofClients.write(to: folder)
        let daemon = try startDaemon(
            "--tls-cert", "\(folder.path)/server.pem", "--tls-key", "\(folder.path)/server.key")
        _ = ShellCommand.run("truncate -s 100M '\(folder.path)/media/intro.mp4'")
        _ = ShellCommand.run("gamectl --socket $S reload", daemon)
        let count = ShellCommand.run(
            """
            for i in $(seq 30); do curl -sk -m 60 $WEB/media/intro.mp4 2>/dev/null | head -c 100000 >/dev/null; done
            for i in $(seq 200); do
                [ "$(gamectl --socket $S clients --json | grep -o '"kind":"web"' | wc -l)" = 0 ] && break; sleep 0.05
            done
            gamectl --socket $S clients --json | grep -o '"kind":"web"' | wc -l
            """, daemon)
        #expect(count == "0\n")
    }

    @Test func `a client that reads nothing is disconnected when its time is over`() throws {
        let daemon = try startDaemon()
        _ = ShellCommand.run("truncate -s 100M '\(folder.path)/media/intro.mp4'")
        folder.write(
            "gamed.conf", "allow source:web observe\nlimit idle=1s\n")
        _ = ShellCommand.run("gamectl --socket $S reload", daemon)
        let address = String(daemon.webAddress.dropFirst("http://".count))
        let client = try Client(tcp: address)
        client.write("GET /media/intro.mp4 HTTP/1.1\r\nHost: \(address)\r\n\r\n")
        let count = ShellCommand.run(
            """
            for i in $(seq 600); do
                [ "$(gamectl --socket $S clients --json | grep -o '"kind":"web"' | wc -l)" = 0 ] && break; sleep 0.1
            done
            gamectl --socket $S clients --json | grep -o '"kind":"web"' | wc -l
            """, daemon)
        #expect(count == "0\n")
    }

    @Test func `a video has a maximum size, and the number of videos is limited`() throws {
        _ = ShellCommand.run(
            """
            mkdir '\(folder.path)/media' && cd '\(folder.path)/media' && truncate -s 2147483649 long.mp4 \
            && for i in $(seq \(MediaDirectory.videoCountLimit + 1)); do : >$i.webm; done
            """)
        let media = MediaDirectory("\(folder.path)/media")
        #expect(media.files.count == MediaDirectory.videoCountLimit)
        #expect(
            media.problems.contains {
                $0.hasPrefix("--media: long.mp4: 2147483649 bytes; at most 2147483648 are possible")
            })
        #expect(
            media.problems.contains {
                $0.hasSuffix("at most \(MediaDirectory.videoCountLimit) videos are possible")
            })
    }
}
