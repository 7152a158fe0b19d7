@main struct Skyfarm { static func main() {} }
