package import Sessions

/// How a call of this process to one of its shards ended.
package enum ShardCallEnd<Value> {
    /// The call has returned `value`, and everything durable that it has changed or seen.
    case durable(Value)
    /// The call was not executed, or what it has changed or seen was undone: the store failed, or the process stood still while the
    /// call was held. `value` is what it had returned.
    case failed(RequestError, value: Value?)
    /// This process no longer owns the shard. If the call was executed, its changes may be durable, and `value` is what it has
    /// returned; nil if it was not executed.
    case lost(value: Value?)
}
