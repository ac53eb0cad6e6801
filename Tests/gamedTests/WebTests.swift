import Glibc
import Parts
import TestSupport
import Testing

/// HTTP, tested with curl: pages, methods, streams, and refused requests.
@Suite struct WebTests {
    private let folder = Folder()

    private func startDaemon(
        _ rules: String = "allow token:desk operate\n", _ arguments: [String] = []
    ) throws -> DaemonProcess {
        let file = folder.write("gamed.conf", rules)
        let httpOption = arguments.contains("--http") ? [] : ["--http", "127.0.0.1:0"]
        return try DaemonProcess(["--config", file, "--clock", "virtual"] + httpOption + arguments)
    }

    /// The body of the response to a request of curl, followed by the status. In the arguments, `$T` is the token that
    /// `addToken` has written, and `$J` is the header for JSON.
    private func curl(_ arguments: String, _ daemon: DaemonProcess) -> String {
        ShellCommand.run(
            "T=$(cat '\(folder.path)/token' 2>/dev/null); J='Content-Type: application/json'; "
                + "curl -sS -m 120 -w ' %{http_code}' \(arguments)", daemon)
    }

    /// Adds the token `desk` to a daemon, and writes it to the file from which `curl` reads it.
    private func addToken(to daemon: DaemonProcess) {
        _ = ShellCommand.run(
            "gamectl --socket $S token add desk >'\(folder.path)/token'", daemon)
    }

    /// The response to a JSON-RPC message, followed by the HTTP status. By default the request has the token; a test can pass
    /// other headers in place of the token.
    private func rpc(
        _ body: String, _ daemon: DaemonProcess,
        _ headers: String = "-H \"Authorization: Bearer $T\""
    ) -> String {
        curl("-H \"$J\" \(headers) -d '\(body)' $WEB/v1/rpc", daemon)
    }

