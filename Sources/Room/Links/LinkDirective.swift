import GameFlow
import JSONCoding
package import Parts
import RPC
import Sessions
import Support

/// Reads an `on` line about another session: `on effect=GLOB|enter=GLOB|leave=GLOB [session=GLOB] open=NAME
/// [flow=FLOW]`, or `on … [session=GLOB] send=@NAME EVENT [args=JSON]`.
package struct LinkDirective {
    private let line: ConfigurationFile.Line
    private let file: ConfigurationFile
    /// The flows that the line can name. If `isPartial` is true, some flows could not be read. An unknown name may then be a
    /// name in a flow that could not be read.
    private let flows: KnownFlows
    /// The words `KEY=VALUE`, by their keys.
    private var words: [String: TextWord] = [:]
    /// The words without a key.
    private var bareWords: [TextWord] = []
    private static let keys =
        OutputLine.Trigger.keys + ["session", "open", "flow", "send", "args"]

    /// Whether an `on` line opens another session, or sends an event to another session.
    static func isAboutSession(_ line: ConfigurationFile.Line) -> Bool {
        line.words.contains { $0.key == "open" || $0.key == "send" }
    }

    package static func read(
        _ line: ConfigurationFile.Line, in file: ConfigurationFile, _ flows: KnownFlows
    ) throws(ConfigurationError) -> LinkLine {
        try LinkDirective(line, file, flows).linkLine()
    }

    private init(
        _ line: ConfigurationFile.Line, _ file: ConfigurationFile, _ flows: KnownFlows
    ) throws(ConfigurationError) {
        (self.line, self.file, self.flows) = (line, file, flows)
        for word in line.words {
            guard let key = word.key.map(String.init) else {
                bareWords.append(word)
                continue
            }
            guard Self.keys.contains(key) else {
                throw file.mistake(
                    line, word, "\(key): unknown; \(DidYouMean.hint(key, Self.keys))")
            }
            guard words[key] == nil else { throw file.mistake(line, word, "\(key) is given twice") }
            guard !word.value.isEmpty else { throw file.mistake(line, word, "\(key): empty") }
            words[key] = word
        }
    }

    private func linkLine() throws(ConfigurationError) -> LinkLine {
        let trigger = try trigger()
        guard (words["open"] == nil) != (words["send"] == nil) else {
            throw file.mistake(line, nil, "expected open=NAME or send=@NAME EVENT")
        }
        let (target, action) = words["open"] != nil ? try opening() : try sending()
        let text = line.words.map(\.text).joined(separator: " ")
        return LinkLine(
            fingerprint: OutputLine.fingerprint(of: text), trigger: trigger,
            session: Glob(words["session"].map { String($0.value) } ?? "*"),
            target: target, action: action)
    }

    private func trigger() throws(ConfigurationError) -> OutputLine.Trigger {
        let triggers = OutputLine.Trigger.keys.compactMap { key in
            words[key].flatMap { OutputLine.Trigger(key: key, pattern: String($0.value)) }
        }
        guard triggers.count == 1 else {
            throw file.mistake(line, nil, "expected effect=NAME or enter=STATE or leave=STATE")
        }
        return triggers[0]
    }

    /// The action of a line with `open=`, and the session to open.
    private func opening() throws(ConfigurationError) -> (
        target: OutputTemplate, action: LinkLine.Action
    ) {
        guard let word = words["open"], bareWords.isEmpty, words["args"] == nil else {
            throw file.mistake(
                line, bareWords.first ?? words["args"], "open=NAME takes only flow=FLOW")
        }
        let flow = words["flow"].map { String($0.value) }
        let flowNames = flows.flows.map(\.name)
        // Without `flow=`, `flow` is nil, and there is no name to check.
        guard flows.isPartial || flow.map(flowNames.contains) != false else {
            let hint = DidYouMean.question(flow ?? "", flowNames).map { "; \($0)" } ?? ""
            throw file.mistake(line, words["flow"], "flow: no flow has this name\(hint)")
        }
        return (try target(word, String(word.value)), .open(flow: flow))
    }

    /// The action of a line with `send=`, and the session that gets the event.
    private func sending() throws(ConfigurationError) -> (
        target: OutputTemplate, action: LinkLine.Action
    ) {
        guard let word = words["send"], word.value.hasPrefix("@"), let event = bareWords.first,
            bareWords.count == 1, words["flow"] == nil
        else { throw file.mistake(line, words["send"], "expected send=@NAME EVENT [args=JSON]") }
        let eventNames = flows.flows.flatMap(\.events).map(\.name)
        guard flows.isPartial || eventNames.contains(event.text) else {
            let hint = DidYouMean.question(event.text, eventNames).map { "; \($0)" } ?? ""
            throw file.mistake(line, event, "no flow has an event \(event.text)\(hint)")
        }
        return (
            try target(word, String(word.value.dropFirst())),
            .send(event: event.text, arguments: try arguments(of: event))
        )
    }

    /// The name of the other session, which `text` contains. A mistake is reported at `word`.
    private func target(_ word: TextWord, _ text: String)
        throws(ConfigurationError) -> OutputTemplate
    {
        let template = try template(text, word)
        guard !template.placeholders.isEmpty || SessionName(text) != nil else {
            throw file.mistake(line, word, "\(text): expected 1 to 64 of A-Z a-z 0-9 . _ -")
        }
        return template
    }

    private func template(_ text: String, _ word: TextWord)
        throws(ConfigurationError) -> OutputTemplate
    {
        do throws(TemplateError) { return try OutputTemplate(text) } catch {
            throw file.mistake(line, word, "\(word.key ?? ""): \(error.why)")
        }
    }

    private func arguments(of event: TextWord) throws(ConfigurationError)
        -> [TemplateArgument<OutputPlaceholder>]
    {
        let word = words["args"]
        var members: [Member] = []
        if let word {
            members = try file.object(word, of: line, example: #"'{"part":"$session"}'"#)
        }
        if let why = flows.mistake(in: members, of: event.text, convertsTexts: false) {
            throw file.mistake(line, word ?? event, "args: \(why)")
        }
        var arguments: [TemplateArgument<OutputPlaceholder>] = []
        for member in members {
            arguments.append(
                try TemplateArgument(member) { text throws(ConfigurationError) in
                    try template(text, word ?? event)
                })
        }
        return arguments
    }
}
