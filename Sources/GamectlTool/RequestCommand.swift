import EventLoop
import GameFlow
import RPC
import Shell
import Support
import Timers

/// The command of a verb that is a method of the daemon. It sends the request and prints the result.
struct RequestCommand {
    private let settings: Settings
    private let client: Client

    init(_ settings: Settings, _ loop: LibeventLoop) throws(CommandError) {
        self.settings = settings
        client = try Client(settings.socket, on: loop, timeout: settings.timeout)
    }

    /// Sends the request of the command line, with the types that the flow declares, and prints the result.
    func run(_ request: Request) throws(CommandError) {
        if settings.socket.isAmbiguous, request.canChange {
            printError(
                "gamectl: using \(TerminalSafe.escaped(settings.socket.path)); another socket exists, see --socket"
            )
        }
        try run(
            typed: request.words.map { (words) throws(CommandError) in
                try WordTypes(client).request(words)
            } ?? request)
    }

    /// Sends a request whose values have the types that the flow declares, and prints the result.
    private func run(typed request: Request) throws(CommandError) {
        if request.method == .advance, let advance = Advance(request) {
            return try run(advance)
        }
        if request.method == .history, !settings.isJSON { return try printHistory(request) }
        if request.method == .backup, let path = request.backupPath { return try backUp(to: path) }
        try checkSubject(of: request)
        // Nil: the client's own timeout applies.
        var answer = try client.call(
            request, within: request.method.readsJournal ? settings.journalTimeout : nil)
        if settings.isJSON { return Output.json(answer.raw) }
        if request.method == .describe, request.params["language"] == nil,
            let language = Terminal.language,
            answer.value.find("languages") != nil,
            try answer.value.escapedTexts("languages").contains(language)
        {
            answer = try client.call(
                Request(.describe, request.params + [Member("language", .string(language))]))
        }
        let printer = Printer(.standardOutput)
        for line in try printer.lines(of: answer.value, to: request) { Output.line(line) }
    }

    /// Throws if `alerts ack` names an alert that is not there, or `clients kick` a client that is not there. The daemon answers
    /// such a request with a list and a note for readers, because what it names may have ended meanwhile. But a script that
    /// acknowledges an alert or closes a connection must notice that nothing was done.
    private func checkSubject(of request: Request) throws(CommandError) {
        guard request.params["action"] != nil, let id = request.params["id"]?.text else { return }
        let (subject, end): (String, String)
        let mayBeLeftOut: (Value) throws(CommandError) -> Bool
        switch request.method {
        case .alerts:
            (subject, end) = ("alert", "ended")
            mayBeLeftOut = { (list) throws(CommandError) in
                try list.list("alerts").count >= Self.alertLimit
            }
        case .clients:
            (subject, end) = ("client", "gone")
            mayBeLeftOut = { (list) throws(CommandError) in try list.boolean("more") }
        default: return
        }
        let list = try client.call(Request(request.method)).value
        for entry in try list.list("\(subject)s") {
            if try entry.text("id").hasSameBytes(as: id) { return }
        }
        guard try !mayBeLeftOut(list) else { return }
        throw .declined("there is no \(subject) \(id); it may have \(end) already")
    }

    /// The number of alerts that the daemon lists at most.
    private static let alertLimit = 1000

    /// Makes a backup in a file that gamectl opens and the daemon writes.
    private func backUp(to path: String) throws(CommandError) {
        let file = try BackupFile(path, on: client.loop)
        let answer = try client.call(
            Request(.backup), within: settings.journalTimeout, passing: file.descriptor)
        try file.finish()
        if settings.isJSON { return Output.json(answer.raw) }
        let contents = try Printer(.standardOutput).backup(answer.value)
        Output.line("\(TerminalSafe.escaped(path)): \(contents)")
    }

    /// Prints the records of a session's history, newest first, each as a line in the form of `watch`.
    private func printHistory(_ request: Request) throws(CommandError) {
        let history = try client.call(request).value
        let clock = try client.call(Request(.hello)).value.text("clock")
        let watchLine = WatchLine(
            printer: Printer(.standardOutput), isVirtual: clock == "virtual", showsSession: false)
        let records = try history.list("records")
        for record in records { Output.line(try watchLine.record(record)) }
        // The parameters of the request for older records; missing if no record is older.
        guard let next = history.find("next") else { return }
        var paramsText = TerminalSafe.pairs(next.members)
        if let limit = request.params["limit"] {
            paramsText += " limit=\(TerminalSafe.value(limit))"
        }
        let session = request.params["session"].map { " @\(TerminalSafe.text($0))" } ?? ""
        Output.line("for older records: gamectl history\(session) \(paramsText)")
    }

    /// Sends the requests of `advance` until the clock has advanced by the whole time. Waits for the result of each request
    /// before it sends the next request. Prints the timers that fired.
    private func run(_ advance: Advance) throws(CommandError) {
        var advance = advance
        var result = AdvanceResult()
        var request = advance.first
        while true {
            let answer = try client.call(request)
            let page = try AdvancePage(answer.value)
            if settings.isJSON {
                try result.add(answer.raw)
            } else {
                for line in try Printer(.standardOutput).firings(page) { Output.line(line) }
            }
            guard let next = try advance.next(after: page) else {
                if settings.isJSON {
                    Output.json(Array(result.line(nowMs: page.nowMs).utf8))
                } else {
                    Output.line(page.clockLine)
                }
                return
            }
            request = next
        }
    }
}

extension Method {
    /// Whether the daemon reads the whole journal, or all of its old rows, to answer.
    fileprivate var readsJournal: Bool { [.backup, .prune, .stats, .leaderboard].contains(self) }
}
