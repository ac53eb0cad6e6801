/// A cache whose keys determine the slots of their values.
///
/// A value that is stored replaces the value in its slot. If that happens more often than there are slots, they are doubled: a daemon
/// has few connections or thousands, and a flow has few transitions or hundreds.
@frozen public struct SlotCache<Key: SlotKey, Value: AnyObject> {
    @usableFromInline var keys: [Key?]
    @usableFromInline var values: [Value?]
    /// How many values were replaced since the slots were last doubled.
    @usableFromInline var replacedCount = 0
    /// The maximum number of slots.
    @usableFromInline let slotLimit: Int

    /// Creates an empty cache. `slots` and `limit` are numbers of slots, powers of two.
    @inlinable public init(slots: Int, limit: Int) {
        keys = Array(repeating: nil, count: slots)
        values = Array(repeating: nil, count: slots)
        slotLimit = limit
    }

    /// The number of slots.
    @inlinable public var slotCount: Int { keys.count }

    /// Returns the value of a key; nil if the cache does not have it.
    @inlinable @inline(__always) public func find(_ key: Key) -> Value? {
        let slot = key.slot(of: keys.count)
        return keys[slot] == key ? values[slot] : nil
    }

    /// Stores the value of a key, in place of an earlier value of this key.
    @inlinable public mutating func store(_ value: Value, _ key: Key) {
        var slot = key.slot(of: keys.count)
        if keys[slot] != nil, keys[slot] != key {
            replacedCount += 1
            if replacedCount > keys.count, keys.count < slotLimit {
                doubleSlots()
                slot = key.slot(of: keys.count)
            }
        }
        keys[slot] = key
        values[slot] = value
    }

    @inlinable mutating func doubleSlots() {
        let old = self
        self = Self(slots: 2 * old.keys.count, limit: slotLimit)
        for slot in old.keys.indices {
            if let key = old.keys[slot], let value = old.values[slot] { store(value, key) }
        }
        replacedCount = 0
    }
}

/// A key of a `SlotCache`. It identifies an object by its address, so its value retains the object: no other object can then get the
/// same address.
public protocol SlotKey: Equatable {
    /// The slot for the key, of this number of slots, which is a power of two.
    func slot(of slots: Int) -> Int
}

extension ObjectIdentifier: SlotKey {
    /// The slot, from the lowest bits of the address. The last four bits are left out: they are always 0, because objects are aligned
    /// to 16 bytes.
    @inlinable public func slot(of slots: Int) -> Int {
        Int(bitPattern: self) >> 4 & (slots - 1)
    }
}
