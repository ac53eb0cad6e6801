import Testing

@Suite struct ManySessionsTests {
    @Test func `each of a thousand sessions times out`() throws {
        let daemon = try DaemonProcess(["--clock", "virtual", "--no-main"])
        let client = try Client(daemon.socket)
        for number in 0..<1000 { client.write("open @room-\(number) help\n") }
        for _ in 0..<1000 { #expect(client.line()?.hasPrefix("OK {") == true) }
        // Each answer is split at "{": the text before the result is one part, its beginning is one, and each session or
        // timer is one.
        let parts = 2 + 1000
        let page = client.ask("list")
        #expect(page.hasSuffix(#""more":false}"#))
        #expect(page.split(separator: "{").count == parts)
        #expect(client.ask("list limit=999").hasSuffix(#""more":true}"#))
        let fired = client.ask("advance 30s")
        #expect(fired.split(separator: "{").count == parts)
        for number in [0, 500, 999] {
            #expect(client.ask("status @room-\(number)").contains(#""state":"introduction""#))
        }
        client.write("watch @* since=0\n")
        #expect(client.line()?.hasPrefix(#"OK {"sessions":["#) == true)
        for pos in 1...2000 { #expect(client.line()?.contains("\"pos\":\(pos),") == true) }
    }
}
