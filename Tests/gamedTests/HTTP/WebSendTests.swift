import Glibc
import TestSupport
import Testing

/// Requests to `/v1/send`, which is for devices that can only send HTTP requests. curl sends them.
@Suite struct WebSendTests {
    private let folder = Folder()

    private func startDaemon(_ rules: String) throws -> DaemonProcess {
        let path = folder.write("gamed.conf", rules)
        return try DaemonProcess([
            "--config", path, "--flow", "quiz", "--http", "127.0.0.1:0", "--tokens",
            "\(folder.path)/tokens",
        ])
    }

    /// Adds a token with `gamectl token add`, and returns the token.
    private func addToken(_ daemon: DaemonProcess, _ arguments: String) -> String {
        let output = ShellCommand.run(
            "gamectl --socket \"$S\" --json token add \(arguments)", daemon)
        return output.firstRange(of: "\"token\":\"").map {
            String(output[$0.upperBound...].prefix { $0 != "\"" })
        } ?? ""
    }

    /// Runs curl with these arguments. Returns the body of the response, a blank and the status.
    private func curl(_ daemon: DaemonProcess, _ arguments: String) -> String {
        ShellCommand.run("curl -s -o - -w ' %{http_code}' \(arguments)", daemon)
    }

    @Test func `a form sends an event; the response is the change, or 409 for a refusal`() throws {
        let daemon = try startDaemon("allow token:esp play session=main\n")
        let token = addToken(daemon, "esp")
        let requestStart = "-H 'Authorization: Bearer \(token)' \"$WEB/v1/send/main"
        let accepted = curl(daemon, "-d rounds=2 \(requestStart)/start\"")
        #expect(
            accepted.hasPrefix(#"{"session":"main""#) && accepted.hasSuffix("} 200"),
            "\(accepted)")
        #expect(accepted.contains(#""args":{"rounds":2}"#), "\(accepted)")
        let refused = curl(daemon, "-d rounds=2 \(requestStart)/start\"")
        #expect(refused.contains("noTransition") && refused.hasSuffix(" 409"), "\(refused)")
        #expect(
            curl(daemon, "-X POST \(requestStart)/buzz?player=a%20b\"")
                .contains(#""player":"a b""#))
        #expect(curl(daemon, "-X POST \(requestStart)/nothing\"").hasSuffix(" 404"))
        #expect(curl(daemon, "-X POST \(requestStart)/judge?correct=maybe\"").hasSuffix(" 409"))
        #expect(curl(daemon, "-X DELETE \(requestStart)/judge\"").hasSuffix(" 405"))
        #expect(curl(daemon, "-X POST \"$WEB/v1/send/main/judge\"").hasSuffix(" 401"))
        #expect(curl(daemon, "-X POST \"$WEB/v1/send/main\"").hasSuffix(" 404"))
        #expect(
            curl(daemon, "-H 'Content-Type: text/plain' -d '{}' \(requestStart)/judge\"")
                .hasSuffix(" 415"))
    }

    @Test func `a JSON object has the arguments, with their types or as texts`() throws {
        let daemon = try startDaemon("allow source:web play\n")
        func send(_ event: String, _ body: String) -> String {
            curl(
                daemon,
                "-H 'Content-Type: application/json; charset=utf-8' -d '\(body)' \"$WEB/v1/send/main/\(event)\""
            )
        }
        #expect(send("start", #"{"rounds":2}"#).contains(#""args":{"rounds":2}"#))
        #expect(send("buzz", #"{"player":"ann"}"#).hasSuffix(" 200"))
        // Home Assistant's templates make texts.
        #expect(send("judge", #"{"correct":"true"}"#).contains(#""args":{"correct":true}"#))
        for body in ["[1]", "7", "{", #"{"a":1,"a":2}"#] {
            #expect(send("buzz", body).hasSuffix(" 400"), "\(body)")
        }
        #expect(send("buzz", #"{"player":["a"]}"#).hasSuffix(" 409"))
    }

