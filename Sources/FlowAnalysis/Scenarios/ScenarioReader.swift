public import GameFlow
internal import JSONCoding
internal import Support

/// Reads a scenario file: one step a line, `#` for comments, `scenario TITLE` before each scenario; only
/// the first may lack it.
///
/// A `flow` line before the first scenario line applies to the whole file, and so do the `set` lines between the two. A word
/// that contains `/` or ends in `.yaml` names a flow file, relative to the folder of the scenario file.
public struct ScenarioReader {
    /// The flows that a file can name without a path.
    let flows: [AnyFlow]
    /// Returns the flow of the flow file at a path, or throws the reasons why it cannot be used.
    private let readFlowFile: FlowFileReader
    private let file: String
    public private(set) var scenarios: [Scenario] = []
    public private(set) var errors: [ScenarioError] = []
    /// The flow that applies to the whole file, with its settings.
    private var fileFlow: FlowReference?
    /// The flow of the present scenario; nil until a line of the scenario needs it.
    private var scenarioFlow: FlowReference?
    /// The title of the present scenario; nil before the first `scenario` line.
    private var title: (text: String, line: Int)?
    /// The present scenario; nil until its flow is known.
    private var scenario: Scenario?
    /// The number of errors when the present scenario began. If it has grown when the scenario ends, a scenario without steps
    /// is not reported.
    private var errorCountBefore = 0

    /// The greatest size of a file, in bytes.
    public static let limit = 1 << 20
    /// The greatest length of a line, in bytes.
    public static let lineLimit = 16_384
    /// The greatest number of errors that are reported.
    public static let errorLimit = 100

    /// Reads the whole file and collects all errors.
    public init(
        _ text: [UInt8], file: String, flows: [AnyFlow],
        readFlowFile: @escaping FlowFileReader = Self.withoutFlowFiles
    ) {
        self.flows = flows
        self.readFlowFile = readFlowFile
        self.file = file
        guard text.count <= Self.limit else {
            errors = [error(1, 1, "longer than \(Self.limit) bytes", "split it")]
            return
        }
        let lines = text.split(separator: 0x0A, omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            guard errors.count < Self.errorLimit else {
                errors.append(error(index + 1, 1, "too many errors", "the rest was not read"))
                return
            }
            if line.count > Self.lineLimit {
                let problem = "longer than \(Self.lineLimit) bytes"
                errors.append(error(index + 1, 1, problem, "split it"))
                continue
            }
            read(line.last == 0x0D ? line.dropLast() : line, index + 1)
        }
        finish()
        if scenarios.isEmpty, errors.isEmpty {
            errors = [error(1, 1, "no scenario", "a line such as 'flow game' begins one")]
        }
    }

    private func error(_ line: Int, _ column: Int, _ problem: String, _ hint: String)
        -> ScenarioError
    {
        ScenarioError(file: file, line: line, column: column, problem: problem, hint: hint)
    }

    private mutating func read(_ line: ArraySlice<UInt8>, _ number: Int) {
        guard let first = line.first(where: { $0 != 0x20 && $0 != 0x09 }),
            first != UInt8(ascii: "#")
        else { return }
        do throws(StepError) {
            if let title = Self.title(line) { return try begin(title, number) }
            let words = try Self.words(Self.withoutComment(line))
            switch words[0].text {
            case "flow": try readFlow(words, number)
            // `set NAME=VALUE` changes a setting, `set TIMER DURATION` is a step.
            case "set" where words.count < 3 || words[1].key != nil: try set(words, number)
            default: try add(words, number)
            }
        } catch {
            let before = line.prefix(error.offset)
            let column = String(decoding: before, as: UTF8.self).count + 1
            errors.append(self.error(number, column, error.problem, error.hint))
        }
    }

