import Glibc
import TestSupport
import Testing

/// Joining over HTTP, with gamectl and curl.
@Suite struct JoinWebTests {
    private let folder = Folder()

    private func startDaemon(_ options: [String] = []) throws -> DaemonProcess {
        let path = folder.write("gamed.conf", "allow token:desk operate\n")
        return try DaemonProcess(
            [
                "--config", path, "--flow", "quiz", "--http", "127.0.0.1:0", "--tokens",
                "\(folder.path)/tokens",
            ] + options)
    }

    /// Makes an invitation to session `main` with gamectl.
    private func invite(_ daemon: DaemonProcess, _ words: String) -> (code: String, link: String) {
        let output = ShellCommand.run(
            "gamectl --socket \"$S\" --json invite main \(words)", daemon)
        func text(_ name: String) -> String {
            output.firstRange(of: "\"\(name)\":\"").map {
                String(output[$0.upperBound...].prefix { $0 != "\"" })
            } ?? output
        }
        return (text("code"), text("link"))
    }

    /// The body and the status of the response to `POST /join`. The file `jar` holds the cookies of one browser.
    private func join(_ daemon: DaemonProcess, _ body: String, jar: String = "jar") -> String {
        let cookies = "'\(folder.path)/\(jar)'"
        return ShellCommand.run(
            "curl -s -w ' %{http_code}' -b \(cookies) -c \(cookies) -H 'Content-Type: application/json'"
                + " -d '\(body)' \"$WEB/join\"", daemon)
    }

    /// The secret of a link, which is its part after `#`.
    private func key(of link: String) -> String { String(link.drop { $0 != "#" }.dropFirst()) }

    /// Sends an event like the players' page, with the cookies in the file `jar`, and returns the body of the response.
    private func send(_ daemon: DaemonProcess, _ params: String, jar: String = "jar") -> String {
        ShellCommand.run(
            "curl -s -b '\(folder.path)/\(jar)' -H 'Gamed-Page: play.main' -H 'Content-Type: application/json'"
                + " -d '{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"send\",\"params\":\(params)}' \"$WEB/v1/rpc\"",
            daemon)
    }

