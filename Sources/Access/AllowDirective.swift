import GameFlow
import JSONCoding
package import Parts
package import RPC
import Support

/// Parses a line `allow PRINCIPAL ROLE [session=GLOB] [event=GLOB] [args=JSON] [get=yes] [age=D]` of the configuration, which
/// gives rights to clients. `args` fixes the values of events' arguments, `get=yes` allows events by HTTP GET, and `age` says how
/// much of the age that a client gives counts if events wait for each other.
package enum AllowDirective {
    /// The syntax of the arguments of `allow`.
    package static let form =
        "PRINCIPAL ROLE [session=GLOB] [event=GLOB] [args=JSON] [get=yes] [age=D]"

    /// The rule that a line describes. Throws a mistake with its location in the file.
    package static func read(_ line: ConfigurationFile.Line, in file: ConfigurationFile)
        throws(ConfigurationError) -> Rule
    {
        // The words before the first `KEY=VALUE`.
        let bareWords = line.words.prefix { $0.key == nil }
        guard bareWords.count == 2 else {
            throw file.mistake(
                line, bareWords.count > 2 ? bareWords[2] : nil,
                "expected allow \(form)")
        }
        let principal: Principal
        do throws(PrincipalError) { principal = try Principal(bareWords[0].text) } catch {
            throw file.mistake(line, bareWords[0], error.why)
        }
        guard let role = Role(bareWords[1].text) else {
            let roles = Role.allCases.map(\.name).joined(separator: ", ")
            throw file.mistake(line, bareWords[1], "\(bareWords[1].text): expected \(roles)")
        }
        var words: [String: TextWord] = [:]
        for word in line.words.dropFirst(2) {
            guard let key = word.key.map(String.init), keys.contains(key), !word.value.isEmpty
            else {
                let expected = "session=GLOB, event=GLOB, args=JSON, get=yes or age=D"
                throw file.mistake(line, word, "expected \(expected)")
            }
            guard words[key] == nil else { throw file.mistake(line, word, "\(key) is given twice") }
            words[key] = word
        }
        func glob(_ key: String) -> Glob { words[key].map { Glob(String($0.value)) } ?? .all }
        let grant = Grant(
            role, session: glob("session"), event: glob("event"),
            boundArguments: try words["args"].map { word throws(ConfigurationError) in
                try boundArguments(word, role, line, file)
            } ?? [], allowsGET: words["get"]?.value == "yes",
            longestAge: try words["age"].map { word throws(ConfigurationError) in
                try age(word, line, file)
            } ?? .zero)
        if let word = words["get"], !["yes", "no"].contains(word.value) {
            throw file.mistake(line, word, "get: expected yes or no")
        }
        return Rule(principal, grant)
    }

    /// The keys of the words `KEY=VALUE`.
    private static let keys = ["session", "event", "args", "get", "age"]

    /// How much of the age that a client gives counts.
    private static func age(
        _ word: TextWord, _ line: ConfigurationFile.Line, _ file: ConfigurationFile
    ) throws(ConfigurationError) -> Duration {
        guard let age = DurationText.read(String(word.value)), age <= Grant.ageLimit else {
            throw file.mistake(line, word, "age: expected a duration up to 1s, such as 300ms")
        }
        return age
    }

    /// The bound arguments of a rule: the arguments to which its word `args=JSON` gives fixed values. Only rules with the role
    /// `play` have bound arguments. Operators would not be restricted, because they may enter any state without an event;
    /// observers send no events.
    private static func boundArguments(
        _ word: TextWord, _ role: Role, _ line: ConfigurationFile.Line, _ file: ConfigurationFile
    ) throws(ConfigurationError) -> [Member] {
        guard role == .play else { throw file.mistake(line, word, "args: only with the role play") }
        let example = #"'{"player":"ann"}'"#
        let members = try file.object(word, of: line, example: example)
        guard !members.isEmpty else {
            throw file.mistake(line, word, "args: expected an object such as \(example)")
        }
        return members
    }
}