    /// The line up to a `#` that begins a word. A `#` within quotes does not count.
    private static func withoutComment(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var quote: UInt8?
        var (isEscaped, isBetweenWords) = (false, true)
        for (index, byte) in zip(line.indices, line) {
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\\"), quote != UInt8(ascii: "'") {
                isEscaped = true
            } else if let open = quote {
                if byte == open { quote = nil }
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            } else if byte == UInt8(ascii: "#"), isBetweenWords {
                return line[..<index]
            }
            isBetweenWords = byte == 0x20 || byte == 0x09
        }
        return line
    }

    private static func words(_ line: ArraySlice<UInt8>) throws(StepError) -> [TextWord] {
        do { return try TextWords.split(line) } catch {
            switch error.reason {
            case .words(let why):
                throw StepError(error.offset, why, "quote words as in a shell")
            case .object(.malformed(let why, _)):
                throw StepError(
                    error.offset, why, "an object is JSON, and extends to the end of the line")
            case .object(.tooDeep):
                throw StepError(error.offset, "nested too deeply", "use fewer levels")
            }
        }
    }

    // MARK: scenarios

    /// The title of a `scenario` line; nil for any other line.
    private static func title(_ line: ArraySlice<UInt8>) -> String? {
        let text = String(decoding: line, as: UTF8.self)
        let words = text.split(maxSplits: 1, whereSeparator: \.isWhitespace)
        guard words.first == "scenario" else { return nil }
        var title = words.count > 1 ? words[1].drop(while: \.isWhitespace) : ""
        while title.last?.isWhitespace == true { title.removeLast() }
        return String(title)
    }

    private mutating func begin(_ text: String, _ number: Int) throws(StepError) {
        finish()
        guard !text.isEmpty else { throw StepError(0, "no title", "scenario TITLE") }
        title = (text, number)
    }

    private mutating func finish() {
        if let scenario, !scenario.steps.isEmpty {
            scenarios.append(scenario)
        } else if errors.count == errorCountBefore, let line = title?.line ?? scenario?.line {
            errors.append(error(line, 1, "scenario without a step", "add a step such as 'send'"))
        }
        (scenario, title, scenarioFlow) = (nil, nil, nil)
        errorCountBefore = errors.count
    }

    private mutating func readFlow(_ words: [TextWord], _ number: Int) throws(StepError) {
        let flow = try flow(words)
        if words.count > 2 { throw StepError(words[2].offset, "unexpected word", "flow NAME") }
        guard scenario == nil else {
            throw StepError(
                words[0].offset, "the scenario has a flow already",
                "'flow' comes before a scenario's first step")
        }
        // A `flow` line before the first title applies to the whole file.
        if title == nil { fileFlow = flow } else { start(flow, number) }
    }

    /// Changes settings of the present scenario's flow or, before the first scenario, of the file's flow.
    private mutating func set(_ words: [TextWord], _ number: Int) throws(StepError) {
        guard scenario?.steps.isEmpty ?? true else {
            throw StepError(
                words[0].offset, "the session is open already",
                "'set' comes before a scenario's first step")
        }
        guard var reference = scenarioFlow ?? fileFlow else {
            throw StepError(words[0].offset, "no flow yet", "write 'flow NAME' first")
        }
        reference.flow = try StepReader.flow(reference.flow, settings: words)
        if title == nil, scenarioFlow == nil {
            fileFlow = reference
        } else {
            start(reference, number)
        }
    }

    /// Begins the present scenario with a flow, and replaces its flow if it has one already.
    private mutating func start(_ reference: FlowReference, _ number: Int) {
        let name = file.split(separator: "/").last.map(String.init) ?? file
        let suffix = ".scenario"
        let defaultTitle =
            name.hasSuffix(suffix) ? String(name.dropLast(suffix.count)) : name
        scenarioFlow = reference
        scenario = Scenario(
            title: title?.text ?? defaultTitle, flow: reference.flow,
            flowWithDefaultSettings: reference.flowWithDefaultSettings,
            file: file, line: title?.line ?? number)
    }

    private mutating func add(_ words: [TextWord], _ number: Int) throws(StepError) {
        if words[0].text == "open" {
            guard scenario?.steps.isEmpty ?? true else {
                throw StepError(
                    words[0].offset, "the session is open already", "begin a new scenario")
            }
            start(try flow(words), number)
        } else if scenario == nil {
            guard let fileFlow else {
                _ = try StepReader.verb(words)
                throw StepError(
                    words[0].offset, "no flow yet", "write 'flow NAME' or 'open NAME' first")
            }
            start(fileFlow, number)
        }
        guard let flow = scenario?.flow else { return }
        scenario?.steps.append((number, try StepReader(flow).read(words)))
    }

    // MARK: flows

    /// The flow that the second word names. If the present scenario or the file has this flow already, the result has the
    /// settings that were made so far.
    private func flow(_ words: [TextWord]) throws(StepError) -> FlowReference {
        guard words.count > 1 else { throw StepError(words[0].end, "no flow", "flow NAME") }
        let word = words[1].text
        if let present = [scenarioFlow, fileFlow].compactMap({ $0 }).first(where: {
            $0.word == word || $0.flow.name == word
        }) {
            return present
        }
        guard word.contains("/") || word.hasSuffix(".yaml") else {
            return FlowReference(word, try StepReader.flow(words, flows))
        }
        do { return FlowReference(word, try readFlowFile(path(of: word))) } catch {
            throw StepError(
                words[1].offset, "\(word) cannot be used",
                error.reasons.prefix(Self.errorLimit).joined(separator: "; "))
        }
    }

    private func path(of word: String) -> String {
        guard !word.hasPrefix("/"), let slash = file.lastIndex(of: "/") else { return word }
        return file[...slash] + word
    }

    /// The `FlowFileReader` of programs that read no flow files. It always throws.
    public static func withoutFlowFiles(_ path: String) throws(FlowFileReadingError) -> AnyFlow {
        throw FlowFileReadingError(reasons: ["flow files are not read here"])
    }
}

/// An error in one line: the byte offset, the problem, and a hint.
struct StepError: Error {
    let offset: Int
    let problem: String
    let hint: String

    init(_ offset: Int, _ problem: String, _ hint: String) {
        (self.offset, self.problem, self.hint) = (offset, problem, hint)
    }

    /// An unknown name, with a suggestion.
    static func unknown(_ kind: String, _ name: String, at offset: Int, of names: [String])
        -> StepError
    {
        StepError(offset, "no \(kind) \(name)", DidYouMean.hint(name, names))
    }

    /// A name that `owner` (an event, a state or a flow) does not have. `names` are the names that it has. `kind` is a noun in
    /// the singular, such as `argument`.
    static func notOf(
        _ owner: String, _ kind: String, _ name: String, at offset: Int, of names: [String]
    ) -> StepError {
        if names.isEmpty {
            let plural = kind == "datum" ? "data" : "\(kind)s"
            return StepError(offset, "unexpected word: \(name)", "\(owner) has no \(plural)")
        }
        return StepError(offset, "\(owner) has no \(kind) \(name)", DidYouMean.hint(name, names))
    }
}

extension TextWord {
    /// Where the word ends, approximately: quotes are not counted.
    var end: Int { offset + text.utf8.count }
}
