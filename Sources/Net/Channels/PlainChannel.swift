import CLinux
package import EventLoop
import Glibc
package import Support

/// A channel without TLS, on a connected UNIX or TCP socket.
///
/// Each reading uses the properties that are `@exclusivity(unchecked)`. This is safe: no other code runs during an access to them.
package final class PlainChannel: Channel {
    private let descriptor: Int32
    /// Calls `readable`; nil if the channel is closed.
    private var inputWatcher: DescriptorWatcher?
    /// Calls `writable`; nil if the channel is closed.
    private var outputWatcher: DescriptorWatcher?
    @exclusivity(unchecked) package var readable: () -> Void = {}
    @exclusivity(unchecked) package var writable: () -> Void = {}

    /// Counts the files that clients pass. Nil if the client of this channel is connected over TCP, and therefore cannot pass
    /// files.
    private let passedFiles: PassedFiles?
    /// The newest file that the client has passed, until `takeFile` returns it.
    @exclusivity(unchecked) private var newestFile: PassedFile?

    /// Takes ownership of a non-blocking socket. If the initializer throws, the caller must close the socket. `files` counts
    /// the files that the client passes; nil for a client that cannot pass files.
    package init(
        _ descriptor: Int32, on loop: LibeventLoop, files: PassedFiles? = nil
    ) throws(EventLoopError) {
        (self.descriptor, self.passedFiles) = (descriptor, files)
        inputWatcher = try DescriptorWatcher(descriptor, .readable, on: loop) {
            [unowned self] in readable()
        }
        do throws(EventLoopError) {
            outputWatcher = try DescriptorWatcher(
                descriptor, .writable, on: loop, isEnabled: false
            ) { [unowned self] in writable() }
        } catch {
            // Without a watcher, `close`, which `deinit` calls, does not close the socket.
            inputWatcher = nil
            throw error
        }
    }

    deinit { close() }

    /// A read ends early where a file was passed.
    package var readsToEnd: Bool { newestFile == nil }

    /// Wraps read(2), recvmsg(2).
    package func read(into buffer: UnsafeMutableRawBufferPointer) -> Transfer {
        switch receive(into: buffer) {
        case 0: .end
        case let count where count > 0: .bytes(count)
        default: errno == EAGAIN || errno == EINTR ? .later : .broken
        }
    }

    /// Reads bytes. If a file arrives with the bytes, keeps the file. Returns the number of bytes, or -1 with `errno`.
    private func receive(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard let passedFiles else {
            return Glibc.read(descriptor, buffer.baseAddress, buffer.count)
        }
        var fileDescriptor: Int32 = -1
        let count = linux_receive(descriptor, buffer.baseAddress, buffer.count, &fileDescriptor)
        guard fileDescriptor >= 0 else { return count }
        let newFile = PassedFile(owning: fileDescriptor)
        // A channel keeps one file: a second file replaces the first, which is closed because the result is dropped.
        _ = takeFile()
        if passedFiles.add() { newestFile = newFile }
        return count
    }

    package func takeFile() -> PassedFile? {
        guard let arrivedFile = exchange(&newestFile, with: nil) else { return nil }
        passedFiles?.remove()
        return arrivedFile
    }

    /// Wraps write(2).
    package func write(_ bytes: UnsafeRawBufferPointer) -> Transfer {
        while true {
            let count = Glibc.write(descriptor, bytes.baseAddress, bytes.count)
            if count >= 0 { return .bytes(count) }
            if errno != EINTR { return errno == EAGAIN ? .later : .broken }
        }
    }

    package func waitForInput(_ isWaiting: Bool) {
        if isWaiting { inputWatcher?.enable() } else { inputWatcher?.disable() }
    }

    package func waitForSpace(_ isWaiting: Bool) {
        if isWaiting { outputWatcher?.enable() } else { outputWatcher?.disable() }
    }

    package func callReadableLater() { inputWatcher?.callAgain() }

    package func close() {
        guard inputWatcher != nil else { return }
        _ = takeFile()
        // Both watchers are disabled, because a new file may get the descriptor's number. Releasing a watcher is not enough: if
        // its callback has called this method, the watcher exists until the callback returns.
        inputWatcher?.disable()
        outputWatcher?.disable()
        (inputWatcher, outputWatcher) = (nil, nil)
        Glibc.close(descriptor)
    }
}
