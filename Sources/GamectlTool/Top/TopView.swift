import GameFlow
import Support

/// Makes the lines of the screen of `gamectl top`: the alerts, the sessions, the selected session with its clocks and events, its log,
/// and the keys.
struct TopView {
    let model: TopModel
    let rows: Int
    let columns: Int
    /// The time of gamectl's clock, and the time of day, in milliseconds.
    let nowMs: Int
    let wallMs: Int

    /// The smallest screen on which everything has a place.
    static let smallest = (rows: 12, columns: 40)

    /// Exactly `rows` lines, each at most `columns` wide.
    var lines: [TopLine] {
        guard rows >= Self.smallest.rows, columns >= Self.smallest.columns else {
            let text = "at least \(Self.smallest.columns)x\(Self.smallest.rows), please"
            return padded([TopLine(text: text)])
        }
        let top = [header] + alertLines
        let bottom = [answerLine, keysLine]
        let middle = rows - top.count - bottom.count
        let list = sessionLines(atMost: max(3, middle / 3))
        let detail = Array(detailLines.prefix(max(0, middle - list.count)))
        let log = logLines(atMost: middle - list.count - detail.count)
        return padded(top + list + detail + log, bottom)
    }

    /// The lines, with empty ones between the first and the last part, cut off at the width of the screen.
    private func padded(_ first: [TopLine], _ last: [TopLine] = []) -> [TopLine] {
        let missing = max(0, rows - first.count - last.count)
        let all = first + Array(repeating: TopLine(text: ""), count: missing) + last
        return all.prefix(rows).map { $0.fitting(columns) }
    }

    // MARK: alerts

    private var header: TopLine {
        let count = CountText.write(model.sessions.count, "session")
        let alerts =
            model.alerts.isEmpty ? "" : " · " + CountText.write(model.alerts.count, "alert")
        let time = model.isVirtual ? "virtual clock" : String(ClockText.timeOfDay(wallMs).prefix(8))
        let left = "gamed · \(count)\(alerts)"
        let space = max(1, columns - left.count - time.count)
        return TopLine(
            text: left + String(repeating: " ", count: space) + time, style: .heading)
    }

    private var alertLines: [TopLine] {
        if let outage = model.outage {
            return [TopLine(text: "no connection: \(outage)", style: .alert)]
        }
        let limit = rows < 30 ? 2 : 5
        let open = model.alerts.filter { $0.find("acked") != .bool(true) }
        let lines = open.prefix(limit).map { alert in
            TopLine(text: "! \(alert.find("text").map(TerminalSafe.text) ?? "")", style: .alert)
        }
        guard open.count > limit else { return lines }
        return lines.dropLast()
            + [TopLine(text: "! and \(open.count - limit + 1) more", style: .alert)]
    }

    // MARK: sessions

    /// The list of sessions. The selected one is always among the lines.
    private func sessionLines(atMost limit: Int) -> [TopLine] {
        let names = model.names
        guard !names.isEmpty else {
            let text = model.outage == nil ? "no session is open" : ""
            return [TopLine(text: text, style: .dim)]
        }
        let selected = model.selectedName.flatMap { names.firstIndex(of: $0) } ?? 0
        let first = max(0, min(selected - limit / 2, names.count - limit))
        let shown = names[first..<min(names.count, first + limit)]
        let nameWidth = min(24, max(8, shown.map { TerminalSafe.escaped($0).count }.max() ?? 0))
        return shown.compactMap { model.sessions[$0] }.map { session in
            let mark = session.isStuck ? "!" : session.isPaused ? "=" : " "
            let timer = session.mainTimer.map { timer in
                "\(timer.signal) \(timer.words(remaining(timer, in: session)))"
            }
            let text = [
                "\(mark) \(Table.pad(TerminalSafe.escaped(session.name), nameWidth))",
                Table.pad(TerminalSafe.escaped(session.state), 18), timer ?? "", session.title,
            ].joined(separator: "  ")
            let isSelected = session.name == model.selectedName
            let style: TopLine.Style =
                isSelected
                ? .selected : session.isStuck ? .alert : session.isFinal ? .dim : .plain
            let padding = isSelected ? max(0, columns - text.count) : 0
            return TopLine(text: text + String(repeating: " ", count: padding), style: style)
        }
    }

    /// What a timer has left now.
    private func remaining(_ timer: TimerStatus, in session: TopSession) -> Int {
        timer.remaining(after: model.isVirtual ? 0 : nowMs - session.receivedMs)
    }

    // MARK: the selected session

    private var detailLines: [TopLine] {
        guard let session = model.selected else { return [] }
        let seq = session.status.find("seq").map { " #\(TerminalSafe.text($0))" } ?? ""
        var lines = [
            TopLine(text: ""),
            TopLine(
                text: "@\(TerminalSafe.escaped(session.name))\(seq) · "
                    + TerminalSafe.escaped(session.state),
                style: .heading),
        ]
        if !session.data.isEmpty { lines.append(TopLine(text: TerminalSafe.pairs(session.data))) }
        if let message = session.status.find("say")?.find("text") {
            lines.append(TopLine(text: "message: \(TerminalSafe.text(message))", style: .good))
        }
        for timer in session.timers {
            let left = remaining(timer, in: session)
            let bar = timer.kind == "countdown" ? timer.bar(left) + " " : ""
            lines.append(TopLine(text: "\(timer.signal) \(bar)\(timer.words(left))"))
        }
        return lines + eventLines
    }

    /// The accepted events with their keys, as many in a line as it takes.
    private var eventLines: [TopLine] {
        let events = model.acceptedEvents.map { key, event in
            "[\(key.map(String.init) ?? " ")] \(event.title)"
        }
        var lines: [String] = []
        for text in events {
            if let last = lines.last, last.count + 2 + text.count <= columns {
                lines[lines.count - 1] = last + "  " + text
            } else {
                lines.append(text)
            }
        }
        return lines.map { TopLine(text: $0, style: .good) }
    }

    private func logLines(atMost limit: Int) -> [TopLine] {
        guard limit > 1, !model.log.isEmpty else { return [] }
        return [TopLine(text: "")]
            + model.log.suffix(limit - 1).reversed().map { TopLine(text: $0, style: .dim) }
    }

    // MARK: the last lines

    private var answerLine: TopLine {
        if let prompt = model.prompt {
            // The end of a long text is what the user types.
            let text = TerminalSafe.escaped(prompt.text)
            let space = max(1, columns - prompt.question.count - 1)
            return TopLine(text: prompt.question + text.suffix(space) + "_", style: .heading)
        }
        return TopLine(
            text: model.outcome.text, style: model.outcome.isFailure ? .alert : .good)
    }

    private var keysLine: TopLine {
        let keys =
            model.prompt == nil
            ? "↑↓ session  U undo  P pause or resume  M message  A acknowledge  q leave"
            : "Enter to go on, Esc to cancel"
        return TopLine(text: keys, style: .dim)
    }
}
