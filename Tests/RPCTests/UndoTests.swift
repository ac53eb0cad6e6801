import FlowFiles
import GameFlow
import RPC
import Sessions
import ShippedFlows
import TestSupport
import Testing
import Timers

/// The method `undo`: it takes back the most recent step, or all steps after a change.
@Suite struct UndoTests {
    /// A connection to a session of the quiz in the state `question`, 3 s after its entry. Change 1 opened the session, and
    /// change 2 is the event `start`.
    private func makeQuizConnection() throws -> TestConnection {
        let connection = try TestConnection([AnyFlow(Quiz())])
        _ = connection.reply(to: "send start rounds=2")
        _ = connection.reply(to: "advance 3s")
        return connection
    }

    private func timers(_ connection: TestConnection) -> Value? {
        connection.json("status")["timers"]
    }

    @Test func `an undo restores the state, its data and the remaining time of each timer`() throws
    {
        let connection = try makeQuizConnection()
        let (before, timers) = (connection.json("status"), timers(connection))
        _ = connection.reply(to: "send buzz player=Ann")
        _ = connection.reply(to: "advance 2s")
        let change = connection.json("undo")
        #expect(change["kind"] == .string("undo") && change["effects"] == .array([]))
        #expect(
            change["undone"]
                == .object([Member("from", 3), Member("to", 3), Member("clocks", "still")]))
        let after = connection.json("status")
        #expect(after["state"] == before["state"] && after["data"] == before["data"])
        #expect(self.timers(connection) == timers)
        // The undo makes a new entry, so requests for the old entry are stale.
        #expect(after["entry"] == .int(4))
        #expect(connection.reply(to: "send entry=2 buzz player=Bob").hasPrefix("ERR stale"))
        connection.end()
    }

    @Test func `each undo goes back one step, and labels and messages are not steps`() throws {
        let connection = try makeQuizConnection()
        _ = connection.reply(to: "send buzz player=Ann")
        _ = connection.reply(to: "label team=Owls")
        _ = connection.reply(to: "send judge correct=true")
        _ = connection.reply(to: "say hello")
        #expect(connection.json("undo")["to.state"] == .string("locked"))
        #expect(connection.json("undo")["to.state"] == .string("question"))
        #expect(connection.json("status")["labels"] == .object([Member("team", "Owls")]))
        #expect(connection.json("undo")["to.state"] == .string("lobby"))
        let error = connection.json("undo")
        #expect(error["seq"] == .null, "\(error)")
        connection.end()
    }

    @Test func `undo to a change takes back all steps after it`() throws {
        let connection = try makeQuizConnection()
        let timers = timers(connection)
        _ = connection.reply(to: "send buzz player=Ann")
        _ = connection.reply(to: "send judge correct=false")
        _ = connection.reply(to: "send buzz player=Bob")
        let change = connection.json("undo seq=2")
        #expect(
            change["undone"]
                == .object([Member("from", 3), Member("to", 5), Member("clocks", "still")]))
        #expect(change["to.state"] == .string("question"))
        #expect(self.timers(connection) == timers)
        connection.end()
    }

    @Test func `the clocks may have run since the undone step`() throws {
        let connection = try makeQuizConnection()
        func left() -> Int {
            guard case .int(let ms)? = connection.json("status")["timers.0.remainingMs"] else {
                return 0
            }
            return ms
        }
        let before = left()
        _ = connection.reply(to: "send buzz player=Ann")
        _ = connection.reply(to: "advance 3s")
        let change = connection.json("undo clocks=run")
        #expect(
            change["undone"]
                == .object([Member("from", 3), Member("to", 3), Member("clocks", "run")]))
        #expect(before > 3000 && left() == before - 3000)
        #expect(connection.reply(to: "undo clocks=fast").hasPrefix("ERR invalidParams"))
        connection.end()
    }

    @Test func `an undo that is impossible is refused with the reason and changes nothing`() throws
    {
        let connection = try makeQuizConnection()
        _ = connection.reply(to: "send buzz player=Ann")
        _ = connection.reply(to: "undo")
        let status = connection.reply(to: "status")
        for (seq, why) in [
            (3, "change 3 was undone itself"), (4, "no step after change 4 can be undone"),
            (99, "no step after change 99 can be undone"),
            (0, "only steps after change 1 are kept"),
        ] {
            #expect(
                connection.reply(to: "undo seq=\(seq)")
                    == #"ERR invalid {"session":"main","seq":\#(seq),"why":"\#(why)"}\#n"#)
        }
        #expect(connection.reply(to: "status") == status)
        connection.end()
    }

    @Test func `an undo without a step to take back says why there is none`() throws {
        let connection = try TestConnection([AnyFlow(Quiz())])
        let answer = connection.reply(to: "undo")
        let why = "nothing to undo: no step since the opening, a move or a restart is left"
        #expect(answer == #"ERR invalid {"session":"main","seq":null,"why":"\#(why)"}\#n"#)
        connection.end()
    }

    @Test func `a timer that had fired is paused and has no time left after an undo`() throws {
        let connection = try makeQuizConnection()
        _ = connection.reply(to: "advance 17s")
        #expect(connection.json("status")["state"] == .string("reveal"))
        #expect(connection.json("undo")["to.state"] == .string("question"))
        let timer = try #require(
            ["0", "1"].compactMap { timers(connection)?[$0] }.first {
                $0["fires"] == .string("timeUp")
            })
        #expect(timer["paused"] == .bool(true))
        #expect(timer["remainingMs"] == .int(0) && timer["totalMs"] == .int(20_000))
        // The timer runs again after the operator has extended and resumed it.
        _ = connection.reply(to: "timer timeUp extend by=10s")
        _ = connection.reply(to: "timer timeUp resume")
        _ = connection.reply(to: "advance 10s")
        #expect(connection.json("status")["state"] == .string("reveal"))
        // The total is the extended one.
        _ = connection.reply(to: "undo")
        #expect(
            ["0", "1"].compactMap { timers(connection)?[$0] }.contains {
                $0["fires"] == .string("timeUp") && $0["totalMs"] == .int(30_000)
            },
            "\(String(describing: timers(connection)))")
        connection.end()
    }

    @Test
    func
        `a paused timer is paused again after an undo, and an extended one has its extended total`()
        throws
    {
        let connection = try makeQuizConnection()
        _ = connection.reply(to: "timer timeUp extend by=10s")
        _ = connection.reply(to: "timer timeUp pause")
        let timers = timers(connection)
        _ = connection.reply(to: "send buzz player=Ann")
        _ = connection.reply(to: "undo")
        #expect(self.timers(connection) == timers)
        // An operation on a timer is also a step: this undo takes back the pause.
        _ = connection.reply(to: "undo")
        #expect(self.timers(connection)?["0.paused"] == .bool(false))
        connection.end()
    }

    @Test func `a repeated id undoes only once`() throws {
        let connection = try makeQuizConnection()
        _ = connection.reply(to: "send buzz player=Ann")
        let first = connection.reply(to: "undo id=u1")
        #expect(connection.reply(to: "undo id=u1") == first)
        #expect(connection.json("status")["seq"] == .int(4))
        connection.end()
    }

    @Test func `the number of steps that can be undone is limited`() throws {
        var limits = Limits()
        limits.undoStepsPerSession = 3
        let connection = try TestConnection([AnyFlow(Game())], limits: limits)
        for _ in 0..<4 { _ = connection.reply(to: "goto help") }
        for _ in 0..<3 { #expect(connection.reply(to: "undo").hasPrefix("OK")) }
        #expect(connection.reply(to: "undo").hasPrefix("ERR invalid"))
        connection.end()
    }

    @Test func `only steps among the newest changes of all sessions can be undone`() throws {
        var limits = Limits()
        limits.undoChanges = 4
        let connection = try TestConnection([AnyFlow(Game())], limits: limits)
        _ = connection.reply(to: "open @other")
        for _ in 0..<3 { _ = connection.reply(to: "goto @main help") }
        for _ in 0..<3 { _ = connection.reply(to: "goto @other help") }
        // Of the six steps the newest four can be undone: the last one of `main`, and all of `other`. An undo is a change, too.
        #expect(connection.reply(to: "undo @main").hasPrefix("OK"))
        #expect(connection.reply(to: "undo @main").hasPrefix("ERR invalid"))
        #expect(connection.reply(to: "undo @other").hasPrefix("OK"))
        #expect(connection.reply(to: "undo @other").hasPrefix("OK"))
        #expect(connection.reply(to: "undo @other").hasPrefix("ERR invalid"))
        connection.end()
    }

    @Test func `a step whose data have left the ring of the newest changes cannot be undone`()
        throws
    {
        let file = """
            flow: note
            start: open
            events: {write: {line: text 0..1000}}
            states: {open: {data: {text: text = x}, on: {write: {with: {text: =line}}}}}

            """
        var limits = Limits()
        limits.ringBytes = 8000
        let flow = try FlowFile(text: Array(file.utf8), file: "note.yaml").flow
        let connection = try TestConnection([flow], limits: limits)
        for letter in ["a", "b", "c", "d", "e"] {
            let text = String(repeating: letter, count: 1000)
            #expect(connection.reply(to: "send write line=\(text)").hasPrefix("OK"))
        }
        // A change has the text as an argument and as a datum, so three changes are kept; the undo has only the datum.
        #expect(connection.reply(to: "undo").hasPrefix("OK"))
        #expect(connection.json("status")["data.text"]?.text?.first == "d")
        var undone = 1
        while undone < 6, connection.reply(to: "undo").hasPrefix("OK") { undone += 1 }
        #expect(1..<5 ~= undone)
        connection.end()
    }

    @Test func `the bytes that are kept for an undo beside the changes are limited`() throws {
        // The deferred event with its 1000 bytes waits through all further steps.
        let file = """
            flow: wait
            start: open
            events: {note: {line: text 0..1000}, tick: {}}
            states:
              open: {data: {count: integer 0..100 = 0}, on: {note: defer, tick: {with: {count: =count + 1}}}}

            """
        var limits = Limits()
        limits.undoBytes = 3500
        let flow = try FlowFile(text: Array(file.utf8), file: "wait.yaml").flow
        let connection = try TestConnection([flow], limits: limits)
        let text = String(repeating: "x", count: 1000)
        #expect(connection.reply(to: "send note line=\(text)").hasPrefix("OK"))
        for _ in 0..<10 { #expect(connection.reply(to: "send tick").hasPrefix("OK")) }
        var undone = 0
        while undone < 20, connection.reply(to: "undo").hasPrefix("OK") { undone += 1 }
        #expect(undone == 3)
        connection.end()
    }

    /// Makes random steps, and undoes all of them. After each undo, the status must be equal to the status before the undone
    /// step.
    @Test(arguments: 1...40) func `random steps are undone exactly`(_ seed: Int) throws {
        var random = SeededRandom(UInt64(seed))
        let flows = AnyFlow.shipped()
        let connection = try TestConnection([random.pick(flows)])
        let session = try connection.sessions.session(.main)
        // The status and the `seq` before each step.
        var before: [(status: String, seq: Int)] = []
        for _ in 0..<12 {
            let accepts = session.machine.accepts
            let name = accepts.isEmpty ? "" : random.pick(accepts)
            let samples = session.flow.events.first { $0.name == name }?.samples ?? [[]]
            let (status, seq) = (restorableStatus(connection), session.seq)
            switch random.below(5) {
            case 0:
                let timer = session.machine.liveTimers.randomElement(using: &random)
                _ = connection.reply(
                    to: "timer \(timer?.fires ?? "x") \(random.pick(["pause", "restart"]))")
            default:
                _ = try? connection.sessions.send(
                    name, random.pick(samples), to: session, RequestContext(from: connection.source)
                )
            }
            if session.seq > seq { before.append((status, seq)) }
        }
        while let last = before.popLast() {
            #expect(connection.reply(to: "undo").hasPrefix("OK"), "seed \(seed)")
            #expect(restorableStatus(connection) == last.status, "seed \(seed), change \(last.seq)")
        }
        connection.end()
    }

    /// The part of the status that an undo restores. An undo does not restore the numbers of changes.
    private func restorableStatus(_ connection: TestConnection) -> String {
        let status = connection.json("status")
        return ["state", "data", "timers", "deferred", "accepts"].map {
            "\($0)=\(status[$0] ?? .null)"
        }
        .joined(separator: " ")
    }

    @Test func `a fired countdown that an undo restored fires again when it is resumed`() throws {
        let connection = try makeQuizConnection()
        _ = connection.reply(to: "advance 20s")
        _ = connection.reply(to: "undo")
        #expect(connection.json("status")["state"] == .string("question"))
        _ = connection.reply(to: "timer timeUp resume")
        #expect(connection.reply(to: "send buzz player=Ann").hasPrefix("ERR noTransition"))
        #expect(connection.json("status")["state"] == .string("reveal"))
        connection.end()
    }
}
