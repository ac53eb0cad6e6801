public import GameFlow
internal import JSONCoding
internal import Support
internal import Timers

/// Reads a scenario file. Each line has one step, and `#` begins a comment. A line `scenario TITLE` begins a scenario. This
/// line may be left out before the first scenario only.
///
/// A `flow` line before the first `scenario` line applies to the whole file. The `set` lines between these two lines also apply
/// to the whole file. A word that contains `/` or ends in `.yaml` names a flow file, relative to the folder of the scenario
/// file.
public struct ScenarioReader {
    /// The flows that a file can name without a path.
    let flows: [AnyFlow]
    /// Returns the flow of the flow file at a path, or throws the reasons why it cannot be used.
    private let readFlowFile: FlowFileReader
    /// The path of the scenario file, as the caller gave it.
    private let file: String
    /// The scenarios in the file's order. Run them only if `errors` is empty, because a line with an error is missing in its
    /// scenario.
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
    /// The seed of the `seed` line that applies to the whole file; nil without one.
    private var fileSeed: UInt64?
    /// The seed of the present scenario; nil without a `seed` line.
    private var scenarioSeed: UInt64?
    /// The zone of the `zone` line that applies to the whole file; nil without one.
    private var fileZone: ClockZone?
    /// The zone of the present scenario; nil without a `zone` line.
    private var scenarioZone: ClockZone?
    /// The number of errors when the present scenario began. A scenario without steps is an error only if no line of the
    /// scenario has an error, because a line with an error adds no step.
    private var errorCountBefore = 0

    /// Whether a `flow` or `open` line named a flow that cannot be used. Then no line reports that there is no flow.
    private var hasUnusableFlow = false

    /// The greatest size of a file, in bytes.
    public static let limit = 1 << 20
    /// The greatest length of a line, in bytes.
    public static let lineLimit = 16_384
    /// The greatest number of errors that are reported.
    public static let errorLimit = 100

    private static let lineFeed = UInt8(ascii: "\n")
    private static let carriageReturn = UInt8(ascii: "\r")
    private static let spaceAndTab = [UInt8(ascii: " "), UInt8(ascii: "\t")]

    /// Reads the text of a whole file, and collects all errors. `file` is the file's path, for errors and for the paths of flow
    /// files.
    public init(
        _ text: [UInt8], file: String, flows: [AnyFlow],
        readFlowFile: @escaping FlowFileReader = Self.withoutFlowFiles
    ) {
        self.flows = flows
        self.readFlowFile = readFlowFile
        self.file = file
        guard text.count <= Self.limit else {
            errors = [error(line: 1, "longer than \(Self.limit) bytes", "split it")]
            return
        }
        let lines = text.withoutByteOrderMark.split(
            separator: Self.lineFeed, omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            let lineNumber = index + 1
            guard errors.count < Self.errorLimit else {
                errors.append(error(line: lineNumber, "too many errors", "the rest was not read"))
                return
            }
            if line.count > Self.lineLimit {
                let problem = "longer than \(Self.lineLimit) bytes"
                errors.append(error(line: lineNumber, problem, "split it"))
                continue
            }
            read(line.last == Self.carriageReturn ? line.dropLast() : line, lineNumber)
        }
        finishScenario()
        if scenarios.isEmpty, errors.isEmpty {
            errors = [error(line: 1, "no scenario", "a line such as 'flow game' begins one")]
        }
    }

    private func error(line: Int, column: Int = 1, _ problem: String, _ hint: String)
        -> ScenarioError
    {
        ScenarioError(file: file, line: line, column: column, problem: problem, hint: hint)
    }

    private mutating func read(_ line: ArraySlice<UInt8>, _ lineNumber: Int) {
        guard let first = line.first(where: { !Self.spaceAndTab.contains($0) }),
            first != UInt8(ascii: "#")
        else { return }
        do throws(StepError) {
            if let title = Self.title(line) { return try beginScenario(title, lineNumber) }
            let words = try Self.words(Self.withoutComment(line))
            switch words[0].text {
            case "flow": try readFlow(words, lineNumber)
            case "seed": try readSeed(words)
            case "zone": try readZone(words)
            // `set NAME=VALUE` changes a setting, `set TIMER DURATION` is a step.
            case "set" where words.count < 3 || words[1].key != nil:
                try readSettings(words, lineNumber)
            default: try addStep(words, lineNumber)
            }
        } catch {
            if error.isConsequence, hasUnusableFlow { return }
            let textBeforeError = String(decoding: line.prefix(error.offset), as: UTF8.self)
            errors.append(
                self.error(
                    line: lineNumber, column: textBeforeError.count + 1, error.problem, error.hint))
        }
    }

