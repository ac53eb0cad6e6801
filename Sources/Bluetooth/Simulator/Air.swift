import Timers

/// The simulated radio channel between the devices and the controller: transmits advertisements, and provides the random
/// numbers of the simulation.
final class Air {
    let clock: any TimerClock
    let conditions: AirConditions
    /// The simulated devices, in the order of the file that describes the simulation.
    private(set) var peripherals: [Peripheral] = []
    private var random: RadioRandom
    /// Whether the controller receives advertisements. While false, the devices do not advertise, because the timers of
    /// their advertisements would fire without an effect.
    var isListening = false {
        didSet {
            guard isListening != oldValue else { return }
            for peripheral in peripherals { peripheral.scheduleAdvertisement() }
        }
    }
    /// Called with the device when an advertisement reaches the controller.
    var onAdvertisement: (Peripheral) -> Void = { _ in }

    init(_ conditions: AirConditions, on clock: any TimerClock) {
        (self.conditions, self.clock) = (conditions, clock)
        random = RadioRandom(conditions.seed)
    }

    /// Adds a device.
    func append(_ model: DeviceModel) {
        peripherals.append(Peripheral(model, in: self))
    }

    /// Transmits an advertisement of a device, unless it is lost.
    func transmit(_ peripheral: Peripheral) {
        if conditions.advertisementsLost > 0, draw(below: 100) < conditions.advertisementsLost {
            return
        }
        onAdvertisement(peripheral)
    }

    // MARK: random numbers

    /// A random duration from a range.
    func draw(_ range: ClosedRange<Duration>) -> Duration {
        let (low, high) = (range.lowerBound.nanoseconds, range.upperBound.nanoseconds)
        guard low < high else { return range.lowerBound }
        return Duration.nanoseconds(Int64.random(in: low...high, using: &random))
    }

    /// A random number from 0 to `limit` - 1.
    func draw(below limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }
}

/// A seeded random number generator (SplitMix64), which makes simulations repeatable.
struct RadioRandom: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
