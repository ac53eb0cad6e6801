/// Flow files of 200 lines. They differ only in the flow's name, its title and the default of a setting.
enum SampleFile {
    static func text(number: Int) -> [UInt8] {
        var lines = [
            "flow: sample-\(number)", "title: Sample \(number)", "start: s0", "settings:",
            "  time: \(number + 1)m", "  hints: 3", "events:", "  go: {team: text 1..32}",
            "  solve: {puzzle: \"one of bookcase, laser\"}", "  hint: {say: text 1..200}",
            "  home:", "effects: [music, lights, show]", "states:",
        ]
        for state in 0..<17 { lines += Self.state(state) }
        return Array((lines.joined(separator: "\n") + "\n").utf8)
    }

    /// A state of eleven lines.
    private static func state(_ number: Int) -> [String] {
        [
            "  s\(number):", "    title: The state \(number)",
            "    data: {team: text = x, used: integer = 0, solved: set = none}", "    timers:",
            "      timeUp: {after: =settings.time, restart: remaining}",
            "      tick: {every: 1s, restart: remaining}", "    on:",
            "      solve: [{if: puzzle in solved, refuse: {puzzle: solved}}, {with: {solved: =solved + puzzle}}]",
            "      hint: {if: used < settings.hints, with: {used: =used + 1}, do: [show: {text: =say}], else: {refuse: true}}",
            "      go, timeUp: {to: s\((number + 1) % 17), do: [music, lights: {scene: next}]}",
            "      tick: stay",
        ]
    }
}
