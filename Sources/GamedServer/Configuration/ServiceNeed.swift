/// What a line of the configuration needs of the systemd unit.
struct ServiceNeed {
    /// The word of the configuration, such as `mqtt`.
    let word: String
    /// The name of the drop-in that allows it.
    let dropIn: String
    let isAllowed: (ServiceUnit) -> Bool

    /// The need to reach other programs over the network.
    static func network(_ word: String, dropIn: String) -> ServiceNeed {
        ServiceNeed(word: word, dropIn: dropIn) {
            $0.hasNetwork && $0.allowsAddresses(beyondLoopback: false)
        }
    }
}
