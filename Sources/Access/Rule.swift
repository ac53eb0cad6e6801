/// A line of the configuration: `allow PRINCIPAL ROLE [session=GLOB] [event=GLOB]`.
public struct Rule: Equatable, Sendable {
    public let principal: Principal
    public let grant: Grant

    public init(_ principal: Principal, _ grant: Grant) {
        (self.principal, self.grant) = (principal, grant)
    }
}
