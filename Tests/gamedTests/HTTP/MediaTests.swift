import TestSupport
import Testing

@testable import GamedServer

/// The operator's media files for the players' pages: which files are read, and how they are served.
@Suite struct MediaTests {
    private let folder = Folder()

    private func prepare() {
        _ = ShellCommand.run(
            """
            cd '\(folder.path)' && mkdir -p media/pictures media/.git a && cd media \
            && echo red >pictures/door.svg && echo ':root { --accent: red }' >theme.css \
            && echo secret >../a/secret.png && ln -s ../a/secret.png link.png && ln -s ../a linked \
            && echo x >.git/x.png && echo text >notes.txt && mkfifo pipe.png \
            && truncate -s 1G huge.mp3 && printf '\\377' >"$(printf 'bad\\377.png')"
            """)
    }

    private func daemon() throws -> DaemonProcess {
        prepare()
        let file = folder.write(
            "gamed.conf",
            "allow token:desk operate\nallow token:guest observe session=main\nallow token:other play session=b\n"
        )
        let daemon = try DaemonProcess([
            "--config", file, "--clock", "virtual", "--http", "127.0.0.1:0", "--media",
            "\(folder.path)/media",
        ])
        for name in ["desk", "guest", "none"] {
            _ = ShellCommand.run(
                "gamectl --socket $S token add \(name) >'\(folder.path)/\(name)'", daemon)
        }
        return daemon
    }

    private func get(
        _ path: String, as name: String, _ daemon: DaemonProcess, _ options: String = ""
    ) -> String {
        ShellCommand.run(
            "curl -sS -m 120 --path-as-is -w ' %{http_code}' \(options) "
                + "-H \"Authorization: Bearer $(cat '\(folder.path)/\(name)')\" \"$WEB/media/\(path)\"",
            daemon)
    }

    @Test func `a file is sent only to clients that may observe a session`() throws {
        let daemon = try daemon()
        #expect(get("pictures/door.svg", as: "guest", daemon) == "red\n 200")
        #expect(get("pictures/door.svg", as: "desk", daemon) == "red\n 200")
        #expect(get("pictures/door.svg", as: "none", daemon).hasSuffix(" 401"))
        let anonymous = ShellCommand.run(
            "curl -sS -m 120 -w '%{http_code}' $WEB/media/theme.css", daemon)
        #expect(anonymous.hasSuffix("401"))
    }

    @Test func `nothing in a file is executed, and it is not sent again if it is the same`() throws
    {
        let daemon = try daemon()
        let head = get("pictures/door.svg", as: "guest", daemon, "-D -")
        #expect(head.contains("default-src 'none'; style-src 'unsafe-inline'; sandbox"), "\(head)")
        #expect(head.contains("Content-Type: image/svg+xml"))
        #expect(head.contains("X-Content-Type-Options: nosniff"))
        let tag = try #require(
            head.split(whereSeparator: \.isNewline).first { $0.hasPrefix("ETag: ") }?.dropFirst(6))
        let again = get("pictures/door.svg", as: "guest", daemon, "-H 'If-None-Match: \(tag)'")
        #expect(again == " 304")
        #expect(get("pictures/door.svg", as: "guest", daemon, "-I").contains("ETag: \(tag)"))
        #expect(get("pictures/door.svg", as: "guest", daemon, "-d x").hasSuffix(" 405"))
    }

    @Test(arguments: [
        "../a/secret.png", "pictures/../../a/secret.png", "%2e%2e/a/secret.png", "link.png",
        "linked/secret.png", ".git/x.png", "notes.txt", "pipe.png", "huge.mp3", "pictures", "",
        "pictures/", "/pictures/door.svg", "%ff.png", "nosuch.png",
    ])
    func `a path that leads elsewhere is not found`(_ path: String) throws {
        #expect(get(path, as: "guest", try daemon()).hasSuffix(" 404"))
    }

    @Test func `the log says which files were left out and why, and SIGHUP reads new ones`() throws
    {
        let daemon = try daemon()
        #expect(daemon.output.contains("--media: link.png: symbolic links are not followed"))
        #expect(daemon.output.contains("--media: linked: symbolic links are not followed"))
        #expect(
            daemon.output.contains(
                "--media: huge.mp3: 1073741824 bytes; at most \(MediaDirectory.largestFile) are possible"
            ))
        _ = ShellCommand.run("echo new >'\(folder.path)/media/new.png'")
        daemon.signal(1)
        #expect(daemon.waitFor("configuration reloaded"))
        #expect(get("new.png", as: "guest", daemon) == "new\n 200")
        #expect(get("pictures/door.svg", as: "guest", daemon) == "red\n 200")
    }

    @Test func `there are limits for files, bytes and depth`() {
        _ = ShellCommand.run(
            """
            cd '\(folder.path)' && mkdir -p deep/a/b/c/d many big && echo x >deep/a/b/c/x.png \
            && echo x >deep/a/b/c/d/x.png && cd many && seq -f 'x%g.png' 0 1000 | xargs touch && cd ../big \
            && for n in 1 2 3 4 5 6 7 8 9; do truncate -s 16M $n.wav; done
            """)
        let deep = MediaDirectory("\(folder.path)/deep")
        #expect(Array(deep.files.keys) == ["a/b/c/x.png"])
        #expect(deep.problems == ["--media: a/b/c/d: nested deeper than 4"])
        let many = MediaDirectory("\(folder.path)/many")
        #expect(many.files.count == MediaDirectory.mostFiles)
        #expect(many.problems.count == 1)
        let big = MediaDirectory("\(folder.path)/big")
        #expect(big.files.count == 8)
        #expect(big.problems.count == 1 && big.problems[0].hasPrefix("--media: 9.wav: at most"))
    }

    @Test func `a directory that is not there is an error, and so is a file that a flow shows`()
        throws
    {
        prepare()
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
            check.contains("--media: door shows creak.mp3 in shut, which does not exist"),
            "\(check)")
        #expect(!check.contains("door.svg in"), "\(check)")
        let missing = ShellCommand.run(
            "gamed --socket '\(folder.path)/s' --media /nowhere; echo status $?")
        #expect(missing.contains("--media /nowhere: No such file or directory"), "\(missing)")
        #expect(!missing.hasSuffix("status 0\n"))
    }
}
