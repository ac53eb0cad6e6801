package import EventLoop
package import GameFlow
import Glibc
import JSONCoding
package import Outputs
package import Parts
package import Sessions
import Shell
import Support
import Timers

/// The path of a program that gets the occasion on its standard input.
package struct ProgramOutput: RelayableTarget {
    package static let word = "run"
    package static let form = "run=PATH"
    package static let keys: [String] = []
    package static let limits = [
        Limit(
            "programs", .fixed { _ in ProgramSender.limit },
            "programs that outputs run at once",
            then: "The attempt fails, and is repeated like any other that fails.")
    ]
    package static var serviceNeeds: [ServiceNeed] {
        [ServiceNeed(word: "run=", dropIn: word) { !$0.isOn("MemoryDenyWriteExecute") }]
    }

    package let path: String

    package var name: String { "run \(path)" }
    /// The programs of one session are one target: what one program starts, another one may have to end.
    package func name(for session: SessionName) -> String { "programs of \(session.text)" }
    package var connection: String { Self.word }
    package var usesConnection: Bool { false }
    package func timeout(maxAge: Duration) -> Duration { DeliveryLimit.programTimeout }

    package func content(of occasion: OutputOccasion, id: String) -> ProgramContent {
        ProgramContent(path: path, input: occasion.json(id: id))
    }

    /// The line names a program, whose relative path begins at the folder of each node's own configuration.
    package func own(_ content: ProgramContent) -> ProgramContent? {
        ProgramContent(path: path, input: content.input)
    }

    package static func sender(_ connections: RoomConnections, on loop: LibeventLoop)
        throws(EventLoopError) -> any OutputSender
    {
        ProgramSender(try ProgramRunner(on: loop))
    }

    package static func localMistake(_ line: ConfigurationFile.Line, _ file: ConfigurationFile)
        -> ConfigurationError?
    {
        guard let word = line.words.first(where: { $0.key == "run" }) else { return nil }
        let path = file.absolutePath(String(word.value))
        let why: String
        if access(path, F_OK) != 0 {
            why = String(cString: strerror(errno))
        } else if FilePath.isIrregular(path) {
            why = "not a regular file"
        } else if access(path, X_OK) != 0 {
            why = "not executable; chmod +x it"
        } else {
            return nil
        }
        return file.mistake(line, word, "run: \(path): \(why)")
    }
}

extension ProgramOutput {
    package init(_ line: OnDirective) throws(ConfigurationError) {
        self.init(path: line.file.absolutePath(try line.text(Self.word)))
    }
}

/// The path of a program, and what it gets on its standard input.
package struct ProgramContent: RelayableContent {
    package let path: String
    package let input: [UInt8]

    package var summary: String { path }

    package var members: [Member] {
        [Member("run", path), Member("input", String(decoding: input, as: UTF8.self))]
    }
}

extension ProgramContent {
    package init?(_ members: [Member]) {
        guard let path = members["run"]?.text, let input = members["input"]?.text else {
            return nil
        }
        self.init(path: path, input: Array(input.utf8))
    }
}

/// Runs the programs of outputs.
package final class ProgramSender: OutputSender {
    private let programs: ProgramRunner
    /// Logs the 1st, 2nd, 4th, 8th … occurrence of each sentence. Counts up to 256 different sentences.
    private var log = LogThrottle(limit: 256)

    /// The maximum number of programs that run at the same time. Each has a thread, and each session can have one.
    package static let limit = 256

    package init(_ programs: ProgramRunner) { self.programs = programs }

    package func send(
        _ content: ProgramContent, _ attempt: OutputAttempt,
        _ done: @escaping (DeliveryResult) -> Void
    ) {
        guard programs.count < Self.limit else {
            return done(.failed("\(Self.limit) programs run already"))
        }
        programs.run(content.path, content.input, timeout: attempt.timeout) {
            [unowned self] run in
            report(run, of: content.path)
            done(DeliveryResult(failure: run.failure))
        }
    }

    package func end(_ done: @escaping () -> Void) { programs.endAll(done) }

    /// Logs what a program has written before it failed.
    private func report(_ run: ProgramRun, of path: String) {
        guard run.failure != nil, !run.output.isEmpty else { return }
        log.write(.info, .output, "\(path): \(String(decoding: run.output, as: UTF8.self))")
    }
}
