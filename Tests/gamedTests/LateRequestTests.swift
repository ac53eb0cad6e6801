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
}
