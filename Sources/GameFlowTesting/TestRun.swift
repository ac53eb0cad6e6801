internal import GameFlow
internal import Testing
internal import Timers

/// A machine in a test, its clock, and what has happened to it. Each line of the history begins with the virtual time.
final class TestRun<State, Event> {
    let machine: StateMachine<State, Event>
    let clock: VirtualClock
    private(set) var history: [String] = []

    init(_ machine: StateMachine<State, Event>, _ clock: VirtualClock) {
        (self.machine, self.clock) = (machine, clock)
    }

    func record(_ line: String) { history.append("\(clock.now - .zero)  \(line)") }

    func send(_ event: Event) throws(Refusal<State, Event>) -> State {
        record("send \(event)")
        do throws(Refusal<State, Event>) { return try machine.send(event) } catch {
            record("refused: \(error.reason.sentence)")
            throw error
        }
    }

    func after(_ time: Duration, _ location: SourceLocation) {
        let step = clock.advance(by: time)
        let firedCount = step.fired.count
        record("after \(time): \(firedCount) timer\(firedCount == 1 ? "" : "s") fired")
        if step.isCutShort {
            fail("states with timers of zero duration follow each other", location)
        }
    }

    /// Returns whether the machine has refused the event, for whatever reason.
    @discardableResult func expectRefusal(
        _ event: Event, _ reason: Reason?, _ location: SourceLocation
    ) -> Bool {
        do throws(Refusal<State, Event>) {
            _ = try send(event)
            fail("expected a refusal of \(event)", location)
            return false
        } catch {
            if let reason, error.reason != reason {
                fail("expected \(reason.sentence), found \(error.reason.sentence)", location)
            }
            return true
        }
    }

    /// How many lines of the history the text of an issue has at most.
    private static var shownLines: Int { 100 }

    /// Records a failed expectation as an issue: the sentence, followed by the end of the history.
    func fail(_ sentence: String, _ location: SourceLocation) {
        let lines = history.suffix(Self.shownLines).map { "  \($0)" }
        let text = ([sentence] + lines).joined(separator: "\n")
        Issue.record(Comment(rawValue: text), sourceLocation: location)
    }
}
