import GameFlow
import ShippedFlows
import TestSupport
import Testing
import Timers

/// The settings of the shipped flows: each has an effect, and invalid values are refused.
@Suite struct SettingsTests {
    /// A setting that is a duration, and the timers that have this duration.
    struct TimeSetting: Sendable {
        let flow: String
        let name: String
        let timers: [TimerName]

        struct TimerName: Hashable {
            let state: String
            let fires: String
        }

        init(_ flow: String, _ name: String, _ timers: (String, String)...) {
            (self.flow, self.name) = (flow, name)
            self.timers = timers.map { TimerName(state: $0, fires: $1) }
        }
    }

    static let times = [
        TimeSetting("game", "help", ("help", "helpTimedOut")),
        TimeSetting("game", "choosing", ("choosingEpisode", "idle"), ("choosingLevel", "idle")),
        TimeSetting("game", "level", ("playingLevel", "timeUp")),
        TimeSetting("game", "tick", ("playingLevel", "tick")),
        TimeSetting("game", "paused", ("paused", "abandoned")),
        TimeSetting("game", "score", ("finishedLevel", "idle")),
        TimeSetting("startup", "launch", ("launching", "launchTimedOut")),
        TimeSetting("startup", "hydrate", ("hydrating", "hydrateTimedOut")),
        TimeSetting("startup", "login", ("authenticating", "loginTimedOut")),
        TimeSetting("startup", "sync", ("ready", "sync"), ("showing", "sync")),
        TimeSetting(
            "registration", "session", ("createProfile", "sessionExpired"),
            ("facebookProfile", "sessionExpired"), ("selectAvatar", "sessionExpired"),
            ("termsAndConditions", "sessionExpired")),
        TimeSetting("onboarding", "loader", ("accountLoader", "loaderTimedOut")),
        TimeSetting("onboarding", "probe", ("offline", "probe")),
        TimeSetting(
            "permissions", "prompt", ("pushNotificationsDisplay", "promptTimedOut"),
            ("locationDisplay", "promptTimedOut")),
        TimeSetting("quiz", "question", ("question", "timeUp")),
        TimeSetting("quiz", "tick", ("question", "tick")),
        TimeSetting("quiz", "answer", ("locked", "answerTimedOut")),
        TimeSetting("quiz", "reveal", ("reveal", "next")),
    ]

    private static func flow(_ name: String) throws -> AnyFlow {
        try #require(AnyFlow.shipped().first { $0.name == name })
    }

    /// The total time of each timer of a flow when its state is entered.
    private static func totals(_ flow: AnyFlow) -> [TimeSetting.TimerName: Duration] {
        var totals: [TimeSetting.TimerName: Duration] = [:]
        for state in flow.survey {
            for timer in state.timers {
                totals[TimeSetting.TimerName(state: state.state, fires: timer.fires)] =
                    timer.info.total
            }
        }
        return totals
    }

    @Test(arguments: Self.times)
    func `a setting changes its own timers only`(_ setting: TimeSetting) throws {
        let flow = try Self.flow(setting.flow)
        let changedFlow = try flow.with(settings: [Member(setting.name, "1h7m")])
        var expected = Self.totals(flow)
        for timer in setting.timers {
            #expect(expected[timer] != nil, "\(timer)")
            expected[timer] = .seconds(67 * 60)
        }
        #expect(Self.totals(changedFlow) == expected)
        #expect(changedFlow.settings.first { $0.name == setting.name }?.value == "1h7m")
        #expect(Self.totals(flow) == Self.totals(try Self.flow(setting.flow)))
    }

    @Test func `every setting of a shipped flow is tested`() throws {
        let testedSettings = Self.times.map { "\($0.flow) \($0.name)" } + ["game catalog"]
        let allSettings = AnyFlow.shipped().flatMap { flow in
            flow.settings.map { "\(flow.name) \($0.name)" }
        }
        #expect(Set(allSettings) == Set(testedSettings))
        #expect(allSettings.count == testedSettings.count)
    }

