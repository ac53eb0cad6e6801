public import EventLoop
internal import Glibc

/// A connection to an input device of the kernel (evdev), such as a keyboard, buzzers or a card reader.
public final class EvdevConnection: InputConnection {
    /// Which device to read.
    public enum Device: Equatable, Sendable {
        case path(String)
        /// The first device whose name matches a pattern of fnmatch(3).
        case named(String)
    }

    public var onInput: ((Input) -> Void)?
    public var onChange: ((_ failure: String?) -> Void)? {
        get { file.onChange }
        set { file.onChange = newValue }
    }
    private let file: DeviceFile
    private var decoder = InputEventDecoder()

    /// With `isGrabbed`, no other program gets the keys.
    public init(_ selectedDevice: Device, isGrabbed: Bool, on loop: LibeventLoop) {
        file = DeviceFile(on: loop) { Self.open(selectedDevice, isGrabbed) }
        file.onBytes = { [unowned self] in receive($0) }
    }

    public var status: ConnectionStatus { file.status }

    public func start() {
        decoder = InputEventDecoder()
        file.start()
    }

    public func stop() { file.stop() }

    private func receive(_ bytes: ArraySlice<UInt8>) {
        for code in decoder.add(bytes) {
            file.countReceived()
            onInput?(.key(code))
        }
    }

    private static func open(
        _ selectedDevice: Device, _ isGrabbed: Bool
    ) -> Result<Int32, DeviceError> {
        let path: String
        switch selectedDevice {
        case .path(let given): path = given
        case .named(let pattern):
            guard let found = firstPath(ofDeviceNamed: pattern) else {
                return .failure(DeviceError(why: "no input device is called \(pattern)"))
            }
            path = found
        }
        let descriptor = Glibc.open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return .failure(.last(path)) }
        // EVIOCGRAB of linux/input.h: _IOW('E', 0x90, int).
        if isGrabbed, ioctl(descriptor, 0x4004_4590, CInt(1)) != 0 {
            let error = DeviceError.last(path)
            close(descriptor)
            return .failure(error)
        }
        return .success(descriptor)
    }

    /// The path of the device with the lowest number whose name matches a pattern; nil if no name matches.
    private static func firstPath(ofDeviceNamed pattern: String) -> String? {
        for number in 0..<256 {
            let path = "/dev/input/event\(number)"
            let descriptor = Glibc.open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
            guard descriptor >= 0 else { continue }
            defer { close(descriptor) }
            var name = [UInt8](repeating: 0, count: 256)
            // EVIOCGNAME(255) of linux/input.h: _IOC(_IOC_READ, 'E', 0x06, 255).
            guard ioctl(descriptor, 0x80FF_4506, &name) >= 0 else { continue }
            let text = String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
            if fnmatch(pattern, text, 0) == 0 { return path }
        }
        return nil
    }
}
