import GameFlow
import ShippedFlows
import TestSupport
import Testing
import Timers

@Suite struct ObservationTests {
    @Test func `an observer gets the current state first, and then each change`() throws {
        let fixture = try MachineFixture(Onboarding())
        var seen: [String] = []
        let observation = try fixture.machine.observe(as: Onboarding.self) { seen.append($0.state) }
        #expect(seen == ["accountLoader"])
        try fixture.send("accountLoaderFinished")
        _ = fixture.refusal("retry")
        try fixture.send("connectivityLost")
        // The pendulum of `offline` fires after 5 s, keeps the state and asks for an effect: this is a change, too.
        fixture.time.advance(by: .seconds(5))
        #expect(seen == ["accountLoader", "welcome", "offline", "offline"])
        observation.end()
        try fixture.send("connectivityRestored")
        #expect(seen.count == 4)
        fixture.expectOnlyItsOwnTimers()
    }

    @Test func `an observation ends when its token is released`() throws {
        let fixture = try MachineFixture(Onboarding())
        var seen = 0
        var observation: ObservationToken? = try fixture.machine.observe(as: Onboarding.self) { _ in
            seen += 1
        }
        try fixture.send("accountLoaderFinished")
        #expect(seen == 2)
        withExtendedLifetime(observation) {}
        observation = nil
        try fixture.send("startFlowTapped")
        #expect(seen == 2)
        fixture.expectOnlyItsOwnTimers()
    }

    @Test func `an observer is not notified of beats`() throws {
        let fixture = try MachineFixture(EveryCaseFlow(), "counting", [Member("n", 1)])
        var seen = 0
        let observation = try fixture.machine.observe(as: EveryCaseFlow.self) { _ in seen += 1 }
        fixture.time.advance(by: .seconds(9))
        #expect(fixture.beats == 9)
        #expect(seen == 1)
        observation.end()
        fixture.expectOnlyItsOwnTimers()
    }

    @Test func `if an observer posts an event, all observers first get the present change`()
        throws
    {
        let fixture = try MachineFixture(Onboarding())
        var (firstStates, secondStates): ([String], [String]) = ([], [])
        let firstObservation = try fixture.machine.observe(as: Onboarding.self) { place in
            firstStates.append(place.state)
            if place.state == "welcome" {
                fixture.machine.post("startFlowTapped", [], from: .tester)
            }
        }
        let secondObservation = try fixture.machine.observe(as: Onboarding.self) {
            secondStates.append($0.state)
        }
        try fixture.send("accountLoaderFinished")
        #expect(firstStates == ["accountLoader", "welcome", "deviceIdentification"])
        #expect(secondStates == firstStates)
        firstObservation.end()
        secondObservation.end()
        fixture.expectOnlyItsOwnTimers()
    }

    @Test func `an observer added during a notification gets the present state`() throws {
        let fixture = try MachineFixture(Onboarding())
        var lateStates: [String] = []
        var lateObservation: ObservationToken?
        let firstObservation = try fixture.machine.observe(as: Onboarding.self) { place in
            if place.state == "welcome" {
                lateObservation = try? fixture.machine.observe(as: Onboarding.self) {
                    lateStates.append($0.state)
                }
            }
        }
        try fixture.send("accountLoaderFinished")
        try fixture.send("startFlowTapped")
        #expect(lateStates == ["welcome", "deviceIdentification"])
        lateObservation?.end()
        firstObservation.end()
        fixture.expectOnlyItsOwnTimers()
    }

    @Test func `an event that an observer posts in its first call is processed after that call`()
        throws
    {
        let fixture = try MachineFixture(Onboarding())
        var seen: [String] = []
        let observation = try fixture.machine.observe(as: Onboarding.self) { place in
            if place.state == "accountLoader" {
                fixture.machine.post("accountLoaderFinished", [], from: .tester)
            }
            seen.append(place.state)
        }
        #expect(seen == ["accountLoader", "welcome"])
        observation.end()
        fixture.expectOnlyItsOwnTimers()
    }

    @Test func `an observation that another observer ends gets nothing more`() throws {
        let fixture = try MachineFixture(Onboarding())
        var second: ObservationToken?
        var third: ObservationToken?
        var notifications = 0
        let first = try fixture.machine.observe(as: Onboarding.self) { place in
            guard place.state == "welcome" else { return }
            second?.end()
            third = nil
        }
        second = try fixture.machine.observe(as: Onboarding.self) { _ in notifications += 1 }
        third = try fixture.machine.observe(as: Onboarding.self) { _ in notifications += 1 }
        try fixture.send("accountLoaderFinished")
        // Both closures were called once, with the present state, when their observations began.
        #expect(notifications == 2)
        withExtendedLifetime(third) {}
        first.end()
        fixture.expectOnlyItsOwnTimers()
    }
}
