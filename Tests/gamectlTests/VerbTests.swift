import RPC
import Shell
import Testing

@testable import GamectlTool

/// The tables of verbs and options.
@Suite struct VerbTests {
    @Test func `each name is unique in its table`() {
        let verbs = Verb.table.map(\.name)
        #expect(Set(verbs).count == verbs.count)
        let options = CommandOption.table.map(\.form.name)
        #expect(Set(options).count == options.count)
        for option in CommandOption.table where !option.verbs.isEmpty {
            #expect(option.verbs.allSatisfy(verbs.contains))
        }
    }

    @Test func `each method is a verb`() {
        for method in Method.allCases {
            #expect(Verb.table.contains { $0.name == method.name })
        }
    }

    @Test(
        arguments: Verb.table.map(\.name),
        [[], ["x"], ["x", "y", "z"], ["{"], ["@"], ["=", "a="]])
    func `no word after a verb crashes gamectl`(
        _ verb: String, _ words: [String]
    ) {
        do throws(CommandError) { _ = try Command.read([verb] + words) } catch {
            #expect(!error.why.contains("no verb"))
        }
    }

    @Test(arguments: CommandOption.table.filter { !$0.verbs.isEmpty }.map(\.form.name))
    func `an option of one verb is refused with other verbs`(_ name: String) throws {
        let option = try #require(CommandOption.table.first { $0.form.name == name })
        let line = ["--\(name)"] + (option.form.value == nil ? [] : ["1s"]) + ["ping"]
        let failure = #expect(throws: CommandError.self) { try Command.read(line) }
        #expect(
            failure?.why.contains(
                "--\(name) is an option of \(option.verbs.joined(separator: ", "))") == true)
    }

    @Test func `the help contains each verb and option, in lines of at most 112 columns`() {
        for verb in Verb.table where verb.group != nil {
            #expect(Help.text.contains("\n  \(verb.name)"))
        }
        for option in CommandOption.table { #expect(Help.text.contains("--\(option.form.name)")) }
        #expect(Help.text.split(separator: "\n").allSatisfy { $0.count <= 112 })
    }
}
