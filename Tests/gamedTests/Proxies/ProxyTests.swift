import TestSupport
import Testing

/// gamed behind the proxies of Debian, with TLS at the proxy, at the root and below a path.
@Suite(.serialized, .enabled(if: ReverseProxy.areInstalled)) struct ProxyTests {
    private let folder = Folder()

    @Test(arguments: ReverseProxy.allCases)
    func
        `pages, sign-in, joining and streams work behind a proxy, which is not taken for its clients`(
            _ proxy: ReverseProxy
        ) throws
    {
        TestCertificates.ofClients.write(to: folder)
        let (port, upstream) = (LoopbackPort.findUnused(), LoopbackPort.findUnused())
        let file = folder.write(
            "gamed.conf",
            "allow token:desk operate\nhttp 127.0.0.1:\(upstream)\nhttp-host room.example\n"
                + "http-proxy 127.0.0.1\nlimit requests=0\n")
        let daemon = try DaemonProcess(["--config", file])
        let token = ShellCommand.run("gamectl --socket $S token add desk", daemon).dropLast()
        let process = try proxy.start(at: port, upstream: upstream, in: folder)
        defer {
            process.signal(15)
            process.waitForEnd()
        }
        let output = ShellCommand.run(
            "/usr/bin/python3 Tests/gamedTests/Clients/proxied.py \(port) '\(folder.path)/ca.pem' \(token) "
                + "$S '\(DaemonProcess.programDirectory)/gamectl'", daemon)
        #expect(output == "ok proxied\n", "\(proxy.rawValue): \(output)")
    }

    @Test func `without --http-proxy the headers of a client are ignored`() throws {
        let file = folder.write(
            "gamed.conf", "allow token:desk operate\nallow source:web operate\n")
        func address(_ arguments: [String], _ headers: String) throws -> String {
            let daemon = try DaemonProcess(["--config", file, "--http", "127.0.0.1:0"] + arguments)
            return ShellCommand.run(
                "curl -sS -m 60 \(headers) -H 'Content-Type: application/json' "
                    + "-d '{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"goto\",\"params\":{\"state\":\"help\"}}' $WEB/v1/rpc "
                    + "| sed 's/.*\"address\":\"\\([^\"]*\\)\".*/\\1/'", daemon)
        }
        let forged = "-H 'X-Forwarded-For: 192.0.2.7'"
        #expect(try address([], forged).hasPrefix("127.0.0.1:"))
        #expect(try address(["--http-proxy", "192.0.2.1"], forged).hasPrefix("127.0.0.1:"))
        let trusted = ["--http-proxy", "127.0.0.1", "--http-proxy", "10.0.0.9"]
        #expect(try address(trusted, forged) == "192.0.2.7")
        // The last entry that is no proxy.
        #expect(
            try address(trusted, "-H 'X-Forwarded-For: 1.2.3.4, 192.0.2.8, 10.0.0.9'")
                == "192.0.2.8")
        #expect(
            try address(
                trusted, "-H 'X-Forwarded-For: 1.2.3.4' -H 'X-Forwarded-For: [2001:db8::1]:5'")
                == "[2001:db8::1]")
        // What is no address says nothing.
        #expect(try address(trusted, "-H 'X-Forwarded-For: unknown'").hasPrefix("127.0.0.1:"))
    }

    @Test func `a refused Host or Origin is in the log, with what to do`() throws {
        let daemon = try DaemonProcess(["--http", "127.0.0.1:0"])
        for _ in 0..<4 {
            let answer = ShellCommand.run("curl -sS -m 60 -H 'Host: venue.test' $WEB/", daemon)
            #expect(answer.contains("--http-host NAME"), "\(answer)")
        }
        #expect(daemon.waitFor("was refused: Host: venue.test is not served here"))
        #expect(daemon.waitFor("admits the name of a proxy; 4 times so far"))
        #expect(daemon.output.ranges(of: "Host: venue.test").count == 3)
        _ = ShellCommand.run("curl -sS -m 60 -H 'Origin: https://venue.test' $WEB/livez", daemon)
        #expect(
            daemon.waitFor("was refused: Origin: https://venue.test is not the address in Host"))
        #expect(daemon.waitFor("proxy_set_header Host $http_host"))
    }

    @Test func `--public with https makes the cookie Secure for its host`() throws {
        let file = folder.write("gamed.conf", "allow token:desk operate\n")
        let daemon = try DaemonProcess([
            "--config", file, "--http", "127.0.0.1:0", "--public", "https://venue.test/rooms/",
        ])
        func cookie(_ host: String) -> String {
            ShellCommand.run(
                "T=$(gamectl --socket $S token add t$$); curl -sS -m 60 -D - -o /dev/null \(host) -d \"$T\" "
                    + "-H 'Content-Type: text/plain' $WEB/v1/login | grep -i '^set-cookie'", daemon)
        }
        #expect(cookie("-H 'Host: venue.test'").contains("; Secure"))
        #expect(!cookie("").contains("; Secure"))
        let link = ShellCommand.run("gamectl --socket $S invite main | head -1", daemon)
        #expect(link.contains(" https://venue.test/rooms/join#"), "\(link)")
    }

    @Test func `a socket for a proxy has the group and the mode of the options`() throws {
        let path = "\(folder.path)/web.sock"
        let daemon = try DaemonProcess([
            "--http", "unix:\(path)", "--http-group", "0", "--http-mode", "0666",
        ])
        #expect(ShellCommand.run("stat -c '%a %g' '\(path)'") == "666 0\n")
        #expect(
            ShellCommand.run("curl -sS -m 60 --unix-socket '\(path)' http://x/livez", daemon)
                == "ok\n")
        let refused = ShellCommand.run("gamed --http 127.0.0.1:0 --http-mode 0666; echo $?")
        #expect(
            refused.contains("--http-mode requires --http unix:PATH") && refused.hasSuffix("2\n"))
        for option in ["--http-mode 999", "--http-mode 0777777", "--http-group nosuchgroup"] {
            #expect(
                ShellCommand.run("gamed --http unix:\(path) \(option); echo $?").hasSuffix("2\n"))
        }
    }

    @Test func `a proxy at a UNIX socket names its clients`() throws {
        let path = "\(folder.path)/web.sock"
        let file = folder.write("gamed.conf", "allow source:web operate\n")
        let daemon = try DaemonProcess([
            "--config", file, "--http", "unix:\(path)", "--http-proxy", "unix",
        ])
        let answer = ShellCommand.run(
            "curl -sS -m 60 --unix-socket '\(path)' -H 'X-Forwarded-For: 192.0.2.7' -H 'Content-Type: application/json' "
                + "-d '{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"goto\",\"params\":{\"state\":\"help\"}}' http://x/v1/rpc",
            daemon)
        #expect(answer.contains(#""peer":{"address":"192.0.2.7"}"#), "\(answer)")
    }
}