    @Test(arguments: [
        (
            #"{"jsonrpc":"2.0","id":1,"method":"ping"}"#,
            #"{"jsonrpc":"2.0","id":1,"result":{"pong":true}} 200"#
        ),
        (#"{"jsonrpc":"2.0","method":"ping"}"#, " 204"),
        (#"[{"jsonrpc":"2.0","method":"ping"}]"#, " 204"),
        (
            #"[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"nosuch"}]"#,
            #""data":{"method":"nosuch","didYouMean":[]}}}] 200"#
        ),
    ])
    func `a JSON-RPC message gets its reply`(_ body: String, _ answer: String) throws {
        let daemon = try startDaemon()
        addToken(to: daemon)
        #expect(rpc(body, daemon).hasSuffix(answer))
    }

    @Test func `the HTTP status shows whether a request is invalid or forbidden`() throws {
        let daemon = try startDaemon()
        addToken(to: daemon)
        func status(_ body: String) -> String { String(rpc(body, daemon).suffix(3)) }
        func call(_ method: String, _ params: String) -> String {
            status(#"{"jsonrpc":"2.0","id":1,"method":"\#(method)","params":\#(params)}"#)
        }
        #expect(call("send", #"{"event":"startPlaying"}"#) == "200")
        #expect(
            call("send", #"{"event":"startPlaying"}"#) == "200",
            "a refusal by the flow has the status 200")
        #expect(call("status", #"{"session":"nosuch"}"#) == "200")
        #expect(call("send", #"{"event":"tick"}"#) == "403")
        #expect(call("nosuch", "{}") == "400")
        #expect(call("send", "{}") == "400")
        #expect(status("{bad") == "400")
        #expect(status("[]") == "400")
        #expect(status("{}") == "400")
    }

    @Test func `a storage error has the status 503, but in a batch 200`() throws {
        let daemon = try startDaemon(
            "allow token:desk operate\n", ["--state-dir", "\(folder.path)/state"])
        addToken(to: daemon)
        func call(_ method: String, _ params: String = "{}") -> String {
            #"{"jsonrpc":"2.0","id":1,"method":"\#(method)","params":\#(params)}"#
        }
        func ask(_ body: String) -> String { rpc(body, daemon) }
        #expect(ask(call("history")).hasSuffix(" 200"))
        let backup = call("backup", #"{"to":"\#(folder.path)/nowhere/copy","onServer":true}"#)
        let failedBackup = ask(backup)
        #expect(
            failedBackup.contains(#""message":"storage""#) && failedBackup.hasSuffix(" 503"),
            "\(failedBackup)")
        #expect(ask("[\(backup)]").hasSuffix(" 200"))
        // The journal cannot grow from here, so the next change is rolled back.
        _ = ShellCommand.run("prlimit --pid \(daemon.pid) --fsize=4000:unlimited")
        let failedSend = ask(call("send", #"{"event":"startPlaying"}"#))
        #expect(
            failedSend.contains(#""message":"storage""#) && failedSend.hasSuffix(" 503"),
            "\(failedSend)")
        #expect(ask("[\(call("send", #"{"event":"startPlaying"}"#))]").hasSuffix(" 200"))
    }

    @Test(arguments: ["9223372036854775807", "9223372036854775806", "9007199254740992", "-1", "x"])
    func `a stream from an invalid position is refused, and the daemon continues`(
        _ number: String
    ) throws {
        let daemon = try startDaemon()
        addToken(to: daemon)
        let instance =
            "$(gamectl --json --socket $S hello | sed 's/.*\"instance\":\"\\([0-9a-f]*\\).*/\\1/')"
        let bearer = "-H \"Authorization: Bearer $T\""
        for request in [
            "\"$WEB/v1/events?since=\(instance):\(number)\"",
            "-H \"Last-Event-ID: \(instance):\(number)\" $WEB/v1/events",
        ] {
            let answer = curl("\(bearer) \(request)", daemon)
            #expect(answer.hasSuffix(" 400") && answer.contains("since: expected INSTANCE:POS"))
        }
        #expect(curl("$WEB/healthz", daemon) == "ok\n 200")
    }

    @Test func `without a token nothing is allowed, and an invalid token is reported`() throws {
        let daemon = try startDaemon("allow token:desk play\n")
        addToken(to: daemon)
        let statusRequest = #"{"jsonrpc":"2.0","id":1,"method":"status"}"#
        let forbiddenError = #""error":{"code":4,"message":"forbidden","data":{"#
        #expect(rpc(statusRequest, daemon, "").hasSuffix(#""needs":"observe"}}} 401"#))
        #expect(rpc(statusRequest, daemon, "").contains(forbiddenError))
        #expect(rpc(statusRequest, daemon, "-H 'Authorization: Bearer 00'").hasSuffix(" 401"))
        #expect(rpc(statusRequest, daemon, "-H 'Authorization: Basic 00'").hasSuffix(" 401"))
        #expect(rpc(statusRequest, daemon, "-b gamed=00").hasSuffix(" 401"))
        #expect(rpc(statusRequest, daemon).hasSuffix(" 200"))
        let gotoRequest = #"{"jsonrpc":"2.0","id":1,"method":"goto","params":{"state":"help"}}"#
        #expect(rpc(gotoRequest, daemon).hasSuffix(#""needs":"operate"}}} 403"#))
        #expect(rpc(gotoRequest, daemon, "").hasSuffix(" 401"))
        #expect(curl("$WEB/v1/events", daemon).hasSuffix(" 401"))
        for path in ["/", "/play/main", "/metrics", "/healthz", "/openapi.json"] {
            #expect(curl("-o /dev/null $WEB\(path)", daemon) == " 200")
        }
    }

    @Test func `signing in sets a cookie that scripts and other sites cannot use`() throws {
        let daemon = try startDaemon()
        addToken(to: daemon)
        let jar = "\(folder.path)/jar"
        let login = curl(
            "-i -c '\(jar)' -H \"$J\" -d \"{\\\"token\\\":\\\"$T\\\"}\" $WEB/v1/login", daemon)
        #expect(login.contains("; HttpOnly; SameSite=Strict\r\n"))
        #expect(login.hasSuffix(#"{"name":"desk","role":"operate"} 200"#))
        let helloRequest = #"{"jsonrpc":"2.0","id":1,"method":"hello"}"#
        #expect(rpc(helloRequest, daemon, "-b '\(jar)'").hasSuffix(" 200"))
        let plainLogin = curl("-H 'Content-Type: text/plain' -d \" $T \" $WEB/v1/login", daemon)
        #expect(plainLogin.hasSuffix(" 200"))
        let logout = curl(
            "-i -b '\(jar)' -c '\(jar)' -H \"$J\" -d '{\"token\":\"\"}' $WEB/v1/login", daemon)
        #expect(logout.contains("Max-Age=0") && logout.hasSuffix(" 401"))
        #expect(rpc(helloRequest, daemon, "-b '\(jar)'").hasSuffix(" 401"))
    }

    @Test func `each page signs in and out separately`() throws {
        let daemon = try startDaemon()
        addToken(to: daemon)
        let jar = "\(folder.path)/jar"
        func login(_ page: String, _ token: String) -> String {
            curl(
                "-i -b '\(jar)' -c '\(jar)' -H 'Gamed-Page: \(page)' -H 'Content-Type: text/plain' "
                    + "-d \"\(token)\" $WEB/v1/login", daemon)
        }
        let helloRequest = #"{"jsonrpc":"2.0","id":1,"method":"hello"}"#
        func status(_ page: String) -> Substring {
            rpc(helloRequest, daemon, "-b '\(jar)' -H 'Gamed-Page: \(page)'").suffix(4)
        }
        #expect(login("desk", "$T").contains(".desk="))
        #expect(login("play.main", "$T").contains(".play.main="))
        #expect(status("desk") == " 200" && status("play.main") == " 200")
        #expect(status("play.other") == " 401")
        #expect(
            rpc(helloRequest, daemon, "-b '\(jar)'").hasSuffix(" 401"),
            "a request without a page's name used the cookie of a page")
        #expect(login("desk", "").contains("Max-Age=0"))
        #expect(status("desk") == " 401" && status("play.main") == " 200")
        for invalidHeader in ["-H 'Gamed-Page;'", "-H 'Gamed-Page: a/b'", "-H 'Gamed-Page: ä'"] {
            let answer = rpc(helloRequest, daemon, invalidHeader)
            #expect(answer.contains("Gamed-Page: expected") && answer.hasSuffix(" 400"))
        }
        let repeatedHeader = rpc(
            helloRequest, daemon, "-H 'Gamed-Page: desk' -H 'Gamed-Page: desk'")
        #expect(repeatedHeader.hasSuffix(" 400"))
    }

    @Test func `a failed sign-in is reported and counted`() throws {
        let daemon = try startDaemon()
        #expect(curl("-H \"$J\" -d '{\"token\":\"00\"}' $WEB/v1/login", daemon).hasSuffix(" 401"))
        #expect(daemon.waitFor("may not login: needs a valid token"))
        #expect(rpc("{}", daemon, "-H 'Authorization: Bearer 00'").hasSuffix(" 401"))
        #expect(
            curl("$WEB/metrics", daemon).contains(
                "gamed_requests_total{method=\"other\",outcome=\"forbidden\"} 2\n"))
    }

    @Test func `removing a token ends its streams`() throws {
        let daemon = try startDaemon()
        addToken(to: daemon)
        let output = ShellCommand.run(
            """
            T=$(cat '\(folder.path)/token'); d='\(folder.path)'; touch $d/out
            curl -sSN -m 120 -H "Authorization: Bearer $T" $WEB/v1/events >$d/out 2>/dev/null & p=$!
            for i in $(seq 2000); do grep -q snapshot $d/out && break; sleep 0.05; done
            gamectl --socket $S token remove desk; wait $p; echo ended
            """, daemon)
        #expect(output == "token desk removed; 1 connection closed\nended\n")
    }

    @Test(arguments: [
        ("-H 'Host: evil.example'", "403"), ("-H 'Host: localhost:1'", "403"),
        ("-H 'Host;'", "403"),
        ("-H 'Origin: http://evil.example'", "403"), ("-H 'Origin: null'", "403"),
        ("-H 'Sec-Fetch-Site: cross-site'", "403"), ("-H \"Origin: $WEB\"", "200"),
        ("-H \"Host: localhost:${WEB##*:}\"", "200"), ("-H 'Sec-Fetch-Site: same-origin'", "200"),
    ])
    func `a request with another host or from another site's page is refused`(
        _ header: String, _ status: String
    ) throws {
        let daemon = try startDaemon()
        #expect(curl("\(header) $WEB/healthz", daemon).hasSuffix(" \(status)"))
        #expect(curl("\(header) -o /dev/null $WEB/", daemon).hasSuffix(" \(status)"))
    }

    @Test func `a configured host name is accepted`() throws {
        let daemon = try startDaemon("", ["--http-host", "Hall.example"])
        #expect(curl("-H 'Host: hall.example' $WEB/healthz", daemon) == "ok\n 200")
        #expect(curl("-H 'Host: hall.example:8443' $WEB/healthz", daemon) == "ok\n 200")
    }

    @Test func `a request is checked in the documented order`() throws {
        let daemon = try startDaemon("limit requests=0\n")
        let bigBody =
            "-H 'Content-Type: text/plain' -d @'\(folder.write("big", String(repeating: "x", count: 70_000)))'"
        #expect(curl("-H 'Host: evil' -X PUT \(bigBody) $WEB/nosuch", daemon).hasSuffix(" 403"))
        #expect(curl("-X PUT \(bigBody) $WEB/nosuch", daemon).hasSuffix(" 404"))
        #expect(curl("-X PUT \(bigBody) $WEB/v1/rpc", daemon).hasSuffix(" 405"))
        #expect(curl("\(bigBody) $WEB/v1/rpc", daemon).hasSuffix(" 415"))
        let bigJSON = "-H \"$J\" -d @'\(folder.path)/big'"
        #expect(
            curl("\(bigJSON) $WEB/v1/rpc", daemon).hasSuffix(
                #""message":"limit","data":{"which":"bodyBytes","limit":65536}}} 413"#))
        #expect(curl("-H \"$J\" -d '{bad' $WEB/v1/rpc", daemon).hasSuffix(" 400"))
    }

    @Test func `a request with a very long body is checked in the documented order, and not read`()
        throws
    {
        let daemon = try startDaemon()
        // The client sends no body, and waits for the answer.
        func answer(_ request: String) -> String {
            ShellCommand.run(
                """
                printf '\(request)\\r\\nContent-Length: 50000000\\r\\n\\r\\n' |
                    timeout 60 bash -c 'exec 3<>/dev/tcp/127.0.0.1/'"${WEB##*:}"'; cat >&3; cat <&3'
                """, daemon)
        }
        let (json, host) = (
            #"\r\nContent-Type: application/json"#, #"\r\nHost: localhost:'"${WEB##*:}"'"#
        )
        for (request, status) in [
            (#"POST /nope HTTP/1.1\r\nHost: evil"#, 403), ("POST /nope HTTP/1.1\(host)", 404),
            ("PUT /v1/rpc HTTP/1.1\(host)", 405), ("POST /v1/rpc HTTP/1.1\(host)", 415),
            ("POST /v1/rpc HTTP/1.1\(host)\(json)", 413),
            ("POST /join HTTP/1.1\(host)\(json)", 413),
            ("POST /v1/login HTTP/1.1\(host)\(json)", 413),
            ("POST /v1/send/main/startPlaying HTTP/1.1\(host)", 413),
        ] {
            let answer = answer(request)
            #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(request): \(answer)")
            #expect(answer.contains("\r\nConnection: close\r\n"), "\(answer)")
            #expect((status == 413) == answer.contains(#""which":"bodyBytes","limit":65536"#))
        }
    }

    @Test(arguments: [
        ("-X DELETE $WEB/v1/rpc", "405"), ("-X OPTIONS $WEB/", "405"), ("-d x $WEB/metrics", "405"),
        ("-X TRACE $WEB/", "405"), ("-X FOO $WEB/", "501"), ("--path-as-is $WEB/page/../x", "404"),
        ("--path-as-is $WEB//healthz", "404"),
        ("-d @/etc/services -H 'Content-Length: 99999999' -H \"$J\" $WEB/v1/rpc", "413"),
        ("-H \"A: $(printf %020000d 0)\" $WEB/", "400"),
    ])
    func `a request that no page or method serves gets a JSON error`(
        _ request: String, _ status: String
    ) throws {
        let daemon = try startDaemon()
        let answer = curl(request, daemon)
        #expect(answer.hasSuffix(" \(status)"), "\(answer)")
        #expect(answer.hasPrefix("{"), "\(answer)")
    }

    @Test
    func `a stream begins with the present status, sends changes, and resumes where it was cut`()
        throws
    {
        let daemon = try startDaemon("allow source:web observe\n")
        /// The stream that curl receives while a command runs, until the stream contains a word.
        func listen(_ header: String, while command: String, until word: String) -> String {
            EventStream.read(
                "\(header) \"$WEB/v1/events?session=*&topics=changes,refusals\"", daemon,
                while: command, until: word)
        }
        func ids(_ stream: String) -> [String] {
            stream.split(separator: "\n").filter { $0.hasPrefix("id: ") }.map {
                String($0.dropFirst(4))
            }
        }
        let send = "gamectl --socket $S send"
        let firstStream = listen(
            "", while: "\(send) displayHelp >/dev/null; \(send) pause 2>/dev/null >&2",
            until: "event: refused")
        #expect(firstStream.hasPrefix("retry: 1000\n\nid: "))
        let events = firstStream.split(separator: "\n").filter { $0.hasPrefix("event: ") }
        #expect(events == ["event: snapshot", "event: change", "event: refused"])
        let lastID = try #require(ids(firstStream).last)
        #expect(lastID.hasSuffix(":2"))
        _ = ShellCommand.run("\(send) dismissHelp; \(send) displayHelp", daemon)
        let secondStream = listen(
            "-H 'Last-Event-ID: \(lastID)'", while: "\(send) dismissHelp >/dev/null", until: ":5")
        #expect(
            ids(secondStream).map { $0.split(separator: ":").last.map(String.init) }
                == ["3", "4", "5"])
        // The position is greater than all positions of the daemon.
        let futureStream = listen("-H 'Last-Event-ID: \(lastID)9'", while: ":", until: "event: gap")
        #expect(
            futureStream.contains("event: gap\ndata: {\"session\":\"*\",\"since\":29,\"pos\":5,"))
        // The position belongs to another instance of the daemon.
        let foreignStream = listen("-H 'Last-Event-ID: 0000:2'", while: ":", until: "snapshot")
        #expect(ids(foreignStream).map { $0.split(separator: ":").last.map(String.init) } == ["5"])
    }

    @Test
    func
        `a stream of one session continues after any position, and has only changes of this session`()
        throws
    {
        let daemon = try startDaemon("allow source:web observe\n")
        func ids(_ stream: String) -> [[Substring]] {
            stream.split(separator: "\n").filter { $0.hasPrefix("id: ") }
                .map { $0.dropFirst(4).split(separator: ":") }
        }
        let instance = try #require(ids(EventStream.read("$WEB/v1/events", daemon)).first?.first)
        _ = ShellCommand.run(
            """
            c() { gamectl --socket $S "$@" >/dev/null; }
            c open @other; c send displayHelp; c send @other displayHelp; c send dismissHelp
            """, daemon)
        let header = "-H 'Last-Event-ID: \(instance):2'"
        let output = EventStream.read(
            "\(header) \"$WEB/v1/events?session=main\"", daemon, until: "^id: .*:5$")
        #expect(ids(output).map(\.last) == ["3", "5"])
    }

    @Test func `the desk may load only its own files, and no page may embed it in a frame`() throws
    {
        let head = curl("-i $WEB/", try startDaemon())
        for line in [
            "default-src 'none'", "script-src 'self'", "frame-ancestors 'none'",
            "X-Content-Type-Options: nosniff", "Referrer-Policy: no-referrer",
        ] {
            #expect(head.contains(line), "\(line)")
        }
        #expect(!head.contains("unsafe"))
    }

    @Test func `HTTP works at a UNIX socket, where a user is identified by the uid`() throws {
        let path = "\(folder.path)/web.sock"
        let daemon = try startDaemon("allow uid:\(getuid()) play\n", ["--http", "unix:\(path)"])
        let request = #"{"jsonrpc":"2.0","id":1,"method":"send","params":{"event":"displayHelp"}}"#
        let output = curl(
            "--unix-socket '\(path)' -H \"$J\" -d '\(request)' http://localhost/v1/rpc", daemon)
        #expect(output.contains(#""source":{"kind":"web"}"#), "\(output)")
        let history = ShellCommand.run("gamectl --socket $S history --json", daemon)
        #expect(history.contains(#""source":{"kind":"web","peer":{"pid":"#), "\(history)")
        #expect(output.hasSuffix(" 200"))
        let stream = EventStream.read(
            "--unix-socket '\(path)' http://localhost/v1/events", daemon)
        #expect(stream.contains("event: snapshot"))
    }

    /// The program schemathesis makes valid and invalid requests for everything in the OpenAPI description.
    @Test(arguments: seeds(1, long: 5))
    func `schemathesis finds no difference between the daemon and its description`(seed: UInt64)
        throws
    {
        let daemon = try startDaemon(
            "allow token:desk operate\nlimit requests=0\nlimit requestsInAll=0\n")
        addToken(to: daemon)
        let output = ShellCommand.run(
            ".venv/bin/python Tests/gamedTests/Clients/openapi.py $WEB $(cat '\(folder.path)/token') \(seed)",
            daemon)
        #expect(output.split(separator: "\n").last?.hasPrefix("ok openapi: ") == true, "\(output)")
    }

    @Test func `the parser of the Prometheus client library accepts the metrics`() throws {
        let output = ShellCommand.run(
            ".venv/bin/python Tests/gamedTests/Clients/metrics.py $WEB", try startDaemon())
        #expect(output.split(separator: "\n").last == "ok metrics", "\(output)")
    }

    @Test func `a change that was acknowledged over HTTP is durable`() throws {
        let stateFolder = Folder()
        let file = folder.write("gamed.conf", "allow source:web play\n")
        let arguments = [
            "--config", file, "--http", "127.0.0.1:0", "--state-dir", stateFolder.path,
        ]
        let request = #"{"jsonrpc":"2.0","id":1,"method":"send","params":{"event":"displayHelp"}}"#
        do {
            let daemon = try DaemonProcess(arguments)
            #expect(rpc(request, daemon, "").hasSuffix(" 200"))
            daemon.signal(SIGKILL)
            daemon.waitForEnd()
        }
        let daemon = try DaemonProcess(arguments)
        let status = rpc(#"{"jsonrpc":"2.0","id":1,"method":"status"}"#, daemon, "")
        #expect(status.contains(#""state":"help""#))
        let history = ShellCommand.run("gamectl --socket $S history --json", daemon)
        #expect(history.contains(#""source":{"kind":"web","peer":{"address":"127.0.0.1:"#))
    }
}
