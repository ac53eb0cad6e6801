import GameFlow
import TestSupport
import Testing
import Timers

@testable import FlowAnalysis
@testable import FlowFiles

/// A `Trial` is a session on which lint and races try moves. To save steps, a trial skips beats. Its results must equal the
/// results of a trial that makes all beats.
@Suite struct IdlePendulumTests {
    /// A flow with pendulums whose periods are equal, multiples of each other, or unrelated. `low` depends on the time left,
    /// and `half` changes data.
    private static let text = """
        flow: f
        start: a
        effects: [beep]
        events: {more: , less: {by: integer 1..3}}
        states:
          a:
            data: {n: integer = 0}
            timers:
              second: {every: 1s}
              five: {every: 5s}
              other: {every: 5s}
              odd: {every: 700ms}
              end: {after: 1h}
              mid: {after: 37m}
              low: {every: 10s}
              half: {every: 30m}
            on:
              second, five, other: stay
              odd: {with: {n: =n}}
              mid: {do: [beep]}
              low: {if: left(end) < 5m, do: [beep], else: stay}
              half: {with: {n: =n + 1}}
              more: {with: {n: =n + 1}}
              less: {if: n >= by, to: a, with: {n: =n - by}}
              end: b
          b:
            timers: {five: {every: 5s}, second: {every: 1s}, home: {after: 2h}}
            on: {five: stay, second: stay, home: a}
        """

    /// The state, data, time and pending timers. The timers' ids are left out, because they count how often timers were set.
    private static func summary(of trial: Trial) -> String {
        let timers = trial.clock.pending.map { "\($0.tag) \($0.deadline?.nanoseconds ?? -1)" }
        return "\(trial.machine.place) \(trial.clock.now) \(timers)"
    }

    /// The steps that are not beats, as text.
    private static func changes(of trial: Trial) -> [String] {
        trial.steps.filter { !$0.isBeat }.map {
            "\($0.event.map { "\($0)" } ?? "") \($0.effects.map(\.name)) \($0.to.map { "\($0)" } ?? "")"
        }
    }

    @Test(arguments: seeds(1, long: 12))
    func `a trial that skips beats ends like one that makes all beats`(_ seed: UInt64) throws {
        var random = SeededRandom(seed)
        let flow = try flowFile(Self.text).flow
        let skipping = try Trial(opening: flow)
        // A trial that is not a dry run makes all beats.
        let complete = try Trial(opening: flow, isDryRun: false)
        for step in 0..<30 {
            let move: Move? =
                switch random.below(6) {
                case 0: .send("more", [])
                case 1: .send("less", [Member("by", 1 + random.below(3))])
                case 2: .wait(random.pick(["end", "mid", "half", "home", "five"]))
                default: nil
                }
            if let move {
                let (skippingResult, completeResult) = (skipping.make(move), complete.make(move))
                #expect(
                    skippingResult?.duration == completeResult?.duration,
                    "seed \(seed), step \(step)")
            } else {
                let time = random.pick([
                    Duration.milliseconds(1), .milliseconds(699), .seconds(5), .seconds(35),
                    .seconds(60 * 7), .seconds(3599), .seconds(3600), .seconds(7200),
                    .nanoseconds(Int64(random.below(4_000_000_000_000))),
                ])
                for trial in [skipping, complete] {
                    trial.clearSteps()
                    trial.wait(time)
                }
            }
            #expect(
                Self.changes(of: skipping) == Self.changes(of: complete),
                "seed \(seed), step \(step)")
            guard Self.summary(of: skipping) == Self.summary(of: complete) else {
                Issue.record(
                    "seed \(seed), step \(step): \(Self.summary(of: skipping)) is not \(Self.summary(of: complete))"
                )
                return
            }
        }
        #expect(skipping.moveCount < complete.moveCount)
    }

    @Test func `beats that read the time left are not skipped`() throws {
        let text = flowText(
            """
              timers: {tick: {every: 1s}, end: {after: 10m}}
              on:
                tick: {if: left(end) <= 3s, to: b, with: {n: 1}, else: stay}
                end: a
                go: stay
            """)
        let trial = try Trial(opening: flowFile(text).flow)
        // After 597 s, `end` has 3 s left.
        trial.wait(.seconds(596))
        #expect(trial.moveCount == 597)  // with the opening
        trial.wait(.seconds(1))
        #expect(trial.machine.place.state == "b")
    }

    /// The expected limits are above the moves of searches that skip beats. A search that makes all beats needs more than
    /// 500 000.
    @Test func `lint and races of the vault make few moves`() throws {
        let vault = try FlowFile(path: exampleFile("vault.yaml")).flow
        let exploration = Exploration(vault)
        #expect(exploration.isComplete)
        #expect(exploration.budget.used < 40_000, "\(exploration.budget.used)")
        let budget = SearchBudget(.racesMoves)
        var search = RaceSearch(exploration, budget)
        search.run()
        #expect(search.unexaminedCount == 0)
        #expect(budget.used < 400_000, "\(budget.used)")
    }

    @Test func `a wait ends immediately if nothing can happen any more`() throws {
        let text = flowText(
            """
              timers: {tick: {every: 1s}, end: {after: 10m}}
              on:
                tick: stay
                end: a
                go: {pause: end}
            """)
        let trial = try Trial(opening: flowFile(text).flow)
        let arguments = [Member("n", 1), Member("word", "x")]
        #expect(trial.make(.send("go", arguments)) != nil)
        // Now `end` is paused, and only beats would follow. Such a wait is given up, as if it had reached the limit.
        #expect(trial.make(.wait("end")) == nil)
        #expect(trial.reachedFiringLimit)
        #expect(trial.moveCount < 10)
    }
}
