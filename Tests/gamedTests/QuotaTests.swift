import Connections
import GameFlow
import Parts
import TestSupport
import Testing

@testable import GamedServer

/// `limit requests=N for=PRINCIPAL`: a quota for one principal.
@Suite struct QuotaTests {
    private let folder = Folder()

    private func read(_ text: String) throws(Options.OptionsError) -> ServerLimits? {
        let file = folder.write("gamed.conf", text)
        guard
            case .run(let options) = try Options.read(
                ["--config", file], flows: AnyFlow.shipped())
        else { return nil }
        return options.limits
    }

    @Test func `a quota belongs to a token, a certificate or a user`() throws {
        let limits = try #require(
            try read(
                """
                limit requests=50 for=token:hall
                limit requests=0 for=cert:anna
                limit requests=7 for=uid:1000
                limit requests=9 for=token:hall
                limit requests=3

                """))
        #expect(limits.quotas == ["token:hall": 9, "cert:anna": 0, "uid:1000": 7])
        #expect(limits.requests == 3)
    }

    @Test(arguments: [
        ("limit requests=50 for=group:0", "for: expected token:NAME, cert:NAME or uid:USER"),
        ("limit requests=50 for=source:web", "for: expected token:NAME, cert:NAME or uid:USER"),
        ("limit requests=50 for=hall", "for: "), ("limit requests=-1 for=token:a", "expected 0 to"),
        ("limit clients=5 for=token:a", "only the limit requests can be set for a principal"),
        ("limit requests=5 token:a", "expected for=PRINCIPAL after the limit"),
        ("limit requests=5 for=token:a now", "unexpected word"),
    ])
    func `a wrong quota is a mistake`(_ line: String, _ why: String) {
        #expect { _ = try read(line) } throws: { "\($0)".contains(why) }
    }

    @Test func `the number of quotas is limited`() throws {
        let lines = (1...ServerLimits.quotaLimit).map { "limit requests=5 for=token:t\($0)" }
        #expect(try read(lines.joined(separator: "\n"))?.quotas.count == ServerLimits.quotaLimit)
        let tooMany = lines.joined(separator: "\n") + "\nlimit requests=5 for=token:last"
        #expect { _ = try read(tooMany) } throws: { "\($0)".contains("at most 1000 principals") }
    }

    @Test func `a quota limits its principal only, and a reload changes it for open connections`()
        throws
    {
        func configuration(_ quota: Int) -> String {
            "http 127.0.0.1:0\nlisten 127.0.0.1:0\nallow token:hall observe\nallow token:desk observe\n"
                + "limit requests=\(quota) for=token:hall\n"
        }
        let daemon = try DaemonProcess([
            "--config", folder.write("gamed.conf", configuration(2)),
        ])
        func client(_ name: String) throws -> Client {
            let token = ShellCommand.run("gamectl --socket $S token add \(name)", daemon)
                .prefix { $0 != "\n" }
            let client = try Client(tcp: daemon.tcpAddress)
            #expect(client.ask("auth \(token)").hasPrefix("OK"))
            return client
        }
        func refusals(_ client: Client) -> Int {
            client.write(String(repeating: "ping\n", count: 20))
            return (0..<20).count { _ in client.line()?.hasPrefix("ERR limit") == true }
        }
        let (hall, desk) = (try client("hall"), try client("desk"))
        #expect(refusals(desk) == 0)
        #expect(refusals(hall) >= 17)
        folder.write("gamed.conf", configuration(0))
        #expect(ShellCommand.run("gamectl --socket $S reload", daemon) == "changed: limit\n")
        #expect(refusals(hall) == 0)
    }
}
