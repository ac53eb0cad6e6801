import Access
import BluetoothPart
import Cluster
import Connections
import Parts
import Room
import Shards

extension Options {
    /// The types of the sections, in the order of the help.
    static let sections: [any OptionSection.Type] = [
        NetworkOptions.self, AccessOptions.self, SessionOptions.self, StoreOptions.self,
        NodeOptions.self, WebOptions.self, MetricsOptions.self, BluetoothOptions.self,
        MapOptions.self, RoomOptions.self, LimitOptions.self, LogOptions.self,
    ]
}
