import GameFlow
import TestSupport

/// A simple model of a flow: tables as data, and a clock that counts milliseconds. The tests compare the flow's machine with
/// this model. The model is written from the documented tables, independently of the flow's code.
struct NaiveModel {
    struct Timer: Equatable {
        let fires: String
        /// The total time, in milliseconds.
        let total: Int
        /// The remaining time, in milliseconds.
        var left: Int
        let isPendulum: Bool

        static func countdown(_ fires: String, _ ms: Int) -> Timer {
            Timer(fires: fires, total: ms, left: ms, isPendulum: false)
        }

        static func pendulum(_ fires: String, _ ms: Int) -> Timer {
            Timer(fires: fires, total: ms, left: ms, isPendulum: true)
        }
    }

    /// The result of a row: a state and its data.
    struct Next {
        let state: String
        var data: [Member] = []
        /// The remaining time of the state's first timer, in milliseconds; nil if the timer begins with its full time.
        var left: Int?
        /// The effect, if it depends on the data; it then replaces the effect of the row.
        var effect: String?
    }

    /// A row of the table: in each state of `from`, each event of `on` leads to the result that `to` returns. The arguments of
    /// `to` are the model as it was before the event, and the event's arguments. `to` returns nil if a validator refuses the
    /// event's arguments.
    struct Row {
        let from: [String]
        let on: [String]
        var effect: String?
        var isKeep = false
        var to: (NaiveModel, [Member]) -> Next?

        /// A row that enters a state without data.
        init(_ from: [String], _ on: [String], _ to: String, effect: String? = nil) {
            self.init(from, on, effect: effect) { _, _ in Next(state: to) }
        }

        init(
            _ from: [String], _ on: [String], effect: String? = nil,
            _ to: @escaping (NaiveModel, [Member]) -> Next?
        ) {
            (self.from, self.on, self.effect, self.to) = (from, on, effect, to)
        }

        /// A row that keeps the state.
        static func keep(_ from: [String], _ on: [String], effect: String? = nil) -> Row {
            var row = Row(from, on, effect: effect) { model, _ in Next(state: model.state) }
            row.isKeep = true
            return row
        }
    }

    /// The tables of a flow; they do not change while its model runs.
    struct Table {
        let states: [String]
        let events: [String]
        let signals: [String]
        var finals: [String] = []
        let timers: [String: [Timer]]
        let rows: [Row]
        /// Deferred events, each with the validator of its arguments. Such an event is deferred in each state that has no row
        /// for it.
        var deferred: [String: ([Member]) -> Bool] = [:]
        /// Example data of each state.
        var data: [String: [Member]] = [:]
        /// Random arguments of an event, valid or invalid.
        var arguments: (String, inout SeededRandom) -> [Member] = { _, _ in [] }
        /// Arguments that the validators of all states accept.
        var goodArguments: [String: [Member]] = [:]

        func row(_ state: String, _ event: String) -> Row? {
            rows.first { $0.from.contains(state) && $0.on.contains(event) }
        }
    }

    let table: Table
    private(set) var state: String
    private(set) var data: [Member]
    private(set) var timers: [Timer]
    /// The deferred events, the oldest first.
    private(set) var waiting: [(event: String, arguments: [Member])] = []
    private(set) var effects: [String] = []
    private(set) var beats = 0

    /// Begins in the first state, or in the given one with its example data.
    init(_ table: Table, in state: String? = nil) {
        self.table = table
        self.state = state ?? table.states[0]
        data = state.flatMap { table.data[$0] } ?? []
        timers = table.timers[self.state] ?? []
    }

    /// The remaining time of a timer, in milliseconds.
    func left(_ fires: String) -> Int { timers.first { $0.fires == fires }?.left ?? 0 }

    /// Processes an event of a client and returns the name of the refusal; nil if the event is accepted.
    mutating func take(_ event: String, _ arguments: [Member]) -> String? {
        if table.finals.contains(state) { return "finished" }
        guard let row = table.row(state, event) else {
            guard let isValid = table.deferred[event] else { return "noTransition" }
            guard isValid(arguments) else { return "invalid" }
            // A machine defers at most 16 events.
            guard waiting.count < 16 else { return "deferQueueFull" }
            waiting.append((event, arguments))
            return nil
        }
        guard run(row, arguments) else { return "invalid" }
        if !row.isKeep { retryDeferred() }
        return nil
    }

    /// Applies a row. Returns false if a validator refuses the arguments.
    private mutating func run(_ row: Row, _ arguments: [Member]) -> Bool {
        guard let next = row.to(self, arguments) else { return false }
        if let effect = next.effect ?? row.effect { effects.append(effect) }
        if row.isKeep {
            if row.effect == nil { beats += 1 }
            return true
        }
        (state, data) = (next.state, next.data)
        timers = table.timers[state] ?? []
        if let left = next.left { timers[0].left = left }
        return true
    }

    /// Tries the deferred events, the oldest first, until none is accepted.
    private mutating func retryDeferred() {
        var untried = waiting
        waiting = []
        while !untried.isEmpty {
            let next = untried.removeFirst()
            if let row = table.row(state, next.event) {
                if run(row, next.arguments), !row.isKeep {
                    untried = waiting + untried
                    waiting = []
                }
            } else if table.deferred[next.event] != nil, !table.finals.contains(state) {
                waiting.append(next)
            }
        }
    }

    /// Lets time pass, from one due timer to the next.
    mutating func pass(_ ms: Int) {
        var ms = ms
        while true {
            let timeToNext = timers.map(\.left).min() ?? .max
            guard timeToNext <= ms else { break }
            ms -= timeToNext
            for index in timers.indices { timers[index].left -= timeToNext }
            while let due = timers.firstIndex(where: { $0.left == 0 }) {
                let timer = timers[due]
                if timer.isPendulum {
                    timers[due].left = timer.total
                } else {
                    timers.remove(at: due)
                }
                if let row = table.row(state, timer.fires), run(row, []), !row.isKeep {
                    retryDeferred()
                }
            }
        }
        for index in timers.indices { timers[index].left -= ms }
    }

    var timerTexts: [String] { timers.map { "\($0.fires) \($0.left)/\($0.total)" } }
}
