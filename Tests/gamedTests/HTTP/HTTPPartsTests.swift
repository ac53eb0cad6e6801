import Connections
import GameFlow
import HTTP
import RPC
import Sessions
import TestSupport
import Testing

@testable import GamedServer
@testable import Parts

/// Parts of HTTP requests and responses: cookies, tokens, stream requests, event ids and statuses.
@Suite struct HTTPPartsTests {
    @Test func `the name of a cookie contains the port`() {
        let cookie = WebCookie(port: "8080", isSecure: false)
        for (header, token) in [
            ("gamed-8080=abc", "abc"), ("a=b; gamed-8080=abc; c=d", "abc"), ("gamed-8080=", nil),
            ("gamed-8081=abc", nil), ("xgamed-8080=abc", nil), ("", nil), (nil, nil),
            ("gamed-8080", nil), ("gamed-8080=a=b", "a=b"),
        ] as [(String?, String?)] {
            #expect(cookie.token(in: header) == token)
        }
        #expect(
            cookie.header("abc")
                == "gamed-8080=abc; Path=/; Max-Age=2592000; HttpOnly; SameSite=Strict")
        #expect(cookie.header(nil).contains("Max-Age=0"))
        #expect(WebCookie(port: nil, isSecure: true).header("a").hasSuffix("; Secure"))
    }

    @Test func `each page has its own cookie`() throws {
        let desk = WebCookie(port: "8080", page: PageName("desk"), isSecure: false)
        let hall = WebCookie(port: "8080", page: PageName("play.main"), isSecure: false)
        let withoutPage = WebCookie(port: "8080", isSecure: false)
        let header = "gamed-8080.desk=a; gamed-8080.play.main=b; gamed-8080=c"
        #expect(desk.token(in: header) == "a")
        #expect(hall.token(in: header) == "b")
        #expect(withoutPage.token(in: header) == "c")
        #expect(hall.header("b").hasPrefix("gamed-8080.play.main=b; Path=/; "))
        #expect(WebCookie(port: nil, page: PageName("desk"), isSecure: false).name == "gamed.desk")
    }

    @Test func `the name of a page has 1 to 80 of the characters that session names may have`() {
        for text in ["desk", "play.main", "play.A-Z_0.9", String(repeating: "a", count: 80)] {
            #expect(PageName(text)?.text == text)
        }
        for text in [
            "", " desk", "play/main", "a;b", "a=b", "ä", String(repeating: "a", count: 81),
        ] {
            #expect(PageName(text) == nil)
        }
    }

    @Test func `when a browser signs in more than 32 pages, the first pages are signed out`() {
        let cookie = WebCookie(port: "8080", page: PageName("play.new"), isSecure: false)
        let pages = (1...33).map { "gamed-8080.play.\($0)=x" }
        let header = (["other=1", "gamed-8081.desk=x"] + pages).joined(separator: "; ")
        #expect(
            cookie.removals(in: header) == [
                "gamed-8080.play.1=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict",
                "gamed-8080.play.2=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict",
            ])
        #expect(cookie.removals(in: pages.dropFirst(2).joined(separator: ";")).isEmpty)
        #expect(cookie.removals(in: nil).isEmpty)
    }

    @Test(arguments: [
        ("Bearer abc", "abc"), ("bearer  abc", "abc"), ("Basic abc", ""), ("Bearer", ""),
        ("Bearer a b", ""), ("", ""),
    ])
    func `only the scheme Bearer yields a token`(_ header: String, _ token: String) {
        let head = RequestHead("GET", "/", headers: [("authorization", header)])
        #expect(head.bearer == token)
        #expect(RequestHead("GET", "/").bearer == nil)
    }

    @Test(
        arguments: [
            ("abc", "abc"), (" abc\n", "abc"), (#"{"token":"abc"}"#, "abc"), (#"{"token":5}"#, nil),
            (#"{"token""#, nil), ("{}", nil), ("", ""),
        ] as [(String, String?)])
    func `the sign-in body is a token as text or in JSON`(_ body: String, _ token: String?) {
        #expect(SignInBody.token(in: Array(body.utf8)) == token)
        #expect(SignInBody.token(in: [0xFF]) == nil)
    }

    @Test(
        arguments: [
            ("a:5", 5), ("a:0", 0), ("a:9007199254740991", 9_007_199_254_740_991), ("b:5", nil),
            ("b:9223372036854775807", nil), ("a", nil), (":5", nil), ("", nil),
        ] as [(String, Int?)])
    func `an event id of another daemon yields no position`(_ id: String, _ pos: Int?) throws {
        // The id begins with the `instance` of the daemon that made it. This daemon's instance is `a`.
        #expect(try EventID.position(id, of: "a") == pos)
    }

    @Test(arguments: [
        "a:-1", "a:", "a:5:6", "a:x", "a:9007199254740992", "a:9223372036854775807",
        "a:99999999999999999999",
    ])
    func `an id of this daemon without a valid position is an error`(_ id: String) {
        #expect(throws: EventIDError()) { try EventID.position(id, of: "a") }
    }

    private func streamRequest(_ query: [String: String]?, _ id: String? = nil) throws(WebError)
        -> StreamRequest
    {
        let headers = id.map { [(name: "Last-Event-ID", value: $0)] } ?? []
        let pairs = query.map { $0.map { "\($0.key)=\($0.value)" } } ?? ["%FF"]
        let target = "/v1/events?" + pairs.joined(separator: "&").replacing(" ", with: "+")
        return try StreamRequest(RequestHead("GET", target, headers: headers))
    }

    @Test func `a stream request asks for the changes of session main by default`() throws {
        let request = try streamRequest([:])
        #expect(
            request.target == .session(.main) && request.topics == .changes
                && request.since == nil)
        let fullRequest = try streamRequest(
            ["session": "*", "topics": "beats,refusals", "since": "a:1"], "a:2")
        #expect(fullRequest.target == .all && fullRequest.topics == [.beats, .refusals])
        #expect(fullRequest.since == "a:2", "the query took precedence over Last-Event-ID")
    }

    @Test(
        arguments: [
            nil, ["x": "1"], ["session": "a b"], ["session": ""], ["topics": "changes,nosuch"],
            ["topics": ""], ["session": "red-1", "topics": "inputs"],
        ] as [[String: String]?])
    func `an invalid stream request is rejected`(_ query: [String: String]?) {
        do throws(WebError) {
            _ = try streamRequest(query)
            Issue.record("the request was accepted")
        } catch { #expect(error.code == 400) }
    }

    @Test
    func
        `a caller who may observe some sessions may watch these sessions by one stream of all sessions`()
        throws
    {
        let rights = Rights([Grant(.observe, session: Glob("red-*"))])
        #expect(try rights.mayWatch(streamRequest(["session": "*"]).target))
        #expect(try rights.mayWatch(streamRequest(["session": "red-1"]).target))
        #expect(try !rights.mayWatch(streamRequest(["session": "blue-1"]).target))
        #expect(try !Rights.nothing.mayWatch(streamRequest(["session": "*"]).target))
    }

    @Test func `a stream of inputs needs the right to operate every session`() throws {
        let request = try streamRequest(["session": "*", "topics": "inputs"])
        #expect(request.missingRight(Rights([Grant(.operate)])) == nil)
        let some = Rights([Grant(.observe), Grant(.operate, session: Glob("red-*"))])
        #expect(request.missingRight(some) == "operate in every session")
        #expect(try streamRequest(["session": "*"]).missingRight(some) == nil)
        #expect(try streamRequest(["session": "*"]).missingRight(.nothing) == "observe")
    }

    private static func forbidden(_ needs: RequestError.NeededRight) -> MessageOutcome {
        .error(.refused(.forbidden(.event("tick"), source: .web, needs: needs)))
    }

    private static func limit(_ which: String) -> MessageOutcome {
        .error(.refused(.limit(which: which, limit: 7)))
    }

    /// The error as another node returns it.
    private static func relayed(_ code: Int, _ name: String, _ data: String) -> MessageOutcome {
        .error(.relayed(RelayedError(code: code, name: name, data: Array(data.utf8))))
    }

    @Test(
        arguments: [
            (.noReply, .noContent, .noContent), (.result, .ok, .ok), (.batch, .ok, .ok),
            (.refusedNotification(.methodNotFound("x")), .noContent, .noContent),
            (
                .refusedNotification(
                    .refused(.forbidden(.event("tick"), source: .web, needs: .right("play")))),
                .forbidden, .unauthorized
            ),
            (.error(.refused(.unknownSession("x", didYouMean: []))), .ok, .ok),
            (.error(.parseError("")), .badRequest, .badRequest),
            (.error(.invalidRequest("")), .badRequest, .badRequest),
            (.error(.methodNotFound("x")), .badRequest, .badRequest),
            (.error(.invalidParams("")), .badRequest, .badRequest),
            (forbidden(.right("play")), .forbidden, .unauthorized),
            // The first case needs a right that happens to be called "timer": another credential may have it. In the second case,
            // only a timer may send the event, so no credential helps.
            (forbidden(.right("timer")), .forbidden, .unauthorized),
            (forbidden(.timer), .forbidden, .forbidden),
            (limit("requests"), .tooManyRequests, .tooManyRequests),
            (limit("depth"), .badRequest, .badRequest),
            (limit("batchBytes"), .badRequest, .badRequest), (limit("timerMs"), .ok, .ok),
            (limit("clockMs"), .ok, .ok),
            (
                .error(.refused(.storage(why: "full", outcome: .undone))), .unavailable,
                .unavailable
            ),
            (relayed(-32602, "invalidParams", "{}"), .badRequest, .badRequest),
            (relayed(4, "forbidden", #"{"needs":"play"}"#), .forbidden, .unauthorized),
            (relayed(4, "forbidden", #"{"needs":"timer"}"#), .forbidden, .forbidden),
            (relayed(11, "limit", #"{"which":"requests"}"#), .tooManyRequests, .tooManyRequests),
            (relayed(11, "limit", #"{"which":"depth"}"#), .badRequest, .badRequest),
            (relayed(11, "limit", #"{"which":"timerMs"}"#), .ok, .ok),
            (relayed(12, "storage", #"{"why":"full"}"#), .unavailable, .unavailable),
            (relayed(1, "noTransition", "{}"), .ok, .ok),
        ] as [(MessageOutcome, WebStatus, WebStatus)])
    func `the status of an outcome tells whether a credential would help`(
        _ outcome: MessageOutcome, _ withCredential: WebStatus, _ withoutCredential: WebStatus
    ) {
        #expect(WebStatus(of: outcome, hasCredential: true) == withCredential)
        #expect(WebStatus(of: outcome, hasCredential: false) == withoutCredential)
    }

    @Test func `an error message is a complete response, after which the connection is closed`() {
        let response = WebError(.requestTimeout, why: "late").responseBytes
        let text = String(decoding: response, as: UTF8.self)
        #expect(
            text.hasPrefix("HTTP/1.1 408 Request Timeout\r\nContent-Type: application/json\r\n"))
        #expect(text.contains("\r\nConnection: close\r\n"))
        #expect(text.contains("\r\nX-Content-Type-Options: nosniff\r\n"))
        let body = #"{"error":{"code":408,"message":"Request Timeout","data":{"why":"late"}}}"#
        #expect(text.contains("\r\nContent-Length: \(body.utf8.count)\r\n"))
        #expect(text.hasSuffix("\r\n\r\n\(body)"))
    }

    @Test func `a request head returns its headers and its media type`() {
        let head = RequestHead(
            "POST", "/",
            headers: [("Content-Type", "Application/JSON ; charset=utf-8"), ("A", "1"), ("a", "2")])
        #expect(head.hasMediaType("application/json") && !head.hasMediaType("text/plain"))
        #expect(head.header("a") == "1" && head.count("A") == 2 && head.count("b") == 0)
    }
}