    /// Returns the line up to its comment, which begins with the first `#` that begins a word outside quotes.
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
            isBetweenWords = spaceAndTab.contains(byte)
        }
        return line
    }

    /// Splits a line into words, as a shell does; a word that begins with `{` is a JSON object.
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

    /// Handles a `scenario` line: ends the present scenario and begins the next.
    private mutating func beginScenario(_ text: String, _ lineNumber: Int) throws(StepError) {
        finishScenario()
        guard !text.isEmpty else { throw StepError(0, "no title", "scenario TITLE") }
        title = (text, lineNumber)
    }

    /// Ends the present scenario. If the scenario has steps, adds it to `scenarios`. If the scenario has no steps and its lines
    /// have no errors, adds an error.
    private mutating func finishScenario() {
        if var scenario, !scenario.steps.isEmpty {
            scenario.seed = scenarioSeed ?? fileSeed ?? scenario.seed
            scenario.zone = scenarioZone ?? fileZone ?? scenario.zone
            scenarios.append(scenario)
        } else if errors.count == errorCountBefore, !hasUnusableFlow,
            let line = title?.line ?? scenario?.line
        {
            errors.append(error(line: line, "scenario without a step", "add a step such as 'send'"))
        }
        (scenario, title, scenarioFlow) = (nil, nil, nil)
        (scenarioSeed, scenarioZone) = (nil, nil)
        errorCountBefore = errors.count
    }

    /// Handles a `flow` line.
    private mutating func readFlow(_ words: [TextWord], _ lineNumber: Int) throws(StepError) {
        let flow = try usableFlow(words)
        if words.count > 2 { throw StepError(words[2].offset, "unexpected word", "flow NAME") }
        guard scenario == nil else {
            throw StepError(
                words[0].offset, "the scenario has a flow already",
                "'flow' comes before a scenario's first step")
        }
        // A `flow` line before the first `scenario` line applies to the whole file.
        if title == nil { fileFlow = flow } else { setFlow(flow, lineNumber) }
    }

    /// Handles a `seed N` line: sets the seed of the present scenario or, before the first `scenario` line, of all scenarios of
    /// the file.
    private mutating func readSeed(_ words: [TextWord]) throws(StepError) {
        guard words.count == 2, let seed = UInt64(words[1].text) else {
            throw StepError(
                words.count > 1 ? words[1].offset : words[0].end, "no seed",
                "seed N, with a whole number from 0")
        }
        try checkIsNotOpen(words)
        if title == nil, scenarioFlow == nil { fileSeed = seed } else { scenarioSeed = seed }
    }

    /// Handles a `zone NAME` line, as `readSeed` does.
    private mutating func readZone(_ words: [TextWord]) throws(StepError) {
        guard words.count == 2, let zone = ClockZone.named(words[1].text) else {
            throw StepError(
                words.count > 1 ? words[1].offset : words[0].end,
                words.count > 1 ? "no zone \(words[1].text)" : "no zone",
                "zone NAME, with a name such as Europe/Berlin or UTC")
        }
        try checkIsNotOpen(words)
        if title == nil, scenarioFlow == nil { fileZone = zone } else { scenarioZone = zone }
    }

    /// Throws if a line that comes before a scenario's first step comes after it.
    private func checkIsNotOpen(_ words: [TextWord]) throws(StepError) {
        guard scenario?.steps.isEmpty ?? true else {
            throw StepError(
                words[0].offset, "the session is open already",
                "'\(words[0].text)' comes before a scenario's first step")
        }
    }

    /// Handles a `set NAME=VALUE` line: changes settings of the present scenario's flow or, before the first scenario, of the
    /// file's flow.
    private mutating func readSettings(_ words: [TextWord], _ lineNumber: Int) throws(StepError) {
        try checkIsNotOpen(words)
        guard var reference = scenarioFlow ?? fileFlow else {
            throw .noFlow(words, "write 'flow NAME' first")
        }
        reference.flow = try StepReader.flow(reference.flow, settings: words)
        if title == nil, scenarioFlow == nil {
            fileFlow = reference
        } else {
            setFlow(reference, lineNumber)
        }
    }

    /// Sets or replaces the flow of the present scenario, which has no steps yet, and creates the `scenario` with this flow.
    /// Without a `scenario` line, the title is the file's name without `.scenario`.
    private mutating func setFlow(_ reference: FlowReference, _ lineNumber: Int) {
        let fileName = file.split(separator: "/").last.map(String.init) ?? file
        let suffix = ".scenario"
        let defaultTitle =
            fileName.hasSuffix(suffix) ? String(fileName.dropLast(suffix.count)) : fileName
        scenarioFlow = reference
        scenario = Scenario(
            title: title?.text ?? defaultTitle, flow: reference.flow,
            flowWithDefaultSettings: reference.flowWithDefaultSettings,
            file: file, line: title?.line ?? lineNumber)
    }

    /// Adds the step of a line to the present scenario. The first step also sets the scenario's flow, if no `flow` line did.
    private mutating func addStep(_ words: [TextWord], _ lineNumber: Int) throws(StepError) {
        if words[0].text == "open" {
            guard scenario?.steps.isEmpty ?? true else {
                throw StepError(
                    words[0].offset, "the session is open already", "begin a new scenario")
            }
            setFlow(try usableFlow(words), lineNumber)
        } else if scenario == nil {
            guard let fileFlow else {
                _ = try StepReader.verb(words)  // an unknown verb is the more useful error
                throw .noFlow(words, "write 'flow NAME' or 'open NAME' first")
            }
            setFlow(fileFlow, lineNumber)
        }
        guard let flow = scenario?.flow else { return }
        scenario?.steps.append((lineNumber, try StepReader(flow).read(words)))
    }

    // MARK: flows

    /// The flow that the second word of a `flow` or `open` line names. If it cannot be used, remembers that.
    private mutating func usableFlow(_ words: [TextWord]) throws(StepError) -> FlowReference {
        do { return try flow(words) } catch {
            hasUnusableFlow = true
            throw error
        }
    }

    /// The flow that the second word of a `flow` or `open` line names. If the present scenario or the file has this flow
    /// already, the result has the settings of the `set` lines before.
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

    /// The path of a flow file: a relative path begins at the folder of the scenario file.
    private func path(of word: String) -> String {
        guard !word.hasPrefix("/"), let slash = file.lastIndex(of: "/") else { return word }
        return file[...slash] + word
    }

    /// The `FlowFileReader` of programs that read no flow files. It always throws.
    public static func withoutFlowFiles(_ path: String) throws(FlowFileReadingError) -> AnyFlow {
        throw FlowFileReadingError(reasons: ["flow files are not read here"])
    }
}

