internal import GameFlow
internal import JSON
internal import Support
internal import Timers

/// What a scenario expects.
extension StepReader {
    func expectation(_ words: Words) throws(StepError) -> Scenario.Expectation {
        switch words[0]?.text {
        case "timer": return try timer(words)
        case "no":
            if words[1]?.text == "effects" {
                try words.end(after: 1, of: "expect no effects")
                return .effects([])
            }
            guard words[1]?.text == "timer" else {
                throw StepError(
                    words[1]?.offset ?? words.end, "expected 'timer' or 'effects'",
                    "expect no timer NAME, or expect no effects")
            }
            return .noTimer(try signal(words, 2, of: "expect no timer NAME"))
        case "effects":
            let names = words.names(from: 1).map(\.name)
            guard !names.isEmpty else {
                throw StepError(words.end, "no effect", "expect effects A, B, or expect no effects")
            }
            return .effects(names)
        case "effect":
            guard let name = words[1] else {
                throw StepError(words.end, "no effect", "expect effect NAME key=value")
            }
            return .effect(name.text, try words.members(after: 2))
        case "deferred":
            guard let word = words[1], let count = Int(word.text), count >= 0 else {
                throw StepError(words[1]?.offset ?? words.end, "no number", "expect deferred 1")
            }
            try words.end(after: 1, of: "expect deferred 1")
            return .deferred(count)
        case "accepts":
            let names = words.names(from: 1)
            for (name, offset) in names { try check(event: name, at: offset) }
            return .accepts(names.map(\.name))
        case "state":
            let name = try state(words, 1, of: "expect state NAME")
            return .state(name, data: try data(of: name, words, after: 2))
        default:
            let name = try state(
                words, 0, of: "expect STATE …",
                or: ["timer", "effects", "effect", "deferred", "accepts", "state"])
            return .state(name, data: try data(of: name, words, after: 1))
        }
    }

    private func timer(_ words: Words) throws(StepError) -> Scenario.Expectation {
        let form = "expect timer NAME 30s [paused]"
        let name = try signal(words, 1, of: form, isLast: false)
        let left = try words.interval(2, of: form)
        guard let last = words[3] else { return .timer(name, left: left, isPaused: false) }
        guard last.text == "paused" else { throw StepError(last.offset, "expected 'paused'", form) }
        try words.end(after: 3, of: form)
        return .timer(name, left: left, isPaused: true)
    }
}

/// The words behind a line's verb.
struct Words {
    let all: ArraySlice<TextWord>
    /// Where the line is over, for what is missing there.
    let end: Int

    init(_ words: [TextWord]) {
        all = words.dropFirst()
        end = words.last?.end ?? 0
    }

    private init(_ all: ArraySlice<TextWord>, _ end: Int) { (self.all, self.end) = (all, end) }

    var count: Int { all.count }

    subscript(_ index: Int) -> TextWord? {
        index < all.count ? all[all.startIndex + index] : nil
    }

    func dropLast(_ count: Int) -> Words { Words(all.dropLast(count), end) }

    /// Nothing may stand behind the word of that index.
    func end(after index: Int, of form: String) throws(StepError) {
        if let odd = self[index + 1] { throw StepError(odd.offset, "unexpected word", form) }
    }

    func interval(_ index: Int, of form: String, isLast: Bool = false) throws(StepError)
        -> Duration
    {
        guard let word = self[index] else { throw StepError(end, "no duration", form) }
        guard let interval = DurationText.read(word.text) else {
            throw StepError(
                word.offset, "no duration: \(word.text)", "such as 250ms, 30s, 5m or 1h30m")
        }
        if isLast { try end(after: index, of: form) }
        return interval
    }

    /// Names with commas or blanks between them.
    func names(from index: Int) -> [(name: String, offset: Int)] {
        all.dropFirst(index).flatMap { word in
            word.text.split(separator: ",").map { (String($0), word.offset) }
        }
    }

    /// What is given as `key=value` or as an object, from a word on; read by the fields' types where there
    /// are any of those names.
    func members(after index: Int, _ fields: [Field] = []) throws(StepError) -> [Member] {
        var members: [Member] = []
        for word in all.dropFirst(index) {
            let more: [Member]
            if let object = word.object {
                more = object
            } else if let key = word.key {
                let type = fields.first { $0.name == key }?.type
                more = [Member(String(key), word.jsonValue(wantsString: type == String.type))]
            } else {
                throw StepError(word.offset, "unexpected word: \(word.text)", "expected key=value")
            }
            for member in more {
                guard members[member.name] == nil else {
                    throw StepError(
                        word.offset, "\(member.name) is given twice", "once is enough")
                }
                members.append(member)
            }
        }
        return members
    }
}
