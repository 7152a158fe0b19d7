"""Random headers, and the coordinates that astropy computes from them.

generated_headers.py SEED COUNT prints a line of JSON for each header: its cards, whether all of them are valid, what is
odd about it, and the accepted results, each a list of right ascensions and declinations at GRID or null for none.

Of distortions the rules are those of astropy 8 (`_fix_scamp` and `_fix_pre2012_scamp_tpv`), so that older versions give
the same: astropy itself only gets a header without the polynomials of SIP, and then these.
"""
import json
import logging
import random
import sys
import warnings

warnings.simplefilter("ignore")
import numpy as np
from astropy import log
from astropy.coordinates import SkyCoord
from astropy.io import fits
from astropy.wcs import WCS, Sip

log.setLevel(logging.CRITICAL)
logging.disable(logging.CRITICAL)
GRID = [(x, y) for y in (0.0, 211.5, 799.0) for x in (-0.5, 333.25, 640.0, 999.0)]

# Parameters of each projection: the index and the value of PVi_m of the latitude.
PROJECTIONS = {
    "AZP": {1: 2.0, 2: 30.0}, "SZP": {1: 2.0, 2: 30.0, 3: 60.0}, "TAN": {}, "STG": {}, "SIN": {1: 0.01, 2: 0.02},
    "ARC": {}, "ZPN": {1: 1.0, 3: 42.0}, "ZEA": {}, "AIR": {1: 45.0}, "CYP": {1: 1.0, 2: 1.0}, "CEA": {1: 0.8},
    "CAR": {}, "MER": {}, "SFL": {}, "PAR": {}, "MOL": {}, "AIT": {}, "COP": {1: 45.0, 2: 25.0},
    "COE": {1: 45.0, 2: 25.0}, "COD": {1: 45.0, 2: 25.0}, "COO": {1: 45.0, 2: 25.0}, "BON": {1: 45.0}, "PCO": {},
    "TSC": {}, "CSC": {}, "QSC": {}, "HPX": {1: 4.0, 2: 3.0}, "XPH": {}, "NCP": {}, "GLS": {}, "TPV": {},
}


def card(key, value):
    if isinstance(value, str) and not value.startswith("="):
        value = f"'{value:8}'"
    return f"{key:8}= {str(value).removeprefix('='):>20}"[:80]


def sip(r, order):
    values = {"A_ORDER": order, "B_ORDER": r.choice((2, order))}
    for name in "AB":
        for p in range(values[name + "_ORDER"] + 1):
            for q in range(values[name + "_ORDER"] + 1 - p):
                if p + q > 1 and r.random() < 0.6:
                    values[f"{name}_{p}_{q}"] = r.uniform(-1, 1) * 10.0 ** (-2 - 3 * (p + q))
    return values


def tpv(r, axis):
    values = {f"PV{axis}_{m}": r.uniform(-1e-3, 1e-3) for m in (0, 2, 4, 5, 7, 10) if r.random() < 0.7}
    return {**values, f"PV{axis}_1": 1 + r.uniform(-1e-2, 1e-2)}


def surface(r, axis, side, kind):
    """The WAT cards of TNX and ZPX."""
    numbers = ["3.", "3.", "3.", "2.", "-0.3", "0.3", "-0.3", "0.3"] + [f"{r.uniform(-1e-3, 1e-3):.12g}" for _ in range(6)]
    names = ("ra", "lngcor") if side == 0 else ("dec", "latcor")
    projection = "" if kind == "TNX" else " projp1=1.0 projp3=300.5"
    text = f'wtype={kind.lower()} axtype={names[0]}{projection} {names[1]} = "{" ".join(numbers)} "'
    return {f"WAT{axis}_{n + 1:03}": text[k:k + 68] for n, k in enumerate(range(0, len(text), 68))}


