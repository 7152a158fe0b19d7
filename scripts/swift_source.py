"""Swift sources for the checks of this folder: blanks out comments and literals, matches brackets, finds declarations.

It knows the grammar only as far as those checks need it, and no compiler: names are compared as they are written.
"""

import bisect
import dataclasses
import functools
import re

LITERAL = re.compile(r'//|/\*|#*"""(?=[ \t]*\n)|#*"|#/|/|[()]')
BEFORE_REGEX = re.compile(r"(?:^|[(,:=\[{;!&|]|\b(?:return|in|case))\s*$")
DECLARATION = re.compile(
    r"(?<![\w.`$])(?:(?P<type>struct|class|enum|actor|protocol|extension|typealias|associatedtype)\s+"
    r"(?P<name>[A-Z][\w.]*)|func\s+(?P<function>`?\w+`?|[^\s\w(`]+)|(?P<unnamed>init|subscript)(?=[?!]?\s*[(<])"
    r"|(?P<property>var|let)\s+(?P<variable>`?\w+`?|\())")
CONDITION = re.compile(r"#(if|elseif|else|endif)\b")
# What follows the parameters of a function and a line break, if its declaration goes on.
SIGNATURE_GOES_ON = re.compile(r"\s*(?:\{|->|&|(?:where|async|throws|rethrows)\b)")
VALUE_GOES_ON = re.compile(r"\s*(?:[{.+*/%?:=&|<>]|-(?!\d)|(?:as|is|else)\b)")
UNFINISHED = re.compile(r"(?:->|[,&=|+*/?:]|\bwhere)$")


@functools.cache
def end_of_text(hashes, quote):
    """Matches where the text of a string ends; its group is "(" where an interpolation begins."""
    return re.compile(rf"{quote}{hashes}|\\{hashes}(.)" + ("" if quote == '"""' else "|\n"), re.S)


def without_text(text):
    """The same length and lines, with spaces for comments, strings and regular expressions; interpolated code stays."""
    result, copied, place, strings, depth = [], 0, 0, [], 0

    def take(end, isText):
        nonlocal copied
        piece = text[copied:end]
        result.append(re.sub(r"[^\n]", " ", piece) if isText else piece)
        copied = end
        return end

    def string(place, opening):
        """Skips the text of a string, up to its end or an interpolation."""
        nonlocal depth
        hashes = opening.rstrip('"')
        for match in end_of_text(hashes, opening[len(hashes):]).finditer(text, place):
            if match[1] is None:
                return take(match.end(), True)
            if match[1] == "(":
                strings.append((opening, depth))
                depth = 0
                return take(match.end(), True)
        return take(len(text), True)

    while match := LITERAL.search(text, place):
        token, place = match[0], match.end()
        if token == "(":
            depth += 1
        elif token == ")":
            if depth == 0 and strings:
                take(match.start(), False)
                opening, depth = strings.pop()
                place = string(place, opening)
            else:
                depth -= 1
        elif '"' in token:
            take(match.start(), False)
            place = string(place, token)
        elif token == "//":
            take(match.start(), False)
            end = text.find("\n", place)
            place = take(len(text) if end < 0 else end, True)
        elif token == "/*":
            take(match.start(), False)
            nested, place = 1, len(text)
            for mark in re.compile(r"/\*|\*/").finditer(text, match.end()):
                nested += 1 if mark[0] == "/*" else -1
                if nested == 0:
                    place = mark.end()
                    break
            take(place, True)
        elif token == "#/" or BEFORE_REGEX.search(text[max(0, match.start() - 60):match.start()]):
            rest = r"(?:\\.|[^\\])*?/#" if token == "#/" else r"(?![\s)*/])(?:\\.|[^\\/\n])+/"
            if end := re.compile(rest, re.S).match(text, place):
                take(match.start(), False)
                place = take(end.end(), True)
    take(len(text), False)
    return "".join(result)


def line_count(text):
    return text.count("\n") + (text[-1:] not in ("", "\n"))


@dataclasses.dataclass
class Declaration:
    """A type, extension, function, initialiser, subscript or property, and where it is."""
    kind: str
    name: str
    #: The types in which it is declared, as "Outer.Inner"; empty at the top level.
    owner: str
    #: Whether it is declared in a type, or at the top level, and not in a function.
    isMember: bool
    isPrivate: bool
    start: int
    end: int
    #: Ends of its bodies: of a function one or none, of a property those of its accessors' or closures' blocks.
    bodies: list
    parameters: list

    @property
    def path(self):
        return f"{self.owner}.{self.name}" if self.owner else self.name


