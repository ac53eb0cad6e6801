import Glibc
import Testing

/// Clients that nobody here wrote.
@Suite struct OutsideClientsTests {
    /// Runs a shell command with the daemon's socket in `$S`; what it printed.
    private func run(_ command: String, _ daemon: DaemonProcess) -> String {
        let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        let whole = "cd '/\(root)' && S='\(daemon.socket)'; \(command)"
        guard let pipe = popen("exec 2>&1; " + whole, "r") else { return "popen failed" }
        defer { pclose(pipe) }
        var text = [UInt8]()
        var room = [UInt8](repeating: 0, count: 65_536)
        while case let count = fread(&room, 1, room.count, pipe), count > 0 {
            text += room[..<count]
        }
        return String(decoding: text, as: UTF8.self)
    }

    @Test func `nc gets the answer to what is echoed into it`() throws {
        let daemon = try DaemonProcess()
        #expect(run(#"echo ping | nc -N -U "$S""#, daemon) == "OK {\"pong\":true}\n")
        let game = run(
            #"printf 'send startPlaying\nsend chooseEpisode episode=2\nstatus\n' | nc -N -U "$S""#,
            daemon)
        #expect(game.split(separator: "\n").count == 3)
        #expect(game.contains(#""state":"choosingLevel","data":{"episode":2}"#))
    }

    @Test func `socat gets the answer to what is echoed into it`() throws {
        let daemon = try DaemonProcess()
        let request = #"{"jsonrpc":"2.0","id":"x","method":"ping"}"#
        #expect(
            run("echo '\(request)' | socat - UNIX-CONNECT:\"$S\"", daemon)
                == #"{"jsonrpc":"2.0","id":"x","result":{"pong":true}}"# + "\n")
    }

    @Test func `jsonrpcclient plays the game, with batches, notifications and errors`() throws {
        let daemon = try DaemonProcess(["--clock", "virtual"])
        let said = run(#".venv/bin/python Tests/gamedTests/Clients/play.py "$S""#, daemon)
        #expect(said == "played\n")
    }
}
