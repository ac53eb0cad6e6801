package import EventLoop
import Glibc
import Outputs
import Shell
import Synchronization
import Timers

/// Ends the processes that programs of `run=` lines leave behind, although they have left the program's process group, for
/// example with setsid(1). The kernel makes such a process a child of the daemon when its own parent has ended.
///
/// As process 1, which a daemon often is in a container, the daemon also becomes the parent of processes that others have
/// started. It cannot tell whose they are, so it kills none of them; it only reads their ends, so that no entries of ended
/// processes remain.
package final class OrphanReaper {
    /// Whether a program of a `run=` line runs. While one runs, an orphan may be a part of it.
    var isProgramRunning: () -> Bool = { false }
    private let loop: LibeventLoop
    /// Reports the end of each child; nil until the first program is started.
    private var childEnd: SignalHandle?
    /// The children that the process had before, from the program that it was before execve(2). They are not killed.
    private var earlierChildren: Set<pid_t> = []
    /// For each orphan that lives, the instant at which it was first seen.
    private var firstSeen: [pid_t: Instant] = [:]

    /// The time after which an orphan is killed even if programs run: the longest time of a program, and a second.
    private static let longestLife = DeliveryLimit.programTimeout + .seconds(1)

    package init(on loop: LibeventLoop) throws(EventLoopError) {
        self.loop = loop
        if getpid() == 1 { begin() }
    }

    /// Adopts the orphans of the programs from now on. A second call has no effect. Has no effect in a program that embeds the
    /// daemon: the orphans could be the program's own children.
    package func begin() {
        guard childEnd == nil, ChildProcesses.areAllOwn.load(ordering: .relaxed) else { return }
        earlierChildren = Set(ChildProcesses.orphans)
        ChildProcesses.adoptOrphans()
        childEnd = try? SignalHandle(SIGCHLD, on: loop) { [unowned self] in sweep() }
    }

    /// Reads the ends of orphans that have ended, and kills those whose programs have ended.
    func sweep() {
        guard childEnd != nil else { return }
        let now = loop.timerQueue.now
        let living = ChildProcesses.orphans.filter { !ChildProcesses.reap($0) }
        firstSeen = Dictionary(uniqueKeysWithValues: living.map { ($0, firstSeen[$0] ?? now) })
        guard getpid() != 1 else { return }
        for orphan in living where !earlierChildren.contains(orphan) {
            let age = now - (firstSeen[orphan] ?? now)
            // Its end is read in the next sweep, which the signal of its end begins.
            if !isProgramRunning() || age >= Self.longestLife { ChildProcesses.kill(orphan) }
        }
    }
}
