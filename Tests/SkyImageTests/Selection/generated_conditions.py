"""Writes FITS files with random cards, and random conditions with what astropy's headers say about them.

Arguments: FOLDER FIRST COUNT. For each seed a file FOLDER/SEED.fits; for each condition a line of its HDU, 1, 0 or - for true,
false or neither, and the condition.
"""
import fnmatch
import random
import sys
import warnings

import numpy
from astropy.io import fits

warnings.simplefilter("ignore")
NAMES = ["FILTER", "EXPTIME", "IMAGETYP", "DATE-OBS", "GAIN", "OBS_ID", "FLAG", "ESO TEL AIRM START", "LONGKEYWORD",
         "NONE", "NAXIS1", "BITPIX"]
STRINGS = ["g", "r", "R", "", " r", "r  ", "LIGHT", "light", "M 31", "O'Neill", "30", " 30.0 ", "-5", "2026-01-02T03:04",
           "1D2", "x" * 60, "long " * 20]
NUMBERS = [0, 1, -5, 30, 30.0, 30.5, 1e-3, 100.0, 9007199254740993, 9007199254740992, 2, 16, 10, 12]
PATTERNS = ["*", "r*", "*r*", "M ?1", "L*T", "?", "3*", "", "*'*", "long *", "l*t"]


def value(choice):
    kind = choice.random()
    if kind < 0.5:
        return choice.choice(STRINGS)
    if kind < 0.85:
        return choice.choice(NUMBERS)
    if kind < 0.95:
        return choice.random() < 0.5
    return None


def short(card, longest):
    return card[:longest] if isinstance(card, str) else card


def cards(choice, header, share):
    for name in NAMES:
        if name in ("NONE", "NAXIS1", "BITPIX") or choice.random() > share:
            continue
        # astropy does not continue the string of a HIERARCH card.
        title, longest = ("HIERARCH " + name, 20) if len(name) > 8 else (name, 200)
        header[title] = short(value(choice), longest)
        if choice.random() < 0.05:
            header.append((title, short(value(choice), longest)))


def number(text):
    if isinstance(text, bool):
        return None
    if isinstance(text, (int, float)):
        return text
    try:
        word = text.strip()
        if not word or any(c not in "0123456789+-.eEdD" for c in word):
            return None
        try:
            return int(word)
        except ValueError:
            return float(word.upper().replace("D", "E"))
    except ValueError:
        return None


def kinds(card, literal):
    """The pair as values that Python compares; None if they are of different kinds."""
    if isinstance(card, bool) or isinstance(literal, bool):
        return (card, literal) if isinstance(card, bool) and isinstance(literal, bool) else None
    if isinstance(card, str) and isinstance(literal, str):
        return card.rstrip(), literal.rstrip()
    pair = number(card), number(literal)
    return None if None in pair else pair


def words(choice, literal):
    if isinstance(literal, bool):
        return "T" if literal else "F"
    if isinstance(literal, str):
        quote = choice.choice("'\"")
        return quote + literal.replace(quote, quote * 2) + quote
    return repr(literal).replace("e", choice.choice("eED")) if isinstance(literal, float) else str(literal)


STRUCTURE = ("NAXIS1", "BITPIX")


def look(name, header, primary):
    if name in header:
        return header[name]
    if primary is not None and header.get("INHERIT", True) is not False and name not in STRUCTURE:
        return primary.get(name, None)
    return None