/// Pages of other origins (`--http-origin`).
@Suite struct OtherOriginTests {
    private let folder = Folder()

    private func start(_ arguments: [String] = ["--http-origin", "https://Show.example"]) throws
        -> DaemonProcess
    {
        let file = folder.write(
            "gamed.conf", "allow token:overlay observe\nallow token:desk operate\n")
        return try DaemonProcess(["--config", file, "--http", "127.0.0.1:0"] + arguments)
    }

    private func curl(_ words: String, _ daemon: DaemonProcess) -> String {
        ShellCommand.run("curl -sS -m 60 -D - -H 'Origin: https://show.example' \(words)", daemon)
    }

    @Test func `a browser may ask whether it may send, and only for two paths`() throws {
        let daemon = try start()
        for path in ["/v1/events", "/v1/rpc"] {
            let answer = curl("-X OPTIONS $WEB\(path)", daemon)
            #expect(answer.hasPrefix("HTTP/1.1 204 "), "\(answer)")
            #expect(answer.contains("Access-Control-Allow-Origin: https://show.example\r\n"))
            #expect(answer.contains("Access-Control-Allow-Headers: Authorization"))
            #expect(!answer.lowercased().contains("allow-credentials"))
        }
        for path in ["/", "/v1/login", "/v1/send/main/pause", "/metrics"] {
            #expect(curl("-X OPTIONS $WEB\(path)", daemon).hasPrefix("HTTP/1.1 403 "), "\(path)")
        }
        #expect(
            ShellCommand.run(
                "curl -sS -m 60 -o /dev/null -w '%{http_code}' -H 'Origin: https://other.example' $WEB/v1/rpc",
                daemon)
                == "403")
    }

    @Test func `a page of another origin has the rights of its token, and no cookie`() throws {
        let daemon = try start()
        let token = ShellCommand.run("gamectl --socket $S token add desk", daemon).dropLast()
        let ping =
            "-H 'Content-Type: application/json' -d '{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"status\"}' $WEB/v1/rpc"
        let allowed = curl("-H 'Authorization: Bearer \(token)' \(ping)", daemon)
        #expect(allowed.hasPrefix("HTTP/1.1 200 "), "\(allowed)")
        #expect(allowed.contains("Access-Control-Allow-Origin: https://show.example"))
        let port = daemon.webAddress.split(separator: ":").last ?? ""
        let withCookie = curl("-b 'gamed-\(port)=\(token)' \(ping)", daemon)
        #expect(withCookie.hasPrefix("HTTP/1.1 401 "), "\(withCookie)")
        #expect(withCookie.contains("Access-Control-Allow-Origin"))
        // The same cookie counts for a request of the daemon's own page.
        #expect(
            ShellCommand.run("curl -sS -m 60 -b 'gamed-\(port)=\(token)' \(ping)", daemon).contains(
                "result"))
    }

    @Test func `a stream takes a token that was made for URLs in its query`() throws {
        let daemon = try start()
        let token = ShellCommand.run("gamectl --socket $S token add overlay --url", daemon)
            .dropLast()
        let stream = EventStream.read(
            "-D - -H 'Origin: https://show.example' \"$WEB/v1/events?session=main&token=\(token)\"",
            daemon)
        #expect(
            stream.hasPrefix("HTTP/1.1 200 ") && stream.contains("event: snapshot"), "\(stream)")
        #expect(stream.contains("X-Accel-Buffering: no\r\n"))
        #expect(stream.contains("Cache-Control: no-store\r\n"))
        #expect(curl("\"$WEB/v1/events?session=main&token=0\"", daemon).hasPrefix("HTTP/1.1 401 "))
        // Only a page of another origin may use it.
        let own = ShellCommand.run(
            "curl -sS -m 60 -o /dev/null -w '%{http_code}' \"$WEB/v1/events?session=main&token=\(token)\"",
            daemon)
        #expect(own == "400")
    }

    @Test func `null is warned of, and what is no origin is refused`() throws {
        let daemon = try start(["--http-origin", "null"])
        #expect(daemon.output.contains("--http-origin null admits every file"))
        for value in ["show.example", "https://show.example/path", "*", "https://"] {
            #expect(
                ShellCommand.run("gamed --http-origin '\(value)'; echo $?").hasSuffix("2\n"),
                "\(value)")
        }
    }
}
