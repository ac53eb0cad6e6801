package import GameFlow
import JSONCoding
package import Parts
package import Sessions
import Support

/// A session that the daemon opens at its start unless the session exists already: one `session` line of the configuration.
package struct StartSession: Equatable {
    package let name: SessionName
    package let flow: String
    /// The first state; nil for the first state of the flow.
    package var state: String?
    /// Values for settings of the flow.
    package var settings: [Member] = []
    package var labels: [Member] = []
    /// The name of the timer that the players' page shows in large digits; nil if the line names none.
    package var clock: String?
}

/// Reads `session NAME flow=FLOW [state=STATE] [settings={…}] [labels={…}] [clock=TIMER]`.
package struct SessionDirective {
    /// The syntax of the arguments of `session`.
    package static let form =
        "NAME flow=FLOW [state=STATE] [settings=JSON] [labels=JSON] [clock=TIMER]"

    private let line: ConfigurationFile.Line
    private let file: ConfigurationFile
    /// The words `KEY=VALUE`, by their keys.
    private var words: [String: TextWord] = [:]
    private static let keys = ["flow", "state", "settings", "labels", "clock"]

    /// Converts a line to a `StartSession`. Throws the first mistake in the line.
    package static func read(
        _ line: ConfigurationFile.Line, in file: ConfigurationFile, _ knownFlows: KnownFlows
    ) throws(ConfigurationError) -> StartSession {
        try SessionDirective(line, file).session(knownFlows)
    }

    /// Splits a line into `words`. Throws if a key is unknown, is given twice, or has no value.
    private init(_ line: ConfigurationFile.Line, _ file: ConfigurationFile)
        throws(ConfigurationError)
    {
        (self.line, self.file) = (line, file)
        for word in line.words.dropFirst() {
            guard let key = word.key.map(String.init), Self.keys.contains(key) else {
                throw file.mistake(line, word, "\(word.text): expected session \(Self.form)")
            }
            guard words[key] == nil else { throw file.mistake(line, word, "\(key) is given twice") }
            guard !word.value.isEmpty else { throw file.mistake(line, word, "\(key): empty") }
            words[key] = word
        }
    }

    private func session(_ knownFlows: KnownFlows) throws(ConfigurationError) -> StartSession {
        guard let nameWord = line.words.first, nameWord.key == nil else {
            throw file.mistake(line, line.words.first, "expected session \(Self.form)")
        }
        guard let name = SessionName(nameWord.text) else {
            throw file.mistake(line, nameWord, "session: expected 1 to 64 of A-Z a-z 0-9 . _ -")
        }
        guard let flowWord = words["flow"] else {
            throw file.mistake(line, nameWord, "flow=FLOW is missing")
        }
        var session = StartSession(name: name, flow: String(flowWord.value))
        (session.state, session.clock) = (text("state"), text("clock"))
        session.settings = try object("settings")
        session.labels = try object("labels")
        try check(session, flowWord, knownFlows)
        return session
    }

    private func text(_ key: String) -> String? { words[key].map { String($0.value) } }

    private func object(_ key: String) throws(ConfigurationError) -> [Member] {
        guard let word = words[key] else { return [] }
        return try file.object(word, of: line, example: #"'{"team":"Owls"}'"#)
    }

    /// Throws if the session could not be opened: the flow does not exist, lacks the state or the timer that the line names, or does
    /// not accept the settings or begin in the state without data, or no session can have the labels.
    private func check(_ session: StartSession, _ flowWord: TextWord, _ knownFlows: KnownFlows)
        throws(ConfigurationError)
    {
        guard let flow = knownFlows.flows.first(where: { $0.name == session.flow }) else {
            // The flow may be in a flow file that could not be read.
            if knownFlows.lacksFlows { return }
            let why = OptionValue.unknownFlow(session.flow, knownFlows.flows)
            throw file.mistake(line, flowWord, why)
        }
        if let state = session.state, !flow.stateNames.contains(state) {
            throw file.mistake(
                line, words["state"],
                "state: \(flow.name) has no state \(state); it has "
                    + flow.stateNames.joined(separator: ", "))
        }
        if let clock = session.clock, !flow.signals.contains(clock) {
            throw file.mistake(
                line, words["clock"],
                "clock: \(flow.name) has no timer \(clock); it has "
                    + flow.signals.joined(separator: ", "))
        }
        let configured: AnyFlow
        do throws(Reason) { configured = try flow.with(settings: session.settings) } catch {
            throw file.mistake(
                line, words["settings"], "settings: \(error.subject): \(error.why)")
        }
        if let obstacle = configured.obstacle(toOpening: session.state, []) {
            let state = session.state ?? configured.initial
            throw file.mistake(
                line, words["state"] ?? flowWord,
                "a session cannot begin in \(state): \(obstacle.subject): \(obstacle.why)")
        }
        do throws(RequestError) {
            _ = try SessionNotes.labels([], changedBy: session.labels, of: session.name)
        } catch {
            let why =
                if case .invalid(_, let label, let why, _) = error {
                    "\(label): \(why)"
                } else { "at most \(NoteLimits.labels) labels" }
            throw file.mistake(line, words["labels"], "labels: \(why)")
        }
    }
}