def valid(r):
    """Cards of a valid header, by keyword, in order."""
    name = r.choice(list(PROJECTIONS) + ["TAN"] * 12 + ["TPV"] * 4 + ["TNX", "ZPX"])
    galactic = r.random() < 0.15
    types = [("GLON", "GLAT-") if galactic else ("RA--", "DEC--")][0]
    types = [f"{types[0]}-{name}", f"{types[1]}{name}"]
    longitude, latitude = (1, 2) if r.random() < 0.85 else (2, 1)
    zenithal = name in ("AZP SZP TAN STG SIN ARC ZPN ZEA AIR NCP TPV TNX ZPX".split())
    values = {"NAXIS": 2, "NAXIS1": 1000, "NAXIS2": 800}
    polynomials = {}
    if name not in ("TNX", "ZPX") and r.random() < 0.4:
        polynomials = sip(r, r.randint(2, 4))
        if r.random() < 0.6:
            types = [kind + "-SIP" for kind in types]
    values[f"CTYPE{longitude}"], values[f"CTYPE{latitude}"] = types
    values.update({"CRPIX1": r.uniform(100, 900), "CRPIX2": r.uniform(100, 700)})
    values[f"CRVAL{longitude}"] = r.uniform(0, 360) if r.random() < 0.9 else r.uniform(-800, 800)
    values[f"CRVAL{latitude}"] = r.uniform(-80, 80) if zenithal else r.uniform(-20, 40)
    scale = r.choice((2e-4, 3e-3))
    angle = r.uniform(0, 2 * np.pi)
    matrix = [[-np.cos(angle), np.sin(angle)], [np.sin(angle), np.cos(angle)]]
    form = r.choice(("CD", "CD", "PC", "CROTA"))
    if form == "CD":
        values.update({f"CD{i + 1}_{j + 1}": scale * matrix[i][j] for i in (0, 1) for j in (0, 1)})
    else:
        values.update({f"CDELT{longitude}": -scale, f"CDELT{latitude}": scale})
        if form == "PC":
            values.update({f"PC{i + 1}_{j + 1}": matrix[i][j] for i in (0, 1) for j in (0, 1)})
        else:
            values[f"CROTA{latitude}"] = r.uniform(-180, 180)
    if r.random() < 0.2:
        values.update({"CUNIT1": "deg", "CUNIT2": "deg"})
    values.update({f"PV{latitude}_{m}": value for m, value in PROJECTIONS.get(name, {}).items()})
    if name == "TPV" or name == "TAN" and r.random() < 0.3:
        values.update({**tpv(r, 1), **tpv(r, 2), "PV1_5": 1e-3})
    elif name in ("TAN", "CAR", "SFL", "ARC") and r.random() < 0.3:
        values.update({f"PV{longitude}_0": 1, f"PV{longitude}_1": 0.0 if name != "TAN" else 5.0, f"PV{longitude}_2": 80.0})
    if name in ("TNX", "ZPX"):
        values.update({**surface(r, longitude, 0, name), **surface(r, latitude, 1, name)})
    if r.random() < 0.2:
        values["LONPOLE"] = r.uniform(100, 200)
    if r.random() < 0.2:
        values[r.choice(("EQUINOX", "EPOCH"))] = r.choice((1950.0, 2000.0))
    if name not in ("TNX", "ZPX") and r.random() < 0.15:
        values.update({"CTYPE3": r.choice(("FREQ", "STOKES", "LINEAR")), "CRVAL3": 1.4e9, "CDELT3": 1e6, "CRPIX3": 1.0})
    if r.random() < 0.1:
        values.update({"CPDIS1": "Lookup", "DP1": "EXTVER: 1.0", "CPERR1": 0.05})
    values.update(polynomials)
    return values


def keys_of(values, *starts):
    return [key for key in values if key.startswith(starts) and not key.startswith(("CTYPE", "CUNIT", "CPDIS"))]


