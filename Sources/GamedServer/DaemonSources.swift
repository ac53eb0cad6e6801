import Access
import BluetoothPart
import Cluster
import Connections
import EventLoop
import Parts
import RPC
import Room
import Sessions
import Shards
import StatisticsPart
import Timers

/// The parts of the daemon that send events to sessions or act on the changes of sessions. Such parts are Bluetooth, the inputs
/// and outputs of the room, and the links between sessions. `RunningDaemon` creates one object of this class.
final class DaemonSources {
    /// What does not work, for operators.
    let alerts: AlertBoard
    /// Sends the outputs that `on` lines describe.
    let outputs: RoomOutputs
    /// Marks sessions that stay in a state longer than usual.
    let stuckMonitors: StuckMonitors
    let stateAlerts: StateAlerts
    /// The parts that act on the sessions of the shards, in the order in which they are called.
    let followers: [any ShardFollower]
    /// The parts of the daemon, in the order in which `flush` must be called.
    let parts: [any Part]
    /// The methods that are about several of these parts, or about one that may be missing.
    let methods: [any PartMethod]

    /// `sender` sends the events of devices to the sessions, whose clock is `clock`. `requests` sends requests to the sessions
    /// of other nodes; nil if the daemon has all sessions.
    init(
        _ options: Options, _ catalog: FlowCatalog, _ clock: any TimerClock, _ shards: OwnShards,
        _ sender: any DeviceEventSender, _ requests: NodeRequests?,
        _ surveyor: any FlowSurveyor, _ accountLimits: AccountLimits, on loop: LibeventLoop,
        instance: String
    ) throws {
        let alerts = AlertBoard { clock.now }
        self.alerts = alerts
        let bluetooth = try options.bluetooth.controller.map {
            try BluetoothSource(options, $0, clock, sender, alerts, on: loop)
        }
        let bluetoothParts = bluetooth.map { [$0] } ?? []
        // The inputs of the room: sends events as the `map` lines of `mqtt`, `osc`, `serial` and `evdev` connections say.
        let room = RoomSource(options, sender, alerts, on: loop) { clock.now }
        let transitionLog = TransitionLog(shards, options)
        outputs = try RoomOutputs(
            options, room.connections, on: loop, instance: instance, requests,
            shardNumber: shards.number)
        stuckMonitors = StuckMonitors(catalog, outputs, on: loop, isVirtual: !clock.isReal)
        // Applies the `on` lines that open other sessions or send events to other sessions. It leaves steps in sessions of other
        // shards to `outputs`.
        let links = RoomLinks(options, instance: instance, shardNumber: shards.number)
        // Publishes the states of sessions to brokers.
        let publisher = MQTTPublisher(
            options, room.connections, requests?.router,
            HomeAssistantDevices(catalog, surveyor),
            // The commands of brokers count like the requests of clients.
            PublishedCommands(sender, count: accountLimits.countCommand),
            on: loop, instance: instance
        ) { options in
            (
                options.web.publicAddress.map { $0.text + options.web.publicPath },
                Rules(options.access.rules, ownUID: Rules.ownUID)
                    .rights(of: [.source(.mqtt)], over: .mqtt)
            )
        }
        stateAlerts = StateAlerts(
            alerts,
            [shards, room] + bluetoothParts + (requests.map { [$0.router] } ?? []),
            requests?.router ?? NoOtherNodes(), on: loop)
        followers =
            bluetoothParts + [links, outputs, publisher, stuckMonitors, transitionLog]
        parts =
            bluetoothParts
            + [publisher, room, stuckMonitors, outputs, links, stateAlerts, transitionLog]
        let devices = bluetooth.map { $0 as any BluetoothDevices } ?? NoBluetooth()
        methods = [BluetoothMethod(devices), SourcesMethod(bluetoothParts + [room])]
    }

    /// The names of the devices and connections that are out of reach.
    var devicesAway: [String] {
        alerts.alerts.filter { $0.kind == .connection || $0.kind == .source }.map(\.name)
    }
}

/// The outputs act on stuck sessions: `on … stuck` lines.
extension RoomOutputs: StuckSessionObserver {}
