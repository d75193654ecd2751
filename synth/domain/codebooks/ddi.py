"""DDI: Codebook 1 and 2, and the variables of Lifecycle 3.

Summary statistics and frequencies in DDI were counted from rows. Synth ignores them.

>>> var = b"<var name='sex'><catgry><catValu>1</catValu><labl>male</labl></catgry></var>"
>>> document, notes = from_ddi(b"<codeBook><dataDscr>" + var + b"</dataDscr></codeBook>")
>>> document["fields"][0]["categories"]
[{'value': '1', 'label': 'male'}]
"""

from collections.abc import Iterator, Mapping
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

# What is one level in JSON takes several elements in DDI.
MAX_XML_DEPTH = 8 * limits.JSON_DEPTH
DDI_TYPES = {"numeric": "number", "character": "string"}
REFERENCES = ("CodeListReference", "CodeSchemeReference")
DATE_WORDS = {"date": "date", "time": "datetime"}


def from_ddi(content: bytes) -> Converted:
    """Return a Table Schema of the variables of a DDI file, and notes on missing information.

    Raises:
        DomainError: It is no XML or no DDI, declares entities, or describes no variables.
    """
    root = _parse(content)
    variables = chain(
        map(_codebook_variable, _find_all(root, "var")), _lifecycle_variables(root)
    )
    # They are read one by one, so that reading stops if there are too many.
    first = next(variables, None)
    if first is None:
        refuse_codebook(
            "The XML file describes no variables; expected DDI Codebook or Lifecycle."
        )
    return as_schema(chain([first], variables))


def _parse(content: bytes) -> Element:
    """Return the tree of a file's XML elements, named without their namespaces.

    Entities are refused: they can unfold to any size, or refer to another file. DomainError
    is raised for these, for wrong XML and for deep nesting.
    """
    builder = TreeBuilder()
    depth = 0
    # The parser names an element by its namespace, a blank and its name.
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True

    def start(tag: str, attributes: dict[str, str]) -> None:
        """Begin an element without its namespace; refuse deep nesting."""
        nonlocal depth
        depth += 1
        if depth > MAX_XML_DEPTH:
            refuse_codebook("The XML file is nested too deeply.")
        # Names come with their namespace and a blank before them.
        local = {key.rpartition(" ")[2]: value for key, value in attributes.items()}
        builder.start(tag.rpartition(" ")[2], local)

    def end(tag: str) -> None:
        nonlocal depth
        depth -= 1
        builder.end(tag.rpartition(" ")[2])

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = builder.data
    parser.EntityDeclHandler = _refuse_entity
    # The refusal is outside of the `except`, so that the parser's error is not shown with it.
    wrong_line = 0
    try:
        parser.Parse(content, True)
    except expat.ExpatError as error:
        wrong_line = error.lineno
    except (ValueError, LookupError):  # an encoding that Python does not know
        wrong_line = 1
    if wrong_line:
        refuse_codebook(f"The file is not valid XML at line {wrong_line}.")
    return builder.close()


def _refuse_entity(*_: object) -> NoReturn:
    refuse_codebook("The XML file declares entities, which are not read.")


def _find_all(root: Element, *names: str) -> Iterator[Element]:
    return (element for element in root.iter() if element.tag in names)


def _child(element: Element | None, *path: str) -> Element | None:
    """Return the element at the end of a path of names below an element; None without one.

    At each name the first child of this name is taken.
    """
    for name in path:
        if element is None:
            return None
        element = next((child for child in element if child.tag == name), None)
    return element


def _words(element: Element | None) -> str:
    return "" if element is None else " ".join("".join(element.itertext()).split())


def _codebook_variable(element: Element) -> Variable:
    """Return the column that an element ``var`` of DDI Codebook describes.

    Its child ``catgry`` is a code with its label, ``qstn`` the question, ``valrng`` the range
    of values, and ``varFormat`` the type. Its ``nature`` says whether codes have an order,
    and its ``intrvl`` whether values are continuous.
    """
    form = _child(element, "varFormat")
    form_type = form.get("type", "").lower() if form is not None else ""
    category = form.get("category", "").lower() if form is not None else ""
    question = _child(element, "qstn", "qstnLit")
    variable = Variable(
        name=(element.get("name") or element.get("ID") or "").strip(),
        kind=DATE_WORDS.get(category) or DDI_TYPES.get(form_type, ""),
        description=_words(_child(element, "labl")) or _words(question),
        ordered=element.get("nature") == "ordinal",
    )
    for entry in _find_all(element, "catgry"):
        code = _words(_child(entry, "catValu"))
        codes = variable.missing if entry.get("missing") == "Y" else variable.codes
        if code:
            codes[code] = _words(_child(entry, "labl"))
    _read_missing(element, variable)
    for valid_values in _find_all(element, "valrng"):
        for bounds in _find_all(valid_values, "range"):
            variable.low = bounds.get("min", "").strip()
            variable.high = bounds.get("max", "").strip()
    return _settle_bounds(variable, continuous=element.get("intrvl") == "contin")


