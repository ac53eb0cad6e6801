import Glibc
import TestSupport
import Testing

/// kill -9 between commit, delivery and its record: nothing is lost without a report, and what may be sent once is never
/// repeated.
@Suite struct OutputKillTests {
    private let folder = Folder()
    /// The events of each session: it enters question and then locked.
    private static let sessions = 20

    /// When the daemon is killed: after so many replies, or after so many lines to the device. Both happen, however slow
    /// the machine is.
    private enum Moment {
        case replies(Int)
        case lines(Int)

        init(_ random: inout SeededRandom) {
            let isReplies = random.below(2) == 0
            // Each session has three replies and two lines; the first reply about a question is the second one.
            self =
                isReplies
                ? .replies(2 + random.below(3 * OutputKillTests.sessions - 2))
                : .lines(1 + random.below(2 * OutputKillTests.sessions))
        }
    }

    /// Starts the daemon, and plays some sessions until it is killed. Returns what the device received.
    private func round(_ number: Int, _ lines: String, _ tty: SerialPort, _ moment: Moment) throws
        -> String
    {
        let daemon = try start(lines)
        let client = try Client(daemon.socket)
        for session in 0..<Self.sessions {
            client.write("open session=s\(number)-\(session) flow=quiz\n")
            client.write("send @s\(number)-\(session) start rounds=1\n")
            client.write("send @s\(number)-\(session) buzz player=a\n")
        }
        var received = ""
        switch moment {
        case .replies(let count): for _ in 0..<count { _ = client.line() }
        case .lines(let count):
            for _ in 0..<count {
                let line = tty.line()
                received += line
                if line.isEmpty { break }
            }
        }
        daemon.signal(SIGKILL)
        while client.line() != nil {}
        daemon.waitForEnd()
        return received + tty.text()
    }

    private func start(_ lines: String) throws -> DaemonProcess {
        let path = folder.write("gamed.conf", lines)
        return try DaemonProcess([
            "--config", path, "--no-main", "--state-dir", "\(folder.path)/state",
        ])
    }

    /// Lets the daemon send what an earlier one has left. It fails only if nothing at all happens for a minute.
    private func finish(_ lines: String, _ tty: SerialPort) throws -> String {
        let daemon = try start(lines)
        let client = try Client(daemon.socket)
        var (received, last, idle) = ("", "", 0)
        while idle < 6000 {
            received += tty.text()
            let response = client.ask("outputs")
            let isFinished =
                response.contains(#""recovering":false"#)
                && response.ranges(of: #""waiting":0"#).count == 2
            if isFinished { break }
            idle = response == last ? idle + 1 : 0
            last = response
            usleep(10_000)
        }
        #expect(idle < 6000, "the outputs are not finished: \(last)")
        daemon.signal(SIGTERM)
        daemon.waitForEnd()
        return received + tty.text()
    }

    /// What a line to the device says, between brackets: a line that a kill has cut has no closing one.
    private struct Arrived {
        private(set) var whole: [String] = []
        private(set) var cut: [String] = []

        init(_ text: String) {
            for part in text.split(separator: "[", omittingEmptySubsequences: true) {
                guard let end = part.firstIndex(of: "]") else {
                    cut.append(String(part.filter { $0 != "\n" }))
                    continue
                }
                whole.append(String(part[..<end]))
            }
        }
    }

    /// The outputs that the journal asks for, such as `R s1-2`, and those that it records as delivered.
    private struct Asked {
        private(set) var all: Set<String> = []
        private(set) var delivered: Set<String> = []

        init(_ exported: String) {
            var positions: [String: String] = [:]
            for line in exported.split(separator: "\n").map(String.init) {
                if line.contains(#""kind":"enter""#), let name = Self.text("session", in: line),
                    let position = Self.number("pos", in: line[...])
                {
                    let isQuestion = line.contains(#""to":{"state":"question""#)
                    guard isQuestion || line.contains(#""to":{"state":"locked""#) else { continue }
                    let output = "\(isQuestion ? "R" : "O") \(name)"
                    all.insert(output)
                    positions[position] = output
                }
                guard line.contains(#""kind":"delivery""#) else { continue }
                for part in line.split(separator: "{") where part.contains(#""delivered""#) {
                    guard let position = Self.number("pos", in: part) else { continue }
                    if let output = positions[position] { delivered.insert(output) }
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

    @Test func `after kills every output has arrived, and those with once=yes at most once`() throws
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
        let rounds = TestLength.count(3, long: 50)
        for number in 0..<rounds {
            received += try round(number, lines, tty, Moment(&random))
        }
        received += try finish(lines, tty)
        let asked = Asked(ShellCommand.run("gamectl journal export '\(folder.path)/state'"))
        let arrived = Arrived(received)
        let whole = Set(arrived.whole)
        let about = Comment(rawValue: "seed \(seed): \(received)")
        #expect(asked.all.contains { $0.hasPrefix("R ") }, about)
        // Repeated until it is delivered: all have arrived, some of them twice.
        let repeated = asked.all.filter { $0.hasPrefix("R ") }
        #expect(repeated.subtracting(whole) == [], about)
        // Sent once: none twice. One that never came is not recorded as delivered; a kill may have cut it.
        let once = arrived.whole.filter { $0.hasPrefix("O ") }
        #expect(Set(once).count == once.count, about)
        #expect(asked.delivered.subtracting(whole) == [], about)
        // Nothing is sent for a change that is not in the journal, not even the beginning of a line.
        #expect(whole.subtracting(asked.all) == [], about)
        #expect(arrived.cut.count <= rounds, about)
        for piece in arrived.cut {
            #expect(asked.all.contains { $0.hasPrefix(piece) }, about)
        }
    }
}
