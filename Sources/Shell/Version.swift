/// The version of the daemon and its client, which are released together.
public let gamedVersion = "0.1.0"