def _read_missing(element: Element, variable: Variable) -> None:
    """Move codes that the element ``var`` calls invalid to the codes for missing values.

    `variable` is changed in place. An invalid code without a category is added.
    """
    ranges: list[tuple[str, str]] = []
    for invalid_values in _find_all(element, "invalrng"):
        for entry in _find_all(invalid_values, "item", "range"):
            # An item has one value, and a range has two ends, which may be equal.
            low = entry.get("VALUE", entry.get("min", ""))
            high = entry.get("max", "")
            if low and (not high or high == low):
                variable.missing[low] = variable.codes.pop(low, "")
            ranges.append((low, high))
    variable.set_missing(ranges)


def _settle_bounds(variable: Variable, *, continuous: bool) -> Variable:
    """Return the variable without bounds that are no numbers, or that belong to a code list.

    The variable is changed in place. `continuous` says that its codes are but some of the
    numbers in its range.
    """
    are_numbers = is_number(variable.low) and is_number(variable.high)
    may_be_bounds = are_numbers or variable.kind == "date"
    is_code_list = bool(variable.codes) and not continuous
    if is_code_list or not may_be_bounds:
        variable.low = variable.high = ""
    if variable.low and variable.kind == "string":
        variable.kind = ""  # left open, so that the bounds decide
    return variable


def _lifecycle_variables(root: Element) -> Iterator[Variable]:
    """Yield the columns that the variables of DDI Lifecycle describe.

    There a variable refers to a list of codes, and a code refers to a category with a label.
    """
    labels = {
        _identity(category): _label(category) for category in _find_all(root, "Category")
    }
    code_lists = {
        _identity(code_list): _codes(code_list, labels)
        for code_list in _find_all(root, "CodeList", "CodeScheme")
    }
    for element in _find_all(root, "Variable"):
        name = _words(_child(element, "VariableName", "String"))
        name = name or _words(_child(element, "VariableName"))
        if not name:
            continue
        variable = Variable(name=name, description=_label(element))
        # `REFERENCES` are the elements that refer to a list of codes.
        for identity in map(_identity, _find_all(element, *REFERENCES)):
            variable.codes |= code_lists.get(identity, {})
        for part in element.iter():
            _represent(variable, part)
        yield _settle_bounds(variable, continuous=not variable.codes)


def _codes(code_list: Element, labels: Mapping[str, str]) -> dict[str, str]:
    """Return the labels of the codes in a list, by code.

    `labels` holds the labels of categories by their identity, to which the codes refer.
    """
    codes = {}
    for code in _find_all(code_list, "Code"):
        value = _words(_child(code, "Value"))
        if value:
            codes[value] = labels.get(_identity(_child(code, "CategoryReference")), "")
    return codes


def _represent(variable: Variable, part: Element) -> None:
    """Set a column's kind and bounds by an element within its description.

    Elements that say nothing of these are passed over. `variable` is changed in place.
    """
    match part.tag:
        case "NumericRepresentation":
            variable.low = _words(_child(part, "NumberRange", "Low"))
            variable.high = _words(_child(part, "NumberRange", "High"))
            type_name = _words(_child(part, "NumericTypeCode")) or part.get("type", "")
            is_integer = type_name.lower() in ("integer", "int", "long", "short", "bigint")
            variable.kind = "integer" if is_integer else "number"
        case "DateTimeRepresentation":
            has_time = "time" in _words(_child(part, "DateTypeCode")).lower()
            variable.kind = "datetime" if has_time else "date"
        case "TextRepresentation":
            variable.kind = variable.kind or "string"


def _identity(element: Element | None) -> str:
    """Return the identity that references to an element have: its ID, or that in its URN.

    It is empty without an element.
    """
    if element is None:
        return ""
    identity = _words(_child(element, "ID")) or element.get("id", "")
    # A URN ends with the identity and the version.
    without_version = _words(_child(element, "URN")).rpartition(":")[0]
    return identity or without_version.rpartition(":")[2]


def _label(element: Element) -> str:
    return _words(_child(element, "Label", "Content")) or _words(_child(element, "Label"))
