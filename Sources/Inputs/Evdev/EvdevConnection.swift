public import EventLoop
internal import Glibc

/// A connection to an input device of the kernel (evdev), such as a keyboard, buzzers or a card reader.
public final class EvdevConnection: InputConnection {
    /// Which device to read.
    public enum Device: Equatable, Sendable {
        /// The device with this file, such as `/dev/input/event3`.
        case path(String)
        /// The device with the lowest number whose name, as the kernel reports it, matches a pattern of fnmatch(3).
        case named(String)
    }

    /// Called with the code of each key that was pressed.
    public var onInput: ((UInt16) -> Void)?
    public var onChange: ((_ failure: String?) -> Void)? {
        get { file.onChange }
        set { file.onChange = newValue }
    }
    private let file: DeviceFile
    /// Keeps the beginning of an event of the kernel until the next read brings the rest.
    private var decoder = InputEventDecoder()

    /// If `isGrabbed` is true, no other program gets the keys of the device while the connection is up.
    public init(_ selectedDevice: Device, isGrabbed: Bool, on loop: LibeventLoop) {
        file = DeviceFile(on: loop) { Self.open(selectedDevice, isGrabbed) }
        file.onOpen = { [unowned self] in decoder = InputEventDecoder() }
        file.onBytes = { [unowned self] in receive($0) }
    }

    public var status: ConnectionStatus { file.status }

    public func start() { file.start() }

    public func stop(_ done: () -> Void) {
        file.stop()
        done()
    }

    public func readUnread() { file.readUnread() }

    private func receive(_ bytes: ArraySlice<UInt8>) {
        for code in decoder.add(bytes) {
            file.countReceived()
            onInput?(code)
        }
    }

    /// Finds the device and opens its file, without blocking. Returns the descriptor.
    private static func open(
        _ selectedDevice: Device, _ isGrabbed: Bool
    ) -> Result<Int32, DeviceError> {
        let path: String
        switch selectedDevice {
        case .path(let devicePath): path = devicePath
        case .named(let pattern):
            guard let devicePath = firstPath(ofDeviceNamed: pattern) else {
                return .failure(DeviceError(why: "no input device is called \(pattern)"))
            }
            path = devicePath
        }
        let descriptor = Glibc.open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return .failure(.fromErrno(path)) }
        if isGrabbed, ioctl(descriptor, grabRequest, CInt(1)) != 0 {
            let error = DeviceError.fromErrno(path)
            close(descriptor)
            return .failure(error)
        }
        return .success(descriptor)
    }

    /// `EVIOCGRAB` of linux/input.h: `_IOW('E', 0x90, int)`.
    private static let grabRequest: UInt = 0x4004_4590
    /// `EVIOCGNAME(255)` of linux/input.h: `_IOC(_IOC_READ, 'E', 0x06, 255)`, where 255 is the length of the name in bytes.
    private static let nameRequest: UInt = 0x80FF_4506
    /// The numbers N of the files `/dev/input/eventN` that are searched: more than a computer has input devices.
    private static let searchedNumbers = 0..<256

    /// The path of the device with the lowest number whose name matches a pattern; nil if no name matches.
    private static func firstPath(ofDeviceNamed pattern: String) -> String? {
        for number in searchedNumbers {
            let path = "/dev/input/event\(number)"
            let descriptor = Glibc.open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
            guard descriptor >= 0 else { continue }
            defer { close(descriptor) }
            // One byte more than the kernel writes, so that a zero ends the name.
            var name = [UInt8](repeating: 0, count: 256)
            guard ioctl(descriptor, nameRequest, &name) >= 0 else { continue }
            let text = String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
            if fnmatch(pattern, text, 0) == 0 { return path }
        }
        return nil
    }
}
