import Glibc
import TestSupport
import Testing

/// kill -9 between commit, delivery and its record: nothing is lost, and what may be sent once is never repeated.
@Suite struct OutputKillTests {
    private let folder = Folder()

    /// Starts the daemon, and plays some sessions until it is killed, at a random time.
    private func round(_ number: Int, _ lines: String, _ random: inout SeededRandom) throws {
        let daemon = try start(lines)
        let client = try Client(daemon.socket)
        // The killer does not wait for the answers.
        let pid = daemon.pid
        let delay = useconds_t(random.below(40_000))
        var thread = pthread_t()
        let box = Unmanaged.passRetained(Killer(pid, delay)).toOpaque()
        pthread_create(
            &thread, nil,
            { box in
                let killer = Unmanaged<Killer>.fromOpaque(box!).takeRetainedValue()
                usleep(killer.delay)
                kill(killer.pid, SIGKILL)
                return nil
            }, box)
        for session in 0..<20 {
            client.write("open session=s\(number)-\(session) flow=quiz\n")
            client.write("send @s\(number)-\(session) start rounds=1\n")
            client.write("send @s\(number)-\(session) buzz player=a\n")
        }
        while client.line() != nil {}
        pthread_join(thread, nil)
        daemon.waitForEnd()
    }

    private final class Killer {
        let (pid, delay): (pid_t, useconds_t)
        init(_ pid: pid_t, _ delay: useconds_t) { (self.pid, self.delay) = (pid, delay) }
    }

    private func start(_ lines: String) throws -> DaemonProcess {
        let path = folder.write("gamed.conf", lines)
        return try DaemonProcess([
            "--config", path, "--no-main", "--state-dir", "\(folder.path)/state",
        ])
    }

    @Test func `after kills every output has arrived, and those with once=yes at most once`() throws
    {
        let seed = UInt64.random(in: 1...UInt64.max)
        var random = SeededRandom(seed)
        let tty = try SerialPort(link: "\(folder.path)/tty")
        let lines = """
            serial door \(folder.path)/tty
            on enter=question serial=door line="R $session" max-age=1h
            on enter=locked serial=door line="O $session" once=yes max-age=1h

            """
        var received = ""
        for number in 0..<TestLength.count(3, long: 50) {
            try round(number, lines, &random)
            received += tty.text()
        }
        let last = try start(lines)
        #expect(last.waitFor("serial door: connected"))
        let client = try Client(last.socket)
        var said = ""
        for _ in 0..<3000 {
            received += tty.text()
            said = client.ask("outputs")
            let isFinished =
                said.contains(#""recovering":false"#)
                && said.ranges(of: #""waiting":0"#).count == 2
            if isFinished { break }
            usleep(10_000)
        }
        received += tty.text()
        last.signal(SIGTERM)
        last.waitForEnd()
        received += tty.text()
        let exported = ShellCommand.run("gamectl journal export '\(folder.path)/state'")
        var expected: [String: [String]] = ["R": [], "O": []]
        for line in exported.split(separator: "\n") {
            guard line.contains(#""kind":"enter""#),
                let name = line.firstRange(of: #""session":""#).map({
                    line[$0.upperBound...].prefix { $0 != "\"" }
                })
            else { continue }
            if line.contains(#""to":{"state":"question""#) { expected["R"]?.append(String(name)) }
            if line.contains(#""to":{"state":"locked""#) { expected["O"]?.append(String(name)) }
        }
        let arrived = received.split(separator: "\n").map(String.init)
        #expect(!(expected["R"] ?? []).isEmpty, "seed \(seed)")
        for name in expected["R"] ?? [] where !arrived.contains("R \(name)") {
            Issue.record("seed \(seed): the output of \(name) was lost; \(said)")
        }
        let once = arrived.filter { $0.hasPrefix("O ") }
        #expect(Set(once).count == once.count, "seed \(seed)")
        // Nothing is sent for a change that is not in the journal.
        for name in arrived where name.hasPrefix("R ") {
            #expect(
                expected["R"]?.contains(String(name.dropFirst(2))) == true, "seed \(seed): \(name)")
        }
    }
}
