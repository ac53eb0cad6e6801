import TestSupport
import Testing

/// States with `join`: the screens of the session show a link and a code, and people join with them.
@Suite struct ScreenInvitationTests {
    private let folder = Folder()

    private func start(_ arguments: [String] = ["--http", "127.0.0.1:0"]) throws -> DaemonProcess {
        folder.write(
            "party.yaml",
            """
            flow: party
            start: lobby
            events: {begin: {}, home: {}, buzz: {args: {player: text}}}
            states:
              lobby: {show: {join: true, text: Join us}, on: {begin: round}}
              round: {on: {home: lobby, buzz: stay}}

            """)
        let file = folder.write(
            "gamed.conf",
            "allow token:hall observe\nallow token:desk operate\nsession main flow=party\n")
        return try DaemonProcess(
            [
                "--config", file, "--clock", "virtual", "--flows", folder.path, "--state-dir",
                "\(folder.path)/state",
            ] + arguments)
    }

    /// A member of `show.join` in the status of the session.
    private func join(_ member: String, _ daemon: DaemonProcess) -> String? {
        let status = ShellCommand.run("gamectl --socket $S status --json", daemon)
        guard let show = status.firstMatch(of: /"show":(\{.*?\}\})/)?.output.1,
            let value = show.firstMatch(of: try! Regex("\"\(member)\":\"([^\"]*)\""))
        else { return nil }
        return value[1].substring.map(String.init)
    }

    /// Joins with a code, and returns the status and the token in the cookie.
    private func post(_ code: String, _ daemon: DaemonProcess) -> (status: String, token: String?) {
        let answer = ShellCommand.run(
            "curl -sS -m 120 -i -H 'Content-Type: application/json' -d '{\"code\":\"\(code)\"}' $WEB/join",
            daemon)
        let token = answer.firstMatch(of: /Set-Cookie: [^=]*=([^;]*)/)?.output.1
        return (String(answer.dropFirst(9).prefix(3)), token.map(String.init))
    }

    private func send(_ event: String, _ daemon: DaemonProcess) {
        _ = ShellCommand.run("gamectl --socket $S send \(event)", daemon)
    }

    /// The status of a request with the token of a guest.
    private func rpc(_ event: String, _ token: String?, _ daemon: DaemonProcess) -> String {
        ShellCommand.run(
            """
            curl -sS -m 120 -H 'Authorization: Bearer \(token ?? "")' -H 'Content-Type: application/json' $WEB/v1/rpc \
                -d '{"jsonrpc":"2.0","id":1,"method":"send","params":{"session":"main","event":"\(event)","args":{"player":"ann"}}}'
            """, daemon)
    }

    @Test func `a guest joins with the code while the state lasts, and plays on after it`() throws {
        let daemon = try start()
        let code = try #require(join("code", daemon))
        let link = try #require(join("link", daemon))
        #expect(link.hasPrefix("\(daemon.webAddress)/join#"), "\(link)")
        let (status, token) = post(code, daemon)
        #expect(status == "200")
        send("begin", daemon)
        #expect(join("code", daemon) == nil)
        #expect(post(code, daemon).status == "404")
        #expect(rpc("buzz", token, daemon).contains("\"result\""))
        send("home", daemon)
        #expect(join("code", daemon) == code)
        #expect(post(code.lowercased(), daemon).status == "200")
    }

    @Test func `undo and goto open and close it, and a closed session ends its guests`() throws {
        let daemon = try start()
        let code = try #require(join("code", daemon))
        let (_, token) = post(code, daemon)
        _ = ShellCommand.run("gamectl --socket $S goto round", daemon)
        #expect(post(code, daemon).status == "404")
        _ = ShellCommand.run("gamectl --socket $S undo", daemon)
        #expect(join("code", daemon) == code)
        send("begin", daemon)
        #expect(rpc("buzz", token, daemon).contains("\"result\""))
        _ = ShellCommand.run(
            "gamectl --socket $S close; gamectl --socket $S open flow=party", daemon)
        #expect(!rpc("buzz", token, daemon).contains("\"result\""))
        #expect(!folder.text("state/tokens").contains(" guest"))
    }

    @Test func `after a restart the screens show the same code, and guests are still guests`()
        throws
    {
        let daemon = try start()
        let code = try #require(join("code", daemon))
        let (_, token) = post(code, daemon)
        daemon.signal(9)
        daemon.waitForEnd()
        let restarted = try start()
        #expect(join("code", restarted) == code)
        #expect(post(code, restarted).status == "200")
        send("begin", restarted)
        #expect(rpc("buzz", token, restarted).contains("\"result\""))
    }

    /// A daemon that was killed in another state must not accept the code that it showed before.
    @Test
    func `a code that the file still has is closed at the start if the state does not show it`()
        throws
    {
        let daemon = try start()
        let code = try #require(join("code", daemon))
        _ = post(code, daemon)
        let tokens = folder.text("state/tokens")
        send("begin", daemon)
        daemon.signal(9)
        daemon.waitForEnd()
        folder.write("state/tokens", tokens)
        let restarted = try start()
        #expect(post(code, restarted).status == "404")
    }

    @Test func `the picture of the link is for those who may observe the session`() throws {
        let daemon = try start()
        let get = { (token: String) in
            ShellCommand.run(
                "curl -sS -m 120 -o '\(folder.path)/qr.svg' -w '%{http_code}' -H 'Authorization: Bearer \(token)' $WEB/join/main.svg",
                daemon)
        }
        let hall = ShellCommand.run("gamectl --socket $S token add hall", daemon)
            .filter { !$0.isNewline }
        #expect(get("nobody") == "401")
        #expect(get(hall) == "200")
        #expect(folder.text("qr.svg").hasPrefix("<svg"))
        send("begin", daemon)
        #expect(get(hall) == "404")
    }

    @Test func `without a web page the operator gets an alert, and the state is played`() throws {
        let daemon = try start([])
        #expect(join("code", daemon) == nil)
        let alerts = ShellCommand.run("gamectl --socket $S alerts --json", daemon)
        #expect(alerts.contains(#""id":"invitation:main""#), "\(alerts)")
        #expect(alerts.contains("start it with --http, or --public"))
        send("begin", daemon)
        #expect(
            !ShellCommand.run("gamectl --socket $S alerts --json", daemon).contains("invitation"))
    }

    @Test func `--check says if everybody can join`() throws {
        let daemon = try start()
        let check = { (rule: String) in
            let file = folder.write("check.conf", "\(rule)\n")
            return ShellCommand.run(
                "gamed --check --config '\(file)' --flows '\(folder.path)' --http 127.0.0.1:0 2>&1",
                daemon)
        }
        let sentence = "the flow party shows how to join"
        #expect(check("allow source:web observe").contains(sentence))
        #expect(!check("allow token:hall observe").contains(sentence))
    }
}
