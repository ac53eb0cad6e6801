import Glibc

/// Writes the log as lines to a descriptor, such as standard error.
package struct LogLines: LogDestination {
    private let descriptor: Int32
    private let form: LogLineForm

    /// The descriptor stays open when this value is released.
    package init(_ descriptor: Int32, _ form: LogLineForm) {
        (self.descriptor, self.form) = (descriptor, form)
    }

    /// Blocks until the line is written. If a write fails, the rest of the line is lost.
    package func write(_ entry: LogEntry) {
        var unwritten = form.line(entry)[...]
        while !unwritten.isEmpty {
            let count = unwritten.withUnsafeBytes {
                Glibc.write(descriptor, $0.baseAddress, $0.count)
            }
            if count >= 0 {
                unwritten.removeFirst(count)
            } else if errno == EAGAIN {
                var descriptorState = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&descriptorState, 1, -1)
            } else if errno != EINTR {
                return
            }
        }
    }
}