def test(choice, headers):
    name = choice.choice(NAMES)
    found = look(name, *headers)
    missing = found is None or isinstance(found, fits.card.Undefined)
    title = name
    if " " in name:
        title = choice.choice(["HIERARCH " + name, name.replace(" ", "."), "hierarch " + name.lower()])
    elif choice.random() < 0.2:
        title = name.lower()
    kind = choice.random()
    if kind < 0.1:
        negated = choice.random() < 0.5
        return title + (" is not missing" if negated else " is missing"), missing != negated
    if kind < 0.25:
        negated, folded = choice.random() < 0.3, choice.random() < 0.5
        pattern = choice.choice(PATTERNS)
        text = f"{title}{' not' if negated else ''} {'ilike' if folded else 'like'} {words(choice, pattern)}"
        if missing:
            return text, None
        if isinstance(found, bool):
            return text, negated
        if not isinstance(found, str):
            # The characters of a number depend on its writer.
            return test(choice, headers)
        subject, shape = found.rstrip(), pattern.rstrip()
        if folded:
            subject, shape = subject.lower(), shape.lower()
        return text, fnmatch.fnmatchcase(subject, shape) != negated
    literals = [value(choice) for _ in range(choice.randint(1, 4))]
    literals = [literal for literal in literals if literal is not None] or ["r"]
    if kind < 0.45:
        negated = choice.random() < 0.3
        text = f"{title}{' NOT' if negated else ''} in ({', '.join(words(choice, one) for one in literals)})"
        if missing:
            return text, None
        pairs = [kinds(found, literal) for literal in literals]
        return text, any(pair is not None and pair[0] == pair[1] for pair in pairs) != negated
    literal = literals[0]
    relation = choice.choice(["=", "!="] if isinstance(literal, bool) else ["=", "!=", "<", "<=", ">", ">=", "==", "<>"])
    space = choice.choice(["", " "])
    text = f"{title} {relation}{space}{words(choice, literal)}"
    if missing:
        return text, None
    pair = kinds(found, literal)
    if relation in ("=", "=="):
        return text, pair is not None and pair[0] == pair[1]
    if relation in ("!=", "<>"):
        return text, pair is None or pair[0] != pair[1]
    if pair is None:
        return text, None
    return text, {"<": pair[0] < pair[1], "<=": pair[0] <= pair[1], ">": pair[0] > pair[1],
                  ">=": pair[0] >= pair[1]}[relation]


def opposite(truth):
    return None if truth is None else not truth


def condition(choice, headers, depth):
    kind = choice.random()
    if depth == 0 or kind < 0.3:
        return test(choice, headers)
    if kind < 0.45:
        text, truth = condition(choice, headers, depth - 1)
        return f"not ({text})", opposite(truth)
    joint = choice.choice(["and", "or", "AND", "Or"])
    parts = [condition(choice, headers, depth - 1) for _ in range(choice.randint(2, 3))]
    truths = [truth for _, truth in parts]
    decisive = joint.lower() == "or"
    truth = decisive if decisive in truths else None if None in truths else not decisive
    return f" {joint} ".join(f"({text})" for text, _ in parts), truth


def main():
    folder, first, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    for seed in range(first, first + count):
        choice = random.Random(seed)
        pixels = numpy.zeros((choice.randint(2, 12), choice.randint(2, 12)), dtype="int16")
        units = fits.HDUList([fits.PrimaryHDU(pixels if choice.random() < 0.5 else None)])
        cards(choice, units[0].header, 0.6)
        for _ in range(choice.randint(0, 2) if units[0].data is not None else 1):
            kind = fits.ImageHDU if choice.random() < 0.6 else fits.CompImageHDU
            units.append(kind(numpy.zeros((20, choice.choice([10, 12, 16])), dtype="int16")))
            cards(choice, units[-1].header, 0.4)
            if choice.random() < 0.3:
                units[-1].header["INHERIT"] = choice.random() < 0.5
        path = f"{folder}/{seed}.fits"
        units.writeto(path)
        with fits.open(path) as read:
            headers = [unit.header.copy() for unit in read]
            for index, unit in enumerate(read):
                if unit.header.get("NAXIS", 0) < 2:
                    continue
                pair = headers[index], headers[0] if index > 0 else None
                for _ in range(8):
                    text, truth = condition(choice, pair, 3)
                    print(seed, index, {True: "1", False: "0", None: "-"}[truth], text)


main()
