import EventLoop
import Glibc
import Shell
import Timers

/// The command-line client: reads what is asked for, asks, and says what came of it.
@main struct GameCtl {
    static func main() {
        signal(SIGPIPE, SIG_IGN)
        Output.claimStandardStreams()
        let arguments = Array(CommandLine.arguments.dropFirst())
        var isJSON = false
        do throws(Failure) {
            let command = try Command.read(arguments)
            isJSON = command.isJSON
            try run(command)
        } catch {
            tell(error, isJSON: isJSON)
            exit(error.status.rawValue)
        }
    }

    private static func run(_ command: Command) throws(Failure) {
        switch command {
        case .prove(let order, let isJSON): try AnalysisCommand(isJSON: isJSON).run(order)
        case .journal(let order, let isJSON): try JournalVerb(isJSON: isJSON).run(order)
        case .help: Output.line(Help.text)
        case .version: Output.line("gamectl \(gamedVersion)")
        case .ask(let request, let settings):
            try Ask(settings, try loop()).run(request)
        case .watch(let order, let settings):
            try Watch(order, settings, try loop()).run()
        case .wait(let order, let settings):
            try Wait(order, settings, try loop()).run()
        }
    }

    private static func loop() throws(Failure) -> LibeventLoop {
        do { return try LibeventLoop() } catch { throw .unreachable("no event loop: \(error)") }
    }

    private static func tell(_ failure: Failure, isJSON: Bool) {
        if isJSON, case .refused(let refused) = failure {
            printError(String(decoding: TerminalSafe.json(refused.raw), as: UTF8.self))
        } else {
            // Those of a file say themselves where they belong.
            if case .malformed(let sentences) = failure {
                return printError(sentences.map(TerminalSafe.word).joined(separator: "\n"))
            }
            let lines = failure.message.split(separator: "\n")
            printError(
                lines.map { "gamectl: \(TerminalSafe.word(String($0)))" }.joined(separator: "\n"))
        }
    }
}
