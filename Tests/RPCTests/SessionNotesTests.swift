import GameFlow
import RPC
import Sessions
import Support
import Testing
import Timers

/// Labels of a session, and messages to its screens.
@Suite struct SessionNotesTests {
    @Test func `labels are set, changed and removed, each as one change`() throws {
        let line = try TestConnection()
        let change = line.say("label team=Owls table=4 note=\"two words\"")
        #expect(change.contains(#""kind":"label""#), "\(change)")
        #expect(change.contains(#""labels":{"team":"Owls","table":"4","note":"two words"}"#))
        #expect(line.json("label team=Cats note=")["seq"] == .int(3))
        #expect(
            line.json("status")["labels"]
                == .object([Member("team", "Cats"), Member("table", "4")]))
        #expect(
            line.json("list")["sessions.0.labels"]
                == .object([Member("team", "Cats"), Member("table", "4")]))
        // What changes nothing is no change.
        #expect(line.json("label team=Cats")["seq"] == .int(3))
        #expect(line.json("status")["seq"] == .int(3))
        line.end()
    }

    @Test func `a repeated id labels once`() throws {
        let line = try TestConnection()
        let first = line.say("label id=k1 team=Owls")
        #expect(line.say("label id=k1 team=Cats") == first)
        #expect(line.json("status")["labels"] == .object([Member("team", "Owls")]))
        line.end()
    }

    @Test func `labels have a syntax and limits`() throws {
        let line = try TestConnection()
        let long = String(repeating: "é", count: 201)
        for (name, value) in [("9a", "x"), ("a-b", "x"), ("a", long)] {
            let argument = name
            let answer = line.say("label {\"\(name)\":\"\(value)\"}")
            #expect(answer.hasPrefix("ERR invalid"), "\(answer)")
            #expect(answer.contains("\"session\":\"main\",\"argument\":\"\(argument)\""))
        }
        #expect(line.say("label {\"a\":1}").hasPrefix("ERR invalid"))
        #expect(line.say("label a=\(String(long.dropLast()))").hasPrefix("OK"))
        for number in 1..<NoteLimits.labels { _ = line.say("label l\(number)=x") }
        let error = line.say("label onemore=x")
        #expect(error == "ERR limit {\"which\":\"labels\",\"limit\":32}\n", "\(error)")
        #expect(line.say("label l1= onemore=x").hasPrefix("OK"))
        line.end()
    }

    @Test func `a message is shown until its time has passed`() throws {
        let line = try TestConnection()
        let change = line.say("say Look under the rug for=30s")
        #expect(
            change.contains(#""kind":"say""#) && change.contains(#""say":"Look under the rug""#))
        #expect(change.contains(#""forMs":30000"#))
        #expect(line.json("status")["say.text"] == .string("Look under the rug"))
        #expect(line.json("status")["say.untilMs"] == .int(30_000))
        _ = line.say("advance 29s")
        #expect(line.json("status")["say.seq"] == .int(2))
        _ = line.say("advance 1s")
        #expect(line.json("status")["say"] == nil)
        _ = line.say("say \"and now\"")
        #expect(line.json("status")["say.text"] == .string("and now"))
        #expect(line.say(#"say """#).hasPrefix("OK"))
        #expect(line.json("status")["say"] == nil)
        #expect(line.say("say \(String(repeating: "x", count: 501))").hasPrefix("ERR invalid"))
        line.end()
    }

    @Test func `open with again closes and opens in one step, and subscriptions continue`() throws {
        let line = try TestConnection()
        _ = line.say("send startPlaying")
        #expect(line.say("open @main flow=game").hasPrefix("ERR exists"))
        _ = line.say("watch @main")
        // What the new session refuses leaves the old one as it is.
        #expect(
            line.say("open @main flow=game again=true playingLevel episode=9 level=1").hasPrefix(
                "ERR invalid"))
        #expect(line.json("status")["state"] == .string("choosingEpisode"))
        let answer = line.say("open @main flow=quiz again=true labels={\"team\":\"Owls\"}")
        #expect(answer.contains(#""flow":"quiz""#), "\(answer)")
        #expect(answer.contains(#""labels":{"team":"Owls"}"#))
        #expect(line.told.count == 2)
        #expect(
            line.told[0].contains(#""kind":"close""#) && line.told[0].contains(#""again":true"#))
        #expect(line.told[1].contains(#""kind":"open""#))
        _ = line.say("send start rounds=1")
        #expect(line.told.count == 3)
        line.end()
    }

    @Test func `label, say and open again need the role operate`() throws {
        let line = try TestConnection()
        line.rights = Rights([Grant(.play)])
        for words in ["label a=b", "say hello", "move", "flows", "open @x again=true"] {
            #expect(line.say(words).hasPrefix("ERR forbidden"), "\(words)")
        }
        line.end()
    }
}
