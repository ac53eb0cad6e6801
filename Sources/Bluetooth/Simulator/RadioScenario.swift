internal import Timers

/// What a simulated radio plays: its air, its devices, and what happens to them and when.
public struct RadioScenario: Equatable, Sendable {
    public var air = AirConditions()
    public var devices: [DeviceModel] = []
    public var steps: [Step] = []

    public init() {}

    /// Something that happens to a device.
    public struct Step: Equatable, Sendable {
        public let time: Time
        /// Which device, by its place.
        public let device: Int
        public let deed: Deed

        public init(_ time: Time, _ device: Int, _ deed: Deed) {
            (self.time, self.device, self.deed) = (time, device, deed)
        }
    }

    public enum Time: Equatable, Sendable {
        /// So long after the beginning.
        case at(Duration)
        /// Again and again, after a time at random between two; so many times, or for ever.
        case every(ClosedRange<Duration>, times: Int?)
    }

    public enum Deed: Equatable, Sendable {
        /// A button, counted from 0; nil is any of them.
        case press(Int?)
        case drop, comeBack, sleep
    }
}
