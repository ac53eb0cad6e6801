import FlowFiles
import GameFlow
import RPC
import Sessions
import ShippedFlows
import TestSupport
import Testing
import Timers

/// Taking a session back by one step, or to after a change.
@Suite struct UndoTests {
    private func quiz() throws -> TestConnection {
        let line = try TestConnection([AnyFlow(Quiz())])
        _ = line.say("send start rounds=2")
        _ = line.say("advance 3s")
        return line
    }

    private func timers(_ line: TestConnection) -> Value? { line.json("status")["timers"] }

    @Test func `one step back restores state, data and what each clock had left`() throws {
        let line = try quiz()
        let (before, timers) = (line.json("status"), timers(line))
        _ = line.say("send buzz player=Ann")
        _ = line.say("advance 2s")
        let change = line.json("undo")
        #expect(change["kind"] == .string("undo") && change["effects"] == .array([]))
        #expect(change["undone"] == .object([Member("from", 3), Member("to", 3)]))
        let after = line.json("status")
        #expect(after["state"] == before["state"] && after["data"] == before["data"])
        #expect(self.timers(line) == timers)
        // It is a new entry: requests for the old one are stale.
        #expect(after["entry"] == .int(4))
        #expect(line.say("send entry=2 buzz player=Bob").hasPrefix("ERR stale"))
        line.end()
    }

    @Test func `two undos go back two steps, and labels and messages are not steps`() throws {
        let line = try quiz()
        _ = line.say("send buzz player=Ann")
        _ = line.say("label team=Owls")
        _ = line.say("send judge correct=true")
        _ = line.say("say hello")
        #expect(line.json("undo")["to.state"] == .string("locked"))
        #expect(line.json("undo")["to.state"] == .string("question"))
        #expect(line.json("status")["labels"] == .object([Member("team", "Owls")]))
        #expect(line.json("undo")["to.state"] == .string("lobby"))
        let error = line.json("undo")
        #expect(error["argument"] == .string("seq"), "\(error)")
        line.end()
    }

    @Test func `undo to a change takes back all steps after it`() throws {
        let line = try quiz()
        let timers = timers(line)
        _ = line.say("send buzz player=Ann")
        _ = line.say("send judge correct=false")
        _ = line.say("send buzz player=Bob")
        let change = line.json("undo seq=2")
        #expect(change["undone"] == .object([Member("from", 3), Member("to", 5)]))
        #expect(change["to.state"] == .string("question"))
        #expect(self.timers(line) == timers)
        line.end()
    }

    @Test func `an undo that is impossible is refused with the reason and changes nothing`() throws
    {
        let line = try quiz()
        _ = line.say("send buzz player=Ann")
        _ = line.say("undo")
        let status = line.say("status")
        for (words, why) in [
            ("undo seq=3", "change 3 was undone itself"), ("undo seq=4", "no step after change 4"),
            ("undo seq=99", "no step after change 99"), ("undo seq=0", "only steps after change 1"),
        ] {
            let answer = line.say(words)
            #expect(answer.hasPrefix("ERR invalid"), "\(words): \(answer)")
            #expect(answer.contains(why), "\(words): \(answer)")
        }
        #expect(line.say("status") == status)
        line.end()
    }

