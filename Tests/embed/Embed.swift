import EventLoop
import GameFlow
import GamedServer
import Glibc
import ProcessCalls
import ShippedFlows

/// A program in which the daemon is a guest: `embed OPTION...`.
///
/// The line `child` of standard input starts a child of this program, which has nothing to do with the daemon. Any other line, or
/// the end of the input, ends the daemon. The program then prints `returned`, or `threw` before each sentence of the error; `call`
/// before each call that changed the whole process; and `lost` before each child that has ended or whose end was read.
@main struct Embed {
    static func main() async {
        _ = process_calls()
        let daemon = Task {
            try await GamedServer.run(
                flows: .shipped, options: Array(CommandLine.arguments.dropFirst()))
        }
        do {
            try WorkerThread.start {
                while readWord() == "child" { startChild() }
                daemon.cancel()
            }
            try await daemon.value
            say("returned")
        } catch let error as GamedServer.StartError {
            for line in error.lines { say("threw \(line)") }
        } catch { say("threw \(error)") }
        for call in String(cString: process_calls()).split(separator: "\n") { say("call \(call)") }
        for child in children {
            var status: Int32 = 0
            if waitpid(child, &status, WNOHANG) != 0 { say("lost \(child)") }
            kill(child, SIGKILL)
        }
    }

    /// The children that were started. Only the thread that reads the input changes them, and it ends before they are read.
    nonisolated(unsafe) private static var children: [pid_t] = []

    private static func startChild() {
        var child: pid_t = 0
        let arguments: [UnsafeMutablePointer<CChar>?] = [strdup("sleep"), strdup("600"), nil]
        defer { for text in arguments { free(text) } }
        posix_spawn(&child, "/bin/sleep", nil, nil, arguments, nil)
        children.append(child)
        say("child started")
    }

    /// The next line of the input; empty at its end. `readLine` would lock the stream meanwhile, and `fflush` waits for this lock.
    private static func readWord() -> String {
        var (word, byte): ([UInt8], UInt8) = ([], 0)
        while read(STDIN_FILENO, &byte, 1) == 1, byte != UInt8(ascii: "\n") { word.append(byte) }
        return String(decoding: word, as: UTF8.self)
    }

    private static func say(_ line: String) {
        print(line)
        fflush(nil)
    }
}