/// An error in one line of a scenario.
struct StepError: Error {
    /// The offset of the word with the error, in bytes from the beginning of the line.
    let offset: Int
    let problem: String
    /// How to write the line correctly.
    let hint: String
    /// Whether the error follows from an earlier one: there is no flow, because the line that names it has an error.
    private(set) var isConsequence = false

    init(_ offset: Int, _ problem: String, _ hint: String) {
        (self.offset, self.problem, self.hint) = (offset, problem, hint)
    }

    /// The error of a line that needs a flow, before a line has named one.
    static func noFlow(_ words: [TextWord], _ hint: String) -> StepError {
        var error = StepError(words[0].offset, "no flow yet", hint)
        error.isConsequence = true
        return error
    }

    /// The error for a word that is not a duration, or is too long for one.
    static func noDuration(_ text: String, at offset: Int) -> StepError {
        DurationText.isTooLong(text)
            ? StepError(offset, "too long: \(text)", "a duration is at most 10 years")
            : StepError(offset, "not a duration: \(text)", "such as 250ms, 30s, 5m or 1h30m")
    }

    /// The error for an unknown name. `kind` is a noun, such as `event`. `names` are the known names; the hint suggests one.
    static func unknown(_ kind: String, _ name: String, at offset: Int, among names: [String])
        -> StepError
    {
        StepError(offset, "no \(kind) \(name)", DidYouMean.hint(name, names))
    }

    /// The error for a part that `owner` (an event, a state or a flow) does not have: an argument, a datum or a setting. `kind`
    /// is that noun in the singular. `names` are the names of the parts that `owner` has.
    static func unknownPart(
        of owner: String, _ kind: String, _ name: String, at offset: Int, among names: [String]
    ) -> StepError {
        if names.isEmpty {
            let plural = kind == "datum" ? "data" : "\(kind)s"
            return StepError(offset, "unexpected word: \(name)", "\(owner) has no \(plural)")
        }
        return StepError(offset, "\(owner) has no \(kind) \(name)", DidYouMean.hint(name, names))
    }
}

extension TextWord {
    /// The offset of the word's end in bytes, for errors. Approximate: quotes are not counted.
    var end: Int { offset + text.utf8.count }
}