    @Test func `undo restores a timer that fired as paused with no time left`() throws {
        let line = try quiz()
        _ = line.say("advance 17s")
        #expect(line.json("status")["state"] == .string("reveal"))
        #expect(line.json("undo")["to.state"] == .string("question"))
        let timer = try #require(
            ["0", "1"].compactMap { timers(line)?[$0] }.first { $0["fires"] == .string("timeUp") })
        #expect(timer["paused"] == .bool(true))
        #expect(timer["remainingMs"] == .int(0) && timer["totalMs"] == .int(20_000))
        // The operator gives it more, and it runs on.
        _ = line.say("timer timeUp extend by=10s")
        _ = line.say("timer timeUp resume")
        _ = line.say("advance 10s")
        #expect(line.json("status")["state"] == .string("reveal"))
        line.end()
    }

    @Test func `undo restores a paused timer as paused, and an extended one with its total`() throws
    {
        let line = try quiz()
        _ = line.say("timer timeUp extend by=10s")
        _ = line.say("timer timeUp pause")
        let timers = timers(line)
        _ = line.say("send buzz player=Ann")
        _ = line.say("undo")
        #expect(self.timers(line) == timers)
        // An operation on a timer is a step, too.
        _ = line.say("undo")
        #expect(self.timers(line)?["0.paused"] == .bool(false))
        line.end()
    }

    @Test func `a repeated id undoes only once`() throws {
        let line = try quiz()
        _ = line.say("send buzz player=Ann")
        let first = line.say("undo id=u1")
        #expect(line.say("undo id=u1") == first)
        #expect(line.json("status")["seq"] == .int(4))
        line.end()
    }

    @Test func `the number of steps that can be undone is limited`() throws {
        var limits = Limits()
        limits.undoStepsPerSession = 3
        let line = try TestConnection([AnyFlow(Game())], limits: limits)
        for _ in 0..<4 { _ = line.say("goto help") }
        for _ in 0..<3 { #expect(line.say("undo").hasPrefix("OK")) }
        #expect(line.say("undo").hasPrefix("ERR invalid"))
        line.end()
    }

    @Test func `the steps of all sessions together are limited`() throws {
        var limits = Limits()
        limits.undoSteps = 4
        let line = try TestConnection([AnyFlow(Game())], limits: limits)
        _ = line.say("open @other")
        for _ in 0..<3 { _ = line.say("goto @main help") }
        for _ in 0..<3 { _ = line.say("goto @other help") }
        #expect(line.say("undo @main").hasPrefix("OK"))
        #expect(line.say("undo @main").hasPrefix("ERR invalid"))
        for _ in 0..<3 { #expect(line.say("undo @other").hasPrefix("OK")) }
        line.end()
    }

    /// Random steps, and undos of all of them: each returns to what was before.
    @Test(arguments: 1...40) func `random steps are undone exactly`(_ seed: Int) throws {
        var random = SeededRandom(UInt64(seed))
        let flows = AnyFlow.shipped()
        let line = try TestConnection([random.pick(flows)])
        let session = try line.sessions.session(.main)
        var before: [(status: String, seq: Int)] = []
        for _ in 0..<12 {
            let accepts = session.machine.accepts
            let name = accepts.isEmpty ? "" : random.pick(accepts)
            let samples = session.flow.events.first { $0.name == name }?.samples ?? [[]]
            let (status, seq) = (shown(line), session.seq)
            switch random.below(5) {
            case 0:
                let timer = session.machine.liveTimers.randomElement(using: &random)
                _ = line.say("timer \(timer?.fires ?? "x") \(random.pick(["pause", "restart"]))")
            default:
                _ = try? line.sessions.send(
                    name, random.pick(samples), to: session, RequestContext(from: line.source))
            }
            if session.seq > seq { before.append((status, seq)) }
        }
        while let last = before.popLast() {
            #expect(line.say("undo").hasPrefix("OK"), "seed \(seed)")
            #expect(shown(line) == last.status, "seed \(seed), change \(last.seq)")
        }
        line.end()
    }

    /// What an undo restores: everything but the numbers of changes.
    private func shown(_ line: TestConnection) -> String {
        let status = line.json("status")
        return ["state", "data", "timers", "deferred", "accepts"].map {
            "\($0)=\(status[$0] ?? .null)"
        }
        .joined(separator: " ")
    }

    @Test func `a countdown that had fired and is resumed fires before the next request`() throws {
        let line = try quiz()
        _ = line.say("advance 20s")
        _ = line.say("undo")
        #expect(line.json("status")["state"] == .string("question"))
        _ = line.say("timer timeUp resume")
        #expect(line.say("send buzz player=Ann").hasPrefix("ERR noTransition"))
        #expect(line.json("status")["state"] == .string("reveal"))
        line.end()
    }
}
