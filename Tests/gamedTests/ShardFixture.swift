import Durability
import EventLoop
import GameFlow
import Journal
import Parts
import RPC
import Sessions
import TestSupport
import Timers

@testable import GamedServer
@testable import Shards

/// Makes shards without a daemon around them.
struct ShardFixture {
    let environment: ShardEnvironment

    /// With the options of a daemon without arguments.
    init(on loop: LibeventLoop) throws {
        guard case .run(let options) = try Options.read([], flows: AnyFlow.shipped()) else {
            fatalError("the options do not start a daemon")
        }
        try self.init(options, on: loop)
    }

    init(_ options: Options, _ flows: [AnyFlow] = AnyFlow.shipped(), on loop: LibeventLoop) throws {
        let drawer = GraphvizDrawer(on: loop)
        environment = ShardEnvironment(
            loop: loop, options: options,
            library: FlowLibrary(flows, options, drawer, on: loop), diagramDrawer: drawer,
            identity: Dispatcher.ServerIdentity(version: "", instance: "", limits: []),
            schedule: OutputSchedule(), busyShards: BusyShards())
    }

    /// A shard with all sessions, which commits nowhere.
    func onlyShard(on clock: any TimerClock) -> OwnShards {
        let shards = OwnShards()
        shards.addOnly(
            Shard(
                0, .none, Shard.Acquisition(recordsEveryStart: false), on: clock, environment))
        return shards
    }

    /// A shard that is restored from the rows of a store, by default on a real clock.
    func shard(
        _ number: Int, _ store: MemoryStore, on clock: (any TimerClock)? = nil,
        isTrusted: @escaping () -> Bool = { true }
    ) -> Shard {
        var rows = OwnedRows(prunedUpTo: 0, answerLimit: 100, mark: store.lastMark)
        rows.add(store.rows)
        return Shard(
            number,
            RestoredRows(
                ReadRows(
                    content: rows.reading.content(), times: rows.reading.times,
                    lastAlive: rows.lastAlive, count: store.rows.count, holdsPruning: false),
                in: store),
            Shard.Acquisition(recordsEveryStart: false, isTrusted: isTrusted),
            on: clock ?? LoopClock(on: environment.loop, isOwnerDriven: true), environment)
    }
}
