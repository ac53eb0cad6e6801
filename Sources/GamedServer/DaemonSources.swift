import EventLoop
import RPC
import Sessions
import Timers

/// The parts of the daemon that send events to sessions or act on the changes of sessions. Such parts are Bluetooth, the inputs
/// and outputs of the room, and the links between sessions. `RunningDaemon` creates one object of this class.
final class DaemonSources {
    /// What does not work, for operators.
    let alerts: AlertBoard
    /// Nil if Bluetooth is off.
    let bluetooth: BluetoothSource?
    /// The inputs of the room: sends events as the `map` lines of `mqtt`, `osc`, `serial` and `evdev` connections say.
    let room: RoomSource
    /// Sends the outputs that `on` lines describe.
    let outputs: RoomOutputs
    /// Marks sessions that stay in a state longer than usual. Nil with shards, because each shard has a monitor of its own.
    let stuckMonitor: StuckMonitor?
    /// Lets `stuckMonitor` look for stuck sessions once a second; nil without it, and in virtual time.
    private var stuckTimer: ScopedPendulum?
    /// Applies the `on` lines that open other sessions or send events to other sessions.
    let links: RoomLinks
    /// Publishes the states of sessions to brokers; nil until `makeParts` is called.
    private(set) var publisher: MQTTPublisher?
    /// Knows which node owns which session; nil without shards.
    private let router: ShardRouter?
    private let loop: LibeventLoop
    /// The name of the daemon's instance.
    private let instance: String

    /// `sender` sends the events of devices to sessions. `requests` sends requests to sessions in shards on all nodes. Without
    /// shards, `requests` is nil, and `sessions` has all sessions.
    init(
        _ options: Options, _ sessions: Sessions, _ sender: any DeviceEventSender,
        _ requests: NodeRequests?, on loop: LibeventLoop, instance: String
    ) throws {
        (router, self.loop, self.instance) = (requests?.router, loop, instance)
        let alerts = AlertBoard { [unowned sessions] in sessions.now }
        self.alerts = alerts
        bluetooth = try options.bluetooth.controller.map {
            try BluetoothSource(options, $0, sessions, sender, alerts, on: loop)
        }
        room = RoomSource(options, sender, alerts, on: loop) { [unowned sessions] in sessions.now }
        outputs = try RoomOutputs(options, room.connections, on: loop, instance: instance, requests)
        stuckMonitor = requests == nil ? StuckMonitor(sessions) : nil
        stuckMonitor?.becameStuck = { [unowned outputs] in outputs.becameStuck($0) }
        if let stuckMonitor, !sessions.isVirtual {
            stuckTimer = ScopedPendulum(on: loop, .seconds(1)) { [unowned sessions] _ in
                sessions.clock.fireDueTimers()
                var effort = StuckSearchEffort()
                stuckMonitor.check(&effort)
            }
        }
        // `links` leaves steps in sessions of other shards to `outputs`.
        links = RoomLinks(options, instance: instance) { [weak requests] in
            requests?.shardIfDifferent($0, $1)
        }
        // With shards, `ShardHost` makes these two calls for the sessions of its shard.
        if requests == nil {
            outputs.add(OutputJournal(sessions))
            links.attach(sessions)
        }
    }

    /// Creates `publisher`, which needs the encoder and therefore cannot be created in `init`. Returns these parts of the daemon,
    /// in the order in which `flush` must be called. Call it once.
    func makeParts(
        _ options: Options, _ sessions: Sessions, _ encoder: Encoder
    ) -> [any Part] {
        let publisher = MQTTPublisher(
            options, sessions, room.connections, encoder, router, on: loop, instance: instance)
        self.publisher = publisher
        return (bluetooth.map { [$0] } ?? []) + [publisher, room]
            + (stuckMonitor.map { [$0] } ?? []) + [outputs, links]
            + [StateAlerts(alerts, sessions, router, on: loop)]
    }

    /// The methods that are about several of these parts, or about one that may be missing.
    var methods: [any PartMethod] {
        [BluetoothMethod(bluetooth), SourcesMethod(bluetooth, room)]
    }
}
