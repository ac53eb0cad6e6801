import Glibc
import TestSupport
import Testing

/// `/v1/send`, for devices that can only send HTTP requests, with curl.
@Suite struct WebSendTests {
    private let folder = Folder()

    private func daemon(_ lines: String) throws -> DaemonProcess {
        let path = folder.write("gamed.conf", lines)
        return try DaemonProcess([
            "--config", path, "--flow", "quiz", "--http", "127.0.0.1:0", "--tokens",
            "\(folder.path)/tokens",
        ])
    }

    private func token(_ daemon: DaemonProcess, _ words: String) -> String {
        let output = ShellCommand.run("gamectl --socket \"$S\" --json token add \(words)", daemon)
        return output.firstRange(of: "\"token\":\"").map {
            String(output[$0.upperBound...].prefix { $0 != "\"" })
        } ?? ""
    }

    private func curl(_ daemon: DaemonProcess, _ words: String) -> String {
        // A POST needs a length.
        let words = words.replacing("-X POST", with: "-d ''")
        return ShellCommand.run("curl -s -o - -w ' %{http_code}' \(words)", daemon)
    }

    @Test func `a form sends an event, the change comes back, and a refusal is 409`() throws {
        let daemon = try daemon("allow token:esp play session=main\n")
        let token = token(daemon, "esp")
        let send = "-H 'Authorization: Bearer \(token)' \"$WEB/v1/send/main"
        let taken = curl(daemon, "-d rounds=2 \(send)/start\"")
        #expect(taken.hasPrefix(#"{"session":"main""#) && taken.hasSuffix("} 200"), "\(taken)")
        #expect(taken.contains(#""args":{"rounds":2}"#), "\(taken)")
        let refused = curl(daemon, "-d rounds=2 \(send)/start\"")
        #expect(refused.contains("noTransition") && refused.hasSuffix(" 409"), "\(refused)")
        #expect(curl(daemon, "-X POST \(send)/buzz?player=a%20b\"").contains(#""player":"a b""#))
        #expect(curl(daemon, "-X POST \(send)/nothing\"").hasSuffix(" 404"))
        #expect(curl(daemon, "-X POST \(send)/judge?correct=maybe\"").hasSuffix(" 409"))
        #expect(curl(daemon, "-X DELETE \(send)/judge\"").hasSuffix(" 405"))
        #expect(curl(daemon, "-X POST \"$WEB/v1/send/main/judge\"").hasSuffix(" 401"))
        #expect(curl(daemon, "-X POST \"$WEB/v1/send/main\"").hasSuffix(" 404"))
        #expect(
            curl(daemon, "-H 'Content-Type: application/json' -d '{}' \(send)/judge\"")
                .hasSuffix(" 415"))
    }

    @Test func `a repeated Idempotency-Key gets the first answer`() throws {
        let daemon = try daemon("allow source:web play\n")
        let send = "-H 'Idempotency-Key: k1' -X POST \"$WEB/v1/send/main/start?rounds=2\""
        let first = curl(daemon, send)
        #expect(first.hasSuffix(" 200"), "\(first)")
        #expect(curl(daemon, send) == first)
    }

    @Test func `GET needs a rule, and a token for URLs is valid for nothing else`() throws {
        let daemon = try daemon(
            """
            allow token:qr play get=yes
            allow token:plain play

            """)
        let (qr, plain) = (token(daemon, "qr --url"), token(daemon, "plain"))
        let path = "\"$WEB/v1/send/main/start?rounds=2&token="
        #expect(curl(daemon, "\(path)\(plain)\"").hasSuffix(" 401"))
        #expect(
            curl(daemon, "-H 'Authorization: Bearer \(plain)' \"$WEB/v1/send/main/start?rounds=2\"")
                .hasSuffix(" 403"))
        #expect(curl(daemon, "\(path)wrong\"").hasSuffix(" 401"))
        let rpc =
            "-H 'Content-Type: application/json' -d '{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"status\"}'"
        #expect(
            curl(daemon, "-H 'Authorization: Bearer \(qr)' \(rpc) \"$WEB/v1/rpc\"")
                .hasSuffix(" 401"))
        #expect(curl(daemon, "\(path)\(qr)\"").hasSuffix(" 200"))
    }

    @Test func `a bound argument is filled in, and another value is forbidden`() throws {
        let daemon = try daemon(
            """
            allow token:ann play event=buzz args={"player":"ann"}
            allow source:web play event=start

            """)
        let token = token(daemon, "ann")
        #expect(curl(daemon, "-X POST \"$WEB/v1/send/main/start?rounds=2\"").hasSuffix(" 200"))
        let buzz = "-H 'Authorization: Bearer \(token)' -X POST \"$WEB/v1/send/main/buzz"
        let other = curl(daemon, "\(buzz)?player=bob\"")
        #expect(other.contains("forbidden") && other.hasSuffix(" 403"), "\(other)")
        let own = curl(daemon, "\(buzz)\"")
        #expect(own.contains(#""args":{"player":"ann"}"#) && own.hasSuffix(" 200"), "\(own)")
        let auth = curl(
            daemon,
            "-H 'Content-Type: application/json' -d '{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"auth\",\"params\":{\"token\":\"\(token)\"}}' \"$WEB/v1/rpc\""
        )
        #expect(
            auth.contains(#""bound":[{"session":"*","event":"buzz","args":{"player":"ann"}}]"#),
            "\(auth)")
        let stream = EventStream.read(
            "-H 'Authorization: Bearer \(token)' \"$WEB/v1/events?session=main\"", daemon,
            until: "\"rights\"")
        #expect(
            stream.contains(
                #""rights":[{"role":"play","session":"*","event":"buzz","args":{"player":"ann"}}"#),
            "\(stream)")
    }
}
