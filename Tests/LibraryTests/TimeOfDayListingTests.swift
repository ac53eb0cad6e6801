import GameFlow
import Testing
import Timers

/// A timer that fires at a time of day, in a program that sets the zone of its wall clock.
@Suite struct TimeOfDayListingTests {
    private enum Doors { case locked, closed, open }
    private enum Step { case close, opening }

    @Test func `the doors open at 20:00 of the zone that the program sets`() throws {
        let clock = VirtualClock()
        let berlin = try #require(ClockZone.named("Europe/Berlin"))
        // The virtual clock begins at 1970-01-01 00:00 UTC, which is 01:00 in Berlin.
        clock.timerQueue.wallClock = CivilClock(berlin)
        let doors = StateMachine<Doors, Step>(initial: .locked, on: clock)
        doors[.locked] = [.close: .closed]
        doors[.closed] = [.opening: .open]
        doors.timers { state in
            state == .closed ? [.until(TimeOfDay(hour: 20), sends: .opening)] : []
        }
        try doors.send(.close)
        clock.advance(by: .seconds(19 * 3600) - .milliseconds(1))
        #expect(doors.state == .closed)
        clock.advance(by: .milliseconds(1))
        #expect(doors.state == .open)
    }
}
