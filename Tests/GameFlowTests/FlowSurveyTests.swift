import ShippedFlows
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
}
