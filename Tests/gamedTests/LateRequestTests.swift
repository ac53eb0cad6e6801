import Connections
import TestSupport
import Testing

/// A request that waited in a socket while its client sent it again in another way.
@Suite(.timeLimit(.minutes(2))) struct LateRequestTests {
    /// The numbers are those of requests with other ids between the two arrivals. After few of them the answer is still
    /// remembered, after many it is forgotten.
    @Test(arguments: [0, 1200], [false, true])
    func `is not executed a second time`(_ others: Int, closesMeanwhile: Bool) throws {
        let daemon = try DaemonProcess()
        let late = try Client(daemon.socket)
        // The client does not read its replies, which have some megabytes. So the daemon does not come to its last request.
        late.write(String(repeating: "describe\n", count: 2000))
        late.write("send id=k displayHelp\n")
        late.endInput()
        let client = try Client(daemon.socket)
        func reply(_ line: String) -> String {
            client.write("\(line)\n")
            return client.line() ?? ""
        }
        #expect(reply("send id=k displayHelp").contains(#""seq":2"#))
        if closesMeanwhile {
            #expect(reply("close id=c").hasPrefix("OK"))
            #expect(reply("open session=main flow=game").hasPrefix("OK"))
            #expect(reply("send displayHelp").hasPrefix("OK"))
        }
        for number in 0..<others {
            let event = number % 2 == 0 ? "dismissHelp" : "displayHelp"
            #expect(reply("send id=o\(number) \(event)").hasPrefix("OK"))
        }
        func seq() -> String? { reply("status").firstMatch(of: /"seq":[0-9]+/).map { "\($0.0)" } }
        let before = seq()
        // Now the client reads, and the daemon reaches the late request.
        let lines = late.textUntilEnd().split(separator: "\n")
        #expect(lines.count == 2001)
        let last = lines.last.map(String.init) ?? ""
        if others == 0, !closesMeanwhile {
            #expect(last.hasPrefix("OK") && last.contains(#""seq":2,"#), "\(last.prefix(200))")
        } else {
            #expect(last.hasPrefix(#"ERR stale {"id":"k","forgottenMs":"#), "\(last.prefix(200))")
        }
        #expect(seq() == before)
    }

    /// The requests before it, whose replies the client does not read, have arrived at the same time.
    @Test(arguments: [0, 1200])
    func `is not executed a second time over HTTP`(_ others: Int) throws {
        let folder = Folder()
        let file = folder.write(
            "gamed.conf", "allow source:web play\nlimit requests=0\nlimit requestsInAll=0\n")
        let daemon = try DaemonProcess(["--config", file, "--http", "127.0.0.1:0"])
        let host = String(daemon.webAddress.dropFirst("http://".count))
        func request(_ line: String, _ headers: String = "") -> String {
            "\(line) HTTP/1.1\r\nHost: \(host)\r\n\(headers)\r\n"
        }
        let late = try Client(tcp: host)
        late.write(String(repeating: request("GET /openapi.json"), count: 300))
        late.write(
            request(
                "POST /v1/send/main/displayHelp", "Idempotency-Key: k\r\nConnection: close\r\n"))
        let client = try Client(daemon.socket)
        #expect(client.ask("send id=k displayHelp").contains(#""seq":2"#))
        for number in 0..<others {
            let event = number % 2 == 0 ? "dismissHelp" : "displayHelp"
            #expect(client.ask("send id=o\(number) \(event)").hasPrefix("OK"))
        }
        let answer = late.textUntilEnd()
        let last = answer.suffix(
            from: answer.ranges(of: "HTTP/1.1 ").last?.lowerBound ?? answer.startIndex)
        if others == 0 {
            #expect(last.hasPrefix("HTTP/1.1 200") && last.contains(#""seq":2,"#), "\(last)")
        } else {
            #expect(
                last.hasPrefix("HTTP/1.1 409") && last.contains(#""message":"stale""#), "\(last)")
        }
    }
}
