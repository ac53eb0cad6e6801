import FlowFiles
import GameFlow
import RPC
import Sessions
import Testing
import Timers

/// What a flow hides from players, and what the host does not tell them.
@Suite struct HiddenNamesTests {
    private static let file = """
        flow: safe
        title: The Safe
        start: shut
        settings: {code: '0451'}
        events:
          turn: {digits: text 4..4}
          force: {args: {by: text}, hidden: players, title: Force it, note: only in an emergency}
          ring: {args: {}, from: [session]}
        states:
          shut:
            title: Locked
            data:
              tries: integer = 0
              secret: {type: "text = hush", hidden: players}
            timers:
              timeUp: {after: 60s}
              trap: {after: 30s, hidden: players}
            on:
              turn: {if: digits == settings.code, to: open, else: {with: {tries: =tries + 1}}}
              force: open
              trap: {with: {secret: hiss}}
              timeUp: shut
              ring: stay
          open: {final: true}

        """

    private func connection() throws -> TestConnection {
        try TestConnection([FlowFile(text: Array(Self.file.utf8), file: "safe.yaml").flow])
    }

    private let words = ["secret", "hush", "hiss", "trap", "force", "0451", "\"_plan\""]

    private func expectNothingHidden(in text: String, _ what: String) {
        for word in words { #expect(!text.contains(word), "\(what) shows \(word): \(text)") }
    }

    @Test func `a peer that may only play gets no hidden data in any reply`() throws {
        let line = try connection()
        _ = line.say("label _plan=b team=Owls")
        line.rights = Rights([Grant(.play)])
        _ = line.say("watch topics=changes,beats,refusals")
        for request in [
            "status", "describe", "describe session=main", "graph", "graph format=dot session=main",
            "graph format=scxml", "send turn digits=0000", "history", "list", "watch",
            "send nosuch", "status",
        ] {
            expectNothingHidden(in: line.say(request), request)
        }
        line.rights = .everything
        _ = line.say("advance 30s")
        _ = line.say("label _plan=c")
        line.rights = Rights([Grant(.play)])
        expectNothingHidden(in: line.say("history"), "history")
        expectNothingHidden(in: line.say("status"), "status")
        #expect(line.say("status").contains(#""labels":{"team":"Owls"}"#))
        line.rights = .everything
        _ = line.say("send force by=Ann")
        line.rights = Rights([Grant(.play)])
        let refused = line.say("send turn digits=9999")
        #expect(refused.hasPrefix("ERR finished"), "\(refused)")
        expectNothingHidden(in: line.say("history"), "history")
        line.end()
    }

    @Test func `subscribers with different views each get the change in their own view`() throws {
        let line = try connection()
        line.rights = Rights([Grant(.play)])
        _ = line.say("watch topics=changes,beats,refusals")
        let session = try line.sessions.session(.main)
        _ = try line.sessions.label(
            [Member("_plan", "b")], session, RequestContext(from: line.source))
        _ = try line.sessions.advance(.by(.seconds(30)))
        #expect(line.told.count == 2)
        for told in line.told { expectNothingHidden(in: told, "a notification") }
        line.rights = .everything
        line.end()
    }

    @Test func `a peer that may operate gets all data, notes and settings`() throws {
        let line = try connection()
        let description = line.say("describe session=main")
        for part in [
            #""title":"The Safe""#, #""title":"Locked""#, #""note":"only in an emergency""#,
            #""name":"secret","hidden":true"#, #""min":4,"max":4"#, #""from":["session"]"#,
            #"{"name":"code","type":"text","value":"0451"}"#,
        ] { #expect(description.contains(part), "\(part) in \(description)") }
        #expect(!description.contains("\"source\""))
        #expect(line.json("describe session=main source=true")["source"] == .string(Self.file))
        #expect(line.say("status").contains(#""settings":{"code":"0451"}"#))
        line.end()
    }

    @Test func `the text of a flow file requires the role operate`() throws {
        let line = try connection()
        line.rights = Rights([Grant(.play)])
        #expect(line.say("describe session=main source=true").hasPrefix("ERR forbidden"))
        line.rights = .everything
        line.end()
    }

    @Test func `an event that lists its sources is refused from other sources`() throws {
        let line = try connection()
        let answer = line.say("send ring")
        #expect(answer.hasPrefix("ERR forbidden"), "\(answer)")
        #expect(answer.contains("a source of kind session"))
        let session = try line.sessions.session(.main)
        let source = Source(Source.Kind("session"))
        #expect(
            try line.sessions.send("ring", to: session, RequestContext(from: source)).value.kind
                == .keep)
        line.end()
    }
}
