import FlowFiles
import GameFlow
import Sessions
import Testing
import Timers

@testable import RPC

/// Players receive no hidden events, data or timers of a flow, no settings, and no labels that begin with `_`.
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
          sneak: {args: {}, hidden: players}
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
              sneak: defer
          open: {final: true}

        """

    /// A flow with a hidden argument and a mark of a hidden timer.
    private static let ballot = """
        flow: ballot
        start: voting
        data: {marks: integer = 0}
        events:
          mark: {args: {box: integer, ink: {type: optional integer, hidden: players}}}
        states:
          voting:
            timers:
              trap: {after: 30s, hidden: players}
              soon: {when: {left: 10s, of: trap}}
            on:
              mark: [{if: box == 1, with: {marks: =marks + 1}}, {refuse: no such box}]
              trap: stay
              soon: {with: {marks: =marks + 1}}

        """

    private func makeConnection(_ text: String = file) throws -> TestConnection {
        try TestConnection([FlowFile(text: Array(text.utf8), file: "test.yaml").flow])
    }

    private let hiddenWords = [
        "secret", "hush", "hiss", "trap", "force", "sneak", "0451", "\"_plan\"",
    ]

    private func expectNothingHidden(in text: String, _ description: String) {
        for word in hiddenWords {
            #expect(!text.contains(word), "\(description) shows \(word): \(text)")
        }
    }

    @Test func `a peer that may only play gets no hidden data in any reply`() throws {
        let connection = try makeConnection()
        _ = connection.reply(to: "label _plan=b team=Owls")
        connection.rights = Rights([Grant(.play)])
        _ = connection.reply(to: "watch topics=changes,beats,refusals")
        for request in [
            "status", "describe", "describe session=main", "graph", "graph format=dot session=main",
            "graph format=scxml", "send turn digits=0000", "history", "list", "watch",
            "send nosuch", "status",
        ] {
            expectNothingHidden(in: connection.reply(to: request), request)
        }
        connection.rights = .everything
        _ = connection.reply(to: "advance 30s")
        _ = connection.reply(to: "label _plan=c")
        connection.rights = Rights([Grant(.play)])
        expectNothingHidden(in: connection.reply(to: "history"), "history")
        expectNothingHidden(in: connection.reply(to: "status"), "status")
        #expect(connection.reply(to: "status").contains(#""labels":{"team":"Owls"}"#))
        connection.rights = .everything
        _ = connection.reply(to: "send force by=Ann")
        connection.rights = Rights([Grant(.play)])
        let refused = connection.reply(to: "send turn digits=9999")
        #expect(refused.hasPrefix("ERR finished"), "\(refused)")
        expectNothingHidden(in: connection.reply(to: "history"), "history")
        connection.end()
    }

    @Test
    func
        `no error suggests a hidden event or names an argument of it to a peer that may only play`()
        throws
    {
        let connection = try makeConnection()
        connection.rights = Rights([Grant(.play)])
        _ = connection.reply(to: "watch topics=refusals")
        let unknown = connection.reply(to: "send turm")
        #expect(unknown == "ERR unknownEvent {\"event\":\"turm\",\"didYouMean\":[\"turn\"]}\n")
        for event in ["forse", "sneek", "tarp"] {
            let reply = connection.reply(to: "send \(event)")
            #expect(reply == "ERR unknownEvent {\"event\":\"\(event)\",\"didYouMean\":[]}\n")
        }
        // The caller knows the name of the event that it sends, but not the names of its arguments.
        for arguments in ["", " b=1", " by=1 b=1"] {
            let reply = connection.reply(to: "send force\(arguments)")
            #expect(
                reply
                    == #"ERR invalid {"event":"force","why":"the arguments do not fit","ofFlow":true}"#
                    + "\n"
            )
        }
        #expect(connection.notifications.count == 7)
        for notification in connection.notifications {
            #expect(!notification.contains(#"["force"]"#) && !notification.contains("sneak"))
            #expect(!notification.contains(#""by""#) && !notification.contains("trap"))
        }
        expectNothingHidden(in: connection.reply(to: "history"), "history")
        connection.rights = .everything
        #expect(connection.reply(to: "send forse").contains(#"["force"]"#))
        #expect(connection.reply(to: "send force").contains(#""argument":"by""#))
        connection.end()
    }

    @Test func `a peer that may only play sees no hidden argument of an event`() throws {
        let connection = try makeConnection(Self.ballot)
        let operatorSees = connection.reply(to: "describe")
        #expect(operatorSees.contains(#"{"name":"ink","hidden":true,"#), "\(operatorSees)")
        connection.rights = Rights([Grant(.play)])
        _ = connection.reply(to: "watch topics=changes,refusals")
        var replies = [
            "send mark box=1 ink=13", "send mark box=2 ink=13", "send mark box=1 ink=1.5",
            "send mark box=1 ink=x",
        ].map { connection.reply(to: $0) }
        #expect(replies[0].hasPrefix("OK") && replies[0].contains(#""args":{"box":1}"#))
        #expect(replies[1].contains("no such box"), "\(replies[1])")
        for reply in replies[2...] {
            #expect(
                reply
                    == #"ERR invalid {"event":"mark","why":"the arguments do not fit","ofFlow":true}"#
                    + "\n")
        }
        #expect(connection.notifications.count == 4)
        replies += ["history", "describe", "presses event=mark"].map { connection.reply(to: $0) }
        for text in replies + connection.notifications {
            #expect(!text.contains("ink") && !text.contains("13"), "\(text)")
        }
        connection.rights = .everything
        #expect(connection.reply(to: "history").contains(#""args":{"box":1,"ink":13}"#))
        connection.end()
    }

    @Test func `a mark of a hidden timer is not among the timers of a peer that may only play`()
        throws
    {
        let connection = try makeConnection(Self.ballot)
        #expect(connection.reply(to: "status").contains(#""of":"trap""#))
        connection.rights = Rights([Grant(.play)])
        _ = connection.reply(to: "watch topics=changes,beats")
        _ = try connection.sessions.advance(.by(.seconds(20)))
        let replies = ["status", "describe", "graph", "graph format=dot session=main", "history"]
            .map { connection.reply(to: $0) }
        for text in replies + connection.notifications {
            #expect(!text.contains("soon") && !text.contains("trap"), "\(text)")
        }
        connection.end()
    }

    @Test func `a refused hidden event is null for a peer that may only play`() throws {
        let connection = try makeConnection()
        _ = connection.reply(to: "open @other flow=safe")
        connection.rights = Rights([Grant(.play)])
        _ = connection.reply(to: "watch topics=refusals @other")
        let session = try connection.sessions.session(SessionName("other")!)
        let operatorContext = RequestContext(from: connection.source)
        for (event, arguments) in [
            ("force", [Member("by", 7)]), ("trap", []), ("force", [Member("secret", "hush")]),
        ] as [(String, [Member])] {
            #expect(throws: RequestError.self) {
                try connection.sessions.send(event, arguments, to: session, operatorContext)
            }
        }
        #expect(connection.notifications.count == 3)
        let history = connection.reply(to: "history @other")
        #expect(history.contains(#""kind":"refused","event":null,"#), "\(history)")
        for text in connection.notifications + [history] {
            expectNothingHidden(in: text, "a refusal")
        }
        connection.rights = .everything
        #expect(connection.reply(to: "history @other").contains(#""name":"force""#))
        connection.end()
    }

    @Test func `a recorded refusal is shown without hidden events to a peer that may only play`()
        throws
    {
        let flow = try FlowFile(text: Array(Self.file.utf8), file: "safe.yaml").flow
        let data: [Member] = [
            Member("event", "turn"), Member("state", "shut"),
            Member("accepts", .array(["turn", "force"])),
            Member(
                "last",
                .object([
                    Member("event", "force"), Member("args", .object([Member("by", "Ann")])),
                    Member("source", .object([Member("kind", "unix"), Member("as", "Ann")])),
                ])),
        ]
        let limited: [Member] = [
            Member("event", "turn"), Member("state", "shut"),
            Member("accepts", .array(["turn"])),
            Member(
                "last",
                .object([
                    Member("event", .null), Member("args", .object([])),
                    Member("source", .object([Member("kind", "unix")])),
                ])),
        ]
        #expect(SessionView.limited.errorData(data, flow.hidden) == limited)
        #expect(SessionView.full.errorData(data, flow.hidden) == data)
    }

    @Test
    func
        `a peer that may only play does not see the timers of a hidden state, nor that they fired`()
        throws
    {
        let text = """
            flow: safe
            start: shut
            events: {arm: }
            states:
              shut: {on: {arm: armed}}
              armed:
                hidden: players
                clock: leak
                data: {secret: integer = 7}
                timers: {leak: {after: 5s}}
                on: {leak: shut}

            """
        let connection = try TestConnection([
            FlowFile(text: Array(text.utf8), file: "safe.yaml").flow
        ])
        connection.rights = Rights([Grant(.play)])
        _ = connection.reply(to: "watch")
        let answer = connection.reply(to: "send arm")
        let session = try connection.sessions.session(.main)
        _ = try connection.sessions.operate(
            TimerOperation("leak", .extend, by: .seconds(1)), on: session,
            RequestContext(from: connection.source))
        _ = try connection.sessions.advance(.by(.seconds(6)))
        #expect(session.machine.place.state == "shut")
        // The event `arm`, the extension of the timer, and the entry of `shut`.
        #expect(connection.notifications.count == 3)
        let replies = ["history", "status", "describe", "graph"].map { connection.reply(to: $0) }
        for text in [answer] + replies + connection.notifications {
            #expect(!text.contains("leak") && !text.contains("secret"), "\(text)")
        }
        connection.rights = .everything
        connection.end()
    }

    @Test func `a subscriber that may only play gets no hidden data in its notifications`() throws {
        let connection = try makeConnection()
        connection.rights = Rights([Grant(.play)])
        _ = connection.reply(to: "watch topics=changes,beats,refusals")
        let session = try connection.sessions.session(.main)
        _ = try connection.sessions.label(
            [Member("_plan", "b")], session, RequestContext(from: connection.source))
        _ = try connection.sessions.advance(.by(.seconds(30)))
        // The label, and the change by the timer `trap`.
        #expect(connection.notifications.count == 2)
        for text in connection.notifications { expectNothingHidden(in: text, "a notification") }
        connection.rights = .everything
        connection.end()
    }

    @Test func `a peer that may operate gets all data, notes and settings`() throws {
        let connection = try makeConnection()
        let description = connection.reply(to: "describe session=main")
        for part in [
            #""title":"The Safe""#, #""title":"Locked""#, #""note":"only in an emergency""#,
            #""name":"secret","hidden":true"#, #""min":4,"max":4"#, #""from":["session"]"#,
            #"{"name":"code","type":"text","value":"0451"}"#,
            #"{"name":"tries","type":"integer","optional":true,"default":0}"#,
        ] { #expect(description.contains(part), "\(part) in \(description)") }
        #expect(!description.contains("\"source\""))
        #expect(
            connection.json("describe session=main source=true")["source"] == .string(Self.file))
        #expect(connection.reply(to: "status").contains(#""settings":{"code":"0451"}"#))
        connection.end()
    }

    @Test func `the text of a flow file requires the role operate`() throws {
        let connection = try makeConnection()
        connection.rights = Rights([Grant(.play)])
        #expect(
            connection.reply(to: "describe session=main source=true").hasPrefix("ERR forbidden"))
        connection.rights = .everything
        connection.end()
    }

    @Test func `an event with a list of permitted sources is refused from other sources`() throws {
        let connection = try makeConnection()
        let answer = connection.reply(to: "send ring")
        #expect(answer.hasPrefix("ERR forbidden"), "\(answer)")
        #expect(answer.contains("a source of kind session"))
        let session = try connection.sessions.session(.main)
        let source = Source(Source.Kind("session"))
        #expect(
            try connection.sessions.send("ring", to: session, RequestContext(from: source)).value
                .kind
                == .keep)
        connection.end()
    }
}
