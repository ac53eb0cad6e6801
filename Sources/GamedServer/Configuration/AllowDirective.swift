import GameFlow
import JSONCoding
import RPC

/// Reads `allow PRINCIPAL ROLE [session=GLOB] [event=GLOB]`.
enum AllowDirective {
    /// The form of the arguments of `allow`.
    static let form = "PRINCIPAL ROLE [session=GLOB] [event=GLOB]"

    static func read(_ line: ConfigurationFile.Line, in file: ConfigurationFile)
        throws(ConfigurationFile.ConfigurationError) -> Rule
    {
        let bare = line.words.prefix { $0.key == nil }
        guard bare.count == 2 else {
            throw file.mistake(
                line, bare.count > 2 ? bare[2] : nil,
                "expected allow \(form)")
        }
        let principal: Principal
        do throws(PrincipalError) { principal = try Principal(bare[0].text) } catch {
            throw file.mistake(line, bare[0], error.why)
        }
        guard let role = Role(bare[1].text) else {
            let roles = Role.allCases.map(\.name).joined(separator: ", ")
            throw file.mistake(line, bare[1], "\(bare[1].text): expected \(roles)")
        }
        var globs: [String: Glob] = [:]
        for word in line.words.dropFirst(2) {
            guard let key = word.key.map(String.init), ["session", "event"].contains(key),
                !word.value.isEmpty
            else { throw file.mistake(line, word, "expected session=GLOB or event=GLOB") }
            guard globs[key] == nil else { throw file.mistake(line, word, "\(key) is given twice") }
            globs[key] = Glob(String(word.value))
        }
        return Rule(
            principal,
            Grant(role, session: globs["session"] ?? .all, event: globs["event"] ?? .all))
    }
}
