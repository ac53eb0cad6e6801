import TestSupport
import Testing

/// README.md, docs/bluetooth.md and the pages in docs about the shipped flows show commands with their output. These tests run
/// the commands of a page in order, with one daemon, and compare the output.
@Suite struct FlowPageTests {
    /// A command of a page, and the output that the page shows.
    private struct ShownCommand {
        let command: String
        var output = ""
    }

    @Test(arguments: ["game", "onboarding", "permissions", "quiz", "registration", "startup"])
    func `the commands on a flow's page have the output that the page shows`(_ flow: String) throws
    {
        let commands = Self.commands(on: "docs/\(flow).md")
        try #require(commands.count > 10)
        try expectShownOutput(of: commands, daemonOptions: ["--flow", flow])
    }

    @Test func `the commands in README.md have the output that README.md shows`() throws {
        let commands = Self.commands(on: "README.md")
        try #require(commands.count > 10)
        try expectShownOutput(of: commands, daemonOptions: ["--flow", "game"])
    }

    /// The first command of the page starts a daemon. The test starts its own daemon with the same configuration instead.
    @Test func `the commands in docs/bluetooth.md have the output that the page shows`() throws {
        let commands = Self.commands(on: "docs/bluetooth.md").filter {
            $0.command.hasPrefix("gamectl ")
        }
        try #require(commands.count == 2)
        try expectShownOutput(
            of: commands, daemonOptions: ["--config", "Examples/buzzers/gamed.conf"])
    }

    private func expectShownOutput(of commands: [ShownCommand], daemonOptions: [String]) throws {
        let daemon = try DaemonProcess(["--clock", "virtual"] + daemonOptions)
        for shown in commands {
            let command = shown.command.replacing("/run/gamed/gamed.sock", with: "$S")
            let output = ShellCommand.run("export GAMED_SOCKET=$S; \(command)", daemon)
            let (found, expected) = (Self.comparable(output), Self.comparable(shown.output))
            // A page can replace the end of a long output by `…`.
            if let ellipsis = expected.firstIndex(of: "…"), shown.output.hasSuffix("…}\n") {
                #expect(found.hasPrefix(expected[..<ellipsis]), "\(shown.command)")
            } else {
                #expect(found == expected, "\(shown.command)")
            }
        }
    }

    /// The commands on a page of the repository. They are the lines that begin with `$` in the blocks of code without a
    /// language.
    private static func commands(on page: String) -> [ShownCommand] {
        CodeBlock.blocks(of: RepositoryFile.text(page)).filter { $0.language.isEmpty }.flatMap {
            block in
            block.lines.reduce(into: [ShownCommand]()) { commands, line in
                if line.hasPrefix("$ ") {
                    commands.append(ShownCommand(command: String(line.dropFirst(2))))
                } else if !commands.isEmpty {
                    commands[commands.count - 1].output += line + "\n"
                }
            }
        }
    }

    /// The text with `N` in place of the numbers of processes, users and groups, which differ between machines.
    private static func comparable(_ text: String) -> String {
        text.replacing(#/pid \d+/#, with: "pid N")
            .replacing(#/"(pid|uid|gid)":\d+/#) { "\"\($0.output.1)\":N" }
    }
}
