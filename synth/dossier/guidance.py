"""The guidance that sheets follow, and its state. PUBLIC.

The state of guidance changes. So each sheet names the day on which it was looked up, and
what could not be looked up.
"""

from synth.dossier.pieces import Citation, Paragraph

# The day on which the state of guidance was looked up.
LOOKED_UP = "2026-11-30"

STATE = Citation(f"State of guidance, looked up on {LOOKED_UP}")

WP29 = Citation("Opinion 05/2014 on anonymisation techniques (WP216)")

NIST_TITLE = Citation("NIST SP 800-226, layer by layer")
TEHDAS_TITLE = Citation("Sheet for a health data access body (TEHDAS2 D7.2)")

# Where it was looked up, which each sheet says.
COPIES = Paragraph(
    (
        Citation(
            "It was looked up in copies of public pages, and a copy may be older than that "
            "day. Look for newer versions before you rely on it."
        ),
    )
)

EUROPE = tuple(
    Paragraph((Citation(sentence),))
    for sentence in (
        "Opinion 05/2014 on anonymisation techniques (WP216) of the Article 29 Working "
        "Party, adopted on 10 April 2014, names the three criteria below. We found "
        "nothing that replaces it.",
        "The European Data Protection Board announced guidelines on anonymisation. On 18 "
        "February 2026 it published the report of a hearing of 12 December 2025 about "
        "them, held after the judgment EDPS v SRB (C-413/23 P). We found no guidelines on "
        "anonymisation later than that.",
        "Guidelines 01/2025 on pseudonymisation, adopted in January 2025 for "
        "consultation, are about another measure. A synthetic table replaces no names by "
        "codes.",
        "The Board published a template for impact assessments on 14 April 2026, for "
        "consultation until 9 June 2026. We could not find a final version. This sheet "
        "uses the parts of such an assessment that concern one release.",
    )
)
NIST = tuple(
    Paragraph((Citation(sentence),))
    for sentence in (
        "NIST SP 800-226, Guidelines for Evaluating Differential Privacy Guarantees, is "
        "final since March 2025 (doi.org/10.6028/NIST.SP.800-226).",
        "It arranges what a guarantee depends on as a pyramid, where each layer rests on "
        "those below it. We read its layers in summaries, because the document itself "
        "could not be fetched.",
    )
)
TEHDAS = tuple(
    Paragraph((Citation(sentence),))
    for sentence in (
        "TEHDAS2 D7.2, the guideline for health data access bodies on data minimisation, "
        "pseudonymisation, anonymisation and synthetic data, was published in 2026 "
        "(doi.org/10.5281/zenodo.20269109). We found its summary, but neither the day nor "
        "the full text.",
        "The parts below are the documentation of an anonymised or synthetic dataset as "
        "others report it from section 5.5.1 of the guideline. Compare them with the "
        "guideline before you rely on them.",
        "The guideline supports Regulation (EU) 2025/327 on the European Health Data Space.",
    )
)
REGISTER = tuple(
    Paragraph((Citation(sentence),))
    for sentence in (
        "The public register of differential privacy deployments, announced on 25 "
        "November 2025, takes entries as YAML in a schema of its own "
        "(github.com/opendp/deployments-registry-data). This entry has the form of the "
        "schema of 15 July 2026.",
        "An entry of tier 3 describes the variant, the unit, the accounting and the "
        "implementation. The register's board reviews entries.",
    )
)
