import Keeping
import Sessions

/// A guest that is told things as they happen, and waits for the disk.
protocol Client: Guest {
    /// Whether it is written to before the loop sleeps.
    var isToFlush: Bool { get set }
    /// Whether it goes on when the disk has caught up.
    var isToRelease: Bool { get set }
    var isGone: Bool { get }
    /// Writes what there is to write.
    func flush()
    /// The disk has caught up, or has failed.
    func release(_ outcome: Keeper.Outcome)
}
