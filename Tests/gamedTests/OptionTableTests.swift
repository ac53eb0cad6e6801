import Access
import Connections
import GameFlow
import Net
import Parts
import RPC
import Shards
import Shell
import ShippedFlows
import Support
import TestSupport
import Testing
import Timers

@testable import GamedServer

/// The table of options, from which the command line and the lines of the configuration are derived.
@Suite struct OptionTableTests {
    private let folder = Folder()

    /// The errors of a command line; empty if it is valid.
    private func errors(of arguments: [String]) -> [String] {
        do throws(Options.OptionsError) {
            _ = try Options.read(arguments, flows: [AnyFlow(Game())])
        } catch {
            return error.lines
        }
        return []
    }

    @Test func `each name is unique in the table`() {
        let names = Options.table.map(\.name)
        #expect(Set(names).count == names.count)
        #expect(Options.table.allSatisfy { !$0.form.sentence.isEmpty })
    }

    @Test(arguments: Options.table.map(\.name), ["", "x", "0", "=", "a=b"])
    func `each name is accepted only where it is allowed, and an invalid value causes no crash`(
        _ name: String, _ value: String
    ) throws {
        let option = try #require(Options.table.first { $0.name == name })
        let arguments = ["--\(name)"] + (option.form.value == nil ? [] : [value])
        let file = folder.write(
            "a.conf", option.form.value == nil ? "\(name)\n" : "\(name) \"\(value)\"\n")
        if option.isOption {
            #expect(!errors(of: arguments).contains { $0.hasPrefix("unknown option") })
        } else {
            #expect(errors(of: arguments).first?.hasPrefix("unknown option --\(name)") == true)
        }
        let isUnknown = errors(of: ["--config", file]).contains {
            $0.contains("1:1: \(name): unknown")
        }
        #expect(isUnknown != option.isLine)
    }

    @Test func `a misspelled name gets a suggestion`() {
        #expect(
            errors(of: ["--sockte", "x"]) == ["unknown option --sockte; did you mean --socket?"])
        for arguments in [["-ab"], ["--check", "-ab"], ["word", "-ab"], ["-ab", "--check"]] {
            #expect(errors(of: arguments).first == "unknown option -ab", "\(arguments)")
        }
        // Here the refused letter is also the last letter of the argument before.
        #expect(errors(of: ["--check", "-kx"]).first == "unknown option -kx")
        // The argument before is a value that looks like the refused letter.
        #expect(errors(of: ["--config", "-k", "-kx"]).first == "unknown option -kx")
        #expect(errors(of: ["--config", "-k", "-k"]).first == "unknown option -k")
        #expect(errors(of: ["-a"]).first == "unknown option -a")
        let file = folder.write("a.conf", "alow token:a play\nlimits a=b\n")
        #expect(
            errors(of: ["--config", file]) == [
                "\(file):1:1: alow: unknown; did you mean allow?",
                "\(file):2:1: limits: unknown; did you mean limit?",
            ])
    }

    @Test func `SIGHUP applies limits and rules, but neither the default flow nor an address`() {
        var (options, newOptions) = (Options(), Options())
        newOptions.limits.requests = 1
        newOptions.access.rules = [Rule(.token("a"), Grant(.play))]
        newOptions.sessions.flow = "quiz"
        newOptions.web.addresses = [.network(host: "localhost", port: 1)]
        options.reload(newOptions)
        var expected = Options()
        (expected.limits, expected.access.rules) = (newOptions.limits, newOptions.access.rules)
        #expect(options == expected)
    }

    @Test func `the help contains each option, limit and configuration line`() {
        let help = Options.help(flows: [AnyFlow(Game())])
        for option in Options.table {
            #expect(help.contains(option.isOption ? "\n  --\(option.name)" : "\n  \(option.name) "))
        }
        for limit in Limit.settable { #expect(help.contains("\n  \(limit.setting ?? "?") ")) }
        #expect(help.split(separator: "\n").allSatisfy { $0.count <= 112 })
    }
}
