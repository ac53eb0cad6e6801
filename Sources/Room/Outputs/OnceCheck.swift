import JSONCoding
package import Parts
import RPC

/// Finds `on` lines with `once=yes` that are the only way out for their effect: if the only attempt fails, nothing else happens.
/// The option `--check` reports them.
package struct OnceCheck {
    /// An `on` line that sends an output, with the parts that matter here.
    fileprivate struct Way {
        let position: ConfigurationFile.Line
        let output: OutputLine
    }

    private let ways: [Way]

    package init(_ file: ConfigurationFile) {
        ways = file.lines.compactMap { line in
            // Which node sends an output does not matter here.
            let words = line.words.filter { $0.key != "node" }
            let line = ConfigurationFile.Line(number: line.number, name: line.name, words: words)
            guard line.name.text == "on",
                let output = try? OnDirective.read(line, in: file, others: [])
            else { return nil }
            return Way(position: line, output: output)
        }
    }

    /// A sentence for each such line.
    package func notes(in file: ConfigurationFile) -> [ConfigurationError] {
        ways.filter { way in
            way.output.isOnce && !ways.contains { $0.isSecondWay(of: way) }
        }.map { way in
            file.mistake(
                way.position, way.position.words.first { $0.text == "once=yes" },
                "once=yes: if the only attempt fails, nothing else happens; never use it for a door that people need to get out, or add a second line to another target"
            )
        }
    }
}

extension OnceCheck.Way {
    /// Whether this line sends an output to another target in each case in which `way` does.
    fileprivate func isSecondWay(of way: OnceCheck.Way) -> Bool {
        guard !output.delays(way.output),
            Self.covers(output.session, way.output.session)
        else { return false }
        return switch (output.trigger, way.output.trigger) {
        case (.effect(let own), .effect(let other)), (.enter(let own), .enter(let other)),
            (.leave(let own), .leave(let other)), (.alert(let own), .alert(let other)):
            Self.covers(own, other)
        case (.refused, .refused), (.stuck, .stuck): true
        default: false
        }
    }

    /// Whether `wide` matches all that `narrow` matches, as far as it can be told from the patterns.
    private static func covers(_ wide: Glob, _ narrow: Glob) -> Bool {
        wide == narrow || wide.pattern == "*" || wide.matches(narrow.pattern)
    }
}
