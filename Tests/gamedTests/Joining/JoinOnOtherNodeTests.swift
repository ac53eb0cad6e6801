import Connections
import Glibc
import PostgresTestSupport
import TestSupport
import Testing

/// Tokens and invitations that one node made, and that curl and gamectl use on another node.
@Suite(.enabled(if: PostgresServer.absence == nil), .serialized) struct JoinOnOtherNodeTests {
    private let server = PostgresServer.shared
    private let database = PostgresServer.shared.makeDatabase()
    private let folder = Folder()
    private let nodes: [DaemonProcess]

    init() throws {
        let url = server.url(database)
        #expect(try DaemonProcess(["--store", url, "--prepare"]).waitForEnd() == 0)
        folder.write("secret", "0123456789abcdef0123456789abcdef\n", mode: 0o600)
        let hash = String(repeating: "0", count: 64)
        folder.write("tokens", "old \(hash)\n")
        let path = folder.path
        _ = ShellCommand.run("mkdir '\(path)/flows'")
        folder.write(
            "flows/party.yaml",
            """
            flow: party
            start: lobby
            events: {begin: {}, home: {}, buzz: {args: {player: text}}, solve: {args: {}, hidden: players}}
            states:
              lobby: {show: {join: true}, on: {begin: round}}
              round: {on: {home: lobby, buzz: stay, solve: stay}}

            """)
        nodes = try ["a", "b"].map { name in
            let address = "127.0.0.1:\(LoopbackPort.findUnused())"
            return try DaemonProcess(
                [
                    "--store", url, "--node", name, "--listen", address, "--advertise", address,
                    "--node-secret-file", "\(path)/secret", "--flow", "quiz", "--http",
                    "127.0.0.1:0", "--flows", "\(path)/flows",
                ] + (name == "a" ? ["--tokens", "\(path)/tokens"] : []))
        }
    }

    /// Runs gamectl with the node at this index of `nodes`, and returns its output.
    private func gamectl(_ node: Int, _ words: String) -> String {
        ShellCommand.run("gamectl --socket \"$S\" \(words)", nodes[node])
    }

    /// The text of a member of a JSON object. Returns the whole output if the object does not have the member.
    private func member(_ name: String, in output: String) -> String {
        output.firstRange(of: "\"\(name)\":\"").map {
            String(output[$0.upperBound...].prefix { $0 != "\"" })
        } ?? output
    }

    /// Sends `POST /join` to the node at this index of `nodes`, and returns the status.
    private func join(_ node: Int, _ body: String) -> String {
        ShellCommand.run(
            "curl -s -o /dev/null -w '%{http_code}' -H 'Content-Type: application/json' -d '\(body)' \"$WEB/join\"",
            nodes[node])
    }

    /// Asks until the answer contains the expected text, and returns the last answer. Other nodes see a change a moment
    /// later.
    private func eventually(_ expected: String, _ ask: () -> String) -> String {
        var answer = ""
        _ = Wait.until {
            answer = ask()
            return answer.contains(expected)
        }
        return answer
    }

    @Test func `links and codes work on each node, and --once admits one guest on all nodes`()
        throws
    {
        let invitation = gamectl(0, "--json invite main --once")
        let key = member("link", in: invitation).drop { $0 != "#" }.dropFirst()
        let body = "{\\\"link\\\":\\\"\(key)\\\"}"
        _ = eventually("invite-") { gamectl(1, "token list") }
        // Eight guests at the same time, half of them on each node.
        let addresses = (0..<8).map { nodes[$0 % 2].webAddress }.joined(separator: "\\n")
        let statuses = ShellCommand.run(
            "printf '\(addresses)\\n' | xargs -P 8 -I@ curl -s -o /dev/null -w '%{http_code}\\n' "
                + "-H 'Content-Type: application/json' -d \"\(body)\" @/join"
        ).split(separator: "\n").sorted()
        #expect(statuses == ["200"] + Array(repeating: "410", count: 7), "\(statuses)")

        let secondInvitation = gamectl(1, "--json invite main")
        let code = member("code", in: secondInvitation)
        #expect(eventually("200") { join(0, "{\"code\":\"\(code.lowercased())\"}") } == "200")
        #expect(join(1, "{\"code\":\"\(code)\"}") == "200")
        #expect(join(1, "{\"code\":\"AAAAAA\"}") == "404")
    }

    @Test
    func `the code on the screens of a session is accepted on each node while its state shows it`()
        throws
    {
        #expect(gamectl(0, "open @room flow=party").contains("lobby"))
        let showsCode = { (node: Int) in
            eventually("\"code\"") { gamectl(node, "--json status @room") }
        }
        let code = member("code", in: showsCode(1))
        #expect(member("code", in: showsCode(0)) == code && code.count == 6)
        let body = "{\"code\":\"\(code)\"}"
        for node in 0...1 { #expect(eventually("200") { join(node, body) } == "200") }
        // A guest of one node plays at the other, but sends no hidden event.
        let cookie = ShellCommand.run(
            "curl -s -i -H 'Content-Type: application/json' -d '\(body)' \"$WEB/join\"", nodes[0])
        let token = try #require(cookie.firstMatch(of: /Set-Cookie: [^=]*=([^;]*)/)?.output.1)
        _ = gamectl(1, "send @room begin")
        let send = { (node: Int, event: String, arguments: String) in
            ShellCommand.run(
                """
                curl -s -H 'Authorization: Bearer \(token)' -H 'Content-Type: application/json' "$WEB/v1/rpc" \
                    -d '{"jsonrpc":"2.0","id":1,"method":"send","params":{"session":"room","event":"\(event)","args":\(arguments)}}'
                """, nodes[node])
        }
        for node in 0...1 {
            let buzz = eventually("result") { send(node, "buzz", #"{"player":"ann"}"#) }
            #expect(buzz.contains("\"result\""), "\(buzz)")
            #expect(send(node, "solve", "{}").contains("\"error\""))
            #expect(eventually("404") { join(node, body) } == "404")
        }
        _ = gamectl(0, "send @room home")
        for node in 0...1 { #expect(eventually("200") { join(node, body) } == "200") }
        _ = gamectl(0, "close @room")
        let end = eventually("ended") {
            send(1, "buzz", #"{"player":"ann"}"#).contains("\"result\"") ? "plays" : "ended"
        }
        #expect(end == "ended")
        #expect(eventually("404") { join(0, body) } == "404")
    }

    @Test func `a token that one node made is valid on the other node until its removal`() throws {
        let token = member("token", in: gamectl(0, "--json token add desk"))
        let client = try Client(nodes[1].socket)
        #expect(eventually("OK") { client.ask("auth \(token)") }.hasPrefix("OK"))
        #expect(gamectl(0, "token remove desk").contains("desk"))
        // The other node refuses the token in new connections.
        let authAnswer = eventually("forbidden") {
            (try? Client(nodes[1].socket))?.ask("auth \(token)") ?? ""
        }
        #expect(authAnswer.contains("forbidden"), "\(authAnswer)")
    }

    @Test func `an invitation ends on all nodes`() throws {
        let invitation = gamectl(0, "--json invite main --for 4s")
        let key = member("link", in: invitation).drop { $0 != "#" }.dropFirst()
        let body = "{\"link\":\"\(key)\"}"
        #expect(eventually("200") { join(1, body) } == "200")
        #expect(eventually("404") { join(1, body) } == "404")
        let list = eventually("old") { gamectl(0, "token list") }
        #expect(list.contains("old"))
        // The invitation and its guests are removed from the store.
        let askIfTableIsEmpty = { server.sql("SELECT count(*) = 0 FROM gamed_token", in: database) }
        #expect(eventually("t", askIfTableIsEmpty) == "t")
    }

    @Test func `each node lists the guests who are connected to the other node as connected`()
        throws
    {
        let invitation = gamectl(0, "--json invite main --as Ann")
        let key = member("link", in: invitation).drop { $0 != "#" }.dropFirst()
        let cookie = ShellCommand.run(
            "curl -s -i -H 'Content-Type: application/json' -d '{\"link\":\"\(key)\"}' \"$WEB/join\"",
            nodes[0])
        let token = try #require(cookie.firstMatch(of: /Set-Cookie: [^=]*=([^;]*)/)?.output.1)
        let screens = { (node: Int) in gamectl(node, "--json screens @main") }
        #expect(eventually("Ann") { screens(1) }.contains(#""guest":true,"connections":0"#))
        let stream = try ChildProcess(
            [
                "/usr/bin/curl", "-sN", "-H", "Authorization: Bearer \(token)",
                "\(nodes[1].webAddress)/v1/events?session=main",
            ], connecting: [])
        for node in 0...1 {
            let list = eventually(#""connections":1,"forMs":"#) { screens(node) }
            #expect(list.contains(#""as":"Ann","role":"play","address":"127.0.0.1:"#), "\(list)")
            #expect(list.contains(#""connections":1,"forMs":"#), "\(list)")
        }
        stream.signal(SIGTERM)
        stream.waitForEnd()
        for node in 0...1 {
            let list = eventually(#""connections":0,"forMs":"#) { screens(node) }
            #expect(list.contains(#""connections":0,"forMs":"#), "\(list)")
        }
    }

    @Test func `a token in a node's file is listed only there and cannot be changed`() throws {
        #expect(gamectl(0, "token list").contains("old"))
        #expect(!gamectl(1, "token list").contains("old"))
        for words in ["token remove old", "token add old"] {
            #expect(gamectl(0, words).contains("is in the --tokens file of this node"))
        }
    }
}
