import EventLoop
public import GameFlow
import Glibc
import Shell
import Support
import Timers

/// The program gamectl as a library, for a daemon that has flows of its own.
///
/// ```swift
/// @main struct HeistCtl { static func main() { GamectlTool.run(flows: .shipped + [HeistFlow()]) } }
/// ```
public enum GamectlTool {
    /// Carries out the command line with these flows, and ends the process.
    ///
    /// These flows are for the verbs that work without a daemon: `lint`, `test`, `races`, `paths`, `graph`, `replay` and
    /// `journal`. Verbs that send a request use the flows of the daemon that answers. If several flows have the same name, the
    /// first of these flows is used, and `lint` reports a mistake. The default flow of `graph` is `game` if a flow has this
    /// name, else the first flow.
    ///
    /// The exit status:
    /// - 0: the verb was carried out
    /// - 1: the request was refused, or the journal cannot be used for the verb at present
    /// - 2: a mistake in the command line or a file
    /// - 3: no daemon could be reached
    /// - 4: a time-out
    /// - 5: an answer that breaks the protocol
    /// - 6: a check failed
    public static func run(flows: [any Flow]) -> Never {
        // A write to a closed pipe or socket then fails with EPIPE instead of ending the process.
        signal(SIGPIPE, SIG_IGN)
        let flows = flows.map { $0.anyFlow }
        // If a standard stream is closed, the socket must not get its number: output would be sent to the daemon.
        StandardStreams.claim()
        let arguments = Array(CommandLine.arguments.dropFirst())
        var isJSON = false
        do throws(CommandError) {
            let command = try Command.read(arguments, flows: flows)
            isJSON = command.isJSON
            try run(command, flows)
        } catch {
            report(error, isJSON: isJSON, ErrorHint(arguments))
            exit(error.status.rawValue)
        }
        exit(0)
    }

    private static func run(_ command: Command, _ flows: [AnyFlow]) throws(CommandError) {
        switch command {
        case .analyze(let options, let isJSON):
            try AnalysisCommand(isJSON: isJSON, flows).run(options)
        case .flowFile(let options, let isJSON):
            try FlowFileCommand.run(options, flows, isJSON: isJSON)
        case .journal(let options, let isJSON):
            try JournalCommand(isJSON: isJSON, flows).run(options)
        case .help(let verb): Output.line(verb.map(Help.text(of:)) ?? Help.text)
        case .complete(let words): CompletionCommand.run(words, flows)
        case .version: Output.line(BuildInformation.line("gamectl"))
        case .config(let command): try command.run()
        case .doctor(let command): try command.run(try loop())
        case .request(let request, let settings):
            try RequestCommand(settings, try loop()).run(request)
        case .watch(let options, let settings):
            try WatchCommand(options, settings, try loop()).run()
        case .wait(let options, let settings):
            var wait = WaitCommand(options, settings, try loop())
            try wait.run()
        case .top(let settings): try TopCommand.run(settings, try loop())
        }
    }

    private static func loop() throws(CommandError) -> LibeventLoop {
        do { return try LibeventLoop() } catch { throw .unreachable("no event loop: \(error)") }
    }

    /// Prints an error on standard error, and the command that helps. With `isJSON`, a refusal is printed as the error object of
    /// the reply.
    private static func report(_ failure: CommandError, isJSON: Bool, _ hint: ErrorHint) {
        if isJSON, case .refused(let reply) = failure {
            printError(String(decoding: TerminalSafe.json(reply.raw), as: UTF8.self))
        } else {
            // The sentences of `malformed` get no `gamectl:`, because most of them begin with the name of a file.
            if case .malformed(let sentences) = failure {
                return printError(sentences.map(TerminalSafe.escaped).joined(separator: "\n"))
            }
            let help = hint.command(after: failure).map { ["Try 'gamectl \($0)'."] } ?? []
            let lines = failure.lines + help
            printError(
                Terminal(STDERR_FILENO).shown(
                    lines.map { "gamectl: \(TerminalSafe.escaped($0))" }.joined(separator: "\n")))
        }
    }
}
