/// What a line of the configuration needs of the systemd unit.
package struct ServiceNeed {
    /// The word of the configuration, such as `mqtt`.
    package let word: String
    /// The name of the drop-in that allows it.
    package let dropIn: String
    package let isAllowed: (ServiceUnit) -> Bool

    package init(word: String, dropIn: String, isAllowed: @escaping (ServiceUnit) -> Bool) {
        (self.word, self.dropIn, self.isAllowed) = (word, dropIn, isAllowed)
    }

    /// The need to reach other programs over the network.
    package static func network(_ word: String, dropIn: String) -> ServiceNeed {
        ServiceNeed(word: word, dropIn: dropIn) {
            $0.hasNetwork && $0.allowsAddresses(beyondLoopback: false)
        }
    }
}
