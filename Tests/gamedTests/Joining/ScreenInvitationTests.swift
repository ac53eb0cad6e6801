import TestSupport
import Testing

/// States with `join`: the screens of the session show a link and a code, and people join with them.
@Suite struct ScreenInvitationTests {
    private let folder = Folder()

    private func start(
        _ arguments: [String] = ["--http", "127.0.0.1:0"], alerts: Bool = false
    ) throws -> DaemonProcess {
        folder.write(
            "party.yaml",
            """
            flow: party
            start: lobby
            events: {begin: {}, home: {}, buzz: {args: {player: text}}, solve: {args: {player: text}, hidden: players}}
            states:
              lobby: {show: {join: true, text: Join us}, on: {begin: round}}
              round: {on: {home: lobby, buzz: stay, solve: stay}}

            """)
        let file = folder.write(
            "gamed.conf",
            "allow token:hall observe\nallow token:desk operate\nsession main flow=party\n"
                + (alerts ? "on alert run=note\n" : ""))
        folder.write("note", "#!/bin/sh\necho begun >>'\(folder.path)/begun'\n")
        _ = ShellCommand.run("chmod +x '\(folder.path)/note'")
        return try DaemonProcess(
            [
                "--config", file, "--clock", "virtual", "--flows", folder.path, "--state-dir",
                "\(folder.path)/state",
                "--outputs", "on",
            ] + arguments)
    }

    /// A member of `show.join` in the status of the session; nil if the session does not show how to join.
    private func join(_ member: String, _ daemon: DaemonProcess) -> String? {
        let status = ShellCommand.run("gamectl --socket $S status --json", daemon)
        guard let show = status.firstMatch(of: /"show":(\{.*?\}\})/)?.output.1,
            let value = show.firstMatch(of: try! Regex("\"\(member)\":\"([^\"]*)\""))
        else { return nil }
        return value[1].substring.map(String.init)
    }

    /// The code on the screens after a start. The session is opened when the daemon listens already.
    private func firstCode(_ daemon: DaemonProcess) throws -> String {
        for _ in 0..<1000 { if let code = join("code", daemon) { return code } }
        return try #require(nil as String?, "the screens show no code")
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
        let code = try firstCode(daemon)
        let link = try #require(join("link", daemon))
        #expect(link.hasPrefix("\(daemon.webAddress)/join#"), "\(link)")
        let (status, token) = post(code, daemon)
        #expect(status == "200")
        send("begin", daemon)
        #expect(join("code", daemon) == nil)
        #expect(post(code, daemon).status == "404")
        // A reload reads the token file, which does not say what the screens show.
        let reload = ShellCommand.run("gamectl --socket $S reload", daemon)
        #expect(!reload.contains("tokens"), "\(reload)")
        #expect(post(code, daemon).status == "404")
        #expect(rpc("buzz", token, daemon).contains("\"result\""))
        #expect(!rpc("solve", token, daemon).contains("\"result\""))
        let solved = ShellCommand.run("gamectl --socket $S send solve player=host", daemon)
        #expect(solved.contains("solve"), "\(solved)")
        send("home", daemon)
        #expect(join("code", daemon) == code)
        #expect(post(code.lowercased(), daemon).status == "200")
    }

    @Test func `undo and goto open and close it, and a closed session ends its guests`() throws {
        let daemon = try start()
        let code = try firstCode(daemon)
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
        let code = try firstCode(daemon)
        let (_, token) = post(code, daemon)
        daemon.signal(9)
        daemon.waitForEnd()
        let restarted = try start()
        #expect(try firstCode(restarted) == code)
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
        let code = try firstCode(daemon)
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

    /// The address of the pages is not known yet when the sessions are opened.
    @Test func `a start with a web page begins no alert`() throws {
        let daemon = try start(["--http", "127.0.0.1:0"], alerts: true)
        _ = try firstCode(daemon)
        #expect(folder.text("begun") == "")
        #expect(ShellCommand.run("gamectl --socket $S alerts", daemon).contains("no alert"))
    }

    @Test func `a session of an older version of the flow is followed, too`() throws {
        let daemon = try start()
        let code = try firstCode(daemon)
        let file = folder.text("party.yaml")
        folder.write("party.yaml", file.replacing("join: true, ", with: ""))
        _ = ShellCommand.run("gamectl --socket $S reload", daemon)
        #expect(join("code", daemon) == code)
        send("begin", daemon)
        #expect(post(code, daemon).status == "404")
    }

    @Test func `a session that is played again ends the guests of the game before`() throws {
        let daemon = try start()
        let code = try firstCode(daemon)
        let (_, token) = post(code, daemon)
        _ = ShellCommand.run("gamectl --socket $S open flow=party again=true", daemon)
        #expect(!rpc("buzz", token, daemon).contains("\"result\""))
        let newCode = try #require(join("code", daemon))
        #expect(newCode != code && post(newCode, daemon).status == "200")
    }

    @Test func `a guest who joins when a hundred have joined is refused`() throws {
        let daemon = try start()
        let code = try firstCode(daemon)
        let statuses = (0..<101).map { _ in post(code, daemon).status }
        #expect(statuses == Array(repeating: "200", count: 100) + ["429"])
    }

    @Test func `without a web page the operator gets an alert, and the state is played`() throws {
        let daemon = try start([], alerts: true)
        let sent = ShellCommand.run(
            "for i in $(seq 600); do [ -s '\(folder.path)/begun' ] && break; sleep 0.1; done; cat '\(folder.path)/begun'"
        )
        #expect(sent == "begun\n")
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
