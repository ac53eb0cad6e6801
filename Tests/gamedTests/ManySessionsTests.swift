import Connections
import Testing

/// A thousand sessions in one daemon.
@Suite struct ManySessionsTests {
    @Test func `each of a thousand sessions times out`() throws {
        let daemon = try DaemonProcess(["--clock", "virtual", "--no-main"])
        let client = try Client(daemon.socket)
        for number in 0..<1000 { client.write("open @room-\(number) help\n") }
        for _ in 0..<1000 { #expect(client.line()?.hasPrefix("OK {") == true) }
        // An answer that is split at "{" has these parts: "OK ", the beginning of the result, and one part for each session
        // or fired timer.
        let partCount = 2 + 1000
        let sessionList = client.ask("list")
        #expect(sessionList.hasSuffix(#""more":false}"#))
        #expect(sessionList.split(separator: "{").count == partCount)
        #expect(client.ask("list limit=999").hasSuffix(#""more":true}"#))
        let firedTimers = client.ask("advance 30s")
        #expect(firedTimers.split(separator: "{").count == partCount)
        for number in [0, 500, 999] {
            #expect(client.ask("status @room-\(number)").contains(#""state":"introduction""#))
        }
        // Each session has two changes: it was opened, and its time-out changed the state.
        client.write("watch @* since=0\n")
        #expect(client.line()?.hasPrefix(#"OK {"sessions":["#) == true)
        for pos in 1...2000 { #expect(client.line()?.contains("\"pos\":\(pos),") == true) }
    }
}
