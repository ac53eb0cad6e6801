/// Where browsers find the web pages of this daemon.
package protocol PageLocation: AnyObject {
    /// The address with which links to pages begin, without a slash at the end; nil if the daemon serves no web pages at a network
    /// address, or does not serve them yet.
    var address: String? { get }
}