def damaged(r, values):
    """Cards of `values` with an oddity, what it is, and the values that it stands for, if these are others."""
    cards = [card(key, value) for key, value in values.items()]
    oddity = r.choice(ODDITIES)
    numbers = keys_of(values, "CRPIX", "CRVAL", "CD", "PC", "PV", "A_", "B_", "LONPOLE", "EQUINOX", "CROTA")
    key = r.choice(numbers)
    place = list(values).index(key)
    meaning = None
    if oddity == "string":
        cards[place] = card(key, str(values[key])[:18])
    elif oddity == "missing":
        del cards[place]
    elif oddity == "without a value":
        cards[place] = f"{key:8}="
    elif oddity == "doubled":
        cards.append(card(key, values[key] if r.random() < 0.5 else values[key] * 1.01))
    elif oddity == "huge":
        cards[place] = card(key, r.choice(("=1E400", "=-1E999", "=1" + "0" * 60, "=99999999999999999999")))
    elif oddity == "lower case":
        cards[place] = card(key, values[key]).replace(key, key.lower())
    elif oddity == "hierarch":
        cards.append(f"HIERARCH {key} = {values[key]}")
    elif oddity == "hierarch instead":
        cards[place] = f"HIERARCH {key} = {values[key]}"
    elif oddity == "words after it":
        cards[place] = card(key, f"={values[key]} deg")
    elif oddity == "complex":
        cards[place] = card(key, "=(1.0, 2.0)")
    elif oddity == "logical":
        cards[place] = card(key, "=T")
    elif oddity == "exponent D":
        cards[place] = card(key, f"={values[key]:.12E}".replace("E", "D"))
        meaning = {**values, key: float(f"{values[key]:.12E}")}
    elif oddity == "no space":
        cards[place] = f"{key:8}={values[key]}"
    elif oddity == "number as type":
        key = r.choice(("CTYPE1", "CTYPE2"))
        cards[list(values).index(key)] = card(key, 7)
    elif oddity == "type to the right":
        for key in ("CTYPE1", "CTYPE2"):
            cards[list(values).index(key)] = f"{key:8}= '{values[key]:>16}'"
        meaning = values
    elif oddity == "continued":
        at = list(values).index("CTYPE1")
        cards[at:at + 1] = [f"CTYPE1  = '{values['CTYPE1'][:5]}&'", f"CONTINUE  '{values['CTYPE1'][5:]}'"]
        meaning = values
    elif oddity == "type that does not end":
        cards[list(values).index("CTYPE2")] = f"CTYPE2  = '{values['CTYPE2']}"
    elif oddity == "unit":
        cards.append(card("CUNIT1", r.choice(("parsec", "deg(", "((((((((", "m/s", "arcsec", "10**"))))
    elif oddity == "table":
        cards[list(values).index("CTYPE1")] = card("CTYPE1", "RA---TAB")
        cards.append(card("PS1_0", "WCSTAB"))
    elif oddity == "polynomial":
        order = r.choice(("=99", "=1.5", "2", "=-3", "='2'", "=T"))
        cards += [card("A_ORDER", order), card("B_ORDER", "=2"), card("A_2_0", r.choice(("1e-6", "='x'", "=1e-6")))]
    elif oddity == "coefficient alone":
        cards += [card(r.choice(("A_2_0", "B_1_1", "AP_1_0", "A_ORDER")), r.choice(("1e-6", "2", "")))]
    elif oddity == "text of IRAF":
        meaning = values
        cards += ["WAT1_001= 'wtype=tnx axtype=ra lngcor = \"3. 9. 9. 2. 0 1 0 1 0.5\"'", "WAT2_001= 'wtype=tnx'"]
    elif oddity == "parameter":
        cards.append(card(r.choice(("PV2_99", "PV1_77", "PROJP1", "PS2_3")), r.choice(("=1.0", "x"))))
    elif oddity == "axes":
        meaning = values
        cards.append(card("WCSAXES", r.choice(("=1", "=3", "=77", "=-1", "2", "=1.5"))))
    elif oddity == "distortion":
        cards += [card("CQDIS1", r.choice(("TPD", "Polynomial", "Lookup"))), card("DQ1", "NAXES: 2")]
    elif oddity == "not ASCII":
        cards[place] = cards[place] + " / \u00b5m"
        meaning = values
    return [text.ljust(80)[:80] for text in cards], oddity, meaning


