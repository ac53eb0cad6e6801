import Access
import Durability
import RPC

/// A peer that stays for a while, and so may lose what it was let in by.
protocol Guest: Caller {
    var visitor: Identity { get }
    /// The rules are others now: asks anew what it may do.
    func review()
    /// Is shown out.
    func close()
}
