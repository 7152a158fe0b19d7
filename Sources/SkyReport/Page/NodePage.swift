/// The page of a node, which shows the updates from its server.
public enum NodePage {
    /// The live page, which loads style and script from its server.
    public static var live: [UInt8] {
        PageTemplate.page(Assets.nodePage, start: "nodes", PageTemplate.served(title: "Skyfarm node"))
    }
}