    @Test func `a code is exchanged for a token that can buzz as Ann only`() throws {
        let daemon = try startDaemon()
        let (code, link) = invite(daemon, "--as Ann")
        #expect(link.hasPrefix("\(daemon.webAddress)/join#"), "\(link)")
        let answer = join(daemon, "{\"code\":\"\(code.lowercased())\"}")
        #expect(answer == #"{"session":"main","role":"play","as":"Ann"} 200"#, "\(answer)")
        #expect(send(daemon, #"{"event":"start","args":{"rounds":2}}"#).contains("result"))
        let answerForBob = send(daemon, #"{"event":"buzz","args":{"player":"Bob"}}"#)
        #expect(answerForBob.contains("forbidden"), "\(answerForBob)")
        let answerForAnn = send(daemon, #"{"event":"buzz"}"#)
        #expect(answerForAnn.contains(#""args":{"player":"Ann"}"#), "\(answerForAnn)")
    }

    @Test func `an invitation for one guest is for one browser, which may open it again`() throws {
        let daemon = try startDaemon()
        let (code, link) = invite(daemon, "--once")
        let body = "{\"link\":\"\(key(of: link))\"}"
        #expect(join(daemon, body, jar: "first").hasSuffix(" 200"))
        let firstCookies = folder.text("first")
        #expect(join(daemon, body, jar: "first").hasSuffix(" 200"))
        #expect(
            folder.text("first").split(separator: "\n").last
                == firstCookies.split(separator: "\n").last)
        #expect(join(daemon, body, jar: "second").hasSuffix(" 410"))
        #expect(join(daemon, "{\"code\":\"\(code)\"}", jar: "second").hasSuffix(" 410"))
    }

    @Test func `after five wrong codes a right code is refused, and a link is accepted`() throws {
        let daemon = try startDaemon()
        let (code, link) = invite(daemon, "")
        for _ in 0..<5 {
            #expect(join(daemon, #"{"code":"AAAAAA"}"#).hasSuffix(" 404"))
        }
        let refused = join(daemon, "{\"code\":\"\(code)\"}")
        #expect(refused.contains(#"{"which":"wrongCodes","limit":5}"#), "\(refused)")
        #expect(refused.hasSuffix(" 429"))
        #expect(daemon.waitFor("127.0.0.1: 5 wrong codes in a minute"))
        #expect(join(daemon, "{\"link\":\"\(key(of: link))\"}").hasSuffix(" 200"))
    }

    @Test(arguments: [
        ("{}", " 400"), ("[]", " 400"), ("x", " 400"), (#"{"code":1}"#, " 400"),
        (#"{"code":"A","link":"B"}"#, " 400"), (#"{"code":"一二三四五六"}"#, " 404"),
        (#"{"link":""}"#, " 404"), (#"{"link":"x"}"#, " 404"),
    ])
    func `a text that is neither a code nor a link gets an error`(_ body: String, _ status: String)
        throws
    {
        let daemon = try startDaemon()
        let answer = join(daemon, body)
        #expect(answer.hasSuffix(status), "\(answer)")
    }

    @Test func `a hundred guests join by a link, and are removed with the invitation`() throws {
        do {
            let daemon = try startDaemon()
            let (_, link) = invite(daemon, "")
            let statusCounts = ShellCommand.run(
                "for i in $(seq 99); do curl -s -o /dev/null -w '%{http_code}\\n' "
                    + "-H 'Content-Type: application/json' -d '{\"link\":\"\(key(of: link))\"}' \"$WEB/join\";"
                    + "done | sort | uniq -c", daemon)
            #expect(statusCounts.split(separator: " ") == ["99", "200\n"], "\(statusCounts)")
            #expect(join(daemon, "{\"link\":\"\(key(of: link))\"}").hasSuffix(" 200"))
            let late = join(daemon, "{\"link\":\"\(key(of: link))\"}", jar: "late")
            #expect(late.contains(#"{"which":"joins","limit":100}"#) && late.hasSuffix(" 429"))
            daemon.signal(SIGTERM)
            daemon.waitForEnd()
        }
        let daemon = try startDaemon()
        let names = ShellCommand.run("gamectl --socket \"$S\" token list", daemon)
            .split(separator: "\n")
        // The invitation, which is listed first, and a hundred guests: those of the loop, and the guest with cookies.
        #expect(names.count == 101)
        _ = ShellCommand.run("gamectl --socket \"$S\" token remove \(names[0])", daemon)
        #expect(ShellCommand.run("gamectl --socket \"$S\" token list", daemon) == "")
    }

    @Test func `a guest is listed as connected only while its stream is open`() throws {
        let daemon = try startDaemon()
        let (_, link) = invite(daemon, "--as 'آن 安'")
        func screens() -> String {
            ShellCommand.run("gamectl --socket \"$S\" --json screens", daemon)
        }
        #expect(screens() == "{\"screens\":[],\"invitations\":1}\n")
        #expect(join(daemon, "{\"link\":\"\(key(of: link))\"}").hasSuffix(" 200"))
        let screensBefore = screens()
        #expect(
            screensBefore.contains(#""as":"آن 安","role":"play","guest":true,"connections":0}"#),
            "\(screensBefore)")
        // The screens are listed after the first line of the stream, while it is still open. Then curl ends.
        let screensDuring = ShellCommand.run(
            "curl -sN -b '\(folder.path)/jar' -H 'Gamed-Page: play.main' \"$WEB/v1/events?session=main\" | "
                + "{ read -r line; gamectl --socket \"$S\" --json screens; }", daemon)
        #expect(screensDuring.contains(#""role":"play","address":"127.0.0.1:"#), "\(screensDuring)")
        #expect(screensDuring.contains(#""connections":1,"forMs":"#), "\(screensDuring)")
        #expect(Wait.until { screens().contains(#""connections":0,"forMs":"#) }, "\(screens())")
    }

    @Test func `links begin with the public address, whose host is accepted in requests`() throws {
        let daemon = try startDaemon(["--public", "https://Show.example"])
        let link = invite(daemon, "").link
        #expect(link.hasPrefix("https://Show.example/join#"), "\(link)")
        let status = ShellCommand.run(
            "curl -s -o /dev/null -w '%{http_code}' -H 'Host: show.example' \"$WEB/join\"", daemon)
        #expect(status == "200")
    }

    @Test func `without a web page an invitation is an error`() throws {
        let daemon = try DaemonProcess([])
        let output = ShellCommand.run("gamectl --socket \"$S\" invite main", daemon)
        #expect(output.contains("start it with --http"), "\(output)")
    }
}
