public import EventLoop
internal import Glibc
internal import Timers

/// A connection to an input device of the kernel (evdev), such as a keyboard, buzzers or a card reader.
public final class EvdevConnection: InputConnection {
    /// Which device to read.
    public enum Device: Equatable, Sendable {
        /// The device with this file, such as `/dev/input/event3`.
        case path(String)
        /// The device whose name, as the kernel reports it, matches a pattern of fnmatch(3), see `InputDevice.select`.
        case named(String)
    }

    /// What a device sends.
    public enum Input: Equatable, Sendable {
        /// The key with this code was pressed.
        case key(UInt16)
        /// This was typed, and then the end key was pressed.
        case text(String)
    }

    public var onInput: ((Input) -> Void)?
    /// Whether texts are inputs, too.
    public var readsTexts = false {
        // Releases of keys were not noticed before.
        didSet { if readsTexts, !oldValue { typedText.discard() } }
    }
    public var onChange: ((_ failure: String?) -> Void)? {
        get { file.onChange }
        set { file.onChange = newValue }
    }
    private let file: DeviceFile
    /// Keeps the beginning of an event of the kernel until the next read brings the rest.
    private var decoder = InputEventDecoder()
    private var typedText: TypedText
    private let loop: LibeventLoop
    private let search: DeviceSearch

    /// If `isGrabbed` is true, no other program gets the keys of the device while the connection is up. `typedText` collects what
    /// the device types.
    public init(
        _ selectedDevice: Device, isGrabbed: Bool, _ typedText: TypedText, on loop: LibeventLoop
    ) {
        (self.typedText, self.loop) = (typedText, loop)
        let search = DeviceSearch()
        self.search = search
        file = DeviceFile(on: loop) { Self.open(selectedDevice, isGrabbed, search) }
        file.onOpen = { [unowned self] in
            decoder = InputEventDecoder()
            self.typedText.discard()
        }
        file.onBytes = { [unowned self] in receive($0) }
    }

    public var status: ConnectionStatus {
        var status = file.status
        // A text that is too long counts as malformed.
        status.malformed = typedText.dropped
        return status
    }

    /// The file of the device that was found by its name, and those of other devices with such a name.
    public var found: (path: String, others: [String])? { search.found }

    public func start() { file.start() }

    public func stop(_ done: () -> Void) {
        file.stop()
        done()
    }

    public func readUnread() { file.readUnread() }

    private func receive(_ bytes: ArraySlice<UInt8>) {
        for event in decoder.add(bytes) {
            if case .press(let code) = event {
                file.countReceived()
                onInput?(.key(code))
            }
            guard readsTexts, let text = typedText.add(event, at: loop.timerQueue.now) else {
                continue
            }
            onInput?(.text(text))
        }
    }

    /// The result of the last search for a device by its name.
    private final class DeviceSearch {
        var found: (path: String, others: [String])?
    }

    /// Finds the device and opens its file, without blocking. Returns the descriptor.
    private static func open(
        _ selectedDevice: Device, _ isGrabbed: Bool, _ search: DeviceSearch
    ) -> Result<Int32, DeviceError> {
        let path: String
        switch selectedDevice {
        case .path(let devicePath): path = devicePath
        case .named(let pattern):
            search.found = nil
            guard let (device, others) = InputDevice.select(pattern, from: InputDevice.all()) else {
                return .failure(DeviceError(why: "no input device is called \(pattern)"))
            }
            search.found = (device.path, others.map(\.path))
            path = device.path
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
}
