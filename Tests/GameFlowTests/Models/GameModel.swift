import GameFlow

/// A simple model of the flow `Game`: tables as data, and a clock that counts milliseconds. The tests compare the flow's
/// machine with this model. The model is written from the documented tables, independently of the flow's code.
struct GameModel {
    struct Timer: Equatable {
        let fires: String
        /// The total time, in milliseconds.
        let total: Int
        /// The remaining time, in milliseconds.
        var left: Int
        let isPendulum: Bool
    }

    /// A row of the transition table: in each state of `from`, each event of `on` enters the state `to`.
    struct Row {
        let from: [String]
        let on: [String]
        let to: String
        let effect: String?
    }

    /// The rows of all events and signals except `tick`, which keeps the state `playingLevel`.
    static let rows: [Row] = [
        Row(from: ["introduction"], on: ["displayHelp"], to: "help", effect: "presentHelp"),
        Row(
            from: ["introduction"], on: ["startPlaying"], to: "choosingEpisode",
            effect: "presentEpisodeChooser"),
        Row(
            from: ["help"], on: ["dismissHelp", "helpTimedOut", "returnHome"], to: "introduction",
            effect: "dismissHelp"),
        Row(
            from: ["choosingEpisode"], on: ["chooseEpisode"], to: "choosingLevel",
            effect: "presentLevelChooser"),
        Row(
            from: ["choosingEpisode", "choosingLevel"], on: ["idle", "returnHome"],
            to: "introduction", effect: "popToIntroduction"),
        Row(
            from: ["choosingLevel"], on: ["chooseLevel"], to: "playingLevel",
            effect: "presentGamePlay"),
        Row(
            from: ["playingLevel"], on: ["completeLevel", "timeUp"], to: "finishedLevel",
            effect: "presentScore"),
        Row(
            from: ["playingLevel"], on: ["pause", "controllerLost"], to: "paused",
            effect: "presentPause"),
        Row(
            from: ["playingLevel", "paused", "finishedLevel"], on: ["returnHome"],
            to: "introduction", effect: "popToIntroduction"),
        Row(
            from: ["paused"], on: ["resume", "controllerFound"], to: "playingLevel",
            effect: "dismissPause"),
        Row(from: ["paused"], on: ["abandoned"], to: "introduction", effect: "popToIntroduction"),
        Row(
            from: ["finishedLevel"], on: ["dismissFinishedLevel", "idle"], to: "choosingLevel",
            effect: "dismissScore"),
    ]

    static let states = [
        "introduction", "help", "choosingEpisode", "choosingLevel", "playingLevel", "paused",
        "finishedLevel",
    ]
    static let events = [
        "displayHelp", "dismissHelp", "startPlaying", "chooseEpisode", "chooseLevel",
        "completeLevel",
        "dismissFinishedLevel", "returnHome", "pause", "resume", "controllerLost",
        "controllerFound",
    ]
    static let signals = ["helpTimedOut", "idle", "timeUp", "tick", "abandoned"]
    /// The name of each event's only parameter.
    static let parameter = [
        "chooseEpisode": "episode", "chooseLevel": "level", "completeLevel": "score",
    ]
    /// The names of each state's data, in order.
    static let data = [
        "choosingLevel": ["episode"], "playingLevel": ["episode", "level"],
        "paused": ["episode", "level", "remainingMs"],
        "finishedLevel": ["episode", "level", "score"],
    ]

    private(set) var state = "introduction"
    /// The data of the present state, by name.
    private(set) var values: [String: Int] = [:]
    private(set) var timers: [Timer] = []
    private(set) var beats = 0
    private(set) var effects: [String] = []

    static func row(_ state: String, _ event: String) -> Row? {
        rows.first { $0.from.contains(state) && $0.on.contains(event) }
    }

    /// Processes an event or a signal. Returns false if it has no row or its argument is out of range.
    mutating func take(_ event: String, _ argument: Int? = nil) -> Bool {
        if state == "playingLevel", event == "tick" {
            beats += 1
            return true
        }
        guard let row = Self.row(state, event) else { return false }
        switch event {
        case "chooseEpisode": guard let argument, 1...3 ~= argument else { return false }
        case "chooseLevel": guard let argument, 1...5 ~= argument else { return false }
        case "completeLevel": guard let argument, 0...1_000_000 ~= argument else { return false }
        default: break
        }
        if let name = Self.parameter[event] { values[name] = argument }
        if event == "timeUp" { values["score"] = 0 }
        let timeLeftToPlay = timers.first { $0.fires == "timeUp" }?.left
        if row.to == "paused" { values["remainingMs"] = timeLeftToPlay }
        let left = row.to == "playingLevel" && state == "paused" ? values["remainingMs"] : nil
        effects.append(row.effect ?? "")
        enter(row.to, left: left)
        return true
    }

    /// Enters a state. `left` is the time left to play, in milliseconds; nil if the level begins with its full time.
    private mutating func enter(_ next: String, left: Int?) {
        state = next
        values = values.filter { Self.data[next, default: []].contains($0.key) }
        timers =
            switch next {
            case "help": [countdown("helpTimedOut", 30_000)]
            case "choosingEpisode", "choosingLevel": [countdown("idle", 60_000)]
            case "playingLevel":
                [
                    Timer(fires: "timeUp", total: 90_000, left: left ?? 90_000, isPendulum: false),
                    Timer(fires: "tick", total: 1000, left: 1000, isPendulum: true),
                ]
            case "paused": [countdown("abandoned", 300_000)]
            case "finishedLevel": [countdown("idle", 15_000)]
            default: []
            }
    }

    private func countdown(_ fires: String, _ total: Int) -> Timer {
        Timer(fires: fires, total: total, left: total, isPendulum: false)
    }

    /// Lets time pass, one millisecond at a time. Two timers that are due at one instant fire in the order in which they were
    /// set. A pendulum is set again with each beat, so it fires after a countdown that is due at that instant.
    mutating func pass(_ ms: Int) {
        for _ in 0..<ms {
            for index in timers.indices { timers[index].left -= 1 }
            while let due = timers.firstIndex(where: { $0.left == 0 }) {
                if timers[due].isPendulum { timers[due].left = timers[due].total }
                if !take(timers[due].fires) { timers.remove(at: due) }
            }
        }
    }

    /// The data of the present state, as the machine has it.
    var members: [Member] {
        Self.data[state, default: []].map { Member($0, .int(values[$0] ?? -1)) }
    }

    var timerTexts: [String] { timers.map { "\($0.fires) \($0.left)/\($0.total)" } }
}
