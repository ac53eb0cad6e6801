import RPC
import Shell
import Testing

@testable import gamectl

/// The tables of verbs and options, from which command lines are read.
@Suite struct VerbTests {
    @Test func `each name stands once in its table`() {
        let verbs = Verb.table.map(\.name)
        #expect(Set(verbs).count == verbs.count)
        let options = CommandOption.table.map(\.form.name)
        #expect(Set(options).count == options.count)
        for option in CommandOption.table where option.verb != nil {
            #expect(verbs.contains(option.verb ?? ""))
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
    func `no word behind a verb ends the program, and each verb is known`(
        _ verb: String, _ words: [String]
    ) {
        do throws(Failure) { _ = try Command.read([verb] + words) } catch {
            #expect(!error.message.contains("no verb"))
        }
    }

    @Test(arguments: CommandOption.table.filter { $0.verb != nil }.map(\.form.name))
    func `an option that goes with one verb is refused with others`(_ name: String) throws {
        let option = try #require(CommandOption.table.first { $0.form.name == name })
        let line = ["--\(name)"] + (option.form.value == nil ? [] : ["1s"]) + ["ping"]
        let failure = #expect(throws: Failure.self) { try Command.read(line) }
        #expect(failure?.message.contains("--\(name) goes with \(option.verb ?? "")") == true)
    }

    @Test func `the help names each verb and option, in lines that fit`() {
        for verb in Verb.table where verb.group != nil {
            #expect(Help.text.contains("\n  \(verb.name)"))
        }
        for option in CommandOption.table { #expect(Help.text.contains("--\(option.form.name)")) }
        #expect(Help.text.split(separator: "\n").allSatisfy { $0.count <= 112 })
    }
}