    @Test func `a text with a null character is invalid in a query, a form and JSON`() throws {
        let daemon = try startDaemon("allow source:web play\n")
        let address = "\"$WEB/v1/send/main/buzz"
        #expect(
            curl(daemon, "-d rounds=2 \"$WEB/v1/send/main/start\"").hasSuffix(" 200"))
        let json = "-H 'Content-Type: application/json' -d '{\"player\":\"a\\u0000b\"}'"
        for request in [
            "-X POST \(address)?player=a%00b\"", "-d player=%00 \(address)\"",
            "\(json) \(address)\"",
        ] {
            let refused = curl(daemon, request)
            #expect(
                refused.contains(#""message":"invalid""#) && refused.hasSuffix(" 409")
                    && refused.contains(#""argument":"player","why":"\\u0000 in a string""#),
                "\(refused)")
        }
        #expect(curl(daemon, "-X POST \(address)?player=ann\"").contains(#""player":"ann""#))
    }

    @Test func `a repeated Idempotency-Key gets the first answer`() throws {
        let daemon = try startDaemon("allow source:web play\n")
        let request = "-H 'Idempotency-Key: k1' -X POST \"$WEB/v1/send/main/start?rounds=2\""
        let first = curl(daemon, request)
        #expect(first.hasSuffix(" 200"), "\(first)")
        #expect(curl(daemon, request) == first)
    }

    @Test func `GET needs a rule with get=yes, and a token for URLs is valid only in URLs`() throws
    {
        let daemon = try startDaemon(
            """
            allow token:qr play get=yes
            allow token:plain play

            """)
        let (urlToken, plainToken) = (addToken(daemon, "qr --url"), addToken(daemon, "plain"))
        let urlBeforeToken = "\"$WEB/v1/send/main/start?rounds=2&token="
        #expect(curl(daemon, "\(urlBeforeToken)\(plainToken)\"").hasSuffix(" 401"))
        #expect(
            curl(
                daemon,
                "-H 'Authorization: Bearer \(plainToken)' \"$WEB/v1/send/main/start?rounds=2\""
            )
            .hasSuffix(" 403"))
        #expect(curl(daemon, "\(urlBeforeToken)wrong\"").hasSuffix(" 401"))
        let statusRequest =
            "-H 'Content-Type: application/json' -d '{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"status\"}'"
        #expect(
            curl(daemon, "-H 'Authorization: Bearer \(urlToken)' \(statusRequest) \"$WEB/v1/rpc\"")
                .hasSuffix(" 401"))
        #expect(curl(daemon, "\(urlBeforeToken)\(urlToken)\"").hasSuffix(" 200"))
    }

    @Test func `a bound argument is filled in, and another value is forbidden`() throws {
        let daemon = try startDaemon(
            """
            allow token:ann play event=buzz args={"player":"ann"}
            allow source:web play event=start

            """)
        let token = addToken(daemon, "ann")
        #expect(curl(daemon, "-X POST \"$WEB/v1/send/main/start?rounds=2\"").hasSuffix(" 200"))
        let buzz = "-H 'Authorization: Bearer \(token)' -X POST \"$WEB/v1/send/main/buzz"
        let otherValue = curl(daemon, "\(buzz)?player=bob\"")
        #expect(otherValue.contains("forbidden") && otherValue.hasSuffix(" 403"), "\(otherValue)")
        let boundValue = curl(daemon, "\(buzz)\"")
        #expect(
            boundValue.contains(#""args":{"player":"ann"}"#) && boundValue.hasSuffix(" 200"),
            "\(boundValue)")
        let rights = curl(
            daemon,
            "-H 'Content-Type: application/json' -d '{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"auth\",\"params\":{\"token\":\"\(token)\"}}' \"$WEB/v1/rpc\""
        )
        #expect(
            rights.contains(#""bound":[{"session":"*","event":"buzz","args":{"player":"ann"}}]"#),
            "\(rights)")
        let stream = EventStream.read(
            "-H 'Authorization: Bearer \(token)' \"$WEB/v1/events?session=main\"", daemon,
            until: "\"rights\"")
        #expect(
            stream.contains(
                #""rights":[{"role":"play","session":"*","event":"buzz","args":{"player":"ann"}}"#),
            "\(stream)")
    }
}