    @Test(arguments: Self.times)
    func `an invalid duration is refused with the setting's name`(_ setting: TimeSetting)
        throws
    {
        let flow = try Self.flow(setting.flow)
        for wrong: Value in ["soon", "0s", "-5s", "", "90", 90, .null, true] {
            #expect(
                throws: Reason.invalid(setting.name, "expected a duration such as 90s or 1h30m")
            ) { _ = try flow.with(settings: [Member(setting.name, wrong)]) }
        }
        #expect(
            throws: Reason.invalid(setting.name, "expected a duration of at most 10 years")
        ) { _ = try flow.with(settings: [Member(setting.name, "4000d")]) }
    }

    @Test(arguments: [
        ("game", "tick"), ("startup", "sync"), ("onboarding", "probe"), ("quiz", "tick"),
    ])
    func `a pendulum's period is at least ten milliseconds`(_ name: String, _ setting: String)
        throws
    {
        let flow = try Self.flow(name)
        #expect(throws: Reason.invalid(setting, "a period is at least 10ms")) {
            _ = try flow.with(settings: [Member(setting, "9ms")])
        }
        _ = try flow.with(settings: [Member(setting, "10ms")])
    }

    @Test func `an unknown setting is refused with the names of the known ones`() throws {
        #expect(throws: Reason.invalid("time", "not a setting: question, tick, answer, reveal")) {
            _ = try Self.flow("quiz").with(settings: [Member("time", "5s")])
        }
    }

    @Test func `a session uses its settings in every entry`() throws {
        let settings = [Member("level", "10s"), Member("tick", "300ms"), Member("paused", "2s")]
        let fixture = try MachineFixture(AnyFlow(Game()).with(settings: settings))
        try fixture.send("startPlaying")
        try fixture.send("chooseEpisode", [Member("episode", 1)])
        try fixture.send("chooseLevel", [Member("level", 1)])
        #expect(fixture.timers == ["timeUp 10000/10000", "tick 300/300"])
        fixture.time.advance(by: .milliseconds(4500))
        try fixture.send("pause")
        #expect(fixture.timers == ["abandoned 2000/2000"])
        try fixture.send("resume")
        #expect(fixture.timers == ["timeUp 5500/10000", "tick 300/300"])
        fixture.expectOnlyItsOwnTimers()
    }

    @Test func `two sessions of one flow have settings of their own`() throws {
        let flow = AnyFlow(Game())
        let slow = try MachineFixture(flow.with(settings: [Member("help", "2m")]), "help")
        let unchanged = try MachineFixture(flow, "help")
        #expect(slow.timers == ["helpTimedOut 120000/120000"])
        #expect(unchanged.timers == ["helpTimedOut 30000/30000"])
        slow.expectOnlyItsOwnTimers()
        unchanged.expectOnlyItsOwnTimers()
    }

    // MARK: the catalog

    @Test func `a catalog defines the episodes and levels`() throws {
        let flow = try AnyFlow(Game()).with(settings: [Member("catalog", "2,1")])
        let fixture = try MachineFixture(flow, "choosingEpisode")
        #expect(
            fixture.refusal("chooseEpisode", [Member("episode", 3)])
                == .invalid("episode", "not in the catalog"))
        try fixture.send("chooseEpisode", [Member("episode", 2)])
        #expect(
            fixture.refusal("chooseLevel", [Member("level", 2)])
                == .invalid("level", "the episode has no such level"))
        try fixture.send("chooseLevel", [Member("level", 1)])
        #expect(fixture.state == "playingLevel")
        fixture.expectOnlyItsOwnTimers()
        #expect(flow.settings.last?.value == "2,1")
        #expect(AnyFlow(Game()).settings.last?.value == "5,5,5")
        #expect(flow.mistakes == [])
    }

    @Test func `an invalid catalog is refused`() throws {
        let tooManyEpisodes = Array(repeating: "1", count: Catalog.maximum + 1)
            .joined(separator: ",")
        for wrong: Value in [
            "", ",", "5,", "0", "5,0", "-1", "a", "5, 5", "05", "1001", .string(tooManyEpisodes),
            "99999999999999999999",
        ] {
            #expect(
                throws: Reason.invalid(
                    "catalog",
                    "expected the number of levels of each episode, joined by commas, such as 5,5,5; "
                        + "at most 1000 episodes of 1 to 1000 levels")
            ) { _ = try AnyFlow(Game()).with(settings: [Member("catalog", wrong)]) }
        }
        #expect(throws: Reason.invalid("catalog", "expected a text")) {
            _ = try AnyFlow(Game()).with(settings: [Member("catalog", 5)])
        }
        // Without its last two characters, a comma and a 1, the catalog has one episode less and is accepted.
        _ = try AnyFlow(Game()).with(settings: [
            Member("catalog", .string(String(tooManyEpisodes.dropLast(2))))
        ])
    }

    @Test func `a catalog made in a program may have an episode without levels`() throws {
        var game = Game()
        // Three episodes. Only the second episode has levels.
        game.catalog = Catalog(0, 2, -1)
        let fixture = try MachineFixture(game, "choosingEpisode")
        for episode in [Int.min, 0, 1, 3, 4, Int.max] {
            #expect(
                fixture.refusal("chooseEpisode", [Member("episode", episode)])?.code == .invalid)
        }
        try fixture.send("chooseEpisode", [Member("episode", 2)])
        fixture.expectOnlyItsOwnTimers()
    }
}
