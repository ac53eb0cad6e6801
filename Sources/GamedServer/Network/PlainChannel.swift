import CLinux
import EventLoop
import Glibc
import Sessions
import Timers

/// A channel without encryption.
final class PlainChannel: Channel {
    private let descriptor: Int32
    private var input: DescriptorWatcher?
    private var output: DescriptorWatcher?
    var readable: () -> Void = {}
    var writable: () -> Void = {}

    /// Counts the files that clients pass; nil if this client cannot pass files. Only clients of a UNIX
    /// socket can.
    private let files: PassedFiles?
    /// The newest file that has arrived, until a request takes it.
    private var file: PassedFile?

    /// Takes ownership of a non-blocking socket.
    init(
        _ descriptor: Int32, on loop: LibeventLoop, _ priority: EventPriority,
        files: PassedFiles? = nil
    ) throws(EventLoopError) {
        (self.descriptor, self.files) = (descriptor, files)
        input = try DescriptorWatcher(descriptor, .readable, on: loop, priority) {
            [unowned self] in readable()
        }
        output = try DescriptorWatcher(descriptor, .writable, on: loop, isEnabled: false, priority)
        {
            [unowned self] in writable()
        }
    }

    deinit { close() }

    /// Wraps read(2), recvmsg(2).
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Transfer {
        switch receive(into: buffer) {
        case 0: .end
        case let count where count > 0: .bytes(count)
        default: errno == EAGAIN || errno == EINTR ? .later : .broken
        }
    }

    private func receive(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard let files else { return Glibc.read(descriptor, buffer.baseAddress, buffer.count) }
        var fileDescriptor: Int32 = -1
        let count = linux_receive(descriptor, buffer.baseAddress, buffer.count, &fileDescriptor)
        guard fileDescriptor >= 0 else { return count }
        let newFile = PassedFile(owning: fileDescriptor)
        // A connection keeps one file: a second one replaces the first.
        _ = takeFile()
        if files.add() { file = newFile }
        return count
    }

    func takeFile() -> PassedFile? {
        guard let arrivedFile = exchange(&file, with: nil) else { return nil }
        files?.remove()
        return arrivedFile
    }

    /// Wraps write(2).
    func write(_ bytes: UnsafeRawBufferPointer) -> Transfer {
        while true {
            let count = Glibc.write(descriptor, bytes.baseAddress, bytes.count)
            if count >= 0 { return .bytes(count) }
            if errno != EINTR { return errno == EAGAIN ? .later : .broken }
        }
    }

    func listen(_ isListening: Bool) {
        if isListening { input?.enable() } else { input?.disable() }
    }

    func waitForSpace(_ isWaiting: Bool) {
        if isWaiting { output?.enable() } else { output?.disable() }
    }

    func callAgain() { input?.callAgain() }

    func close() {
        guard input != nil else { return }
        _ = takeFile()
        // A callback of a watcher may call this method; the watcher then exists until its callback returns. So both watchers
        // are stopped before the descriptor is closed, because a new file may get the descriptor's number.
        input?.disable()
        output?.disable()
        (input, output) = (nil, nil)
        Glibc.close(descriptor)
    }
}
