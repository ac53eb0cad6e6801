internal import Timers

/// The script of a simulated radio: the radio channel, the devices, and the actions on the devices, each with a time. A
/// `Simulator` runs it.
public struct RadioScenario: Equatable, Sendable {
    public var air = AirConditions()
    public var devices: [DeviceModel] = []
    public var steps: [Step] = []

    public init() {}

    /// An action on a device, and the time of the action.
    public struct Step: Equatable, Sendable {
        public let time: Time
        /// The index of the device in `devices`.
        public let device: Int
        public let action: Action

        public init(_ time: Time, _ device: Int, _ action: Action) {
            (self.time, self.device, self.action) = (time, device, action)
        }
    }

    /// When an action is done.
    public enum Time: Equatable, Sendable {
        /// Once, at this time after the start of the simulation.
        case at(Duration)
        /// Repeatedly, each time after a random pause from the range. `times` is how many times; nil for no limit.
        case every(ClosedRange<Duration>, times: Int?)
    }

    /// What is done to a device.
    public enum Action: Equatable, Sendable {
        /// Presses the button with this index, from 0. Nil presses a random button.
        case press(Int?)
        /// Moves the device out of reach, until `returnToRange`.
        case leaveRange
        /// Moves the device within reach, and wakes it.
        case returnToRange
        /// Ends the link of the device, which sleeps until a button is pressed.
        case sleep
    }
}

/// The quality of the simulated radio channel. Single packets of a link are never lost: a radio
/// retransmits them until they arrive or the link is lost.
public struct AirConditions: Equatable, Sendable {
    /// The seed of all random numbers.
    public var seed: UInt64 = 1
    /// The percentage of advertisements that are lost.
    public var advertisementsLost = 0
    /// The largest random delay of an advertisement. The standard defines the default.
    public var advertisingJitter = Duration.milliseconds(10)
    /// The shortest and the longest latency of a packet. Packets never overtake each other.
    public var latency = Duration.zero...Duration.zero
    /// The shortest and the longest time from a device's advertisement to the connection.
    public var connecting = Duration.zero...Duration.zero
    /// The average time after which a link is lost; nil if links are not lost at random.
    public var linkLife: Duration?
    /// The shortest and the longest time for which a device stays out of reach. A device goes out of reach when it loses its
    /// link because of `linkLife`.
    public var away = Duration.seconds(1)...Duration.seconds(5)
    /// Whether the controller reports advertisements in the extended format, not in the legacy format.
    public var usesExtendedReports = false

    public init() {}
}
