import Connections
import Glibc
import Parts
import Support
import TestSupport
import Testing

@testable import GamedServer

/// The operator's media files for the players' pages: which files the daemon reads, and how it serves them.
@Suite struct MediaTests {
    private let folder = Folder()

    /// Writes media files, and files that may not be served.
    private func writeFiles() {
        _ = ShellCommand.run(
            """
            cd '\(folder.path)' && mkdir -p media/pictures media/.git a && cd media \
            && echo red >pictures/door.svg && echo sum >a+b.svg && echo ':root { --accent: red }' >theme.css \
            && echo secret >../a/secret.png && ln -s ../a/secret.png link.png && ln -s ../a linked \
            && echo x >.git/x.png && echo text >notes.txt && mkfifo pipe.png \
            && truncate -s 1G huge.mp3 && printf '\\377' >"$(printf 'bad\\377.png')"
            """)
    }

    private func startDaemon() throws -> DaemonProcess {
        writeFiles()
        let file = folder.write(
            "gamed.conf",
            "allow token:desk operate\nallow token:guest observe session=main\n"
        )
        let daemon = try DaemonProcess([
            "--config", file, "--clock", "virtual", "--http", "127.0.0.1:0", "--media",
            "\(folder.path)/media",
        ])
        for name in ["desk", "guest", "withoutRule"] {
            _ = ShellCommand.run(
                "gamectl --socket $S token add \(name) >'\(folder.path)/\(name)'", daemon)
        }
        return daemon
    }

    /// Requests a media file with a token. Returns the content, a blank and the status.
    private func get(
        _ path: String, as tokenName: String, _ daemon: DaemonProcess, _ options: String = ""
    ) -> String {
        ShellCommand.run(
            "curl -sS -m 120 --path-as-is -w ' %{http_code}' \(options) "
                + "-H \"Authorization: Bearer $(cat '\(folder.path)/\(tokenName)')\" \"$WEB/media/\(path)\"",
            daemon)
    }

    @Test func `a file is sent only to clients that may observe a session`() throws {
        let daemon = try startDaemon()
        #expect(get("pictures/door.svg", as: "guest", daemon) == "red\n 200")
        #expect(get("pictures/door.svg", as: "desk", daemon) == "red\n 200")
        #expect(get("pictures/door.svg", as: "withoutRule", daemon).hasSuffix(" 401"))
        let anonymous = ShellCommand.run(
            "curl -sS -m 120 -w '%{http_code}' $WEB/media/theme.css", daemon)
        #expect(anonymous.hasSuffix("401"))
    }

    /// A browser would report the status 404 in the console of each players' page.
    @Test func `the answer is empty if there is no theme`() throws {
        let daemon = try DaemonProcess(
            [
                "--http", "127.0.0.1:0", "--config",
                folder.write("gamed.conf", "allow source:web play\n"),
            ])
        let status = ShellCommand.run(
            "curl -sS -m 120 -w '%{http_code}' -H 'Gamed-Page: play.main' $WEB/media/theme.css",
            daemon)
        #expect(status == "204")
    }

    @Test(arguments: ["a+b.svg", "a%2Bb.svg"])
    func `a plus sign in a path is part of the name`(_ path: String) throws {
        #expect(get(path, as: "guest", try startDaemon()) == "sum\n 200")
    }

