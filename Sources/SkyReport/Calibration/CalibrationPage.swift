import Foundation
import ScanBasics

/// The page of masters and calibrated frames: one file that needs no other, and no script.
package struct CalibrationPage: Sendable {
    /// A value under its name; a strange one is conspicuous.
    package struct Figure: Equatable, Sendable {
        package var name: String
        package var value: String
        package var isStrange: Bool

        package init(_ name: String, _ value: String, isStrange: Bool = false) {
            (self.name, self.value, self.isStrange) = (name, value, isStrange)
        }
    }

    /// A picture with what stands below it.
    package struct Picture: Sendable {
        package var caption: String
        package var width: Int
        package var height: Int
        package var png: [UInt8]

        package init(_ caption: String, of preview: Preview, png: [UInt8]) {
            (self.caption, width, height, self.png) = (caption, preview.width, preview.height, png)
        }
    }

    /// A table, each of whose rows has a figure for each column.
    package struct Table: Equatable, Sendable {
        package var rows: [[Figure]]
        /// Number of the first columns that hold text.
        package var texts: Int
        /// The line on which the table opens, as it is if a figure is strange; nil if it is always open.
        package var summary: String?

        package init(_ rows: [[Figure]], texts: Int = 1, summary: String? = nil) {
            (self.rows, self.texts, self.summary) = (rows, texts, summary)
        }
    }

    package struct Section: Sendable {
        package var title: String
        package var words: String?
        package var warnings: [String] = []
        package var figures: [Figure] = []
        package var pictures: [Picture] = []
        /// Whether the pictures have marks, whose colours are then explained.
        package var hasMarks = false
        package var table: Table?
        /// A command line.
        package var command: String?

        package init(_ title: String, _ words: String? = nil) { (self.title, self.words) = (title, words) }
    }

    package var title: String
    package var words: String
    package var figures: [Figure]
    package var sections: [Section]

    package init(_ title: String, _ words: String, _ figures: [Figure], _ sections: [Section]) {
        (self.title, self.words, self.figures, self.sections) = (title, words, figures, sections)
    }

    /// The file, in UTF-8.
    package func html() -> [UInt8] {
        var html = Array(
            """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <title>\(Self.text(title)) · Skyfarm</title>

            """.utf8)
        html += PageTemplate.head(images: "data:", scripts: "'none'")
        var body = """

            </head>
            <body>
            <a class="skip" href="#content">Skip to the content</a>
            <header>
            <h1>\(Self.text(title))</h1>
            <p>\(Self.text(words))</p>
            \(Self.list(figures))</header>
            <main id="content">

            """
        for section in sections { Self.add(section, to: &body) }
        return html + Array((body + "</main>\n</body>\n</html>\n").utf8)
    }

    private static func add(_ section: Section, to html: inout String) {
        html += "<section>\n<h2>\(text(section.title))</h2>\n"
        if let words = section.words { html += "<p class=\"help\">\(text(words))</p>\n" }
        for warning in section.warnings { html += "<p class=\"warning\">\(text(warning))</p>\n" }
        html += list(section.figures)
        if section.hasMarks { html += legend }
        if !section.pictures.isEmpty {
            let isLarge = section.pictures.count <= 2
            html += "<div class=\"shots\(isLarge ? " large" : "")\">\n"
            for picture in section.pictures {
                let isSmall = max(picture.width, picture.height) <= 300
                html += "<figure><img\(isSmall ? " class=\"small\"" : "") width=\"\(picture.width)\" "
                html += "height=\"\(picture.height)\" alt=\"\(text(picture.caption))\" src=\"data:image/png;base64,"
                html += Data(picture.png).base64EncodedString()
                html += "\"><figcaption>\(text(picture.caption))</figcaption></figure>\n"
            }
            html += "</div>\n"
        }
        if let table = section.table { add(table, to: &html) }
        if let command = section.command { html += "<pre tabindex=\"0\">\(text(command))</pre>\n" }
        html += "</section>\n"
    }

    private static func list(_ figures: [Figure]) -> String {
        if figures.isEmpty { return "" }
        return "<dl class=\"figures\">"
            + figures.map { figure in
                "<div><dt>\(text(figure.name))</dt><dd\(figure.isStrange ? " class=\"strange\"" : "")>"
                    + "\(text(figure.value))</dd></div>"
            }.joined() + "</dl>\n"
    }

    private static func add(_ table: Table, to html: inout String) {
        guard let first = table.rows.first else { return }
        if let summary = table.summary {
            let isOpen = table.rows.joined().contains(where: \.isStrange)
            html += "<details\(isOpen ? " open" : "")><summary>\(text(summary))</summary>\n"
        }
        html += "<div class=\"scroll\"><table>\n<thead><tr>"
        for (column, figure) in first.enumerated() {
            html += "<th scope=\"col\"\(column < table.texts ? "" : " class=\"number\"")>\(text(figure.name))</th>"
        }
        html += "</tr></thead>\n<tbody>\n"
        for row in table.rows {
            html += "<tr>"
            for (column, figure) in row.enumerated() {
                let classes = (column < table.texts ? "text" : "number") + (figure.isStrange ? " strange" : "")
                html += "<td data-title=\"\(text(figure.name))\" class=\"\(classes)\">\(text(figure.value))</td>"
            }
            html += "</tr>\n"
        }
        html += "</tbody>\n</table></div>\n"
        if table.summary != nil { html += "</details>\n" }
    }

    /// The meanings of colours.
    private static var legend: String {
        "<p class=\"legend\">"
            + MaskMarks.Mark.allCases.reversed().map { mark in
                let colour = mark.colour.map(String.init).joined(separator: " ")
                return "<span><span class=\"swatch\" style=\"background: rgb(\(colour))\"></span>\(mark.name)</span>"
            }.joined() + "</p>\n"
    }

    /// Text from anywhere, as of names and headers: without control characters, and never a part of the markup.
    private static func text(_ words: String) -> String { PageTemplate.escape(words.printable) }
}
