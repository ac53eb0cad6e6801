import ShippedFlows
import TestSupport
import Testing
import Timers

@testable import GameFlow

@Suite struct FlowSurveyTests {
    @Test func `the survey of the game finds exactly the rows of the game model`() {
        let survey = AnyFlow(Game()).survey
        #expect(survey.map(\.state) == GameModel.states)
        for stateSurvey in survey {
            let rows = (GameModel.events + GameModel.signals).compactMap { event in
                GameModel.row(stateSurvey.state, event).map {
                    "\(event) → \($0.to) \($0.effect ?? "")"
                }
            }
            // `GameModel` has no row for the signal `tick`, which keeps the state.
            let tick = stateSurvey.state == "playingLevel" ? ["tick → playingLevel "] : []
            let expected = Set(rows + tick)
            #expect(
                Set(stateSurvey.transitions.map { "\($0.on) → \($0.to) \($0.effects.joined())" })
                    == expected)
        }
    }

    @Test func `the survey finds each state's timers`() {
        let timers = AnyFlow(Game()).survey.map { stateSurvey in
            stateSurvey.timers.map { "\($0.fires) \($0.info.total.milliseconds)" }
        }
        #expect(
            timers == [
                [], ["helpTimedOut 30000"], ["idle 60000"], ["idle 60000"],
                ["timeUp 90000", "tick 1000"], ["abandoned 300000"], ["idle 15000"],
            ])
    }

    @Test func `an empty list of samples stands for the samples of the type`() {
        let (data, _, refusal) = Sampler.samples { (arguments) throws(Reason) in
            let _: Bool = try arguments("isOpen", samples: [])
        }
        #expect(data == [[Member("isOpen", true)], [Member("isOpen", false)]])
        #expect(refusal == nil)
    }

    @Test func `the survey lists no transition for a deferred event`() {
        let busy = AnyFlow(EveryCaseFlow()).survey.first { $0.state == "busy" }
        #expect(busy?.transitions.map(\.on) == ["finish", "rested"])
    }

    @Test(arguments: [(3, 4, 12), (3, 4, 7), (4, 6, 9), (1, 256, 10), (1024, 256, 4096), (5, 0, 3)])
    func `pairs of data and samples are distinct, and have each datum and sample`(
        _ data: Int, _ samples: Int, _ count: Int
    ) {
        let pairs = Array(SamplePairs(data, samples, count))
        #expect(pairs.count == min(count, data * samples))
        #expect(Set(pairs.map { [$0.datum, $0.sample] }).count == pairs.count)
        guard count >= max(data, samples), samples > 0 else { return }
        #expect(Set(pairs.map(\.datum)).count == data)
        #expect(Set(pairs.map(\.sample)).count == samples)
    }

    @Test func `the surveys of the shipped flows are whole`() {
        for flow in AnyFlow.shipped() {
            let result = flow.surveyResult
            #expect(result.isWhole, "\(flow.name)")
            #expect(result.tries < 2000, "\(flow.name): \(result.tries)")
        }
    }
}
