import Connections
import Glibc
import TestSupport
import Testing

/// A daemon is killed with SIGKILL at random moments. A kill can be between the commit of a change and the delivery of its
/// output, or between the delivery and its record. An output arrives at least once. An output with `once=yes` arrives at most
/// once.
@Suite struct OutputKillTests {
    private let folder = Folder()
    /// The number of sessions that each run of the daemon opens. Each session enters `question` and then `locked`.
    private static let sessionCount = 20

    /// When the daemon is killed: after a number of replies, or after a number of lines to the device. Neither number depends
    /// on the speed of the machine.
    private enum KillMoment {
        case replies(Int)
        case lines(Int)

        init(_ random: inout SeededRandom) {
            let isAfterReplies = random.below(2) == 0
            // Each session causes three replies and two lines. The second reply is the first reply that follows an output.
            self =
                isAfterReplies
                ? .replies(2 + random.below(3 * OutputKillTests.sessionCount - 2))
                : .lines(1 + random.below(2 * OutputKillTests.sessionCount))
        }
    }

    /// Starts the daemon, sends events to sessions, and kills the daemon. Returns the text that the device received.
    private func runUntilKilled(
        run number: Int, _ lines: String, _ tty: SerialPort, _ moment: KillMoment
    ) throws -> String {
        let daemon = try startDaemon(lines)
        let client = try Client(daemon.socket)
        for session in 0..<Self.sessionCount {
            client.write("open session=s\(number)-\(session) flow=quiz\n")
            client.write("send @s\(number)-\(session) start rounds=1\n")
            client.write("send @s\(number)-\(session) buzz player=a\n")
        }
        var received = ""
        switch moment {
        case .replies(let count): for _ in 0..<count { _ = client.line() }
        case .lines(let count):
            for _ in 0..<count {
                let line = tty.nextLine()
                received += line
                if line.isEmpty { break }
            }
        }
        daemon.signal(SIGKILL)
        while client.line() != nil {}
        daemon.waitForEnd()
        return received + tty.readAvailable()
    }

    private func startDaemon(_ lines: String) throws -> DaemonProcess {
        let path = folder.write("gamed.conf", lines)
        return try DaemonProcess([
            "--config", path, "--no-main", "--state-dir", "\(folder.path)/state",
        ])
    }

    /// Starts the daemon and waits until it has sent the outputs that the killed daemons have left. Returns the text that the
    /// device received. Fails if the list of outputs does not change for a minute.
    private func sendRemaining(_ lines: String, _ tty: SerialPort) throws -> String {
        let daemon = try startDaemon(lines)
        let client = try Client(daemon.socket)
        var (received, lastResponse, idlePolls) = ("", "", 0)
        while idlePolls < 6000 {
            received += tty.readAvailable()
            let response = client.ask("outputs")
            // The answer has an entry with `waiting` for each of the two `on` lines.
            let isFinished =
                response.contains(#""recovering":false"#)
                && response.ranges(of: #""waiting":0"#).count == 2
            if isFinished { break }
            idlePolls = response == lastResponse ? idlePolls + 1 : 0
            lastResponse = response
            usleep(10_000)
        }
        #expect(idlePolls < 6000, "the outputs are not finished: \(lastResponse)")
        daemon.signal(SIGTERM)
        daemon.waitForEnd()
        return received + tty.readAvailable()
    }

    /// The texts between brackets in the lines that the device received. A session `s1-2` causes `[R s1-2]`, an output that is
    /// repeated until it is delivered, and `[O s1-2]`, an output with `once=yes`. A line that a kill has cut has no closing
    /// bracket.
    private struct ReceivedTexts {
        private(set) var complete: [String] = []
        private(set) var truncated: [String] = []

        init(_ text: String) {
            for part in text.split(separator: "[", omittingEmptySubsequences: true) {
                guard let end = part.firstIndex(of: "]") else {
                    truncated.append(String(part.filter { $0 != "\n" }))
                    continue
                }
                complete.append(String(part[..<end]))
            }
        }
    }

    /// The outputs that recorded changes ask for, and the outputs that the journal records as delivered. An output is a text
    /// such as `R s1-2`.
    private struct JournaledOutputs {
        private(set) var requested: Set<String> = []
        private(set) var delivered: Set<String> = []

        init(_ exported: String) {
            var outputsByPosition: [String: String] = [:]
            for line in exported.split(separator: "\n").map(String.init) {
                if line.contains(#""kind":"enter""#), let name = Self.text("session", in: line),
                    let position = Self.number("pos", in: line[...])
                {
                    let isQuestion = line.contains(#""to":{"state":"question""#)
                    guard isQuestion || line.contains(#""to":{"state":"locked""#) else { continue }
                    let output = "\(isQuestion ? "R" : "O") \(name)"
                    requested.insert(output)
                    outputsByPosition[position] = output
                }
                guard line.contains(#""kind":"delivery""#) else { continue }
                for part in line.split(separator: "{") where part.contains(#""delivered""#) {
                    guard let position = Self.number("pos", in: part) else { continue }
                    if let output = outputsByPosition[position] { delivered.insert(output) }
                }
            }
        }

        private static func text(_ name: String, in line: String) -> String? {
            line.firstRange(of: "\"\(name)\":\"").map {
                String(line[$0.upperBound...].prefix { $0 != "\"" })
            }
        }

        private static func number(_ name: String, in line: Substring) -> String? {
            line.firstRange(of: "\"\(name)\":").map {
                String(line[$0.upperBound...].prefix(while: \.isNumber))
            }
        }
    }

    @Test func `after kills outputs have arrived at least once, or with once=yes at most once`()
        throws
    {
        let seed = UInt64.random(in: 1...UInt64.max)
        var random = SeededRandom(seed)
        let tty = try SerialPort(link: "\(folder.path)/tty")
        let lines = """
            serial door \(folder.path)/tty
            on enter=question serial=door line="[R $session]" max-age=1h
            on enter=locked serial=door line="[O $session]" once=yes max-age=1h

            """
        var received = ""
        let rounds = TestLength.count(3, long: 15)
        for number in 0..<rounds {
            received += try runUntilKilled(run: number, lines, tty, KillMoment(&random))
        }
        received += try sendRemaining(lines, tty)
        let journaled = JournaledOutputs(
            ShellCommand.run("gamectl journal export '\(folder.path)/state'"))
        let arrived = ReceivedTexts(received)
        let completeTexts = Set(arrived.complete)
        let context = Comment(rawValue: "seed \(seed): \(received)")
        #expect(journaled.requested.contains { $0.hasPrefix("R ") }, context)
        // Outputs R are repeated until they are delivered: all have arrived, and some may have arrived twice.
        let repeatedTexts = journaled.requested.filter { $0.hasPrefix("R ") }
        #expect(repeatedTexts.subtracting(completeTexts) == [], context)
        // Outputs O are sent at most once: none has arrived twice. An output that did not arrive, or that a kill has cut, is
        // not recorded as delivered.
        let onceTexts = arrived.complete.filter { $0.hasPrefix("O ") }
        #expect(Set(onceTexts).count == onceTexts.count, context)
        #expect(journaled.delivered.subtracting(completeTexts) == [], context)
        // Nothing is sent for a change that is not in the journal, not even the beginning of a line.
        #expect(completeTexts.subtracting(journaled.requested) == [], context)
        #expect(arrived.truncated.count <= rounds, context)
        for text in arrived.truncated {
            #expect(journaled.requested.contains { $0.hasPrefix(text) }, context)
        }
    }
}
