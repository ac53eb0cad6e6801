import TestSupport
import Testing

/// The pages in docs about the shipped flows show commands with their output. These tests run the commands of a page in order,
/// with one daemon, and compare the output.
@Suite struct FlowPageTests {
    /// A command of a page, and the output that the page shows.
    private struct ShownCommand {
        let command: String
        var output = ""
    }

    @Test(arguments: ["game", "onboarding", "quiz", "registration", "startup"])
    func `the commands on a flow's page have the output that the page shows`(_ flow: String) throws
    {
        let commands = Self.commands(on: RepositoryFile.text("docs/\(flow).md"))
        try #require(commands.count > 10)
        let daemon = try DaemonProcess(["--clock", "virtual", "--flow", flow])
        for shown in commands {
            let output = ShellCommand.run("export GAMED_SOCKET=$S; \(shown.command)", daemon)
            #expect(
                Self.withoutProcessNumbers(output) == Self.withoutProcessNumbers(shown.output),
                "\(shown.command)")
        }
    }

    /// The commands in the code blocks of a page: the lines that begin with `$`.
    private static func commands(on page: String) -> [ShownCommand] {
        var commands: [ShownCommand] = []
        var (isBlock, isCommandBlock) = (false, false)
        for line in page.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("```") {
                // The first line of a block of commands names no language.
                isCommandBlock = !isBlock && line == "```"
                isBlock.toggle()
            } else if isCommandBlock, line.hasPrefix("$ ") {
                commands.append(ShownCommand(command: String(line.dropFirst(2))))
            } else if isCommandBlock, !commands.isEmpty {
                commands[commands.count - 1].output += line + "\n"
            }
        }
        return commands
    }

    /// The text with `N` in place of the numbers of processes, users and groups, which differ between machines.
    private static func withoutProcessNumbers(_ text: String) -> String {
        text.replacing(#/pid \d+/#, with: "pid N")
            .replacing(#/"(pid|uid|gid)":\d+/#) { "\"\($0.output.1)\":N" }
    }
}
