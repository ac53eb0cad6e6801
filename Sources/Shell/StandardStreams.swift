import Glibc

/// Standard input, standard output and standard error of the process.
package enum StandardStreams {
    /// Opens /dev/null for each of the descriptors 0, 1 and 2 that is closed. Otherwise a socket or a file could get one of these
    /// numbers, and output would be written there.
    package static func claim() {
        var descriptor: Int32
        repeat { descriptor = open("/dev/null", O_RDWR | O_CLOEXEC) } while 0...2 ~= descriptor
        if descriptor > 2 { close(descriptor) }
    }

    /// Writes what `print` has left in the buffer of standard output. Returns why it is lost; nil if it was written, or if the reader
    /// has closed the pipe, as `head` does. Wraps fflush(3).
    package static func flushOutput() -> String? {
        guard fflush(nil) != 0, errno != EPIPE else { return nil }
        return String(cString: strerror(errno))
    }
}
