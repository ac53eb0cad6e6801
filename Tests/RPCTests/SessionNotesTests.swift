import GameFlow
import RPC
import Sessions
import Support
import Testing
import Timers

/// The methods `label` and `say`: labels of a session, and messages to its screens.
@Suite struct SessionNotesTests {
    @Test func `labels are set, changed and removed, each as one change`() throws {
        let connection = try TestConnection()
        let change = connection.reply(to: "label team=Owls table=4 note=\"two words\"")
        #expect(change.contains(#""kind":"label""#), "\(change)")
        #expect(change.contains(#""labels":{"team":"Owls","table":"4","note":"two words"}"#))
        #expect(connection.json("label team=Cats note=")["seq"] == .int(3))
        #expect(
            connection.json("status")["labels"]
                == .object([Member("team", "Cats"), Member("table", "4")]))
        #expect(
            connection.json("list")["sessions.0.labels"]
                == .object([Member("team", "Cats"), Member("table", "4")]))
        // Setting a label to its present value makes no change.
        #expect(connection.json("label team=Cats")["seq"] == .int(3))
        #expect(connection.json("status")["seq"] == .int(3))
        connection.end()
    }

    @Test func `a request with a repeated id sets no labels`() throws {
        let connection = try TestConnection()
        let first = connection.reply(to: "label id=k1 team=Owls")
        #expect(connection.reply(to: "label id=k1 team=Cats") == first)
        #expect(connection.json("status")["labels"] == .object([Member("team", "Owls")]))
        connection.end()
    }

    @Test func `labels have a syntax and limits`() throws {
        let connection = try TestConnection()
        // A label has at most 200 characters.
        let long = String(repeating: "é", count: 201)
        for (name, value) in [("9a", "x"), ("a-b", "x"), ("a", long)] {
            let answer = connection.reply(to: "label {\"\(name)\":\"\(value)\"}")
            #expect(answer.hasPrefix("ERR invalid"), "\(answer)")
            #expect(answer.contains("\"session\":\"main\",\"argument\":\"\(name)\""))
        }
        #expect(connection.reply(to: "label {\"a\":1}").hasPrefix("ERR invalid"))
        #expect(connection.reply(to: "label a=\(String(long.dropLast()))").hasPrefix("OK"))
        // With the label `a`, the session then has as many labels as are allowed.
        for number in 1..<NoteLimits.labels { _ = connection.reply(to: "label l\(number)=x") }
        let error = connection.reply(to: "label onemore=x")
        #expect(error == "ERR limit {\"which\":\"labels\",\"limit\":32}\n", "\(error)")
        // Removes one label and adds another.
        #expect(connection.reply(to: "label l1= onemore=x").hasPrefix("OK"))
        connection.end()
    }

    @Test func `a message is shown until its time has passed`() throws {
        let connection = try TestConnection()
        let change = connection.reply(to: "say Look under the rug for=30s")
        #expect(
            change.contains(#""kind":"say""#) && change.contains(#""say":"Look under the rug""#))
        #expect(change.contains(#""forMs":30000"#))
        #expect(connection.json("status")["say.text"] == .string("Look under the rug"))
        #expect(connection.json("status")["say.untilMs"] == .int(30_000))
        _ = connection.reply(to: "advance 29s")
        #expect(connection.json("status")["say.seq"] == .int(2))
        _ = connection.reply(to: "advance 1s")
        #expect(connection.json("status")["say"] == nil)
        _ = connection.reply(to: "say \"and now\"")
        #expect(connection.json("status")["say.text"] == .string("and now"))
        #expect(connection.reply(to: #"say """#).hasPrefix("OK"))
        #expect(connection.json("status")["say"] == nil)
        #expect(
            connection.reply(to: "say \(String(repeating: "x", count: 501))").hasPrefix(
                "ERR invalid"))
        connection.end()
    }

    @Test func `open again=true closes and opens in one step, and watches continue`() throws {
        let connection = try TestConnection()
        _ = connection.reply(to: "send startPlaying")
        #expect(connection.reply(to: "open @main flow=game").hasPrefix("ERR exists"))
        _ = connection.reply(to: "watch @main")
        // If the new session cannot be opened, the old session stays open.
        #expect(
            connection.reply(to: "open @main flow=game again=true playingLevel episode=9 level=1")
                .hasPrefix(
                    "ERR invalid"))
        #expect(connection.json("status")["state"] == .string("choosingEpisode"))
        let answer = connection.reply(
            to: "open @main flow=quiz again=true labels={\"team\":\"Owls\"}")
        #expect(answer.contains(#""flow":"quiz""#), "\(answer)")
        #expect(answer.contains(#""labels":{"team":"Owls"}"#))
        #expect(connection.notifications.count == 2)
        #expect(
            connection.notifications[0].contains(#""kind":"close""#)
                && connection.notifications[0].contains(#""again":true"#))
        #expect(connection.notifications[1].contains(#""kind":"open""#))
        _ = connection.reply(to: "send start rounds=1")
        #expect(connection.notifications.count == 3)
        connection.end()
    }

    @Test func `label, say, move, flows and open again=true need the role operate`() throws {
        let connection = try TestConnection()
        connection.rights = Rights([Grant(.play)])
        for words in ["label a=b", "say hello", "move", "flows", "open @x again=true"] {
            #expect(connection.reply(to: words).hasPrefix("ERR forbidden"), "\(words)")
        }
        connection.end()
    }
}
