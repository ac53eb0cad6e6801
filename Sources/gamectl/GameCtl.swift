import EventLoop
import Glibc
import Shell
import Timers

/// The command-line client of gamed.
@main struct GameCtl {
    static func main() {
        signal(SIGPIPE, SIG_IGN)
        Output.claimStandardStreams()
        let arguments = Array(CommandLine.arguments.dropFirst())
        var isJSON = false
        do throws(CommandError) {
            let command = try Command.read(arguments)
            isJSON = command.isJSON
            try run(command)
        } catch {
            report(error, isJSON: isJSON)
            exit(error.status.rawValue)
        }
    }

    private static func run(_ command: Command) throws(CommandError) {
        switch command {
        case .analyze(let options, let isJSON): try AnalysisCommand(isJSON: isJSON).run(options)
        case .journal(let options, let isJSON): try JournalCommand(isJSON: isJSON).run(options)
        case .help: Output.line(Help.text)
        case .version: Output.line("gamectl \(gamedVersion)")
        case .request(let request, let settings):
            try RequestCommand(settings, try loop()).run(request)
        case .watch(let options, let settings):
            try WatchCommand(options, settings, try loop()).run()
        case .wait(let options, let settings):
            try WaitCommand(options, settings, try loop()).run()
        }
    }

    private static func loop() throws(CommandError) -> LibeventLoop {
        do { return try LibeventLoop() } catch { throw .unreachable("no event loop: \(error)") }
    }

    private static func report(_ failure: CommandError, isJSON: Bool) {
        if isJSON, case .refused(let refused) = failure {
            printError(String(decoding: TerminalSafe.json(refused.raw), as: UTF8.self))
        } else {
            // Errors in files begin with the file's name.
            if case .malformed(let sentences) = failure {
                return printError(sentences.map(TerminalSafe.word).joined(separator: "\n"))
            }
            let lines = failure.message.split(separator: "\n")
            printError(
                lines.map { "gamectl: \(TerminalSafe.word(String($0)))" }.joined(separator: "\n"))
        }
    }
}
