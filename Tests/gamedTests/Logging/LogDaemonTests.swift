import GameFlow
import JSONCoding
import Parts
import TestSupport
import Testing

/// The log of a running daemon.
@Suite struct LogDaemonTests {
    private func lines(_ daemon: DaemonProcess) -> [Substring] {
        daemon.output.split(separator: "\n")
    }

    @Test func `each line has the time and a level`() throws {
        let daemon = try DaemonProcess()
        #expect(!lines(daemon).isEmpty)
        for line in lines(daemon) {
            #expect(
                line.contains(
                    #/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z (error|warning|info) \[[a-z-]+\] /#),
                "\(line)")
        }
    }

    @Test func `a log in JSON has one object a line, with the session and the event`() throws {
        let daemon = try DaemonProcess(["--log-format", "json", "--log-level", "debug"])
        let client = try Client(daemon.socket)
        #expect(client.ask("send displayHelp").hasPrefix("OK"))
        #expect(client.ask("send displayHelp").hasPrefix("ERR"))
        #expect(daemon.waitFor(#""kind":"refused""#))
        #expect(daemon.waitFor(#""function":"#, times: 3))
        let objects = lines(daemon).compactMap { Value(json: Array($0.utf8)) }
        #expect(objects.count == lines(daemon).count)
        let transition = try #require(
            lines(daemon).first { $0.contains(#""event":"displayHelp","state""#) })
        #expect(
            transition.contains(
                #""level":"debug","kind":"transition","message":"session main: displayHelp: introduction to help","session":"main","event":"displayHelp","state":"help","flow":"game","source":"uid:"#
            ), "\(transition)")
        let refused = try #require(lines(daemon).first { $0.contains(#""kind":"refused""#) })
        #expect(refused.contains(#""reason":"noTransition""#), "\(refused)")
    }

    @Test func `lines below the level are not written, until a reload changes the level`() throws {
        let folder = Folder()
        let file = folder.write("gamed.conf", "log-level info\n")
        let daemon = try DaemonProcess(["--config", file, "--tokens", "\(folder.path)/tokens"])
        let client = try Client(daemon.socket)
        #expect(client.ask("token action=add name=first").hasPrefix("OK"))
        #expect(daemon.waitFor("[access] token first created"))
        folder.write("gamed.conf", "log-level error\n")
        #expect(client.ask("reload").contains("log-level"))
        #expect(client.ask("token action=add name=second").hasPrefix("OK"))
        folder.write("gamed.conf", "log-level info\n")
        #expect(client.ask("reload").contains("log-level"))
        #expect(client.ask("token action=add name=third").hasPrefix("OK"))
        #expect(daemon.waitFor("[access] token third created"))
        #expect(!daemon.output.contains("token second created"))
    }

    @Test func `the line of a forbidden event has no name that the flow hides`() throws {
        let folder = Folder()
        folder.write(
            "door.yaml",
            """
            flow: door
            start: shut
            events: {ring: {args: {}}, solve: {args: {}, hidden: players}}
            states: {shut: {on: {ring: stay, solve: stay}}}

            """)
        let file = folder.write(
            "gamed.conf",
            """
            flows \(folder.path)
            flow door
            http 127.0.0.1:0
            allow source:web play event=ring get=yes

            """)
        let daemon = try DaemonProcess(["--config", file])
        let output = ShellCommand.run(
            """
            for event in ring solve; do curl -sS -X POST $WEB/v1/send/main/$event; curl -sS "$WEB/v1/send/main/$event"; done
            """, daemon)
        #expect(
            daemon.waitFor("may not send a hidden event: needs play with it"),
            "\(output)\(daemon.output)")
        #expect(daemon.output.contains("[forbidden] "), "\(daemon.output)")
        #expect(!daemon.output.contains("solve"), "\(daemon.output)")
    }

    @Test func `a client beyond the limit of clients is named once, twice, four times`() throws {
        let folder = Folder()
        let file = folder.write("gamed.conf", "limit clients=2\n")
        let daemon = try DaemonProcess(["--config", file])
        let clients = try (0..<2).map { _ in try Client(daemon.socket) }
        for client in clients { #expect(client.ask("ping").hasPrefix("OK")) }
        for _ in 0..<4 { #expect(try Client(daemon.socket).line()?.contains("clients") == true) }
        #expect(daemon.waitFor(" has reached the limit clients, 2; 4 times so far"))
        let limited = lines(daemon).filter { $0.contains("has reached the limit clients") }
        #expect(limited.count == 3 && limited.allSatisfy { $0.contains("uid:") }, "\(limited)")
        withExtendedLifetime(clients) {}
    }

    @Test func `a client that floods is named once, twice, four times`() throws {
        let folder = Folder()
        let file = folder.write("gamed.conf", "limit unixRequests=10\n")
        let daemon = try DaemonProcess(["--config", file, "--log-format", "json"])
        let client = try Client(daemon.socket)
        // More than the requests of a second, at once.
        client.write(String(repeating: "status\n", count: 100))
        for _ in 0..<100 { _ = client.line() }
        #expect(daemon.waitFor("has reached the limit unixRequests, 10; 64 times so far"))
        let limited = lines(daemon).filter { $0.contains(#""kind":"limited""#) }
        #expect(limited.count == 7)
        #expect(limited.allSatisfy { $0.contains(#""source":"uid:"#) }, "\(limited)")
    }
}