    @Test func `no script in a file is executed, and an unchanged file is not sent again`() throws {
        let daemon = try startDaemon()
        let headers = get("pictures/door.svg", as: "guest", daemon, "-D -")
        #expect(
            headers.contains("default-src 'none'; style-src 'unsafe-inline'; sandbox"),
            "\(headers)")
        #expect(headers.contains("Content-Type: image/svg+xml"))
        #expect(headers.contains("X-Content-Type-Options: nosniff"))
        let entityTag = try #require(
            headers.split(whereSeparator: \.isNewline).first { $0.hasPrefix("ETag: ") }?
                .dropFirst(6))
        let secondResponse = get(
            "pictures/door.svg", as: "guest", daemon, "-H 'If-None-Match: \(entityTag)'")
        #expect(secondResponse == " 304")
        #expect(get("pictures/door.svg", as: "guest", daemon, "-I").contains("ETag: \(entityTag)"))
        #expect(get("pictures/door.svg", as: "guest", daemon, "-d x").hasSuffix(" 405"))
    }

    @Test(arguments: [
        "../a/secret.png", "pictures/../../a/secret.png", "%2e%2e/a/secret.png", "link.png",
        "linked/secret.png", ".git/x.png", "notes.txt", "pipe.png", "huge.mp3", "pictures", "",
        "pictures/", "/pictures/door.svg", "%ff.png", "nosuch.png",
    ])
    func `a path that leads to no media file is not found`(_ path: String) throws {
        #expect(get(path, as: "guest", try startDaemon()).hasSuffix(" 404"))
    }

    @Test func `the log says which files were left out and why, and SIGHUP reads new files`() throws
    {
        let daemon = try startDaemon()
        #expect(daemon.output.contains("--media: link.png: symbolic links are not followed"))
        #expect(daemon.output.contains("--media: linked: symbolic links are not followed"))
        #expect(
            daemon.output.contains(
                "--media: huge.mp3: 1073741824 bytes; at most \(MediaDirectory.fileSizeLimit) are possible"
            ))
        _ = ShellCommand.run("echo new >'\(folder.path)/media/new.png'")
        daemon.signal(SIGHUP)
        #expect(daemon.waitFor("configuration reloaded"))
        #expect(get("new.png", as: "guest", daemon) == "new\n 200")
        #expect(get("pictures/door.svg", as: "guest", daemon) == "red\n 200")
    }

    @Test func `the number of files, their bytes and the depth of directories are limited`() {
        _ = ShellCommand.run(
            """
            cd '\(folder.path)' && mkdir -p deep/a/b/c/d many big && echo x >deep/a/b/c/x.png \
            && echo x >deep/a/b/c/d/x.png && cd many && seq -f 'x%g.png' 0 1000 | xargs touch && cd ../big \
            && for n in 1 2 3 4 5 6 7 8 9; do truncate -s 16M $n.wav; done
            """)
        let deep = MediaDirectory("\(folder.path)/deep")
        #expect(Array(deep.files.keys.map(\.text)) == ["a/b/c/x.png"])
        #expect(deep.problems == ["--media: a/b/c/d: nested deeper than 4"])
        let many = MediaDirectory("\(folder.path)/many")
        #expect(many.files.count == MediaDirectory.fileCountLimit)
        #expect(many.problems.count == 1)
        let big = MediaDirectory("\(folder.path)/big")
        #expect(big.files.count == 8)
        #expect(big.problems.count == 1 && big.problems[0].hasPrefix("--media: 9.wav: at most"))
    }

    @Test
    func `a missing media directory is an error, and a missing file that a flow shows is an error`()
        throws
    {
        writeFiles()
        let flows = Folder()
        flows.write(
            "door.yaml",
            """
            flow: door
            start: shut
            events: {open: {}}
            states:
              shut: {show: {picture: pictures/door.svg, sound: creak.mp3}, on: {open: ajar}}
              ajar: {}

            """)
        let check = ShellCommand.run(
            "gamed --check --media '\(folder.path)/media' --flows '\(flows.path)'")
        #expect(
            check.contains(
                "--media: creak.mp3 does not exist; the flow door shows it in the state shut"),
            "\(check)")
        #expect(!check.contains("door.svg does not exist"), "\(check)")
        let missing = ShellCommand.run(
            "gamed --socket '\(folder.path)/s' --media /nowhere; echo status $?")
        #expect(missing.contains("--media /nowhere: No such file or directory"), "\(missing)")
        #expect(!missing.hasSuffix("status 0\n"))
    }
}
