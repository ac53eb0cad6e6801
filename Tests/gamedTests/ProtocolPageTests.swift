import Connections
import TestSupport
import Testing

/// docs/protocol.md shows requests with their replies. These tests send the requests and compare the replies.
@Suite struct ProtocolPageTests {
    /// A request of the page, and the reply that the page shows.
    private struct Exchange {
        let request: String
        var reply: String
    }

    /// Each block of requests has a daemon of its own. The daemon's session `main` is in the state of the page's examples. A
    /// comment `after REQUEST` above a block names one more request. It is sent before the requests of the block.
    @Test func `the requests in docs/protocol.md have the replies that the page shows`() throws {
        var count = 0
        for block in CodeBlock.blocks(of: RepositoryFile.text("docs/protocol.md")) {
            let exchanges = Self.exchanges(in: block)
            guard !exchanges.isEmpty else { continue }
            let daemon = try DaemonProcess(["--clock", "virtual", "--flow", "game"])
            let client = try Client(daemon.socket)
            Self.enterLevel(client)
            if block.mark.hasPrefix("after ") { _ = client.ask(String(block.mark.dropFirst(6))) }
            for exchange in exchanges {
                let reply = Self.reply(to: exchange.request, daemon, client)
                let (found, expected) = (Self.comparable(reply), Self.comparable(exchange.reply))
                #expect(found == expected, "\(exchange.request)")
            }
            count += exchanges.count
        }
        #expect(count >= 15)
    }

    private static func enterLevel(_ client: Client) {
        for event in ["startPlaying", "chooseEpisode episode=2", "chooseLevel level=3"] {
            _ = client.ask("send \(event)")
        }
    }

    private static func reply(to request: String, _ daemon: DaemonProcess, _ client: Client)
        -> String
    {
        guard request.hasPrefix("$ ") else { return client.ask(request) }
        let command = String(request.dropFirst(2)).replacing("/tmp/g.sock", with: "$S")
        return ShellCommand.run(command, daemon)
    }

    /// The exchanges that a block shows. A line that begins with a space continues the line before. A line is a request if the
    /// next line is a reply in the text dialect, which begins with `OK` or `ERR`, or if `isJSONRequest` is true. If the comment
    /// before the block is `result of REQUEST`, the whole block is the result of that request.
    private static func exchanges(in block: CodeBlock) -> [Exchange] {
        let lines = block.lines.reduce(into: [String]()) { lines, line in
            if line.hasPrefix(" "), !lines.isEmpty {
                lines[lines.count - 1] += line.drop { $0 == " " }
            } else {
                lines.append(line)
            }
        }
        if block.mark.hasPrefix("result of ") {
            let reply = "OK \(lines.joined())"
            return [Exchange(request: String(block.mark.dropFirst(10)), reply: reply)]
        }
        return zip(lines, lines.dropFirst()).compactMap { request, reply in
            let isText = reply.hasPrefix("OK ") || reply.hasPrefix("ERR ")
            return isText || isJSONRequest(request)
                ? Exchange(request: request, reply: reply) : nil
        }
    }

    /// Whether the line is a request or a batch of JSON-RPC that gets a reply; the page also shows notifications.
    private static func isJSONRequest(_ line: String) -> Bool {
        let isJSON = line.hasPrefix("{") || line.hasPrefix("[")
        return isJSON && line.contains("\"id\":") && line.contains("\"method\":")
            && !line.contains("\"error\":")
    }

    /// The text without line ends, and with `N` in place of the numbers of processes, users and groups.
    private static func comparable(_ text: String) -> String {
        text.replacing("\n", with: "")
            .replacing(#/"(pid|uid|gid)":\d+/#) { "\"\($0.output.1)\":N" }
    }
}
