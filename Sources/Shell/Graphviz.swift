internal import CLinux
internal import Glibc
public import Support

/// Draws diagrams of flows with Graphviz's program `dot`, for the daemon and for gamectl.
public enum Graphviz {
    /// The reason why there is no drawing, as a sentence.
    public struct DrawingError: DescribedError, Sendable {
        public let why: String
        /// Whether the drawing took too long, so that a second attempt would take as long.
        public let tookTooLong: Bool

        public init(why: String, tookTooLong: Bool = false) {
            (self.why, self.tookTooLong) = (why, tookTooLong)
        }
    }

    /// The maximum time that a drawing may take, in seconds.
    private static let timeLimit = 20

    /// Draws a diagram that is written in the language DOT. Returns the content of a file in `format`, such as `svg`. Blocks
    /// until the drawing is finished: call this function on a thread that may wait.
    public static func draw(_ dot: String, as format: String) throws(DrawingError) -> [UInt8] {
        // The diagram is passed to `dot` in a file. If it were passed in a pipe, this process and `dot` could wait for each
        // other.
        let input = try temporaryFile(Array(dot.utf8))
        defer { close(input) }
        let run: FinishedProgram
        do throws(FinishedProgram.RunError) {
            run = try FinishedProgram(
                running: ["dot", "-T\(format)"], within: timeLimit, reading: input)
        } catch { throw DrawingError(why: error.why) }
        guard run.status == 0 else {
            throw DrawingError(
                why: sentence(run.status),
                tookTooLong: run.status == FinishedProgram.timeoutStatus)
        }
        return run.bytes
    }

    /// Returns the descriptor of a file without a name that has this content. Programs that this process starts meanwhile do not
    /// inherit it.
    private static func temporaryFile(_ content: [UInt8]) throws(DrawingError) -> Int32 {
        var path = Array("/tmp/gamed-drawing-XXXXXX".utf8CString)
        let descriptor = linux_temporary_file(&path)
        guard descriptor >= 0 else { throw DrawingError(why: failure("no temporary file")) }
        unlink(path)
        var unwritten = content[...]
        while !unwritten.isEmpty {
            let count = unwritten.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else {
                defer { close(descriptor) }
                throw DrawingError(why: failure("the temporary file cannot be written"))
            }
            unwritten = unwritten.dropFirst(count)
        }
        lseek(descriptor, 0, SEEK_SET)
        return descriptor
    }

    /// Explains an exit status of `FinishedProgram`. 126 is from timeout(1), too: it cannot execute `dot`.
    private static func sentence(_ status: Int) -> String {
        switch status {
        case FinishedProgram.timeoutStatus: "dot took longer than \(timeLimit) s"
        case 126, FinishedProgram.missingStatus: "dot is missing: apt-get install graphviz"
        case 129...: "dot was ended by signal \(status - 128)"
        default: "dot failed with status \(status)"
        }
    }

    /// A sentence about a system call that failed: the problem and the text of `errno`.
    private static func failure(_ problem: String) -> String {
        "\(problem): \(String(cString: strerror(errno)))"
    }
}
