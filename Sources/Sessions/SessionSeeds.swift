internal import Digest
internal import GameFlow

/// Where the seeds of sessions come from whose flows draw random values.
public struct SessionSeeds {
    /// Returns the seed of a session that is being opened: 64 bits from the system, unless a test sets another function.
    public var next: () -> UInt64 = { .random(in: .min ... .max) }
    /// The name of the daemon's instance, for the seeds of sessions that have none.
    public var instance = ""

    public init() {}

    /// The seed of a session whose opening has recorded none, because its flow drew nothing then: the first 8 bytes of the SHA-256
    /// of `INSTANCE:SESSION:POS`, where POS is the `pos` of its opening.
    func seed(of session: SessionName, openedAt pos: Int) -> UInt64 {
        let hash = MessageDigest.sha256(Array("\(instance):\(session.text):\(pos)".utf8))
        return hash.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}

extension Sessions {
    /// The chance with which a session continues from a snapshot. If the flow draws random values and the snapshot has no chance,
    /// because the session did not play a flow that draws, it is that of an opening at `pos`.
    func chance(
        for snapshot: MachineRecord, of session: SessionName, _ flow: AnyFlow,
        openedAt pos: @autoclosure () -> Int
    ) -> Chance? {
        guard flow.drawsChance else { return nil }
        return snapshot.chance ?? Chance(seed: seeds.seed(of: session, openedAt: pos()))
    }
}
