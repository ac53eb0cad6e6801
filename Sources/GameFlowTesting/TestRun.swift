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

    func after(_ time: Duration) {
        let firedCount = clock.advance(by: time).fired.count
        record("after \(time): \(firedCount) timer\(firedCount == 1 ? "" : "s") fired")
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

    /// Records a failed expectation as an issue: the sentence, followed by the history.
    func fail(_ sentence: String, _ location: SourceLocation) {
        let text = ([sentence] + history.map { "  \($0)" }).joined(separator: "\n")
        Issue.record(Comment(rawValue: text), sourceLocation: location)
    }
}
