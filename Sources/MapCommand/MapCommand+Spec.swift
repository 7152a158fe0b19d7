package import CommandLineKit
import Console
import ScanBasics

extension MapCommand {
    static let output = Option.optional(
        "output", short: "o", .text("FOLDER/|TEMPLATE|-"),
        help: "Folder of the results, file for that of each item, or - for the lines of all items in their order")
    static let outputs = Option.list(
        "out", .text("TEMPLATE"), help: "File that the program writes, as in '{stem}.psf'; {out} is the first one")
    static let collect = Option.toggle("collect", help: "Take all new files of the program's folder")
    static let items = Option.optional(
        "items", .file(.reads, "FILE|-"), help: "Run the program for each line of this list, which is {item}")
    static let companions = Option.list(
        "with", .text("TEMPLATE"), help: "Send this file with each input, as in '{dir}/{stem}.head'")
    static let shared = Option.list(
        "shared", .file(.reads), help: "Send this file once to each node; {shared:NAME} is its path there")
    static let batch = Option.value(
        "batch", .integer("N", 1...1000), default: 1, help: "Number of inputs for each run of the program")
    static let okCodes = Option.optional(
        "ok-codes", .exitCodes, fallback: "0", help: "Exit codes of the program that are no failure")
    static let retry = Option.value(
        "retry", .integer("N", 0...100), default: 0, help: "Run the program again for failed items, up to N times")
    static let retryOn = Option.optional(
        "retry-on", .exitCodes, fallback: "every failure", help: "Do so only after these exit codes")
    static let failFast = Option.toggle("fail-fast", help: "Stop after the first failed item")
    static let keepGoing = Option.toggle("keep-going", help: "Run all items, whatever fails; the default")
    static let maxFailures = Option.optional(
        "max-failures", .integer("N", 1...1_000_000), help: "Stop after N failed items")
    static let timeout = Option.optional(
        "timeout", .duration, fallback: "that of the owner", help: "Time after which the program is ended")
    static let maxAttempts = Option.value(
        "max-attempts", .integer("N", 1...100), default: 3,
        help: "Attempts at an item whose node refuses it or cannot run it")
    static let cpus = Option.value(
        "cpus", .integer("N", 1...1024), default: 1, help: "Slots that a run of the program takes, and {cpus}")
    static let memory = Option.optional(
        "memory", .bytes, fallback: "little",
        help: "Memory that a run of the program needs: it goes only where so much is not given to others")
    static let jobLog = Option.optional(
        "joblog", .file(.writes), help: "Write a line for each run of the program, with the columns of GNU parallel")
    static let resume = Option.toggle(
        "resume", help: "Leave out the items that are done and whose inputs and results have not changed")
    static let overwrite = Option.toggle("overwrite", help: "Replace files that exist")
    static let dryRun = Option.toggle("dry-run", help: "Print the command line of each item, and exit")
    static let hedge = Option.toggle(
        "hedge", help: "In the end, run slow items on a second node as well; the first result counts")
    static let localProgram = Option.list(
        "local-program", .program, layers: .all, help: "Run the program at PATH on this machine's slots as NAME, too")

    package static let spec = {
        var spec = CommandSpec(
            name: "map",
            summary: "Run a program of the nodes' owners on many files",
            examples: examples, description: paragraphs,
            arguments: [
                ArgumentSpec(name: "NAME", help: "name of the program, which owners give by skyfarm node --program"),
                ArgumentSpec(
                    name: "WORD",
                    help: "word for the program, with fields such as {in} and {out}; after --, an input: a file, a"
                        + " folder, a pattern, or @LIST", isRequired: false, isFile: true, repeats: true),
            ],
            sections: [
                OptionSection(
                    title: "Inputs and results",
                    options: [
                        output.spec, outputs.spec, collect.spec, items.spec, companions.spec, shared.spec, batch.spec,
                        overwrite.spec, resume.spec, jobLog.spec, dryRun.spec,
                    ]),
                OptionSection(
                    title: "Failures",
                    options: [
                        okCodes.spec, retry.spec, retryOn.spec, failFast.spec, keepGoing.spec, maxFailures.spec,
                        timeout.spec, maxAttempts.spec, hedge.spec,
                    ]),
                OptionSection(
                    title: "Nodes",
                    options: [cpus.spec, memory.spec] + ClusterOptions.options + [localProgram.spec]
                        + ProgramOptions.limitOptions
                        + [DashboardOption.option.spec, LogOptions.format.spec]),
                CommonOptions.section,
            ],
            exitCodes: [
                .noUsableNode, .authentication, .input, .output, .partialCatalogue, .interrupted, .terminated,
            ],
            files: [.key, .maps])
        spec.passesUnknownFlags = true
        return spec
    }()

    private static let examples: [CommandSpec.Example] = [
        .init(
            line: "skyfarm map psfex -o psf/ --out '{stem}.psf' {in} -- catalogues/*.cat",
            explanation: "Run the program that nodes have as psfex on each catalogue, and write the file that it makes"
                + " of each to a folder. On the nodes: skyfarm node --program psfex=/usr/bin/psfex"),
        .init(
            line: "skyfarm map solve -o solved/ --collect --shared index.fits {in} {shared:index.fits} -- night/",
            explanation: "Send a file that all items need once to each node, and take all files that the program makes."
        ),
        .init(
            line: "skyfarm map lookup -o - --items names.txt {item} >table.txt",
            explanation: "Run a program for each line of a list, and join what it prints in the order of the list."),
    ]

    private static let paragraphs = [
        "The program runs once for each input, or for each --batch N of them, in an empty folder of the node with the"
            + " input in it. Nodes need no file system in common with this machine: files travel with the task, and"
            + " results return with checksums and are renamed into place when they are complete. The owner of a node"
            + " chooses its programs and their limits; a coordinator chooses a name, arguments and files.",
        "Fields of arguments: {in}, the input's name; {out}, the first --out; {stem}, the input's name without its"
            + " ending; {item}, the line of --items; {number}, the item's number; {shared:NAME}, a shared file; {cpus},"
            + " the processors of a task. {dir}, the input's folder, is for --with. Other text in braces, such as"
            + " {print $1}, stays as it is; {{ and }} are braces. Words for the program may begin with a dash unless"
            + " they are flags of skyfarm map; between two -- every word is the program's.",
        "The result of an item is what the program writes to standard output, in {stem}.out or the file of -o, unless"
            + " --out or --collect name files: those go to the folder of -o, collected ones to a folder {stem} of it.",
        "An item fails if the program ends with another exit code than those of --ok-codes, exceeds a limit, or does not"
            + " write its files. Failed items are named with the last lines of standard error; the others are done, and"
            + " the exit code is 23. With --resume the same command runs only what is missing, failed or changed.",
    ]
}

extension FileSpec {
    static let maps = FileSpec(
        variable: UserFolder.state.rawValue, fallback: "~/" + UserFolder.state.fallback, path: "skyfarm/maps/",
        help: "Journals of skyfarm map: the finished items of each run.")
}