ODDITIES = [
    "string", "string", "missing", "without a value", "doubled", "huge", "lower case", "hierarch", "hierarch instead",
    "words after it", "complex", "logical", "exponent D", "no space", "number as type", "type to the right",
    "continued", "type that does not end", "unit", "table", "polynomial", "coefficient alone", "text of IRAF",
    "parameter", "axes", "distortion", "not ASCII",
]


def polynomials_of(header):
    """SIP's polynomials as astropy reads them, and a header without them."""
    plain = header.copy()
    found = WCS(naxis=2)._read_sip_kw(header.copy())
    for key in list(plain):
        if key.upper().startswith(("A_", "B_", "AP_", "BP_")):
            plain.remove(key, ignore_missing=True, remove_all=True)
    return found, plain


def coordinates(cards):
    """Right ascensions and declinations at GRID; None where astropy has none."""
    try:
        header = fits.Header.fromstring("".join(cards))
        # Tables are not applied; without their file astropy would refuse the header.
        for key in list(header):
            if key.startswith(("CPDIS", "DP1", "CPERR")):
                header.remove(key, ignore_missing=True, remove_all=True)
        polynomials, header = polynomials_of(header)
        types = [str(header.get(f"CTYPE{axis}", "")).strip() for axis in (1, 2)]
        scamp = any(key[:4] in ("PV1_", "PV2_") and key[4:].isdigit() and int(key[4:]) >= 5 for key in header)
        if scamp and all(kind.endswith("-TAN") for kind in types):
            for axis in (1, 2):
                header[f"CTYPE{axis}"] = types[axis - 1][:-3] + "TPV"
            polynomials = None
        elif all(kind.endswith("-TPV") for kind in types):
            polynomials = None
        elif polynomials is not None and scamp and all(kind.endswith("-TAN-SIP") for kind in types):
            header = fits.Header(c for c in header.cards if not c.keyword.startswith("PV"))
        # SIP is of two axes only.
        system = WCS(header, naxis=2)
        if system.wcs.lng < 0 or system.wcs.lat < 0:
            return None
        # Its inverse is not needed.
        if polynomials is not None and polynomials.a is not None:
            system.sip = Sip(polynomials.a, polynomials.b, None, None, polynomials.crpix)
        world = system.all_pix2world(np.array(GRID), 0)
        longitude, latitude = world[:, system.wcs.lng], world[:, system.wcs.lat]
        if system.wcs.lngtyp.strip() == "GLON":
            place = SkyCoord(longitude, latitude, frame="galactic", unit="deg").icrs
            longitude, latitude = place.ra.deg, place.dec.deg
        if not np.isfinite(longitude).any():
            return None
        return [float(v) if np.isfinite(v) else None for pair in zip(longitude, latitude) for v in pair]
    except Exception:
        return None


if __name__ == "__main__":
    r = random.Random(int(sys.argv[1]))
    for _ in range(int(sys.argv[2])):
        values = valid(r)
        cards, oddity, meaning = [card(k, v).ljust(80) for k, v in values.items()], "", None
        if r.random() < 0.6:
            cards, oddity, meaning = damaged(r, values)
        # These may make WCSLIB write beyond a buffer.
        results = [coordinates(cards)] if oddity not in ("text of IRAF", "distortion") else []
        if meaning:
            results.append(coordinates([card(k, v).ljust(80) for k, v in meaning.items()]))
        print(json.dumps({"cards": cards, "oddity": oddity, "results": results}))