class Source:
    """A Swift file."""

    def __init__(self, path):
        self.path = path
        text = path.read_text()
        self.code = without_text(text)
        self.lines = line_count(text)
        self.ends = [match.start() for match in re.finditer("\n", text)]
        #: The place of a bracket that does not match; nil if all do.
        self.unmatched = None
        self.match = self.brackets()
        self.declarations = self.declared()

    def parts(self, declaration):
        """The text of a function's declaration, and that of its body."""
        end = declaration.bodies[0]
        begin = next(start for start, other in self.match.items() if other == end)
        return self.code[declaration.start:begin], self.code[begin:end]

    def generic_parameters(self):
        """The names of the generic parameters that the file declares."""
        lists = re.findall(
            r"\b(?:func\s+\w+|init[?!]?|subscript|(?:struct|class|enum|actor)\s+\w+)\s*(<[^(){]*)", self.code)
        return {name for each in lists for name in re.findall(r"[<,]\s*(?:each\s+)?([A-Z]\w*)\s*(?=[:,>])", each)}

    def line(self, place):
        return bisect.bisect_left(self.ends, place) + 1

    def brackets(self):
        """The places of the closing brackets by those of the opening ones. What `#else` selects begins like `#if`."""
        pairs, stack, conditions = {}, [], []
        for token in re.finditer(r"[()\[\]{}]|#(?:if|elseif|else|endif)\b", self.code):
            mark = token[0]
            if mark == "#if":
                conditions.append(list(stack))
            elif mark == "#endif":
                if conditions:
                    conditions.pop()
            elif mark[0] == "#":
                if conditions:
                    stack = list(conditions[-1])
            elif mark in "([{":
                stack.append((token.start(), mark))
            elif stack and stack[-1][1] + mark in ("()", "[]", "{}"):
                pairs[stack.pop()[0]] = token.start()
            elif self.unmatched is None:
                self.unmatched = token.start()
        if stack and self.unmatched is None:
            self.unmatched = stack[0][0]
        return pairs

    def declared(self):
        found, code = [], self.code
        blocks = sorted((start, end) for start, end in self.match.items() if code[start] == "{")
        scopes, types, used = [], {}, 0
        for match in DECLARATION.finditer(code):
            start = match.start()
            while used < len(blocks) and blocks[used][0] < start:
                scopes.append(blocks[used])
                used += 1
            scopes = [block for block in scopes if block[1] > start]
            owners = [types.get(block[0]) for block in scopes]
            isMember = None not in owners
            owner = ".".join(name for name in owners if name)
            before = code[code.rfind("\n", 0, start) + 1:start]
            isPrivate = re.search(r"\b(?:file)?private\b(?!\()", before) is not None
            kind, name = match["type"], match["name"]
            bodies, parameters, end = [], [], match.end()
            if kind in ("typealias", "associatedtype"):
                pass
            elif kind:
                begin = code.find("{", end)
                if begin < 0 or begin not in self.match:
                    continue
                types[begin] = name
                end = self.match[begin]
                bodies = [end]
            elif match["property"]:
                if not isMember:
                    continue
                kind, name = "property", match["variable"].strip("`")
                bodies, end = self.value(match.end("property"))
            else:
                kind = "func" if match["function"] else match["unnamed"]
                name = (match["function"] or match["unnamed"]).strip("`")
                parameters, bodies, end = self.signature(match.end())
            found.append(Declaration(kind, name, owner, isMember, isPrivate, start, end, bodies, parameters))
        return found

    def goes_on(self, place, pattern):
        """Whether a declaration goes on after the line break at a place."""
        line = self.code[self.code.rfind("\n", 0, place) + 1:place].rstrip()
        return UNFINISHED.search(line) or pattern.match(self.code, place)

    def signature(self, place):
        """The parameters of a function, and the end of its body, if it has one, after its name."""
        code, angles = self.code, 0
        while place < len(code) and (code[place] != "(" or angles):
            angles += {"<": 1, ">": code[place - 1] != "-" and -1}.get(code[place], 0)
            place = self.match.get(place, place) + 1
        if place >= len(code):
            return [], [], len(code)
        parameters, place = self.listed(place), self.match.get(place, place) + 1
        while place < len(code):
            mark = code[place]
            if mark == "{":
                end = self.match.get(place, place)
                return parameters, [end], end
            if mark in ";})]" or mark == "\n" and not self.goes_on(place, SIGNATURE_GOES_ON):
                break
            place = self.match.get(place, place) + 1
        return parameters, [], place

    def value(self, place):
        """The ends of the blocks of a property's declaration, and its end."""
        code, bodies = self.code, []
        while place < len(code):
            mark = code[place]
            if mark in ";})]" or mark == "\n" and not self.goes_on(place, VALUE_GOES_ON):
                break
            if mark == "{" and place in self.match:
                bodies.append(self.match[place])
            place = self.match.get(place, place) + 1
        return bodies, place

    def listed(self, start):
        """The text between commas in the brackets that begin at a place."""
        code, end = self.code, self.match.get(start, start)
        items, place, begin, angles = [], start + 1, start + 1, 0
        while place < end:
            mark = code[place]
            if mark == "<" and re.match(r"\w<[^\s<=]", code[place - 1:place + 2]):
                angles += 1
            elif mark == ">" and angles and code[place - 1] != "-":
                angles -= 1
            elif mark == "," and angles == 0:
                items.append(code[begin:place].strip())
                begin = place + 1
            place = self.match.get(place, place) + 1
        items.append(code[begin:end].strip())
        return [item for item in items if item]
