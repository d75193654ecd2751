"""DDI: Codebook 1 and 2, and the variables of Lifecycle 3.

Summary statistics and frequencies in DDI were counted from rows. Synth ignores them.

>>> var = b"<var name='sex'><catgry><catValu>1</catValu><labl>male</labl></catgry></var>"
>>> document, notes = from_ddi(b"<codeBook><dataDscr>" + var + b"</dataDscr></codeBook>")
>>> document["fields"][0]["categories"]
[{'value': '1', 'label': 'male'}]
"""

from collections.abc import Iterator
from itertools import chain
from typing import NoReturn
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from synth import limits
from synth.domain.codebooks.variables import (
    Converted,
    Variable,
    as_schema,
    is_number,
    refuse_codebook,
)

DDI_TYPES = {"numeric": "number", "character": "string"}
REFERENCES = ("CodeListReference", "CodeSchemeReference")
DATE_WORDS = {"date": "date", "time": "datetime"}


def from_ddi(content: bytes) -> Converted:
    """Return a Table Schema of the variables of a DDI file.

    Raises:
        DomainError: It is no XML or no DDI, declares entities, or describes no variables.
    """
    root = _parse(content)
    found = chain(map(_codebook_variable, _find_all(root, "var")), _lifecycle_variables(root))
    first = next(found, None)
    if first is None:
        refuse_codebook(
            "The XML file describes no variables; expected DDI Codebook or Lifecycle."
        )
    return as_schema(chain([first], found))


def _parse(content: bytes) -> Element:
    # Return the tree of elements, named without their namespaces.
    # Entities are refused: they can unfold to any size, or refer to another file.
    builder, depth = TreeBuilder(), 0
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > 8 * limits.JSON_DEPTH:
            refuse_codebook("The XML file is nested too deeply.")
        local = {key.rpartition(" ")[2]: value for key, value in attributes.items()}
        builder.start(tag.rpartition(" ")[2], local)

    def end(tag: str) -> None:
        nonlocal depth
        depth -= 1
        builder.end(tag.rpartition(" ")[2])

    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler = builder.data
    parser.EntityDeclHandler = _refuse_entity
    line = 0
    try:
        parser.Parse(content, True)
    except expat.ExpatError as error:
        line = error.lineno
    except (ValueError, LookupError):  # an encoding that Python does not know
        line = 1
    if line:
        refuse_codebook(f"The file is not valid XML at line {line}.")
    return builder.close()


def _refuse_entity(*_: object) -> NoReturn:
    refuse_codebook("The XML file declares entities, which are not read.")


def _find_all(root: Element, *names: str) -> Iterator[Element]:
    return (e for e in root.iter() if e.tag in names)


def _child(element: Element | None, *path: str) -> Element | None:
    for name in path:
        if element is None:
            return None
        element = next((e for e in element if e.tag == name), None)
    return element


def _words(element: Element | None) -> str:
    return "" if element is None else " ".join("".join(element.itertext()).split())


def _codebook_variable(var: Element) -> Variable:
    form = _child(var, "varFormat")
    kind = DDI_TYPES.get((form.get("type", "") if form is not None else "").lower(), "")
    category = (form.get("category", "") if form is not None else "").lower()
    one = Variable(
        name=(var.get("name") or var.get("ID") or "").strip(),
        kind=DATE_WORDS.get(category, kind),
        description=_words(_child(var, "labl")) or _words(_child(var, "qstn", "qstnLit")),
        ordered=var.get("nature") == "ordinal",
    )
    for item in _find_all(var, "catgry"):
        code, label = _words(_child(item, "catValu")), _words(_child(item, "labl"))
        if code:
            (one.missing if item.get("missing") == "Y" else one.codes)[code] = label
    ranges: list[tuple[str, str]] = []
    for where in _find_all(var, "invalrng"):
        for item in _find_all(where, "item", "range"):
            low, high = item.get("VALUE", item.get("min", "")), item.get("max", "")
            if low and (not high or high == low):
                one.missing[low] = one.codes.pop(low, "")
            ranges.append((low, high))
    one.set_missing(ranges)
    for valid in _find_all(var, "valrng"):
        for item in _find_all(valid, "range"):
            one.low, one.high = item.get("min", "").strip(), item.get("max", "").strip()
    return _settle_bounds(one, continuous=var.get("intrvl") == "contin")


def _settle_bounds(one: Variable, *, continuous: bool) -> Variable:
    if one.codes and not continuous:
        one.low = one.high = ""
    if not (is_number(one.low) and is_number(one.high)) and one.kind != "date":
        one.low = one.high = ""
    if one.low and one.kind == "string":
        one.kind = ""
    return one


def _lifecycle_variables(root: Element) -> Iterator[Variable]:
    names = {_identity(e): _label(e) for e in _find_all(root, "Category")}
    codes = {
        _identity(e): _codes(e, names) for e in _find_all(root, "CodeList", "CodeScheme")
    }
    for variable in _find_all(root, "Variable"):
        name = _words(_child(variable, "VariableName", "String")) or _words(
            _child(variable, "VariableName")
        )
        if not name:
            continue
        one = Variable(name=name, description=_label(variable))
        referred = dict.fromkeys(_identity(part) for part in _find_all(variable, *REFERENCES))
        for identity in referred:
            one.codes |= codes.get(identity, {})
        for part in variable.iter():
            _represent(one, part)
        yield _settle_bounds(one, continuous=not one.codes)


def _codes(book: Element, names: dict[str, str]) -> dict[str, str]:
    found = {}
    for code in _find_all(book, "Code"):
        value = _words(_child(code, "Value"))
        if value:
            found[value] = names.get(_identity(_child(code, "CategoryReference")), "")
    return found


def _represent(one: Variable, part: Element) -> None:
    match part.tag:
        case "NumericRepresentation":
            one.kind = "number"
            one.low = _words(_child(part, "NumberRange", "Low"))
            one.high = _words(_child(part, "NumberRange", "High"))
            kind = (
                _words(_child(part, "NumericTypeCode")).lower()
                or part.get("type", "").lower()
            )
            if kind in ("integer", "int", "long", "short", "bigint"):
                one.kind = "integer"
        case "DateTimeRepresentation":
            timed = "time" in _words(_child(part, "DateTypeCode")).lower()
            one.kind = "datetime" if timed else "date"
        case "TextRepresentation":
            one.kind = one.kind or "string"


def _identity(element: Element | None) -> str:
    # Return the key of references to an element: its URN's last part, or its ID.
    if element is None:
        return ""
    said = _words(_child(element, "ID")) or element.get("id", "")
    return said or _words(_child(element, "URN")).rpartition(":")[0].rpartition(":")[2]


def _label(element: Element) -> str:
    return _words(_child(element, "Label", "Content")) or _words(_child(element, "Label"))
