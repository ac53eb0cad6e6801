internal import Glibc

/// An input device of the kernel, for the search for a device by its name.
public struct InputDevice: Equatable, Sendable {
    public let path: String
    /// The name that the kernel reports.
    public let name: String
    /// Whether the device has an Enter key.
    public let hasEnter: Bool

    public init(path: String, name: String, hasEnter: Bool) {
        (self.path, self.name, self.hasEnter) = (path, name, hasEnter)
    }

    /// Selects the device whose name matches a pattern of fnmatch(3). If several do, those with an Enter key are preferred,
    /// because some readers appear both as a keyboard and as a mouse. If several remain, it is the first in the order of
    /// `devices`. `others` are the devices that match as well. Nil if no name matches.
    public static func select(_ pattern: String, from devices: [InputDevice])
        -> (device: InputDevice, others: [InputDevice])?
    {
        let matching = devices.filter { fnmatch(pattern, $0.name, 0) == 0 }
        guard let device = matching.first(where: \.hasEnter) ?? matching.first else { return nil }
        return (device, matching.filter { $0 != device })
    }

    /// The devices that this process may read, in the order of their numbers.
    static func all() -> [InputDevice] {
        searchedNumbers.compactMap { number in
            let path = "/dev/input/event\(number)"
            let descriptor = Glibc.open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
            guard descriptor >= 0 else { return nil }
            defer { close(descriptor) }
            // One byte more than the kernel writes, so that a zero ends the name.
            var name = [UInt8](repeating: 0, count: 256)
            guard ioctl(descriptor, nameRequest, &name) >= 0 else { return nil }
            var keys = [UInt8](repeating: 0, count: keyBytes)
            let hasKeys = ioctl(descriptor, keysRequest, &keys) >= 0
            return InputDevice(
                path: path, name: String(decoding: name.prefix { $0 != 0 }, as: UTF8.self),
                hasEnter: hasKeys
                    && TypedText.enter.contains { keys[Int($0) / 8] >> ($0 % 8) & 1 == 1 })
        }
    }

    /// The numbers N of the files `/dev/input/eventN` that are searched: more than a computer has input devices.
    private static let searchedNumbers = 0..<256
    /// `EVIOCGNAME(255)` of linux/input.h: `_IOC(_IOC_READ, 'E', 0x06, 255)`, where 255 is the length of the name in bytes.
    private static let nameRequest: UInt = 0x80FF_4506
    /// The number of bytes in which each key of the kernel, up to `KEY_MAX`, has a bit.
    private static let keyBytes = 96
    /// `EVIOCGBIT(EV_KEY, 96)`: `_IOC(_IOC_READ, 'E', 0x20 + EV_KEY, 96)`.
    private static let keysRequest: UInt = 0x8060_4521
}
